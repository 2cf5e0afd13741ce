"""Named tests and application servers in a task's container, and the proxy through which people reach the latter."""

import base64
import http.client
import json
import os
import pathlib
import socket
import ssl

from longshore import ROOT, ToolError, engine_request, files_below, flow, free_port, wait_until

APP = os.environ.get("LONGSHORE_TEST_APP") or str(ROOT / "build" / "asan" / "longshore-test-app")
SECRET = "correct-horse-battery"
PORT = 8080


def _stage(stage, tests=None, authority=None, app=None, variables=None):
    """A server with a proxy, an environment with an application server, and a task whose first turn is over."""
    proxy = free_port()
    environment = {"APP_PROXY_PORT": str(proxy), "STOP_GRACE_SECONDS": "1", **(variables or {})}
    if authority:
        environment.update(authority.variables())
    server = stage.new_server(environment=environment)
    server.authority = authority.file if authority else None
    server.start().prepare()
    server.proxy = proxy
    server.environment_file("test", secrets=[{"name": "APP_SECRET"}, {"name": "APP_FILE", "as": "file", "path": "tls/key.pem"}],
                            tests=tests or [],
                            appServer={"command": app or f"echo the value is $APP_SECRET; exec ./app $PORT", "port": PORT})
    server.command("secret", "set", "APP_SECRET", "--environment", "test", text=SECRET)
    server.command("secret", "set", "APP_FILE", "--environment", "test", text="the file's content")
    task = server.create("touch begun")
    assert server.wait_ended(task)["status"] == "completed"
    target = stage.folder_of(server, task) / "app"
    target.write_bytes(pathlib.Path(APP).read_bytes())
    target.chmod(0o755)
    return server, task


def _refused(code, call, *arguments, **named):
    try:
        answer = call(*arguments, **named)
    except ToolError as refusal:
        assert refusal.code == code, refusal
        return refusal
    raise AssertionError(f"not refused: {answer}")


def _when_free(call, *arguments, **named):
    """What stops the container holds the task until that is done."""
    def attempt():
        try:
            return call(*arguments, **named)
        except ToolError as refusal:
            assert refusal.code == "task_source_busy", refusal
            return None
    return wait_until("the task to be free", attempt)


def _ended(server, task, name):
    def over():
        run = server.call("get_task_test_run", taskId=task, testName=name)
        return run if run["status"] != "running" else None
    return wait_until(f"the test {name} to end", over, 60)


def _rest(server, method, path, body=None):
    status, answer, _ = server.request(method, path, json.dumps(body or {}), {
        "Content-Type": "application/json", "Authorization": f"Bearer {server.key}"})
    return status, json.loads(answer)


class Browser:
    """Keeps the cookies of one application, as a browser does."""

    def __init__(self, server, task):
        self.server, self.task, self.cookie = server, task, None
        self.host = f"{task}.localhost:{server.proxy}"

    def connect(self):
        if not self.server.authority:
            return http.client.HTTPConnection("127.0.0.1", self.server.proxy, timeout=30)
        context = ssl.create_default_context(cafile=self.server.authority)
        context.check_hostname = False
        return http.client.HTTPSConnection("127.0.0.1", self.server.proxy, timeout=30, context=context)

    def headers(self, **more):
        headers = {"Host": self.host, **more}
        cookies = [c for c in (self.cookie, headers.pop("Cookie", None)) if c]
        return {**headers, **({"Cookie": "; ".join(cookies)} if cookies else {})}

    def request(self, method, path, body=None, connection=None, **headers):
        own = connection or self.connect()
        try:
            own.request(method, path, body, self.headers(**headers))
            answer = own.getresponse()
            return answer.status, answer.read(), answer.headers
        finally:
            if not connection:
                own.close()

    def enter(self):
        status, access = _rest(self.server, "POST", f"/tasks/{self.task}/app-server/access")
        assert status == 200, access
        scheme, _, rest = access["url"].partition("://")
        host, _, path = rest.partition("/")
        assert host == self.host and scheme == ("https" if self.server.authority else "http"), access
        status, _, headers = self.request("GET", "/" + path)
        assert status == 303 and headers["Location"] == "/", status
        cookie = headers["Set-Cookie"]
        assert "HttpOnly" in cookie and "SameSite=Lax" in cookie, cookie
        assert cookie.startswith("__Host-longshore_app=") == bool(self.server.authority) == ("Secure" in cookie), cookie
        self.cookie = cookie.partition(";")[0]
        assert self.request("GET", "/" + path)[0] == 401, "a token was good twice"
        return self


