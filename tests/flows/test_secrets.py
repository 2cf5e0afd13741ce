"""Secrets reach the task they are for, and come out nowhere."""

import json
import pathlib
import subprocess

from longshore import ToolError, flow, wait_until
from test_streams import Listener

SHARED = "shared-s3cret-value-77"
PERSONAL = "personal/s3cret+value=88"
CERT = "-----BEGIN THING-----\nMIIBcertline+1\nMIIBcertline/2==\n-----END THING-----\n"
VALUES = (SHARED, PERSONAL, *CERT.strip().split("\n"))


def prepare(stage):
    server = stage.new_server().start().prepare()
    server.environment_file("test", secrets=[{"name": "SHARED"},
                                             {"name": "CERT", "as": "file", "path": "tls/cert.pem"}])
    server.command("secret", "set", "SHARED", "--environment", "test", text=SHARED + "\n")
    server.command("secret", "set", "CERT", "--environment", "test", "--as", "file", text=CERT)
    server.command("secret", "set", "PERSONAL", "--user", "admin", text=PERSONAL + "\n")
    return server


def files_with(value, folder):
    found = subprocess.run(["grep", "-rlF", "-e", value, str(folder)], capture_output=True, text=True, check=False)
    return found.stdout.split("\n")[:-1]


def assert_clean(what, text):
    for value in VALUES:
        for form in (value, json.dumps(value)[1:-1]):
            assert form not in text, f"{form!r} came out of {what}: {text[:2000]}"


@flow
def a_task_gets_its_secrets_and_they_lie_nowhere_else(stage):
    server = prepare(stage)
    task_id = server.create("""
        printf '%s' "$SHARED" | sha256sum; printf '%s' "$PERSONAL" | sha256sum; sha256sum < "$CERT"
        stat -c '%U %a' "$CERT"; ! touch /longshore/secrets/x 2>/dev/null && echo closed
        echo ready > /workspace/ready; until [ -e /workspace/go ]; do sleep 0.1; done""")
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to run", lambda: (workspace / "ready").exists())
    container = stage.container_of(server, task_id)
    assert_clean("the container's description", json.dumps(container))
    assert_clean("the processes' arguments", json.dumps(stage.processes_in(server, container["Id"])))
    secrets = stage.folder_of(server, task_id, "/longshore/secrets")
    assert (secrets / "tls/cert.pem").read_text() == CERT
    (workspace / "go").touch()
    ended = server.wait_ended(task_id)
    said = ended["latestResponse"]["content"].split()
    wanted = [subprocess.run(["sha256sum"], input=value.encode(), capture_output=True, check=True).stdout.split()[0]
              .decode() for value in (SHARED, PERSONAL, CERT)]
    assert [word for word in said if len(word) == 64] == wanted, said
    assert "400" in said and "closed" in said, said
    assert list(secrets.iterdir()) == [], "a secret file outlived its turn"
    for value in VALUES:
        assert files_with(value, server.data) == [], (value, files_with(value, server.data))
        assert value not in server.log_end(100000)


PRINTING = """
echo "said $SHARED and $PERSONAL"; cat "$CERT"; echo "error $SHARED" >&2
echo "https://user:$SHARED@example.com/?token=plain-query-token" >&2
echo "summary $SHARED $PERSONAL" > /task-output/summary.md
cp "$CERT" /task-output/cert.txt
for i in $(seq 2000); do printf '%s.' "$SHARED"; done > /task-output/pages.txt
echo x > "/task-output/name-$SHARED.txt"
mkdir "/task-output/$SHARED"; echo "$SHARED" > "/task-output/$SHARED/inner"
printf '{"quoted": "%s", "more": "%s"}\\n' "$SHARED" "$PERSONAL"
exit 7
"""


def streamed(server, task_id):
    """What the two event streams tell of a task that is over."""
    events, changes = Listener(server, f"/tasks/{task_id}/stream"), Listener(server, "/events", last="0")
    events.await_event("the task's state", lambda name, data: name == "state" and data["task"]["taskId"] == task_id)
    changes.await_event("the task's change", lambda name, data: name == "task" and data["task"]["taskId"] == task_id)
    return [event[1:] for event in (*events.events, *changes.events)]


