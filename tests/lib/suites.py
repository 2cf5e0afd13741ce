"""Runs the suites inside the namespaces that tests/run made, counts what passed and failed, and says so.

A suite's own word is not enough: a program that crashed, ended early, ran out of time or left a sanitizer report has
failed whatever its results say.
"""

import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from engine import Engine, EngineError  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
WORK = BUILD / "test"
LOGS = WORK / "log"
IMAGE = "longshore/task:1"

RESULT = re.compile(r"^(ok|not ok)\b(?:\s+\d+)?(?:\s+-)?\s*(.*)$")
PLAN = re.compile(r"^1\.\.(\d+)\s*$")
REPORT = re.compile(r"ERROR: (Address|Leak|Thread)Sanitizer|^.*: runtime error: |SUMMARY: \w*Sanitizer", re.MULTILINE)


class Suite:
    """One or more commands whose output holds result lines; seconds is the limit of all of them together."""

    def __init__(self, name, commands, seconds, build="asan", wants_results=True, is_optional=False):
        self.name = name
        self.commands = commands
        self.seconds = seconds
        self.build = build
        self.wants_results = wants_results
        self.is_optional = is_optional  # runs only when it is named
        self.log = LOGS / f"{name}.log"
        self.reports = LOGS / f"{name}.reports"
        self.passed = []
        self.failed = []
        self.skipped = []
        self.took = 0.0

    def environment(self, engine, temporary):
        options = f"log_path={self.reports}/report:abort_on_error=0:exitcode=99"
        found = dict(os.environ)
        for name in ("DOCKER_HOST", "DOCKER_CONTEXT", "LONGSHORE_URL", "LONGSHORE_API_KEY", "http_proxy", "https_proxy",
                     "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
            found.pop(name, None)
        found.update(
            TMPDIR=str(temporary), LONGSHORE_TEST_IMAGE=IMAGE, LONGSHORE_TEST_IMAGE_TAR=str(WORK / "image.tar"),
            LONGSHORED=str(program(self.build, "longshored") or ""),
            LONGSHORE_RUNNER=str(program(self.build, "longshore-runner") or ""),
            CMOCKA_MESSAGE_OUTPUT="TAP", PYTHONUNBUFFERED="1", PYTHONDONTWRITEBYTECODE="1",
            ASAN_OPTIONS=options + ":detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1",
            UBSAN_OPTIONS=f"{options}:print_stacktrace=1:halt_on_error=1", LSAN_OPTIONS="report_objects=1")
        if engine:
            found["LONGSHORE_TEST_DOCKER_HOST"] = engine.address
        return found

    def run(self, engine):
        started = time.monotonic()
        shutil.rmtree(self.reports, ignore_errors=True)
        self.reports.mkdir(parents=True)
        temporary = pathlib.Path(tempfile.mkdtemp(prefix=f"{self.name}."))
        self.log.write_bytes(b"")
        for label, command in self.commands:
            left = self.seconds - (time.monotonic() - started)
            self._run_command(label, command, max(left, 1), self.environment(engine, temporary))
        self._read_reports()
        shutil.rmtree(temporary, ignore_errors=True)
        if not any(self.reports.iterdir()):
            self.reports.rmdir()
        self.took = time.monotonic() - started

    def _run_command(self, label, command, seconds, environment):
        timed_out = False
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        # Both streams go to the log a line at a time; results are taken from standard output only, where no other
        # program's half line can stand before them.
        output, errors = [], []
        with open(self.log, "ab", buffering=0) as log:
            readers = [threading.Thread(target=copy_lines, args=(stream, log, kept), daemon=True)
                       for stream, kept in ((process.stdout, output), (process.stderr, errors))]
            for reader in readers:
                reader.start()
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                timed_out = True
            # What it left in its group would hold ports and files that the next one wants.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            for reader in readers:
                reader.join(5)
        self._judge(label, b"".join(output).decode(errors="replace"), b"".join(errors).decode(errors="replace"),
                    process.returncode, timed_out)

    def _judge(self, label, output, errors, code, timed_out):
        before = len(self.failed)
        results = planned = 0
        for line in output.splitlines():
            plan = PLAN.match(line)
            if plan:
                planned += int(plan.group(1))
            result = RESULT.match(line)
            if not result:
                continue
            results += 1
            name = result.group(2) or "(without a name)"
            if re.match(r"#\s*SKIP", name, re.IGNORECASE) or re.search(r"#\s*SKIP", name, re.IGNORECASE):
                self.skipped.append(name)
            elif result.group(1) == "ok":
                self.passed.append(name)
            else:
                self.failed.append(name)
        if timed_out:
            self.failed.append(f"{label}: not done within {self.seconds} seconds")
        elif REPORT.search(output) or REPORT.search(errors):
            self.failed.append(f"{label}: a sanitizer report in its output")
        elif planned > results:
            self.failed.append(f"{label}: ended after {results} of {planned} tests, status {code}")
        elif code != 0 and len(self.failed) == before:
            how = f"killed by signal {-code}" if code < 0 else f"ended with status {code}"
            self.failed.append(f"{label}: {how}")
        elif self.wants_results and results == 0:
            self.failed.append(f"{label}: ran no test")
        elif not self.wants_results and len(self.failed) == before:
            self.passed.append(label)

    def _read_reports(self):
        """Reports of any process of the suite, also of those whose output went elsewhere."""
        for report in sorted(self.reports.iterdir()):
            text = report.read_text(errors="replace")
            if REPORT.search(text):
                self.failed.append(f"a sanitizer report: {report.relative_to(ROOT)}")
                with open(self.log, "a") as log:
                    log.write(f"\n--- {report.name}\n{text}\n")


def copy_lines(stream, log, kept):
    """Copy a stream to the log, whole lines at a time, and keep what it was."""
    for line in stream:
        kept.append(line)
        try:
            log.write(line if line.endswith(b"\n") else line + b"\n")
        except ValueError:
            return  # the log was closed: a process that outlived its suite still writes


def program(build, name):
    """The path of a built program, wherever its folder's CMakeLists.txt put it."""
    for path in sorted((BUILD / build).rglob(name)):
        if path.is_file() and os.access(path, os.X_OK):
            return path
    return None


def c_suites():
    for path in sorted((BUILD / "asan" / "tests").glob("*/test_*")):
        if path.is_file() and os.access(path, os.X_OK):
            yield Suite(path.name.removeprefix("test_"), [(path.name, [str(path)])], 600)


def fuzz_suite(seconds):
    commands = []
    for path in sorted((BUILD / "fuzz" / "tests").glob("*/fuzz_*")):
        if not path.is_file() or not os.access(path, os.X_OK):
            continue
        corpus = WORK / "corpus" / path.name
        corpus.mkdir(parents=True, exist_ok=True)
        seeds = ROOT / "tests" / "fuzz" / "seeds" / path.name.removeprefix("fuzz_")
        commands.append((path.name, [str(path), f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=1024",
                                     "-print_final_stats=1", f"-artifact_prefix={LOGS}/{path.name}.", str(corpus),
                                     *([str(seeds)] if seeds.is_dir() else [])]))
    return Suite("fuzz", commands, len(commands) * (seconds + 30) + 60, build="fuzz", wants_results=False)


def all_suites(long):
    """Every suite there is, the slowest first so that the others run beside it; the last ones run alone: the C tests in
    Debian 13, which use the engine as those here do, and the benchmark."""
    python = sys.executable
    found = []
    if any((ROOT / "tests" / "flows").glob("test_*.py")):
        found.append(Suite("flows", [("flows", [python, "tests/flows/run.py"])], 900))
    if (ROOT / "tests" / "agents" / "main.py").exists():
        found.append(Suite("agents", [("agents", [python, "tests/agents/main.py"])], 600))
    if (ROOT / "tests" / "clients" / "run").exists():
        found.append(Suite("clients", [("clients", ["tests/clients/run"])], 420))
    if (ROOT / "tests" / "conformance" / "run").exists():
        found.append(Suite("conformance", [("conformance", [python, "tests/conformance/run"])], 300))
    if (ROOT / "tests" / "browser" / "run").exists():
        found.append(Suite("browser", [("browser", ["tests/browser/run"])], 600))
    found.append(Suite("page", [("the page's types", ["npm", "run", "--silent", "--prefix", "web", "check"]),
                                ("the page's own tests", ["npm", "run", "--silent", "--prefix", "web", "test", "--",
                                                          "--reporter=tap-flat"])], 120))
    fuzz = fuzz_suite(600 if long else 10)
    if fuzz.commands:
        found.append(fuzz)
    if (ROOT / "tests" / "authorization" / "run").exists():
        found.append(Suite("authorization", [("authorization", [python, "tests/authorization/run"])], 420))
    found.extend(c_suites())
    found.append(Suite("harness", [("harness", [python, "tests/lib/selftest.py"])], 60))
    found.append(Suite("shape", [("shape self-test", [python, "tests/shape/selftest.py"]),
                                 ("shape", [python, "tests/shape/shape.py", str(ROOT)]),
                                 ("readme", [python, "tests/shape/readme.py"])], 60))
    alone = [Suite("debian13", [("debian13", ["tests/debian13/run"])], 1800, is_optional=True)]
    if (ROOT / "tests" / "bench" / "run").exists():
        alone.append(Suite("bench", [("bench", ["tests/bench/run", *([] if long else ["--quick"])])], 900, build="release"))
    return found, alone


def close(passed, failed, skipped=0):
    """Print the closing line, and leave word for tests/run that it was printed."""
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), flush=True)
    pathlib.Path(tempfile.gettempdir(), "closed").touch()


