"""The ports: TLS and its renewal, the dedicated MCP listener, pages of other origins, clients that are slow on purpose."""

import json
import signal
import socket
import ssl
import subprocess
import time

from longshore import flow, free_port, wait_until

PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})


def _curl(server, port, path, *options, check=True):
    """curl's output; its exit status where it is not to be checked."""
    done = subprocess.run(["curl", "-sS", "--max-time", "20", "--cacert", server.authority, *options,
                           f"https://localhost:{port}{path}"], capture_output=True, check=False)
    if not check:
        return done.returncode
    assert done.returncode == 0, done.stderr
    return done.stdout


def _serial(server, port):
    context = ssl.create_default_context(cafile=server.authority)
    with socket.create_connection(("127.0.0.1", port), 10) as plain:
        with context.wrap_socket(plain, server_hostname="localhost") as connection:
            return connection.getpeercert()["serialNumber"]


def _status(connection, method, path, body=None, headers=None):
    connection.request(method, path, body, headers or {})
    answer = connection.getresponse()
    answer.read()
    return answer.status


@flow
def both_ports_speak_tls_and_take_up_a_new_certificate_while_connections_go_on(stage):
    authority, ingress = stage.make_authority(), free_port()
    server = stage.server(authority=authority, environment={"MCP_INGRESS_PORT": str(ingress)})
    main = server.address()[1]
    for port in (main, ingress):
        assert json.loads(_curl(server, port, "/health"))["status"] in ("ok", "degraded")
        for version, is_spoken in (("1.1", False), ("1.2", True), ("1.3", True)):
            code = _curl(server, port, "/health", "--tls-max", version, "--tlsv1.0", "--ciphers", "DEFAULT@SECLEVEL=0",
                         check=False)
            assert (code == 0) == is_spoken, (port, version, code)
        plain = subprocess.run(["curl", "-s", "--max-time", "10", f"http://127.0.0.1:{port}/health"], check=False,
                               capture_output=True)
        assert plain.returncode != 0 and plain.stdout == b"", plain
    kept = [server.connect(port=port) for port in (main, ingress)]
    assert [_status(one, "GET", "/health") for one in kept] == [200, 200]
    sockets = [one.sock for one in kept]
    before = _serial(server, main)
    authority.renew()
    server.process.send_signal(signal.SIGHUP)
    wait_until("the new certificate", lambda: _serial(server, main) != before and _serial(server, ingress) != before)
    assert [_status(one, "GET", "/health") for one in kept] == [200, 200]
    assert [one.sock for one in kept] == sockets, "the connections were dropped"
    now = _serial(server, main)
    with open(authority.key, "w") as key:
        key.write("nonsense\n")
    server.process.send_signal(signal.SIGHUP)
    wait_until("the refusal to be logged", lambda: "the certificate stays as it is" in server.log_end())
    assert _serial(server, main) == now and _serial(server, ingress) == now
    for one in kept:
        one.close()


@flow
def events_files_and_ranges_come_over_tls(stage):
    server = stage.server(authority=stage.make_authority())
    port = server.address()[1]
    bearer = ["-H", f"Authorization: Bearer {server.key}"]
    stream = subprocess.Popen(["curl", "-sSN", "--max-time", "60", "--cacert", server.authority, *bearer,
                               f"https://localhost:{port}/events"], stdout=subprocess.PIPE)
    try:
        assert stream.stdout.readline().startswith((b"id:", b"event:", b":", b"retry:"))
        task_id = server.create("seq 1 200000 > /task-output/numbers.txt")
        assert server.wait_ended(task_id)["status"] == "completed"
        seen = b""
        while b'"ended"' not in seen:
            line = stream.stdout.readline()
            assert line, seen
            seen += line
    finally:
        stream.kill()
        stream.wait()
    whole = "".join(f"{number}\n" for number in range(1, 200001)).encode()
    path = f"/tasks/{task_id}/files/numbers.txt"
    assert _curl(server, port, path, *bearer) == whole
    assert _curl(server, port, path, *bearer, "-r", "500000-1200000") == whole[500000:1200001]
    connection = server.connect()
    for _ in range(50):
        assert _status(connection, "POST", "/mcp", PING, {"Authorization": f"Bearer {server.key}",
                                                          "Content-Type": "application/json"}) == 200
    connection.close()


