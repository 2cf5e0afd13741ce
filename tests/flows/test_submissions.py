"""What a submission can bring: files, a handoff, a template; and what can be done with a task besides running it."""

import base64
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import uuid

from longshore import ToolError, flow, wait_until


@flow
def an_attachment_is_read_by_the_agent_to_the_byte(stage):
    server = stage.server()
    blob = os.urandom(300_000)
    arguments = {"attachments": [{"filename": "data.bin", "content": base64.b64encode(blob).decode(), "encoding": "base64"},
                                 {"filename": "ünïcode name.txt", "content": "grüße\n"}],
                 "requestId": str(uuid.uuid4())}
    task = server.create("sha256sum /task-output/attachments/data.bin; cat /task-output/attachments/*.txt", **arguments)
    again = server.create("sha256sum /task-output/attachments/data.bin; cat /task-output/attachments/*.txt", **arguments)
    assert again == task
    ended = server.wait_ended(task)
    assert ended["status"] == "completed" and "grüße" in ended["latestResponse"]["content"], ended
    assert server.read_file(task, "attachments/data.bin") == blob
    instructions = server.read_file(task, "task-instructions.md").decode()
    assert "/task-output/attachments/data.bin (300000 bytes)" in instructions, instructions
    wait_until("the uploads to be gone", lambda: not list((server.data / "uploads").iterdir()))


@flow
def a_follow_up_brings_files_of_its_own(stage):
    server = stage.server()
    task = server.create("rm -rf /task-output/attachments; ln -s /etc /task-output/attachments; echo one")
    server.wait_ended(task)
    server.call("follow_up_task", taskId=task, instructions="cat /task-output/attachments/more.txt",
                attachments=[{"filename": "more.txt", "content": "more of it\n"}])
    ended = server.wait_ended(task)
    assert ended["latestResponse"]["content"] == "more of it\n", ended


def _rest(server, method, path, body, kind="application/json"):
    status, content, _ = server.request(method, path, body, {"Authorization": f"Bearer {server.key}", "Content-Type": kind},
                                        timeout=120)
    return status, json.loads(content)


@flow
def a_file_larger_than_any_body_is_sent_ahead_and_outlives_a_crash(stage):
    server = stage.server()
    blob = os.urandom(1_000_000) * 90
    status, sent = _rest(server, "POST", "/uploads?filename=large.bin", blob, "application/octet-stream")
    assert status == 201 and sent["size"] == len(blob), sent
    server.kill()
    server.start()
    order = json.dumps({"environment": "test", "instructions": "sha256sum < /task-output/attachments/large.bin",
                        "requestId": str(uuid.uuid4()), "attachments": [{"uploadId": sent["uploadId"]}]})
    status, task = _rest(server, "POST", "/tasks", order)
    assert status == 200, task
    ended = server.wait_ended(task["taskId"])
    assert ended["latestResponse"]["content"].split()[0] == hashlib.sha256(blob).hexdigest(), ended
    status, again = _rest(server, "POST", "/tasks", order)
    assert status == 200 and again["taskId"] == task["taskId"], again
    wait_until("the uploads to be gone", lambda: not list((server.data / "uploads").iterdir()))


def _peak(server):
    """The most memory that the process ever had, in MiB."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


@flow
def many_large_submissions_at_once_take_the_memory_of_one(stage):
    # The sanitizer would keep what was freed.
    options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
    server = stage.server(environment={"ASAN_OPTIONS": options.lstrip(":")})
    content = base64.b64encode(os.urandom(1_000_000) * 12).decode()
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "create_task", "arguments": {
        "environment": "test", "instructions": "true", "staged": True,
        "attachments": [{"filename": "large.bin", "content": content, "encoding": "base64"}]}}}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {server.key}"}

    def send(_):
        try:
            return server.request("POST", "/mcp", message, headers, timeout=120)[0]
        except ConnectionError:
            return 429  # told so before the body was read
    assert send(0) == 200
    one = _peak(server)
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(send, range(12)))
    # Those beyond UPLOADS_AT_ONCE are told to come again.
    assert set(answers) <= {200, 429} and answers.count(200) >= 8, answers
    assert _peak(server) < one + 30, (one, _peak(server))


@flow
def a_handoff_reaches_the_instructions_and_the_files(stage):
    server = stage.server()
    task = server.create("cat /task-output/attachments/handoff.md", handoff={
        "source": "a session at the desk", "summary": "Two of three are done.", "transcript": "me: go\nyou: gone"})
    ended = server.wait_ended(task)
    assert "Two of three are done." in ended["latestResponse"]["content"], ended
    assert "you: gone" in ended["latestResponse"]["content"]
    assert "Two of three are done." in server.read_file(task, "task-instructions.md").decode()


@flow
def a_template_makes_a_task_and_refuses_what_it_does_not_know(stage):
    server = stage.server()
    folder = server.data / "setup" / "environments" / "test" / "templates"
    folder.mkdir()
    (folder / "greet.json").write_text(json.dumps({
        "title": "Greet", "instructions": "echo hello {{who}}",
        "parameters": [{"name": "who", "type": "select", "options": ["world", "moon"], "required": True}]}))
    listed = server.call("list_templates", environment="test")["templates"]
    assert [t["name"] for t in listed] == ["greet"] and listed[0]["parameters"][0]["optionsEnforced"], listed
    made = server.call("create_task", environment="test", template="greet", parameters={"who": "moon"})
    assert made["task"]["taskType"] == "template"
    assert server.wait_ended(made["taskId"])["latestResponse"]["content"] == "hello moon\n"
    for parameters, code in (({"who": "mars"}, "invalid_parameter"), ({}, "missing_required_parameter"),
                             ({"who": "moon", "when": "now"}, "unknown_parameter")):
        try:
            server.call("create_task", environment="test", template="greet", parameters=parameters)
            raise AssertionError(f"{parameters} was taken")
        except ToolError as refusal:
            assert refusal.code == code, refusal


@flow
def a_renamed_task_is_found_under_its_new_name(stage):
    server = stage.server()
    task = server.create("true", name="first")
    server.wait_ended(task)
    renamed = server.call("rename_task", taskId=task, name="second")
    assert renamed["previousNames"] == {task: "first"} and renamed["newNames"] == {task: "second"}, renamed
    assert server.task(task)["name"] == "second"
