"""packaging/quickstart, end to end, twice."""

import os
import pathlib
import subprocess
import threading

from longshore import DOCKER_HOST, ROOT, engine_request, flow, wait_until

# The runs share the folder they build in.
_building = threading.Lock()


def _quickstart(data, *arguments, prefix=(), docker_host=None, seconds=300):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LONGSHORE", "ASAN", "UBSAN", "LSAN"))}
    environment.pop("DOCKER_HOST", None)
    if docker_host:
        environment["DOCKER_HOST"] = docker_host
    with _building:
        done = subprocess.run([*prefix, str(ROOT / "packaging" / "quickstart"), "--data", str(data), *arguments],
                              env=environment, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, f"status {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _settings(data):
    file = data / "quickstart.env"
    assert file.stat().st_mode & 0o777 == 0o600, oct(file.stat().st_mode)
    return dict(line.split("=", 1) for line in file.read_text().split())


def _task_line(output):
    return [line for line in output.splitlines() if line.strip().startswith("task ")]


@flow
def quickstart_ends_with_a_finished_task_and_a_second_run_keeps_it(stage):
    data = stage.folder / "quick"
    try:
        first = _quickstart(data, docker_host=DOCKER_HOST)
        assert "README.md | 2 ++" in first and "claude mcp add" in first, first
        settings = _settings(data)
        second = _quickstart(data, docker_host=DOCKER_HOST, seconds=60)
        assert _task_line(second) == _task_line(first), second
        assert second.split("The agent's reply")[1] == first.split("The agent's reply")[1], second
        assert _settings(data) == settings
        pid = int((data / "server.pid").read_text())
        _quickstart(data, "--stop", seconds=60)
        wait_until("the server to be gone", lambda: not pathlib.Path(f"/proc/{pid}").exists(), 10)
        third = _quickstart(data, docker_host=DOCKER_HOST, seconds=60)
        assert _task_line(third) == _task_line(first), third
    finally:
        _quickstart(data, "--stop", seconds=60)
        for container in engine_request(DOCKER_HOST, "GET", "/v1.41/containers/json?all=1")[1]:
            if str(data) in str(engine_request(DOCKER_HOST, "GET", f"/v1.41/containers/{container['Id']}/json")[1]):
                engine_request(DOCKER_HOST, "DELETE", f"/v1.41/containers/{container['Id']}?force=1")


@flow
def quickstart_starts_an_engine_where_there_is_none_and_stop_ends_it(stage):
    # A network of its own: this engine would otherwise share its docker0 with the one of the tests.
    holder = subprocess.Popen(["unshare", "--net", "sh", "-c", "ip link set lo up && echo up && exec sleep 600"],
                              stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline().strip() == "up"
        inside = ["nsenter", "--target", str(holder.pid), "--net"]
        data = stage.folder / "alone"
        first = _quickstart(data, prefix=inside)
        assert "claude mcp add" in first, first
        engine = int((data / "quickstart" / "engine.pid").read_text())
        assert _task_line(_quickstart(data, prefix=inside, seconds=60)) == _task_line(first)
        assert "engine" in _quickstart(data, "--stop", prefix=inside, seconds=90)
        wait_until("the engine to be gone", lambda: not pathlib.Path(f"/proc/{engine}").exists(), 10)
        left = [line for line in open("/proc/self/mountinfo") if str(data) in line]
        assert not left, left
    finally:
        holder.kill()
        holder.wait()
