"""GET /events and GET /tasks/:id/stream: everything is told once, in order, to those who may see it, also across a crash."""

import json
import socket
import threading
import time

from longshore import flow, wait_until

CHATTY = """
touch /workspace/begun
i=0
while [ ! -e /workspace/stop ]; do i=$((i+1)); echo "line $i"; sleep 0.05; done
echo "the end"
"""


class Listener:
    """Reads one event stream on a thread of its own until it ends or is closed."""

    def __init__(self, server, path, key=None, last=None, cookie=None):
        host, port = server.address()
        self.events = []      # (id, name, data)
        self.comments = []    # times of arrival
        self.changed = threading.Condition()
        self.ended = False
        self.socket = socket.create_connection((host, port), 20)
        self.socket.settimeout(60)
        credential = f"Cookie: {cookie}" if cookie else f"Authorization: Bearer {key or server.key}"
        lines = [f"GET {path} HTTP/1.0", f"Host: {host}:{port}", credential]
        if last is not None:
            lines.append(f"Last-Event-ID: {last}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.headers = {}
        while (line := self.file.readline().strip()):
            name, value = line.decode().split(":", 1)
            self.headers[name.lower()] = value.strip()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        event = {}
        try:
            for line in self.file:
                line = line.decode("utf-8").rstrip("\n")
                with self.changed:
                    if not line:
                        if "data" in event:
                            self.events.append((event.get("id"), event.get("event"), json.loads(event["data"])))
                        event = {}
                    elif line.startswith(":"):
                        self.comments.append(time.monotonic())
                    else:
                        name, value = line.split(": ", 1)
                        event[name] = value
                    self.changed.notify_all()
        except (OSError, ValueError):
            pass
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def await_event(self, what, condition, seconds=30):
        """Wait for the first event for which condition(name, data) holds; returns it."""
        deadline = time.monotonic() + seconds
        with self.changed:
            while True:
                for event in self.events:
                    if condition(event[1], event[2]):
                        return event
                if self.ended or not self.changed.wait(deadline - time.monotonic()):
                    raise AssertionError(f"{'the stream ended before' if self.ended else 'waited in vain for'} {what}: {self.events[-5:]}")

    def await_end(self, seconds=20):
        with self.changed:
            assert self.changed.wait_for(lambda: self.ended, seconds), "the stream did not end"

    def last_id(self):
        with self.changed:
            return next((event[0] for event in reversed(self.events) if event[0]), None)

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)  # the reading thread sees the end
        except OSError:
            pass
        self.file.close()
        self.socket.close()


def _texts(events):
    return "".join(data["text"] for _, name, data in events if name == "event" and data["role"] == "assistant")


def _ids(events):
    return [tuple(int(part) for part in id_.split(".")) for id_, name, _ in events if name == "event"]


@flow
def the_events_of_a_task_come_while_it_runs_and_its_end_comes_last(stage):
    server = stage.server()
    task_id = server.create(CHATTY)
    workspace = stage.folder_of(server, task_id)
    listener = Listener(server, f"/tasks/{task_id}/stream")
    assert listener.status == 200 and listener.headers["content-type"] == "text/event-stream", listener.headers
    assert listener.headers["cache-control"] == "no-cache" and listener.headers["x-accel-buffering"] == "no"
    listener.await_event("a line while it runs", lambda name, data: name == "event" and "line 3" in data.get("text", ""))
    assert server.task(task_id)["status"] == "running"
    (workspace / "stop").touch()
    listener.await_event("the end", lambda name, data: name == "state" and data["task"]["status"] == "completed")
    with listener.changed:
        events = list(listener.events)
    assert events[-1][1] == "state", events[-1]
    assert _texts(events) == server.read_file(task_id, "log.txt").decode(), events
    assert any(name == "event" and data["role"] == "user" for _, name, data in events)
    ids = _ids(events)
    assert ids == [(1, n) for n in range(1, len(ids) + 1)], ids
    listener.close()


