"""Proves the rules of shape.py on small made-up trees: each fault is found, and what is right is left alone."""

import pathlib
import subprocess
import sys
import tempfile

import shape

MARKER = "TO" + "DO"
MACHINE_PATH = "/wo" + "rk/main"

# (sentence, rule, files, the start of the one fault expected, or None)
CASES = [
    ("a service may include the store", shape.no_include_points_up_or_sideways,
     {"server/services/task.c": '#include "server/store/store.h"\n'}, None),
    ("a file may include its own layer, subfolders too", shape.no_include_points_up_or_sideways,
     {"mcp/tools/create_task.c": '#include "mcp/tool.h"\n', "mcp/tools.c": '#include "mcp/tools/create_task.h"\n'}, None),
    ("the engine driver may include the runner's messages", shape.no_include_points_up_or_sideways,
     {"docker/run.c": '#include "docker/runner/message.h"\n'}, None),
    ("the runner does not include the engine driver", shape.no_include_points_up_or_sideways,
     {"docker/runner/main.c": '#include "docker/container.h"\n'}, "docker/runner/main.c:1"),
    ("the base includes nothing above it", shape.no_include_points_up_or_sideways,
     {"server/base/id.c": '#include <stdio.h>\n\n#include "server/store/store.h"\n'}, "server/base/id.c:3"),
    ("a driver does not include the driver beside it", shape.no_include_points_up_or_sideways,
     {"git/mirror.c": '#include "docker/container.h"\n'}, "git/mirror.c:1"),
    ("a service does not include a door", shape.no_include_points_up_or_sideways,
     {"server/services/task.c": '#include "mcp/tool.h"\n'}, "server/services/task.c:1"),
    ("a door does not reach past the services", shape.no_include_points_up_or_sideways,
     {"mcp/tools/get_task.c": '#include "server/store/store.h"\n'}, "mcp/tools/get_task.c:1"),
    ("a door does not include another door", shape.no_include_points_up_or_sideways,
     {"server/rest/tasks.c": '#include "mcp/tool.h"\n'}, "server/rest/tasks.c:1"),
    ("the process may include everything", shape.no_include_points_up_or_sideways,
     {"server/main.c": '#include "mcp/mcp.h"\n#include "server/store/store.h"\n#include "git/mirror.h"\n'}, None),
    ("angle brackets do not hide an include", shape.no_include_points_up_or_sideways,
     {"git/mirror.c": '#  include <docker/container.h>\n'}, "git/mirror.c:1"),
    ("an include in a comment does not count", shape.no_include_points_up_or_sideways,
     {"git/mirror.c": '/*\n#include "docker/container.h"\n*/\n'}, None),
    ("an include is written from the root", shape.no_include_points_up_or_sideways,
     {"git/mirror.c": '#include "mirror.h"\n', "git/mirror.h": ""}, "git/mirror.c:1"),
    ("the product does not include test code", shape.no_include_points_up_or_sideways,
     {"git/mirror.c": '#include "tests/cmocka.h"\n'}, "git/mirror.c:1"),
    ("tests may include every layer", shape.no_include_points_up_or_sideways,
     {"tests/mcp/main.c": '#include "mcp/tool.h"\n#include "server/store/store.h"\n'}, None),
    ("two headers that include each other are a cycle", shape.no_files_include_each_other,
     {"git/a.h": '#include "git/b.h"\n', "git/b.h": '#include "git/a.h"\n'}, "a cycle: git/a.h -> git/b.h"),
    ("a longer cycle is found behind a file outside it", shape.no_files_include_each_other,
     {"git/0.c": '#include "git/a.h"\n', "git/a.h": '#include "git/b.h"\n', "git/b.h": '#include "git/c.h"\n',
      "git/c.h": '#include "git/a.h"\n'}, "a cycle: git/a.h -> git/b.h -> git/c.h -> git/a.h"),
    ("two ways to one header are no cycle", shape.no_files_include_each_other,
     {"git/a.h": '#include "git/b.h"\n#include "git/c.h"\n', "git/b.h": '#include "git/c.h"\n', "git/c.h": ""}, None),
    ("sqlite3 stays in the store", shape.a_library_stays_in_its_folder,
     {"server/services/task.c": "#include <sqlite3.h>\n", "server/store/store.c": "#include <sqlite3.h>\n"},
     "server/services/task.c:1"),
    ("libcurl is for the engine driver and the one fetch file", shape.a_library_stays_in_its_folder,
     {"docker/engine.c": "#include <curl/curl.h>\n", "server/http/fetch.c": "#include <curl/curl.h>\n",
      "server/http/server.c": "#include <curl/curl.h>\n"}, "server/http/server.c:1"),
    ("the runner is not the engine driver", shape.a_library_stays_in_its_folder,
     {"docker/runner/main.c": "#include <curl/curl.h>\n"}, "docker/runner/main.c:1"),
    ("microhttpd, git2 and sodium have their folders", shape.a_library_stays_in_its_folder,
     {"server/http/server.c": "#include <microhttpd.h>\n", "git/mirror.c": "#include <git2.h>\n",
      "server/base/secret.c": "#include <sodium.h>\n"}, None),
    ("a part of a library is that library", shape.a_library_stays_in_its_folder,
     {"server/main.c": "#include <git2/global.h>\n"}, "server/main.c:1"),
    ("jansson may be used everywhere", shape.a_library_stays_in_its_folder,
     {"mcp/rpc.c": "#include <jansson.h>\n"}, None),
    ("a statement outside the store is found, over line ends too", shape.sql_is_written_in_the_store_only,
     {"server/services/task.c": 'const char *x = "SELECT id "\n                "FROM tasks";\n'}, "server/services/task.c:1"),
    ("a clause alone is SQL as well", shape.sql_is_written_in_the_store_only,
     {"mcp/list.c": 'f(" WHERE status = ?");\n'}, "mcp/list.c:1"),
    ("statements in the store are where they belong", shape.sql_is_written_in_the_store_only,
     {"server/store/task.c": 'const char *x = "DELETE FROM tasks";\n'}, None),
    ("a sentence that happens to say select is no SQL", shape.sql_is_written_in_the_store_only,
     {"server/config.c": '/* UPDATE tasks SET x */ f("Select a branch from the list, or delete from it");\n'}, None),
    ("a left-over marker is found in any file", shape.nothing_is_left_over,
     {"packaging/x.sh": f"# {MARKER}: later\n"}, "packaging/x.sh:1: a left-over marker"),
    ("a path of one machine is found in any file", shape.nothing_is_left_over,
     {"README.md": f"see {MACHINE_PATH}/x\n"}, "README.md:1: a path of one machine"),
    ("the image's own folders are no machine paths", shape.nothing_is_left_over,
     {"packaging/x": "cd /home/agent && ls /workspace $dir/root /root/build\n"}, None),
    ("a lock file does not say where packages came from", shape.nothing_is_left_over,
     {"tests/clients/package-lock.json": '{"resolved": "somewhere"}'}, "tests/clients/package-lock.json: names where"),
]


def faults_of(rule, files):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return list(rule(shape.Tree(folder)))


def main():
    failed = False
    for sentence, rule, files, expected in CASES:
        faults = faults_of(rule, files)
        right = not faults if expected is None else len(faults) == 1 and faults[0].startswith(expected)
        if not right:
            print(f"# expected {expected!r}, found {faults}")
        print(f"{'ok' if right else 'not ok'} - {sentence}")
        failed = failed or not right
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