def _start(server, task, expected="stopped"):
    state = _when_free(server.call, "start_task_app_server", taskId=task, expectedStatus=expected)
    if state["status"] != "running":
        state = wait_until("the application to answer", lambda: (
            lambda s: s if s["status"] == "running" else None)(server.call("get_task_app_server_status", taskId=task)), 30)
    return state


@flow
def tests_pass_fail_and_run_out_of_time(stage):
    server, task = _stage(stage, tests=[
        {"name": "all good", "command": "echo $WHICH $APP_SECRET; pwd; id -u; env | grep -c ANTHROPIC",
         "parameters": [{"name": "WHICH", "default": "every"}]},
        {"name": "bad", "command": "echo before; echo wrong >&2; exit 3"},
        {"name": "file", "command": "wc -c < $APP_FILE; stat -c '%a %u' $APP_FILE; echo $APP_FILE; touch reading; "
                                    "until [ -e on ]; do sleep 0.05; done; wc -c < $APP_FILE"},
        {"name": "endless", "command": "setsid sleep 1000 & sleep 1000", "timeoutSeconds": 1}])
    listed = server.call("list_task_tests", taskId=task)
    assert [t["name"] for t in listed["tests"]] == ["all good", "bad", "file", "endless"], listed
    assert server.call("get_task_test_run", taskId=task, testName="bad")["reason"] == "run_not_retained"
    _refused("test_not_found", server.call, "run_task_test", taskId=task, testName="All good")
    _refused("unknown_parameter", server.call, "run_task_test", taskId=task, testName="bad", parameters={"A": "1"})
    server.call("run_task_test", taskId=task, testName="all good", parameters={"WHICH": "one"})
    run = _ended(server, task, "all good")
    assert (run["status"], run["exitCode"], run["success"]) == ("failed", 1, False), run  # grep counts none
    assert run["output"].split() == ["one", "[redacted]", "/workspace", "64500", "0"], run
    assert run["redacted"] and SECRET not in json.dumps(run), run
    server.call("run_task_test", taskId=task, testName="bad")
    run = _ended(server, task, "bad")
    assert (run["status"], run["exitCode"], run["reason"]) == ("failed", 3, "exited"), run
    assert sorted(run["output"].split()) == ["before", "wrong"], run
    server.call("run_task_test", taskId=task, testName="endless")
    _refused("test_already_running", server.call, "run_task_test", taskId=task, testName="endless")
    run = _ended(server, task, "endless")
    assert (run["status"], run["reason"], run["success"]) == ("failed", "time_limit", False), run
    # A file secret is the run's own: a turn that ends meanwhile does not take it away.
    server.call("run_task_test", taskId=task, testName="file")
    wait_until("the file to be read", (stage.folder_of(server, task) / "reading").exists)
    server.call("follow_up_task", taskId=task, instructions="cat $APP_FILE > /dev/null")
    assert server.wait_ended(task)["status"] == "completed"
    (stage.folder_of(server, task) / "on").touch()
    lines = _ended(server, task, "file")["output"].split("\n")
    assert lines[:2] == ["18", "400 64500"] and lines[3] == "18" and lines[2].endswith("/tls/key.pem"), lines
    secrets = stage.folder_of(server, task).parent / "secrets"
    assert not list(files_below(secrets))
    # A turn may begin beside a test, a test not beside a turn.
    server.call("follow_up_task", taskId=task, instructions="touch /workspace/turn; until [ -e go ]; do sleep 0.05; done")
    wait_until("the turn to begin", (stage.folder_of(server, task) / "turn").exists)
    _refused("task_busy", server.call, "run_task_test", taskId=task, testName="bad")
    (stage.folder_of(server, task) / "go").touch()
    server.wait_ended(task)
    # What ran is nobody's file, and nothing of the secret is left where a request was.
    assert "runs/" not in json.dumps(server.call("get_task_output", taskId=task, include=["files"]))
    control = stage.folder_of(server, task).parent / "control"
    assert not [path for path in files_below(control) if SECRET in path.read_text(errors="replace")]