@flow
def a_reader_of_a_task_goes_on_where_it_was_also_after_a_crash(stage):
    server = stage.server()
    server.port = server.address()[1]
    task_id = server.create(CHATTY)
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    events = []

    def listen(seconds=None, condition=None):
        last = next((e[0] for e in reversed(events) if e[0]), None)
        listener = Listener(server, f"/tasks/{task_id}/stream", last=last)
        try:
            if condition:
                listener.await_event("what is waited for", condition)
            else:
                time.sleep(seconds)
        finally:
            with listener.changed:
                events.extend(listener.events)
            listener.close()
        return listener

    listen(0.3)
    listen(0.2)
    listener = Listener(server, f"/tasks/{task_id}/stream", last=next((e[0] for e in reversed(events) if e[0]), None))
    listener.await_event("something", lambda name, data: name == "event")
    server.kill()
    listener.await_end()
    events.extend(listener.events)
    server.start()
    listen(0.3)
    server.kill()
    (workspace / "stop").touch()
    server.start()
    listen(condition=lambda name, data: name == "state" and data["task"]["status"] == "completed")
    ids = _ids(events)
    assert ids == [(1, n) for n in range(1, len(ids) + 1)], ids
    assert _texts(events) == server.read_file(task_id, "log.txt").decode()
    assert not any(name == "reset" for _, name, _ in events)
    assert Listener(server, f"/tasks/{task_id}/stream", last="no.number").await_event(
        "a reset", lambda name, data: name == "reset")


@flow
def changes_of_tasks_are_told_in_order_and_what_was_missed_comes_first(stage):
    server = stage.server()
    server.port = server.address()[1]
    listener = Listener(server, "/events")
    listener.await_event("ready", lambda name, data: name == "ready")
    first = server.create("echo one")
    listener.await_event("its end", lambda name, data: name == "task" and data["kind"] == "ended")
    with listener.changed:
        kinds = [data["kind"] for _, name, data in listener.events if name == "task"]
        assert kinds == ["created", "queued", "started", "ended"], kinds
        assert listener.events[-1][2]["task"]["taskId"] == first
        assert listener.events[-1][2]["task"]["status"] == "completed"
    last = listener.last_id()
    listener.close()
    second = server.create("echo two")
    server.wait_ended(second)
    server.kill()
    server.start()
    later = Listener(server, "/events", last=last)
    later.await_event("the end that was missed", lambda name, data: name == "task" and data["kind"] == "ended")
    third = server.create("echo three")
    later.await_event("its end", lambda name, data: name == "task" and data["kind"] == "ended" and data["task"]["taskId"] == third)
    with later.changed:
        told = [(int(id_), data["task"]["taskId"], data["kind"]) for id_, name, data in later.events]
    assert [id_ for id_, _, _ in told] == list(range(int(last) + 1, int(last) + 1 + len(told))), told
    assert [task for _, task, _ in told] == [second] * 4 + [third] * 4, told
    for wrong in ("999999", "none"):
        reset = Listener(server, "/events", last=wrong)
        assert reset.await_event("a reset", lambda name, data: name == "reset")[0] == later.last_id()
        reset.close()
    later.close()


@flow
def a_viewer_is_told_of_what_it_may_see_and_a_revoked_key_ends_its_streams(stage):
    server = stage.server()
    server.environment_file("other")
    server.command("user", "add", "viewer", "--role", "Viewer", "--environment", "other")
    made = server.command("key", "add", "viewer", "--name", "stream", "--json")
    listener = Listener(server, "/events", key=made["key"])
    listener.await_event("ready", lambda name, data: name == "ready")
    hidden = server.create("echo hidden; sleep 1")
    seen = server.create("sleep 3; echo seen", environment="other")
    private = server.create("echo private", environment="other", shared=False)
    refused = Listener(server, f"/tasks/{hidden}/stream", key=made["key"])
    assert refused.status == 404, refused.status
    server.wait_ended(private)
    stream = Listener(server, f"/tasks/{seen}/stream", key=made["key"])
    assert stream.status == 200
    listener.await_event("the end", lambda name, data: name == "task" and data["kind"] == "ended")
    with listener.changed:
        assert {data["task"]["taskId"] for _, name, data in listener.events if name == "task"} == {seen}
    stream.await_event("the end", lambda name, data: name == "state" and data["task"]["status"] == "completed")
    server.command("key", "revoke", made["id"])
    listener.await_end()
    stream.await_end()
    assert Listener(server, "/events", key=made["key"]).status == 401
    refused.close()


