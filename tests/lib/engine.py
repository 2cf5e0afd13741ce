"""A Docker engine of the tests' own: private socket, data and run folders, stopped by its process id.

It never touches another engine. With own_network it gets a network namespace of its own, so that several can run side
by side (each wants to be the only owner of its docker0).
"""

import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time


class EngineError(Exception):
    pass


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("docker", timeout=timeout)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def request(address, method, path, body=None, timeout=60):
    """One call of the Engine API at unix://SOCKET. Returns the status and the parsed body (its bytes if it is no JSON)."""
    connection = _UnixConnection(address.removeprefix("unix://"), timeout)
    try:
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, {"Content-Type": "application/json"} if data else {})
        answer = connection.getresponse()
        content = answer.read()
    finally:
        connection.close()
    try:
        return answer.status, json.loads(content) if content else None
    except ValueError:
        return answer.status, content


def remove_control_groups(name, root="/sys/fs/cgroup"):
    """Remove the control groups of that name and all in them, in the one hierarchy or in each controller's. Nothing
    deeper is searched: the groups of other engines come and go meanwhile."""
    root = pathlib.Path(root)
    for group in (root / name, *root.glob(f"*/{name}")):
        for inner, _, _ in os.walk(group, topdown=False):
            try:
                os.rmdir(inner)
            except OSError:
                pass


class Engine:
    """One dockerd. `folder` keeps its data and log; its sockets sit in /run, where paths are short enough for them."""

    def __init__(self, folder, own_network=False, live_restore=True):
        self.folder = pathlib.Path(folder)
        self.live_restore = live_restore
        self.own_network = own_network
        self.run = pathlib.Path(tempfile.mkdtemp(prefix="longshore-engine.", dir="/run"))
        self.socket = self.run / "docker.sock"
        self.address = f"unix://{self.socket}"
        self.log = self.folder / "dockerd.log"
        self.cgroup = f"longshore-test-{os.getpid()}-{id(self):x}"
        self.process = None
        self.driver = None

    def start(self):
        """Start it and wait until it answers. The first start finds a storage driver that works here."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.run / "daemon.json").write_text("{}")  # else it reads the machine's own
        for driver in [self.driver] if self.driver else ["overlay2", "vfs"]:
            if self._start_with(driver):
                self.driver = driver
                return self
        raise EngineError(f"dockerd did not start; its log is {self.log}:\n{self._log_end()}")

    def _start_with(self, driver):
        command = ["dockerd", "--host", self.address, "--data-root", str(self.folder / "data"),
                   "--exec-root", str(self.run / "exec"), "--pidfile", str(self.run / "pid"),
                   "--storage-driver", driver, "--cgroup-parent", "/" + self.cgroup,
                   f"--live-restore={'true' if self.live_restore else 'false'}", "--config-file", str(self.run / "daemon.json"), "--log-level", "warn"]
        if self.own_network:
            command = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *command]
        # A killed daemon leaves its pid file; the process it names is gone, or by now somebody else's.
        (self.run / "pid").unlink(missing_ok=True)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                return False
            if self.answers():
                return True
            time.sleep(0.05)
        self.kill()
        return False

    def answers(self):
        try:
            return self.request("GET", "/_ping", timeout=5)[0] == 200
        except OSError:
            return False

    def request(self, method, path, body=None, timeout=60):
        return request(self.address, method, path, body, timeout)

    def containers(self, label=None):
        """All containers, running or not, with the label where one is given."""
        query = "?all=1"
        if label:
            query += "&filters=" + json.dumps({"label": [label]}).replace('"', "%22").replace(" ", "")
        return self.request("GET", "/v1.41/containers/json" + query)[1]

    def remove_container(self, name):
        return self.request("DELETE", f"/v1.41/containers/{name}?force=1&v=1")[0]

    def kill(self):
        """As a crash would: the daemon is gone at once, and with it the containerd it started; its containers live on."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._end_containerd()

    def terminate(self):
        """As a service manager would: SIGTERM, and wait. Without live restore its containers end too."""
        self.process.terminate()
        self.process.wait(60)

    def stop(self):
        """Remove every container, end the daemon, and leave neither mounts nor control groups behind."""
        if self.process is None:
            return
        if self.process.poll() is None and self.answers():
            for container in self.containers():
                self.remove_container(container["Id"])
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                pass
        self.kill()
        self._unmount()
        remove_control_groups(self.cgroup)
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        shutil.rmtree(self.run, ignore_errors=True)
        self.process = None

    def _end_containerd(self):
        """A killed dockerd's containerd goes with it, a moment later. A daemon that finds it alive, or ended and not yet
        reaped, takes its pid file at its word and waits for it in vain. The pid file is in our own run folder."""
        pid_file = self.run / "exec" / "containerd" / "containerd.pid"
        try:
            process = pathlib.Path("/proc") / pid_file.read_text()
            if str(self.run) in (process / "cmdline").read_text():
                os.kill(int(process.name), signal.SIGKILL)
            while str(self.run) in (process / "cmdline").read_text():  # empty once it is ended
                time.sleep(0.01)
        except (OSError, ValueError):
            pass  # it is gone
        pid_file.unlink(missing_ok=True)

    def _unmount(self):
        ours = (str(self.run) + "/", str(self.folder) + "/")
        points = [line.split()[4] for line in open("/proc/self/mountinfo")]
        for point in sorted((p for p in points if p.startswith(ours)), key=len, reverse=True):
            subprocess.run(["umount", "--lazy", point], check=False)

    def _log_end(self):
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])
        except OSError:
            return ""
