"""What the kernel says of a process, and which processors load and servers are pinned to."""

import os
import pathlib
import socket
import time

CPUS = sorted(os.sched_getaffinity(0))
LOAD_CPU = CPUS[0]
SERVER_CPU = CPUS[-1]
ALL_CPUS = ",".join(map(str, CPUS))
TICK = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    """User and system time of all threads of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory(pid):
    """Anonymous and resident memory in MB (of 1024 kB)."""
    lines = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    return tuple(int(lines[name].split()[0]) / 1024 for name in ("RssAnon", "VmRSS"))


def wait_until_idle(pid, seconds=10):
    """Until the process has stopped working: what the load left behind must not be paid by the next measurement."""
    deadline = time.monotonic() + seconds
    before = cpu_seconds(pid)
    while time.monotonic() < deadline:
        time.sleep(0.1)
        now = cpu_seconds(pid)
        if now - before <= 0.01:
            return
        before = now


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def sync_cost(folder, times=50):
    """Median seconds of appending a page to a file in the folder and waiting until it is on the disk."""
    path = pathlib.Path(folder, "sync-cost")
    taken = []
    with open(path, "wb", buffering=0) as file:
        for _ in range(times):
            begun = time.perf_counter()
            file.write(bytes(4096))
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - begun)
    path.unlink()
    return sorted(taken)[times // 2]
