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
    """A program that answers POST /mcp on a port of its own, on one processor unless it is to have all."""

    def __init__(self, name, key, command, environment=None, folder=None, cpus=machine.SERVER_CPU):
        self.name = name
        self.key = key
        self.port = machine.free_port()
        self.command = [str(part).replace("{port}", str(self.port)) for part in command]
        self.environment = {**os.environ, **(environment or {})}
        for variable in environment or {}:
            self.environment[variable] = self.environment[variable].replace("{port}", str(self.port))
        self.folder = folder
        self.cpus = str(cpus)
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
            self.process = subprocess.Popen(["taskset", "-c", self.cpus, *self.command],
                                            env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                            stdout=output, stderr=output)

    def start(self):
        self.spawn()
        self.wait_for_answer()
        machine.wait_until_idle(self.pid)
        return self

    def wait_for_answer(self):
        """Calls until there is an answer, however soon that may be."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                return result_of(self.answer("tools/call", get_task(0)))
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"{self.name} does not answer; its log is in {WORK / 'log'}") from None
                time.sleep(0.001)

    def answer(self, method, params):
        """The bytes of the answer to one call on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_SECONDS)
        try:
            return exchange(connection, self.key, method, params)
        finally:
            connection.close()

    def call(self, tool, arguments):
        """The structured content of a tool's result."""
        return result_of(self.answer("tools/call", {"name": tool, "arguments": arguments}))["structuredContent"]

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


def exchange(connection, key, method, params):
    """Sends one call and gives the bytes of its answer."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    connection.request("POST", "/mcp", body, headers(key))
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"HTTP {answer.status}: {content[:300]}")
    return content


def result_of(content):
    answer = json.loads(content)
    if "error" in answer or answer["result"].get("isError"):
        raise RuntimeError(f"the call was refused: {content[:500]}")
    return answer["result"]


def headers(key):
    return {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {key}", "MCP-Protocol-Version": "2025-06-18"}


def get_task(index):
    """The call of a task that bench_seed made."""
    return {"name": "get_task", "arguments": {"taskId": f"{1700000000000 + index * 1000}-{index:09}"}}


def longshored(data, engine=None, name="longshored", cpus=machine.SERVER_CPU):
    return Server(name, data.key, [BUILD / "longshored", "--data", data.folder, "serve", "--port", "{port}"],
                  {"MCP_SERVER_ENABLED": "true", "MCP_OAUTH_ENABLED": "true", "LOG_LEVEL": "warning",
                   "DOCKER_HOST": engine or f"unix://{data.folder}/no-engine.sock"}, cpus=cpus)


def bare(answer_file):
    return Server("bare libmicrohttpd", "", [PROGRAMS / "bench_bare", "{port}", answer_file])


def sdk(variant, data, database):
    return Server(f"SDK {variant}", data.key, ["node", "sdk.mjs"],
                  {"PORT": "{port}", "DB": str(database), "VARIANT": variant}, PEERS)


def fastmcp(data, database):
    return Server("fastmcp", data.key, ["node", "fastmcp.mjs"], {"PORT": "{port}", "DB": str(database)}, PEERS)
