"""Proves that suites.py believes no program that did badly, whatever the program says, and that an engine's groups go."""

import pathlib
import sys
import tempfile
import threading

import engine
import suites

SCRIPTS = [
    ("what passes is counted", "echo 1..2; echo ok 1 - one; echo 'ok 2 - two'", 60, 2, None),
    ("what fails is counted and named", "echo 1..2; echo ok 1 - one; echo 'not ok 2 - two'; exit 1", 60, 1, "two"),
    ("half a line of another program does not hide a result", "printf half >&2; echo ok 1 - one; printf more >&2", 60, 1, None),
    ("a report among the errors is a failure", "echo ok 1 - one; echo '==1==ERROR: AddressSanitizer: x' >&2", 60, 1, "report"),
    ("a failure without a status is a failure", "echo 'not ok - one'", 60, 0, "one"),
    ("a program that crashes has failed", "echo ok 1 - one; kill -SEGV $$", 60, 1, "killed by signal 11"),
    ("a status without a failed test is a failure", "echo ok 1 - one; exit 3", 60, 1, "status 3"),
    ("a program that ends early has failed", "echo 1..3; echo ok 1 - one", 60, 1, "ended after 1 of 3"),
    ("a program that ran nothing has failed", "echo hello", 60, 0, "ran no test"),
    ("a program that hangs has failed", "echo ok 1 - one; sleep 60", 1, 1, "not done within"),
    ("a sanitizer's report in the output is a failure", "echo ok 1 - one; echo '==1==ERROR: LeakSanitizer: leaks'", 60, 1, "report"),
    ("a report of undefined behaviour is a failure", "echo ok 1 - one; echo 'a.c:3:4: runtime error: shift'", 60, 1, "report"),
    ("a report of a process that nobody watches is a failure",
     "echo ok 1 - one; f=${ASAN_OPTIONS#log_path=}; echo '==1==ERROR: AddressSanitizer: x' > ${f%%:*}.1", 60, 1, "report"),
    ("a skipped test is neither passed nor failed", "echo ok 1 - one; echo 'not ok 2 # SKIP two'", 60, 1, None),
    ("what a program leaves behind is ended", "echo ok 1 - one; sleep 4244 & exit 0", 60, 1, None),
]


def judge(script, seconds, folder):
    suite = suites.Suite("made-up", [("made-up", ["sh", "-c", script])], seconds)
    suite.log = folder / "log"
    suite.reports = folder / "reports"
    suite.run(None)
    return suite


def left_behind():
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes() == b"sleep\x004244\x00":
                return True
        except OSError:
            pass
    return False


def groups_go_while_others_come(folder):
    """Removing one engine's control groups, beside another whose groups come and go all the time."""
    mine, other = [folder / controller / "mine" for controller in ("cpu", "pids")], folder / "pids" / "other"
    is_over = threading.Event()

    def churn():
        while not is_over.is_set():
            (other / "container").mkdir(parents=True)
            (other / "container").rmdir()
            other.rmdir()

    (folder / "pids").mkdir()
    neighbour = threading.Thread(target=churn)
    neighbour.start()
    try:
        for _ in range(200):
            for group in mine:
                (group / "container").mkdir(parents=True)
            engine.remove_control_groups("mine", folder)
            if any(group.exists() for group in mine):
                return False
        return True
    except OSError as error:
        print(f"# {error}")
        return False
    finally:
        is_over.set()
        neighbour.join()


def main():
    failed = False
    suites.ROOT = pathlib.Path("/")
    for sentence, script, seconds, passed, expected in SCRIPTS:
        with tempfile.TemporaryDirectory() as folder:
            suite = judge(script, seconds, pathlib.Path(folder))
        right = len(suite.passed) == passed and not left_behind()
        right = right and (not suite.failed if expected is None else len(suite.failed) == 1 and expected in suite.failed[0])
        if not right:
            print(f"# passed {suite.passed}, failed {suite.failed}".replace("runtime error", "RUNTIME ERROR"))
        print(f"{'ok' if right else 'not ok'} - {sentence}")
        failed = failed or not right
    log = ["ok - a", *["quiet"] * 100, "why", "not ok - b", *["quiet"] * 100, "ok - c", "end"]
    right = {"why", "not ok - b", "end"} <= set(suites.telling(log)) and len(suites.telling(log)) < 60
    print(f"{'ok' if right else 'not ok'} - what is printed of a log tells of its failures")
    failed = failed or not right
    with tempfile.TemporaryDirectory() as folder:
        right = groups_go_while_others_come(pathlib.Path(folder))
    print(f"{'ok' if right else 'not ok'} - an engine's control groups go while another's come")
    return 1 if failed or not right else 0


if __name__ == "__main__":
    sys.exit(main())
