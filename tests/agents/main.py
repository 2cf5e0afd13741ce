"""Runs the flows of this folder with the harness of tests/flows: the real programs of the agents, in real containers,
against scripted models. python3 tests/agents/main.py [part of a name ...]"""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "flows"))
import run  # noqa: E402

if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    run.HERE = HERE
    sys.exit(run.main(sys.argv[1:]))
