"""What the flow tests drive: a real longshored on a data folder of its own, a git remote, and engines to lose.

A flow is a function marked @flow whose only parameter is its Stage. Waiting is always for a state, with a deadline.
"""

import base64
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "lib"))
from engine import Engine, request as engine_request  # noqa: E402

LONGSHORED = os.environ.get("LONGSHORED") or str(ROOT / "build" / "asan" / "server" / "longshored")
DOCKER_HOST = os.environ.get("LONGSHORE_TEST_DOCKER_HOST", "unix:///var/run/docker.sock")
IMAGE = os.environ.get("LONGSHORE_TEST_IMAGE", "longshore/task:1")
ENDED = ("completed", "failed", "interrupted")
REPORT = re.compile(r"ERROR: \w+Sanitizer|: runtime error: ")

PATIENCE = 3

FLOWS = []


def flow(function):
    """Marks a flow; run.py calls it with a fresh Stage."""
    FLOWS.append(function)
    return function


class ToolError(Exception):
    """A tool's refusal: its code where it gave one, and all of its text."""

    def __init__(self, text):
        super().__init__(text)
        try:
            self.body = json.loads(text)
        except ValueError:
            self.body = {}
        self.code = self.body.get("error")


class HttpError(Exception):
    def __init__(self, status, body):
        super().__init__(f"{status} {body[:300]!r}")
        self.status = status
        self.body = body


def wait_until(what, condition, seconds=30, every=0.05):
    """Wait for the condition's first true answer and return it; fail naming what was waited for. A machine that does
    other work beside it is given as many times the seconds as PATIENCE says."""
    deadline = time.monotonic() + seconds * PATIENCE
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds * PATIENCE} s in vain for {what}")
        time.sleep(every)


def files_below(folder):
    """The regular files below it, whatever comes and goes meanwhile (Path.rglob fails when a folder goes)."""
    for inner, _, names in os.walk(folder):
        for path in (pathlib.Path(inner) / name for name in names):
            if path.is_file() and not path.is_symlink():
                yield path


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Remote:
    """A git remote over HTTP on loopback (packaging/git-remote.conf)."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        (self.folder / "git").mkdir(parents=True)
        template = (ROOT / "packaging" / "git-remote.conf").read_text()
        config = self.folder / "lighttpd.conf"
        config.write_text(template.replace("@PORT@", str(self.port)).replace("@DIR@", str(self.folder)))
        self.process = subprocess.Popen(["lighttpd", "-D", "-f", str(config)], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until("the git remote to listen", self._listens, 10)

    def _listens(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def git(self, *arguments, cwd):
        identity = ["-c", "user.name=Sample", "-c", "user.email=sample@example.com"]
        return subprocess.run(["git", *identity, *arguments], cwd=cwd, check=True, capture_output=True,
                              env={"PATH": os.environ["PATH"], "HOME": str(self.folder)}).stdout.decode()

    def add(self, name, files):
        """Make NAME.git with one commit of the files on main; returns its address."""
        work = self.folder / "work" / name
        work.mkdir(parents=True)
        self.git("init", "-q", "-b", "main", ".", cwd=work)
        for path, content in files.items():
            target = work / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.git("add", "-A", cwd=work)
        self.git("commit", "-q", "-m", "Start", cwd=work)
        self.git("clone", "-q", "--bare", str(work), str(self.folder / "git" / f"{name}.git"), cwd=self.folder)
        return f"http://127.0.0.1:{self.port}/{name}.git"

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Authority:
    """A certificate authority, and the certificate of a server on this machine."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.file, self.certificate, self.key = (str(self.folder / name) for name in ("ca.pem", "server.pem", "server.key"))
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                      "-subj", "/CN=authority", "-addext", "keyUsage=critical,keyCertSign", "-keyout", "ca.key", "-out", "ca.pem")
        self.renew()

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def renew(self):
        """Another certificate with another key, in the same files."""
        (self.folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=server",
                      "-keyout", "server.key", "-out", "server.csr")
        self._openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
                      "2", "-extfile", "names", "-out", "server.pem")

    def variables(self):
        """What a server's environment needs to speak TLS with it."""
        return {"TLS_CERTIFICATE_FILE": self.certificate, "TLS_KEY_FILE": self.key}