@flow
def the_dedicated_listener_serves_machines_only(stage):
    ingress = free_port()
    server = stage.server(environment={"MCP_INGRESS_MODE": "listener", "MCP_INGRESS_PORT": str(ingress),
                                       "SITE_URL": "http://127.0.0.1:1", "MCP_PUBLIC_BASE_URL": f"http://127.0.0.1:{ingress}"})
    bearer = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    status, content, answered = server.request("POST", "/login", json.dumps(
        {"user": "admin", "password": "a long enough password"}).encode(), {"Content-Type": "application/json"})
    assert status == 200, content
    cookie = {"Cookie": answered["Set-Cookie"].split(";")[0], "Content-Type": "application/json"}
    assert server.request("GET", "/me", headers=cookie)[0] == 200
    told = json.loads(server.get("/mcp-server")[1])
    assert told["endpointUrl"] == f"http://127.0.0.1:{ingress}/mcp", told
    assert told["listener"] == {"mode": "listener", "address": f"http://127.0.0.1:{ingress}"}, told
    connection = server.connect(port=ingress)
    assert _status(connection, "GET", "/health") == 200
    assert _status(connection, "POST", "/mcp", PING, bearer) == 200
    assert _status(connection, "POST", "/mcp", PING, cookie) == 401
    assert _status(connection, "GET", "/mcp", headers=bearer) == 405
    assert _status(connection, "DELETE", "/mcp", headers=bearer) == 405
    for method, path in (("POST", "/login"), ("GET", "/me"), ("GET", "/tasks"), ("GET", "/events"), ("GET", "/metrics"),
                         ("GET", "/openapi.json"), ("GET", "/reference"), ("GET", "/mcp/oauth/authorize"), ("GET", "/")):
        assert _status(connection, method, path, headers=bearer) == 404, path
    connection.close()


@flow
def a_page_of_an_allowed_origin_calls_with_a_key(stage):
    server = stage.server(environment={"ALLOWED_ORIGINS": "https://pages.example"})
    asks = {"Origin": "https://pages.example", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type,mcp-protocol-version"}
    status, _, answered = server.request("OPTIONS", "/mcp", headers=asks)
    assert status == 204 and answered["Access-Control-Allow-Origin"] == "https://pages.example", answered
    assert "mcp-protocol-version" in answered["Access-Control-Allow-Headers"], answered
    status, _, answered = server.request("POST", "/mcp", PING.encode(), {
        "Origin": "https://pages.example", "Authorization": f"Bearer {server.key}", "Content-Type": "application/json"})
    assert status == 200 and answered["Access-Control-Allow-Origin"] == "https://pages.example", answered
    status, _, answered = server.request("OPTIONS", "/mcp", headers=dict(asks, Origin="https://elsewhere.example"))
    assert status == 403 and "Access-Control-Allow-Origin" not in answered, answered


@flow
def clients_that_send_slowly_are_cut_off_and_hold_up_nobody(stage):
    server = stage.server(authority=stage.make_authority(), environment={
        "REQUEST_TIMEOUT_SECONDS": "2", "CONNECTIONS_MAXIMUM": "600", "HTTP_THREADS": "2"})
    host, port = server.address()
    context = ssl.create_default_context(cafile=server.authority)
    slow = []
    for number in range(120):
        plain = socket.create_connection((host, port), 10)
        if number % 3:
            plain = context.wrap_socket(plain, server_hostname="localhost")
        if number % 3 == 1:
            plain.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        if number % 3 == 2:
            plain.sendall(f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.key}\r\n"
                          "Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{".encode())
        slow.append(plain)
    started = time.monotonic()
    assert server.get("/health", timeout=10)[0] == 200
    assert time.monotonic() - started < 5
    for one in slow:
        one.settimeout(20)
        try:
            while one.recv(4096):
                pass
        except OSError:
            pass
        one.close()
    assert server.get("/health", timeout=10)[0] == 200
