"""The servers that are compared, each pinned to one processor."""

import http.client
import json
import os
import pathlib
import subprocess
import time

import machine
from data import BUILD, PROGRAMS, WORK

PEERS = pathlib.Path(__file__).parent / "peers"
START_SECONDS = 30


class Server:
    """A program that answers POST /mcp on a port of its own."""

    def __init__(self, name, key, command, environment=None, folder=None):
        self.name = name
        self.key = key
        self.port = machine.free_port()
        self.command = [str(part).replace("{port}", str(self.port)) for part in command]
        self.environment = {**os.environ, **(environment or {})}
        for variable in environment or {}:
            self.environment[variable] = self.environment[variable].replace("{port}", str(self.port))
        self.folder = folder
        self.process = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    @property
    def pid(self):
        return self.process.pid

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/mcp"

    def spawn(self):
        log = WORK / "log" / f"{self.name.replace(' ', '-')}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "ab") as output:
            self.process = subprocess.Popen(["taskset", "-c", str(machine.SERVER_CPU), *self.command],
                                            env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                            stdout=output, stderr=output)

    def start(self):
        self.spawn()
        self.wait_for_answer("tools/call", {"name": "get_task", "arguments": {"taskId": task_id(0)}})
        machine.wait_until_idle(self.pid)
        return self

    def wait_for_answer(self, method, params):
        """Calls until there is an answer, however soon that may be."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                return self.call(method, params)
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{self.name} does not answer; its log is in {WORK / 'log'}") from None
                time.sleep(0.001)

    def call(self, method, params):
        """One call on a connection of its own; gives the parsed result."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_SECONDS)
        try:
            return call_on(connection, self.key, method, params)
        finally:
            connection.close()

    def stop(self):
        if not self.process:
            return
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None


def call_on(connection, key, method, params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    connection.request("POST", "/mcp", body, headers(key))
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"HTTP {answer.status}: {content[:300]}")
    result = json.loads(content)
    if "error" in result or result["result"].get("isError"):
        raise RuntimeError(f"the call was refused: {content[:500]}")
    return result["result"]


def headers(key):
    return {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {key}", "MCP-Protocol-Version": "2025-06-18"}


def task_id(index):
    """As bench_seed names them."""
    return f"{1700000000000 + index * 1000}-{index:09}"


def longshored(data, engine=None, name="longshored"):
    return Server(name, data.key, [BUILD / "longshored", "--data", data.folder, "serve", "--port", "{port}"],
                  {"MCP_SERVER_ENABLED": "true", "LOG_LEVEL": "warning",
                   "DOCKER_HOST": engine or f"unix://{data.folder}/no-engine.sock"})


def bare(answer_file):
    return Server("bare libmicrohttpd", "", [PROGRAMS / "bench_bare", "{port}", answer_file])


def sdk(variant, data, database):
    return Server(f"SDK {variant}", data.key, ["node", "sdk.mjs"],
                  {"PORT": "{port}", "DB": str(database), "VARIANT": variant}, PEERS)


def fastmcp(data, database):
    return Server("fastmcp", data.key, ["node", "fastmcp.mjs"], {"PORT": "{port}", "DB": str(database)}, PEERS)
