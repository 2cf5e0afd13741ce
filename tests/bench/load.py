"""Load by wrk, pinned to a processor of its own."""

import dataclasses
import os
import pathlib
import re
import subprocess

import machine

SCRIPT = pathlib.Path(__file__).parent / "load.lua"


@dataclasses.dataclass
class Load:
    requests: int   # that were answered
    rate: float     # requests a second
    p50: float      # ms
    p99: float      # ms
    cpu: float      # microseconds of the server's processor time for each request
    bytes: int      # of an answer
    errors: int     # connections that failed and answers that were not 200


def run(server, call, connections, seconds, count=0, seed=0):
    """A closed loop on so many connections for whole seconds."""
    environment = {**os.environ, "KEY": server.key, "CALL": call, "COUNT": str(count), "SEED": str(seed)}
    before = machine.cpu_seconds(server.pid)
    done = subprocess.run(["taskset", "-c", str(machine.LOAD_CPU), "wrk", "-t1", f"-c{connections}", f"-d{seconds}s",
                           "--timeout", "20s", "-s", SCRIPT, server.url],
                          env=environment, capture_output=True, text=True, timeout=seconds + 60)
    cpu = machine.cpu_seconds(server.pid) - before
    found = re.search(r"^RESULT (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)$", done.stdout, re.MULTILINE)
    if not found:
        raise RuntimeError(f"wrk failed: {done.stdout}{done.stderr}")
    requests, microseconds, p50, p99, size, errors = (int(value) for value in found.groups())
    machine.wait_until_idle(server.pid)
    return Load(requests, requests * 1e6 / microseconds, p50 / 1000, p99 / 1000, cpu * 1e6 / max(requests, 1), size, errors)