def telling(log, before=25, at_end=30):
    """The lines of a log that tell of its failures: what stands before each, and its end."""
    log = [line for line in log if not line.startswith("ok ")]
    told = set(range(len(log) - at_end, len(log)))
    for number, line in enumerate(log):
        if line.startswith("not ok"):
            told.update(range(number - before, number + 1))
    return [line for number, line in enumerate(log) if number in told]


def report(suite):
    skipped = f", {len(suite.skipped)} skipped" if suite.skipped else ""
    lines = [f"{suite.name:10} {len(suite.passed)} passed, {len(suite.failed)} failed{skipped}  ({suite.took:.1f} s)"]
    if suite.failed:
        lines += [f"    failed: {name}" for name in suite.failed]
        lines.append(f"    --- from {suite.log.relative_to(ROOT)}")
        lines += ["    " + line[:400] for line in telling(suite.log.read_text(errors="replace").splitlines())]
    # As bytes: a log may hold anything.
    sys.stdout.buffer.write(("\n".join(lines) + "\n").encode(errors="replace"))
    sys.stdout.buffer.flush()


def run_beside(suites, engine, workers):
    """Run them, `workers` at a time, in the given order."""
    waiting = list(suites)
    lock = threading.Lock()

    def work():
        while True:
            with lock:
                if not waiting:
                    return
                suite = waiting.pop(0)
            try:
                suite.run(engine)
            except Exception as problem:  # a fault of this file must not pass for a green suite
                suite.failed.append(f"the suite could not be run: {problem!r}")
                suite.log.touch()
            with lock:
                report(suite)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.2)  # short, so that a signal is handled between