@flow
def a_test_outlives_a_killed_server_and_is_never_run_again(stage):
    server, task = _stage(stage, tests=[
        {"name": "long", "command": "echo once >> times; touch started; until [ -e go ]; do sleep 0.05; done; cat times"},
        {"name": "lost", "command": "touch lost; sleep 1000"}])
    workspace = stage.folder_of(server, task)
    for name, mark in (("long", "started"), ("lost", "lost")):
        server.call("run_task_test", taskId=task, testName=name)
        wait_until(f"{name} to begin", (workspace / mark).exists)
    server.kill()
    server.start()
    wait_until("the server to answer", lambda: server.call("get_task_test_run", taskId=task, testName="long"))
    assert server.call("get_task_test_run", taskId=task, testName="long")["status"] == "running"
    (workspace / "go").touch()
    run = _ended(server, task, "long")
    assert (run["status"], run["success"], run["output"]) == ("completed", True, "once\n"), run
    # Stopping the container ends what runs in it, with an outcome that is no failure.
    assert server.call("stop_task", taskId=task)["stopped"]
    run = _ended(server, task, "lost")
    assert (run["status"], run["success"]) == ("interrupted", None), run
    # Killed together with its container: nobody can tell what became of it.
    _when_free(server.call, "run_task_test", taskId=task, testName="lost")
    wait_until("lost to run", lambda: server.call("get_task_test_run", taskId=task, testName="lost")["status"] == "running")
    server.kill()
    container = stage.container_of(server, task)["Id"]
    engine_request(server.docker_host, "DELETE", f"/v1.41/containers/{container}?force=1&v=1")
    server.start()
    run = _ended(server, task, "lost")
    assert (run["status"], run["success"]) == ("interrupted", None), run
    assert (workspace / "times").read_text() == "once\n"


@flow
def an_application_is_reached_with_a_token_and_not_without(stage):
    server, task = _stage(stage)
    state = server.call("get_task_app_server_status", taskId=task)
    assert (state["status"], state["portAvailable"], state["configured"]) == ("stopped", False, True), state
    assert _rest(server, "POST", f"/tasks/{task}/app-server/access")[0] == 409
    _refused("app_server_state_changed", server.call, "start_task_app_server", taskId=task, expectedStatus="running")
    _refused("app_server_state_changed", server.call, "stop_task_app_server", taskId=task, expectedStatus="stopped")
    state = _start(server, task)
    assert state["portAvailable"] and state["port"] == PORT, state
    _refused("app_server_state_changed", server.call, "start_task_app_server", taskId=task, expectedStatus="stopped")
    browser = Browser(server, task)
    assert browser.request("GET", "/")[0] == 401
    assert browser.request("GET", "/.longshore/enter?token=" + "a" * 40)[0] == 401
    assert browser.request("GET", "/", Host=f"127.0.0.1:{server.proxy}")[0] == 404
    assert browser.request("GET", "/", Authorization=f"Bearer {server.key}")[0] == 401
    browser.enter()
    status, body, headers = browser.request(
        "GET", "/path?a=b", Authorization=f"Bearer {server.key}", Cookie="longshore_session=secret; theme=dark; longshore_oidc=x",
        Connection="X-Hop", **{"X-Hop": "1", "X-Forwarded-For": "1.2.3.4", "X-Real-Ip": "1.2.3.4", "Proxy-Authorization": "x"})
    assert status == 200, (status, body)
    sent = body.decode().splitlines()
    assert sent[0] == "GET /path?a=b HTTP/1.1" and f"Host: {browser.host}" in sent, sent
    assert "Cookie: theme=dark" in sent and "X-Forwarded-For: 127.0.0.1" in sent, sent
    assert f"X-Forwarded-Host: {browser.host}" in sent and "X-Forwarded-Proto: http" in sent, sent
    for hidden in (server.key, "secret", "X-Hop", "1.2.3.4", "Proxy-", browser.cookie.partition("=")[2]):
        assert hidden not in body.decode(), (hidden, sent)
    status, _, headers = browser.request("GET", "/cookies")
    assert headers.get_all("Set-Cookie") == ["own=1; Path=/; HttpOnly"], headers.get_all("Set-Cookie")
    assert "X-Hop" not in headers and "Keep-Alive" not in headers, headers
    assert browser.request("GET", "/", Origin="http://evil.example")[0] == 403
    assert browser.request("GET", "/", Origin=f"http://{browser.host}")[0] == 200
    # The cookie of one application is nothing at another's origin, nor at the product.
    other = Browser(server, server.create("true"))
    other.cookie = browser.cookie
    assert other.request("GET", "/")[0] == 401
    status, _, _ = server.request("GET", "/me", headers={"Cookie": browser.cookie})
    assert status == 401, status
    # Access ends with what gave it.
    key = server.command("key", "add", "admin", "--name", "other", "--json")
    own, server.key = server.key, key["key"]
    second = Browser(server, task).enter()
    server.key = own
    assert second.request("GET", "/")[0] == 200
    server.request("DELETE", f"/api-keys/{key['id']}", headers={"Authorization": f"Bearer {own}"})
    assert second.request("GET", "/")[0] == 401
    assert browser.request("GET", "/")[0] == 200
    # With a session, until its end.
    own = {"Content-Type": "application/json"}
    status, begun, answered = server.request("POST", "/login", json.dumps(
        {"user": "admin", "password": "a long enough password"}), own)
    assert status == 200, begun
    page = {**own, "Cookie": answered["Set-Cookie"].split(";")[0], "X-CSRF-Token": json.loads(begun)["csrfToken"]}
    status, access, _ = server.request("POST", f"/tasks/{task}/app-server/access", "{}", page)
    third = Browser(server, task)
    status, _, headers = third.request("GET", "/" + json.loads(access)["url"].split("/", 3)[3])
    third.cookie = headers["Set-Cookie"].split(";")[0]
    assert third.request("GET", "/")[0] == 200
    assert server.request("POST", "/logout", "{}", page)[0] == 200
    assert third.request("GET", "/")[0] == 401
    server.call("restart_task_app_server", taskId=task, expectedStatus="running")
    assert browser.request("GET", "/")[0] == 401