@flow
def a_viewer_who_loses_an_environment_has_the_streams_of_its_tasks_ended(stage):
    server = stage.server()
    server.command("user", "add", "viewer")
    binding = server.command("access", "bind", "Viewer", "--user", "viewer", "--environment", "test", "--json")
    key = server.command("key", "add", "viewer", "--name", "stream", "--json")["key"]
    task_id = server.create("echo done")
    server.wait_ended(task_id)
    changes, stream = Listener(server, "/events", key=key), Listener(server, f"/tasks/{task_id}/stream", key=key)
    stream.await_event("the state", lambda name, data: name == "state")
    server.command("access", "unbind", binding["id"])
    stream.await_end()
    server.wait_ended(server.create("echo unseen"))
    with changes.changed:
        assert not changes.ended and [name for _, name, _ in changes.events] == ["ready"], changes.events
    changes.close()


@flow
def a_new_name_and_a_deletion_are_told_and_the_stream_of_a_deleted_task_ends(stage):
    server = stage.server()
    listener = Listener(server, "/events")
    listener.await_event("ready", lambda name, data: name == "ready")
    task_id = server.create("true", staged=True)
    stream = Listener(server, f"/tasks/{task_id}/stream")
    stream.await_event("its state", lambda name, data: name == "state")
    server.call("rename_task", taskId=task_id, name="Another name")
    listener.await_event("the name", lambda name, data: name == "task" and data["task"]["name"] == "Another name")
    stream.await_event("the name", lambda name, data: name == "state" and data["task"]["name"] == "Another name")
    assert server.request("DELETE", f"/tasks/{task_id}", headers={"Authorization": f"Bearer {server.key}"})[0] == 200
    assert listener.await_event("its end", lambda name, data: name == "gone")[2]["taskId"] == task_id
    stream.await_end()
    with listener.changed:
        kinds = [data["kind"] for _, name, data in listener.events if name != "ready"]
    assert kinds == ["created", "renamed", "deleted"], kinds


@flow
def a_browser_listens_with_its_session_until_it_logs_out(stage):
    server = stage.server()
    plain = {"Content-Type": "application/json"}
    status, content, answered = server.request(
        "POST", "/login", json.dumps({"user": "admin", "password": "a long enough password"}), plain)
    assert status == 200, content
    cookie = answered["Set-Cookie"].split(";")[0]
    listener = Listener(server, "/events", cookie=cookie)
    listener.await_event("ready", lambda name, data: name == "ready")
    task_id = server.create("true", staged=True)
    listener.await_event("the task", lambda name, data: name == "task" and data["task"]["taskId"] == task_id)
    assert Listener(server, f"/tasks/{task_id}/stream", cookie=cookie).await_event("its state", lambda name, data: name == "state")
    page = dict(plain, Cookie=cookie, **{"X-CSRF-Token": json.loads(content)["csrfToken"]})
    assert server.request("POST", "/logout", b"{}", page)[0] == 200
    listener.await_end()
    assert Listener(server, "/events", cookie=cookie).status == 401


@flow
def a_quiet_stream_gets_a_comment_within_fifteen_seconds_and_ends_with_the_server(stage):
    server = stage.server()
    listener = Listener(server, "/events")
    begun = time.monotonic()
    wait_until("a comment", lambda: listener.comments)
    assert time.monotonic() - begun < 20  # and what a busy machine adds
    status, took = server.terminate()
    assert status == 0 and took < 5, (status, took)
    listener.await_end(5)


@flow
def managed_values_are_redacted_in_streams(stage):
    server = stage.server()
    (server.data / "git-credentials").write_text("https://user:hunter2secret@git.example.com\n")
    (server.data / "git-credentials").chmod(0o600)
    task_id = server.create("echo the value is hunter2secret", name="hunter2secret too")
    server.wait_ended(task_id)
    changes = Listener(server, "/events", last="0")
    changes.await_event("the end", lambda name, data: name == "task" and data["kind"] == "ended")
    stream = Listener(server, f"/tasks/{task_id}/stream")
    stream.await_event("the state", lambda name, data: name == "state")
    for listener in (changes, stream):
        with listener.changed:
            text = json.dumps(listener.events)
        assert "hunter2secret" not in text and "[redacted]" in text, text
        listener.close()