def start_engine():
    engine = Engine(WORK / "engine").start()
    subprocess.run([str(ROOT / "packaging" / "image"), "--docker-host", engine.address, "--tag", IMAGE], check=True,
                   stdout=subprocess.DEVNULL)
    return engine


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--long", action="store_true")
    arguments.add_argument("--list", action="store_true")
    arguments.add_argument("suites", nargs="*")
    given = arguments.parse_args()

    LOGS.mkdir(parents=True, exist_ok=True)
    beside, alone = all_suites(given.long)
    known = [suite.name for suite in beside + alone]
    if given.list:
        print("\n".join(known))
        pathlib.Path(tempfile.gettempdir(), "closed").touch()
        return 0
    unknown = [name for name in given.suites if name not in known]
    if unknown:
        print(f"no suite {', '.join(unknown)}: there are {', '.join(known)}")
        close(0, 1)
        return 1
    if given.suites:
        beside = [suite for suite in beside if suite.name in given.suites]
        alone = [suite for suite in alone if suite.name in given.suites]
    else:
        alone = [suite for suite in alone if not suite.is_optional]

    engine = None
    engine_failure = None
    if any(suite.name not in ("harness", "shape", "page", "fuzz", "base") for suite in beside + alone):
        try:
            engine = start_engine()
        except (EngineError, subprocess.CalledProcessError) as problem:
            engine_failure = str(problem)
            print(f"the tests' Docker engine: {engine_failure}")
    try:
        run_beside(beside, engine, 2)
        for suite in alone:
            run_beside([suite], engine, 1)
    finally:
        if engine:
            engine.stop()

    every = beside + alone
    passed = sum(len(suite.passed) for suite in every)
    failed = sum(len(suite.failed) for suite in every) + (1 if engine_failure else 0)
    skipped = sum(len(suite.skipped) for suite in every)
    for suite in every:
        for name in suite.failed:
            print(f"failed: {suite.name}: {name}")
    close(passed, failed, skipped)
    return 1 if failed or not passed else 0


def ended(number, _frame):
    raise SystemExit(128 + number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, ended)
    signal.signal(signal.SIGINT, ended)
    sys.exit(main())