@flow
def bodies_pass_in_both_directions_and_connections_are_kept(stage):
    server, task = _stage(stage)
    _start(server, task)
    browser = Browser(server, task).enter()
    connection = browser.connect()
    for _ in range(3):  # over one connection
        status, body, headers = browser.request("GET", "/size?300000", connection=connection)
        assert status == 200 and body == b"x" * 300000 and headers.get("Connection") is None, (status, headers)
    status, body, _ = browser.request("POST", "/", b"y" * 3000000, connection=connection)
    assert (status, body) == (200, b"3000000\n"), (status, body)
    status, body, _ = browser.request("GET", "/chunked", connection=connection)
    assert (status, body) == (200, b"one\ntwo\n"), (status, body)
    connection.close()
    status, body, _ = browser.request("HEAD", "/size?10")
    assert (status, body) == (200, b""), (status, body)
    # What has begun is told while it goes on.
    connection = browser.connect()
    connection.request("GET", "/slow", headers=browser.headers())
    answer = connection.getresponse()
    assert answer.fp.readline() == b"data: 1\n"
    (stage.folder_of(server, task) / "go").touch()
    assert answer.read() == b"\ndata: 2\n\n"
    connection.close()


def _upgrade(browser):
    raw = socket.create_connection(("127.0.0.1", browser.server.proxy), 30)
    raw.sendall((f"GET /socket HTTP/1.1\r\nHost: {browser.host}\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
                 f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\nSec-WebSocket-Version: 13\r\n"
                 f"Cookie: {browser.cookie}\r\n\r\n").encode())
    head = b""
    while b"\r\n\r\n" not in head:
        head += raw.recv(1)
    assert head.startswith(b"HTTP/1.1 101 "), head
    return raw


@flow
def a_websocket_is_carried_until_the_application_stops(stage):
    server, task = _stage(stage)
    _start(server, task)
    browser = Browser(server, task).enter()
    raw = _upgrade(browser)
    for text in (b"one", b"\x81\x03two"):
        raw.sendall(text)
        assert raw.recv(100) == text
    state = server.call("stop_task_app_server", taskId=task, expectedStatus="running")
    assert (state["status"], state["portAvailable"]) == ("stopped", False), state
    assert raw.recv(100) == b""
    raw.close()
    assert browser.request("GET", "/")[0] == 401