def everything_about(server, task_id):
    """What every tool tells of the task, by a word for each."""
    told = {
        "get_task": server.task(task_id, includeSummary=True, includeOutput=True, fullLatestResponse=True),
        "get_task_output": server.call("get_task_output", taskId=task_id,
                                       include=["summary", "recommendation", "responses", "variants", "failure", "files"]),
        "list_tasks": server.call("list_tasks"),
    }
    for file in told["get_task_output"]["files"]:
        if "[redacted]" not in file["path"]:
            told[file["path"]] = server.read_file(task_id, file["path"]).decode()
    pages, offset = "", 0
    while offset is not None and offset < 900:
        page = server.call("read_task_file", taskId=task_id, path="pages.txt", offset=offset, maxBytes=7)
        pages, offset = pages + page["content"], page["nextOffset"]
    told["small pages"] = pages
    told["streams"] = streamed(server, task_id)
    return told


@flow
def what_a_task_prints_of_its_secrets_comes_out_of_no_tool(stage):
    server = prepare(stage)
    task_id = server.create(PRINTING, name=f"on {SHARED}", shared=True)
    assert server.wait_ended(task_id)["status"] == "failed"
    told = everything_about(server, task_id)
    for what, text in told.items():
        assert_clean(what, json.dumps(text, ensure_ascii=False))
        assert "plain-query-token" not in json.dumps(text), what
    assert told["get_task"]["name"] == "on [redacted]"
    assert "said [redacted] and [redacted]" in told["get_task"]["latestResponse"]["content"], told["get_task"]
    assert told["get_task"]["summary"].strip() == "summary [redacted] [redacted]"
    assert "summary.md" in told and "log.txt" in told and "debug-stream.jsonl" in told, list(told)
    assert told["cert.txt"] == "*" * len(CERT), told["cert.txt"]
    names = [file["path"] for file in told["get_task_output"]["files"]]
    assert "name-[redacted].txt" in names and "[redacted]/inner" in names, names
    assert set(told["small pages"]) == {"*", "."}, told["small pages"][:100]
    assert any("said [redacted] and [redacted]" in json.dumps(event) for event in told["streams"]), told["streams"]
    inner = server.call("read_task_file", taskId=task_id, path=f"{SHARED}/inner")
    assert SHARED not in inner["content"], inner
    raw = server.data / "records" / task_id / "log.txt"
    assert SHARED in raw.read_text() and PERSONAL in raw.read_text(), "the record on the disk was changed"
    assert_clean("the server's log", server.log_end(100000))


@flow
def a_replaced_or_removed_secret_stays_out_of_the_tasks_that_had_it(stage):
    server = prepare(stage)
    task_id = server.create('echo "said $SHARED $PERSONAL"')
    server.wait_ended(task_id)
    server.command("secret", "set", "SHARED", "--environment", "test", text="the-next-value\n")
    server.command("secret", "rm", "PERSONAL", "--user", "admin")
    assert server.task(task_id)["latestResponse"]["content"].strip() == "said [redacted] [redacted]"
    server.terminate()
    server.start()
    assert server.task(task_id)["latestResponse"]["content"].strip() == "said [redacted] [redacted]"
    server.call("follow_up_task", taskId=task_id, instructions='echo "then $SHARED ${PERSONAL:-none}"')
    ended = server.wait_ended(task_id)
    assert ended["latestResponse"]["content"].strip() == "then [redacted] none", ended
    assert_clean("the events", server.read_file(task_id, "debug-stream.jsonl").decode())


@flow
def nothing_of_a_task_is_told_while_the_key_is_missing(stage):
    server = prepare(stage)
    task_id = server.create("echo hello")
    server.wait_ended(task_id)
    key = server.data / "key"
    assert key.stat().st_mode & 0o777 == 0o600
    aside = pathlib.Path(str(key) + ".aside")
    server.terminate()
    key.rename(aside)
    server.start()
    for tool, arguments in (("get_task", {}), ("get_task_output", {}), ("read_task_file", {"path": "log.txt"})):
        try:
            server.call(tool, taskId=task_id, **arguments)
            raise AssertionError(f"{tool} answered without the key")
        except ToolError as refusal:
            assert refusal.code == "unavailable", refusal
    aside.rename(key)
    assert server.task(task_id)["status"] == "completed"