class Server:
    """One longshored process on a data folder. It may be killed and started again; the folder stays."""

    def __init__(self, data, docker_host=DOCKER_HOST, port=0, environment=None):
        self.data = pathlib.Path(data)
        self.docker_host = docker_host
        self.port = port
        self.environment = dict(os.environ, **(environment or {}))
        self.log = self.data.with_name(self.data.name + ".log")
        self.process = None
        self.key = None
        self.authority = None  # the file of a certificate authority, where the server speaks TLS
        self.keep_address = False  # where the folder belongs to another server that is alive

    def command(self, *arguments, text=None, check=True):
        """Run a command of longshored on this data folder; returns what it printed, parsed when it is JSON."""
        done = subprocess.run([LONGSHORED, *arguments, "--data", str(self.data)], input=text, capture_output=True,
                              text=True, timeout=60, env=self.environment, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"longshored {' '.join(arguments)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        if not check:
            return done
        try:
            return json.loads(done.stdout)
        except ValueError:
            return done.stdout

    def launch(self):
        """Start the process without waiting for it to listen."""
        self.data.mkdir(parents=True, exist_ok=True)
        if not self.keep_address:
            (self.data / "address").unlink(missing_ok=True)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [LONGSHORED, "serve", "--data", str(self.data), "--host", "127.0.0.1", "--port", str(self.port),
                 "--docker-host", self.docker_host], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment)
        return self

    def start(self, seconds=30):
        self.launch()
        wait_until("the server to listen", self._listens, seconds)
        return self

    def _listens(self):
        if self.process.poll() is not None:
            raise AssertionError(f"longshored ended with {self.process.returncode} at start: {self.log_end()}")
        try:
            return self.get("/health", timeout=5)[0] in (200, 503)
        except (OSError, http.client.HTTPException):
            return False

    def address(self):
        host, port = (self.data / "address").read_text().strip().rsplit(":", 1)
        return host, int(port)

    def prepare(self):
        """An administrator, an API key, and MCP switched on."""
        self.command("user", "add", "admin", "--role", "Server Admin", "--password-stdin", "--json",
                     text="a long enough password\n")
        self.key = self.command("key", "add", "admin", "--name", "flows", "--json")["key"]
        self.command("setting", "set", "MCP_SERVER_ENABLED", "true")
        wait_until("MCP to be on", lambda: self._mcp_on(), 10)
        return self

    def _mcp_on(self):
        try:
            self.rpc("ping")
            return True
        except HttpError:
            return False

    def environment_file(self, name, **members):
        """Write environments/NAME/environment.json and wait until the server knows it."""
        folder = self.data / "setup" / "environments" / name
        folder.mkdir(parents=True, exist_ok=True)
        content = {"description": "For a test", "status": "active", "image": IMAGE, "defaultAgent": "shell",
                   "network": "none", **members}
        part = folder / ".environment.json.part"
        part.write_text(json.dumps(content))
        part.rename(folder / "environment.json")
        if self.key:
            wait_until(f"the environment {name} to be listed", lambda: any(
                e["name"] == name for e in self.call("list_environments")["environments"]), 15)

    # Requests.

    def connect(self, timeout=40, port=None):
        """A connection for HTTP, over TLS where the server has it; to another port of it if one is given."""
        host, main = self.address()
        if not self.authority:
            return http.client.HTTPConnection(host, port or main, timeout=timeout)
        context = ssl.create_default_context(cafile=self.authority)
        return http.client.HTTPSConnection(host, port or main, timeout=timeout, context=context)

    def request(self, method, path, body=None, headers=None, timeout=40):
        connection = self.connect(timeout)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())
        finally:
            connection.close()

    def get(self, path, timeout=40):
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return self.request("GET", path, headers=headers, timeout=timeout)

    def post_mcp(self, message, timeout=40):
        return self.request("POST", "/mcp", json.dumps(message).encode(), {
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-11-25", "Authorization": f"Bearer {self.key}"}, timeout)

    def rpc(self, method, params=None, timeout=40):
        status, body, _ = self.post_mcp({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}, timeout)
        if status != 200:
            raise HttpError(status, body)
        answer = json.loads(body.decode("utf-8", errors="strict"))
        if "error" in answer:
            raise ToolError(json.dumps({"error": answer["error"]["code"], "message": answer["error"]["message"]}))
        return answer["result"]

    def call(self, tool, timeout=40, **arguments):
        result = self.rpc("tools/call", {"name": tool, "arguments": arguments}, timeout)
        if result.get("isError"):
            raise ToolError(result["content"][0]["text"])
        return result["structuredContent"]

    def call_at_once(self, count, tool, **arguments):
        """The same call so many times at the same instant; returns the answers."""
        barrier = threading.Barrier(count)

        def one(_):
            barrier.wait(20)
            return self.call(tool, **arguments)
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            return list(pool.map(one, range(count)))

    def post_mcp_without_waiting(self, tool, arguments):
        """Send a call and leave its answer unread; returns the connection, to be closed."""
        host, port = self.address()
        connection = http.client.HTTPConnection(host, port, timeout=20)
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        connection.request("POST", "/mcp", json.dumps(message), {
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {self.key}"})
        return connection

    # Tasks.

    def create(self, script, environment="test", **arguments):
        arguments.setdefault("requestId", str(uuid.uuid4()))
        return self.call("create_task", environment=environment, instructions=script, **arguments)["taskId"]

    def task(self, task_id, **arguments):
        return self.call("get_task", taskId=task_id, **arguments)

    def wait_ended(self, task_id, seconds=60):
        """Wait until the task is over and return it."""
        def over():
            task = self.task(task_id)
            return task if task["status"] in ENDED else None
        return wait_until(f"task {task_id} to end", over, seconds, 0.1)

    def read_file(self, task_id, path):
        """All bytes of a file of the task, page by page."""
        content, offset = b"", 0
        while True:
            page = self.call("read_task_file", taskId=task_id, path=path, offset=offset, maxBytes=512000)
            bytes_ = base64.b64decode(page["content"]) if page["encoding"] == "base64" else page["content"].encode()
            assert len(bytes_) == page["bytesReturned"], page
            content += bytes_
            if not page["truncated"]:
                assert len(content) == page["size"], (len(content), page["size"])
                return content
            assert page["nextOffset"] == offset + page["bytesReturned"], page
            offset = page["nextOffset"]

    # Ends.

    def kill(self):
        """As a crash: SIGKILL."""
        self.process.kill()
        self.process.wait()

    def terminate(self, seconds=30):
        """SIGTERM; returns (status, seconds it took)."""
        started = time.monotonic()
        self.process.terminate()
        status = self.process.wait(seconds)
        return status, time.monotonic() - started

    def running(self):
        return self.process is not None and self.process.poll() is None

    def log_end(self, lines=40):
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        except OSError:
            return ""


class Stage:
    """The folder, servers, remotes and engines of one flow; close() ends them all and checks their ends."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.servers = []
        self.remotes = []
        self.engines = []
        self.mounts = []

    def new_server(self, name="data", **options):
        """A server that was not started yet."""
        server = Server(self.folder / name, **options)
        self.servers.append(server)
        return server

    def server(self, repositories=None, authority=None, **options):
        """A started server with an administrator, MCP on, and the environment `test`; with an authority over TLS."""
        if authority:
            options["environment"] = dict(options.get("environment") or {}, **authority.variables())
        server = self.new_server(**options)
        server.authority = authority.file if authority else None
        server.start().prepare()
        members = {"repositories": repositories} if repositories else {}
        server.environment_file("test", **members)
        return server

    def make_authority(self):
        return Authority(self.folder / "tls")

    def remote(self):
        remote = Remote(self.folder / f"remote{len(self.remotes)}")
        self.remotes.append(remote)
        return remote

    def engine(self, **options):
        """An engine of this flow's own, with the task image, to be killed and restarted at will."""
        engine = Engine(self.folder / f"engine{len(self.engines)}", own_network=True, **options)
        self.engines.append(engine)
        engine.start()
        subprocess.run([str(ROOT / "packaging" / "image"), "--docker-host", engine.address, "--tag", IMAGE], check=True)
        return engine

    def small_disk(self, path, size):
        """A tmpfs of so many bytes at the path."""
        path.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "tmpfs", str(path)], check=True)
        self.mounts.append(path)

    # Looking into the engine.

    def containers_of(self, server, task_id=None):
        """Full descriptions of the containers that mount something of the server's data folder (and name the task)."""
        found = []
        for entry in engine_request(server.docker_host, "GET", "/v1.41/containers/json?all=1")[1]:
            status, full = engine_request(server.docker_host, "GET", f"/v1.41/containers/{entry['Id']}/json")
            text = json.dumps(full)
            if status == 200 and str(server.data) + "/" in text and (task_id is None or task_id in text):
                found.append(full)
        return found

    def container_of(self, server, task_id):
        return wait_until(f"a container of task {task_id}", lambda: self.containers_of(server, task_id), 30)[0]

    def folder_of(self, server, task_id, mount="/workspace"):
        """Where the container's folder lies on this machine."""
        for entry in self.container_of(server, task_id)["Mounts"]:
            if entry["Destination"] == mount:
                return pathlib.Path(entry["Source"])
        raise AssertionError(f"the container of {task_id} has nothing mounted at {mount}")

    def processes_in(self, server, container_id):
        """The command lines that run in the container, as the engine sees them."""
        status, answer = engine_request(server.docker_host, "GET", f"/v1.41/containers/{container_id}/top?ps_args=-eo%20pid,args")
        return [row[1] for row in answer["Processes"]] if status == 200 else []

    # The end.

    def close(self):
        """End everything. Returns what was wrong with how it ended."""
        faults = []
        for server in self.servers:
            if server.running():
                try:
                    status, took = server.terminate()
                    if status != 0:
                        faults.append(f"the server ended with {status} on SIGTERM")
                    if took > 5:
                        faults.append(f"the server took {took:.1f} s to end on SIGTERM")
                except subprocess.TimeoutExpired:
                    faults.append("the server did not end within 30 s of SIGTERM")
                    server.kill()
            if REPORT.search(server.log_end(100000)):
                faults.append(f"a sanitizer report in {server.log}")
            self._remove_containers(server)
        for remote in self.remotes:
            remote.stop()
        for engine in self.engines:
            engine.stop()
        for path in reversed(self.mounts):
            subprocess.run(["umount", "--lazy", str(path)], check=False)
        return faults

    def _remove_containers(self, server):
        try:
            for container in self.containers_of(server):
                engine_request(server.docker_host, "DELETE", f"/v1.41/containers/{container['Id']}?force=1&v=1")
        except (OSError, http.client.HTTPException):
            pass  # its engine is gone with the flow, or goes


def clean(folder):
    shutil.rmtree(folder, ignore_errors=True)


__all__ = ["flow", "FLOWS", "Stage", "Server", "Remote", "Engine", "ToolError", "HttpError", "wait_until", "files_below", "free_port",
           "engine_request", "ENDED", "ROOT", "LONGSHORED", "IMAGE", "DOCKER_HOST", "clean"]
