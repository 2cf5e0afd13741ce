"""What a submission can bring: files, a handoff, a template; and what can be done with a task besides running it."""

import base64
import json
import os
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
