"""From a call to the start of its script: our own time over what the engine needs to create and start the very same
container, and a follow-up in a container that lives."""

import os
import pathlib
import shutil
import sys
import tempfile
import time

import data
import machine
import servers
from report import at_most, median

sys.path.insert(0, str(data.ROOT / "tests" / "lib"))
from engine import request  # noqa: E402

ENGINE = os.environ.get("LONGSHORE_TEST_DOCKER_HOST")
RUNNER = "/longshore/runner"
SCRIPT = "echo $EPOCHREALTIME"
FOLLOW_UPS = 5
SECONDS = 60
SETTLE_SECONDS = 0.3


class TurnStart:
    title = "the start of a turn, ms"
    rounds = 7
    quick_rounds = 4

    @staticmethod
    def left_out():
        return None if ENGINE else "no engine: LONGSHORE_TEST_DOCKER_HOST is not set"

    def __init__(self, options):
        self.created = []
        self.raw = []
        self.followed = []

    def __enter__(self):
        self.copy = data.copy(data.seeded(1000), "turn-start")
        self.server = servers.longshored(self.copy, ENGINE, cpus=machine.ALL_CPUS).start()
        self._once(lambda task: None)  # what is done only the first time
        return self

    def __exit__(self, *_):
        self.server.stop()
        data.drop(self.copy)

    def _once(self, then):
        """Creates a task, and removes its container after `then`; gives how long the start took."""
        task, taken = self._create()
        container = f"longshore-{task}"
        try:
            self.model = engine("GET", f"/containers/{container}/json")
            then(task)
        finally:
            engine("DELETE", f"/containers/{container}?force=1&v=1")
        time.sleep(SETTLE_SECONDS)
        return taken

    def _follow_ups(self, task):
        self.followed += [self._follow_up(task, turn) for turn in range(2, 2 + FOLLOW_UPS)]

    def measure(self):
        """Both starts, the other one first in every second round."""
        turns = [lambda: self.created.append(self._once(self._follow_ups)), lambda: self.raw.append(self._create_raw())]
        for turn in turns if len(self.raw) % 2 else reversed(turns):
            turn()

    def _create(self):
        begun = time.time()
        task = self.server.call("create_task", {"environment": "environment-0", "instructions": SCRIPT})["taskId"]
        return task, (self._started(task, 1) - begun) * 1000

    def _follow_up(self, task, turn):
        begun = time.time()
        self.server.call("follow_up_task", {"taskId": task, "instructions": SCRIPT})
        return (self._started(task, turn) - begun) * 1000

    def _started(self, task, turn):
        """When the script's first output was on record: by its own clock, or by the file's if that is later."""
        deadline = time.monotonic() + SECONDS
        record = pathlib.Path(self.copy.folder, "records", task, "raw", f"turn-{turn}.out")
        while time.monotonic() < deadline:
            time.sleep(0.05)
            found = self.server.call("get_task", {"taskId": task})
            if found["status"] == "completed":
                return max(float(record.read_text()), record.stat().st_mtime)
            if found["status"] not in ("queued", "running"):
                raise RuntimeError(f"the turn did not complete: {found}")
        raise RuntimeError(f"the turn was not done within {SECONDS} seconds")

    def _create_raw(self):
        """A container of the same configuration on folders of its own, through the engine's API alone."""
        folders = tempfile.mkdtemp(dir=self.copy.folder)
        body = {**self.model["Config"], "Labels": {}, "HostConfig": self.model["HostConfig"], "Cmd": ["sleep", "600"]}
        for mount in body["HostConfig"]["Mounts"]:
            if mount["Target"] != RUNNER:
                mount["Source"] = tempfile.mkdtemp(dir=folders)
        begun = time.perf_counter()
        made = engine("POST", "/containers/create", body)["Id"]
        try:
            engine("POST", f"/containers/{made}/start")
            return (time.perf_counter() - begun) * 1000
        finally:
            engine("DELETE", f"/containers/{made}?force=1&v=1")
            shutil.rmtree(folders)
            time.sleep(SETTLE_SECONDS)

    def report(self, report):
        report.table(self.title, ["what", "median", "least", "most"],
                     [[name, *(f"{value:.1f}" for value in (median(taken), min(taken), max(taken)))]
                      for name, taken in (("create_task to the script's start", self.created),
                                          ("raw create and start of the same container", self.raw),
                                          ("follow_up_task to the script's start", self.followed))])

    def goals(self):
        yield at_most("our own time over raw create and start:", median(self.created) - median(self.raw), 25, " ms")
        yield at_most("turn start in a live container:", median(self.followed), 40, " ms")


def engine(method, path, body=None):
    status, answer = request(ENGINE, method, f"/v1.41{path}", body)
    if status >= 300:
        raise RuntimeError(f"the engine answered {status} to {method} {path}: {answer}")
    return answer
