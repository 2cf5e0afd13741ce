"""The REST door on a real engine: sessions, files by byte range, what is held for tasks, and the audit."""

import json

from longshore import flow, wait_until


def _ask(server, method, path, body=None, headers=None):
    given = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"} if headers is None else headers
    status, content, answered = server.request(method, path, json.dumps(body).encode() if body is not None else None, given)
    return status, content, answered


def _json(server, method, path, body=None, headers=None, status=200):
    answered, content, _ = _ask(server, method, path, body, headers)
    assert answered == status, (method, path, answered, content)
    return json.loads(content)


def _audit(server, action):
    return [entry for entry in _json(server, "GET", "/audit?limit=200")["entries"] if entry["action"] == action]


@flow
def a_task_goes_from_creation_to_deletion_over_rest(stage):
    server = stage.server()
    made = _json(server, "POST", "/tasks", {"environment": "test", "instructions": "seq 1 30000 > /task-output/numbers.txt"})
    task_id = made["taskId"]
    assert server.wait_ended(task_id)["status"] == "completed"
    assert _json(server, "GET", f"/tasks/{task_id}")["source"] == "rest"
    whole = "".join(f"{number}\n" for number in range(1, 30001)).encode()
    bearer = {"Authorization": f"Bearer {server.key}"}
    path = f"/tasks/{task_id}/files/numbers.txt"
    status, content, _ = server.request("GET", path, headers=bearer)
    assert (status, content) == (200, whole)
    status, content, answered = server.request("GET", path, headers=dict(bearer, Range="bytes=100000-100099"))
    assert (status, content) == (206, whole[100000:100100]), (status, content)
    assert answered["Content-Range"] == f"bytes 100000-100099/{len(whole)}"
    assert server.request("GET", f"/tasks/{task_id}/files/../../store.db", headers=bearer)[0] in (400, 404)
    held = _json(server, "GET", "/containers")["containers"]
    assert {item["kind"] for item in held if item["taskId"] == task_id} == {"container", "workspace"}, held
    assert _json(server, "GET", "/retention")["measures"] == []
    measures = _json(server, "GET", "/retention?at=2100-01-01T00:00:00Z")["measures"]
    assert {(item["kind"], item["action"]) for item in measures} == {("container", "stop"), ("workspace", "remove")}, measures  # and nothing unused
    assert _json(server, "POST", f"/tasks/{task_id}/stop", {})["stopped"] is True
    assert _json(server, "DELETE", f"/tasks/{task_id}")["deleted"] is True
    assert len(_audit(server, "task.delete")) == 1
    assert _ask(server, "GET", f"/tasks/{task_id}")[0] == 404
    assert _json(server, "GET", "/containers")["containers"] == []


@flow
def stopping_a_task_that_runs_leaves_one_entry_in_the_audit(stage):
    server = stage.server()
    task_id = server.create("sleep 600")
    wait_until("the task to run", lambda: server.task(task_id)["startedAt"])
    assert _json(server, "POST", f"/tasks/{task_id}/stop", {})["accepted"] is True
    assert len(_audit(server, "task.stop")) == 1


@flow
def a_session_lives_through_a_restart_and_ends_with_its_person(stage):
    server = stage.server()
    _json(server, "POST", "/users", {"name": "vera", "password": "correct horse", "role": "Developer", "environment": "test"},
          status=201)
    plain = {"Content-Type": "application/json"}
    status, content, answered = _ask(server, "POST", "/login", {"user": "vera", "password": "correct horse"}, plain)
    assert status == 200, content
    cookie = answered["Set-Cookie"].split(";")[0]
    page = dict(plain, Cookie=cookie)
    script = dict(page, **{"X-CSRF-Token": json.loads(content)["csrfToken"]})
    task = {"environment": "test", "instructions": "echo by session"}
    assert _ask(server, "POST", "/tasks", task, page)[0] == 403
    task_id = _json(server, "POST", "/tasks", task, script)["taskId"]
    assert server.wait_ended(task_id)["createdBy"]["name"] == "vera"
    assert _audit(server, "task.create")[0]["credential"] == "session"
    server.terminate()
    server.start()
    assert _json(server, "GET", "/me", headers=page)["name"] == "vera"
    _json(server, "POST", "/users/vera/disable", {})
    assert _ask(server, "GET", "/me", None, page)[0] == 401
