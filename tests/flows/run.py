"""Runs the flows: python3 tests/flows/run.py [name or part of a name ...]. One result line for each."""

import concurrent.futures
import importlib
import os
import pathlib
import sys
import tempfile
import threading
import time
import traceback

import longshore

HERE = pathlib.Path(__file__).parent
AT_ONCE = int(os.environ.get("LONGSHORE_FLOWS_AT_ONCE", "2"))


def load():
    for path in sorted(HERE.glob("test_*.py")):
        importlib.import_module(path.stem)
    return longshore.FLOWS


def perform(function):
    """Run one flow on a stage of its own. Returns its faults as text lines, what its servers told before them."""
    folder = tempfile.mkdtemp(prefix="flow.")
    stage = longshore.Stage(folder)
    faults = []
    try:
        function(stage)
    except Exception:  # whatever went wrong is this flow's result, not the end of the run
        faults += traceback.format_exc().splitlines()
    try:
        faults += stage.close()
    except Exception:
        faults += traceback.format_exc().splitlines()
    if faults:
        logs = [line for server in stage.servers for line in (f"--- {server.log.name}", *server.log_end().splitlines())]
        faults = [*logs, "--- what is wrong", *faults]
    longshore.clean(folder)
    return faults


def main(wanted):
    flows = [f for f in load() if not wanted or any(part in f.__name__ for part in wanted)]
    print(f"1..{len(flows)}", flush=True)
    printing = threading.Lock()
    failed = []

    def run(function):
        started = time.monotonic()
        faults = perform(function)
        with printing:
            for line in faults:
                print(f"# {line}")
            took = time.monotonic() - started
            print(f"{'not ok' if faults else 'ok'} - {function.__name__} ({took:.1f} s)", flush=True)
        failed.extend(faults)

    # Flows mostly wait, each for its own server.
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(run, flows))
    return 1 if failed or not flows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