@flow
def the_whole_tree_of_an_application_ends_and_its_log_is_redacted(stage):
    server, task = _stage(stage, app="echo the value is $APP_SECRET; (setsid sleep 7777 &); ./app $PORT")
    _start(server, task)
    log = server.call("get_task_app_server_logs", taskId=task)
    assert log["status"] == "available" and log["redacted"] and SECRET not in json.dumps(log), log
    assert "the value is [redacted]" in log["content"] and f"listening on {PORT}" in log["content"], log
    # It goes on whatever the server does, and is found again.
    server.kill()
    server.start()
    wait_until("the server to answer", lambda: server.call("get_task_app_server_status", taskId=task))
    state = server.call("get_task_app_server_status", taskId=task)
    assert (state["status"], state["portAvailable"]) == ("running", True), state
    container = stage.container_of(server, task)["Id"]
    assert "sleep 7777" in stage.processes_in(server, container)
    server.call("stop_task_app_server", taskId=task, expectedStatus="running")
    processes = stage.processes_in(server, container)
    assert processes and not [line for line in processes if "sleep" in line or "app" in line.split("/")[-1]], processes
    # One that ends by itself is told from one that was ended.
    _start(server, task)
    browser = Browser(server, task).enter()
    browser.request("GET", "/exit")
    state = wait_until("the application to end", lambda: (lambda s: s if s["status"] == "exited" else None)(
        server.call("get_task_app_server_status", taskId=task)))
    assert (state["exitCode"], state["portAvailable"]) == (3, False), state
    # A stopped container is a stopped application, and so is a deleted task.
    _start(server, task, "exited")
    assert server.call("stop_task", taskId=task)["stopped"]
    wait_until("the application to be stopped", lambda: server.call(
        "get_task_app_server_status", taskId=task)["status"] == "stopped")
    _start(server, task)
    status, _ = _rest(server, "DELETE", f"/tasks/{task}")
    assert status == 200, status
    assert not stage.containers_of(server, task)


@flow
def an_application_runs_beside_turns_and_is_closed_to_who_may_not_use_it(stage):
    server, task = _stage(stage)
    workspace = stage.folder_of(server, task)
    server.call("follow_up_task", taskId=task, instructions="touch working; until [ -e go ]; do sleep 0.05; done")
    wait_until("the turn to begin", (workspace / "working").exists)
    _start(server, task)
    browser = Browser(server, task).enter()
    assert browser.request("GET", "/")[0] == 200
    assert server.call("interrupt_task", taskId=task)["interrupted"]
    assert browser.request("GET", "/")[0] == 200
    server.call("follow_up_task", taskId=task, instructions="true")
    server.wait_ended(task)
    assert browser.request("GET", "/")[0] == 200
    # Somebody who may no longer run things in the task is let out, also of what is open.
    server.command("user", "add", "dev", "--role", "Developer", "--environment", "test")
    own, server.key = server.key, server.command("key", "add", "dev", "--name", "dev", "--json")["key"]
    theirs = Browser(server, task).enter()
    raw = _upgrade(theirs)
    server.key = own
    assert theirs.request("GET", "/")[0] == 200
    status, _ = _rest(server, "POST", "/users/dev/disable")
    assert status == 200, status
    assert theirs.request("GET", "/")[0] == 401
    assert raw.recv(100) == b""
    raw.close()
    assert browser.request("GET", "/")[0] == 200


@flow
def an_application_is_reached_over_tls(stage):
    server, task = _stage(stage, authority=stage.make_authority())
    _start(server, task)
    browser = Browser(server, task).enter()
    status, body, _ = browser.request("GET", "/", Cookie="longshore_session=secret")
    assert status == 200 and b"X-Forwarded-Proto: https" in body and b"secret" not in body, (status, body)
    status, body, _ = browser.request("GET", "/size?1000000")
    assert (status, len(body)) == (200, 1000000), status
    status, body, _ = browser.request("POST", "/", b"z" * 1000000)
    assert (status, body) == (200, b"1000000\n"), (status, body)
