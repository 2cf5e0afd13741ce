"""The main job from one end to the other, and what the commands beside a running server do."""

import json

from longshore import ENDED, HttpError, ToolError, flow, wait_until

CHANGE = """
cd /workspace/sample
echo 'A line from the task' >> README.md
git add -A
git -c user.name=Agent -c user.email=agent@example.com commit -q -m 'Add a line'
git diff --stat HEAD~1
echo 'Added a line to the read-me.' > /task-output/summary.md
echo 'All done.'
"""


def _repository(stage):
    address = stage.remote().add("sample", {"README.md": "# Sample\n", "bin/run": "#!/bin/sh\n"})
    return [{"name": "sample", "url": address, "branch": "main"}]


@flow
def a_task_changes_a_repository_and_its_reply_is_read_back(stage):
    server = stage.server(repositories=_repository(stage))
    task_id = server.create(CHANGE, name="A line")
    task = server.wait_ended(task_id)
    assert task["status"] == "completed" and task["exitCode"] == 0, task
    assert "All done." in task["latestResponse"]["content"], task["latestResponse"]
    assert task["latestResponse"]["followUpsSince"] == 0
    assert "README.md" in task["latestResponse"]["content"]
    full = server.task(task_id, includeSummary=True)
    assert full["summary"].strip() == "Added a line to the read-me.", full
    output = server.call("get_task_output", taskId=task_id)
    assert "summary.md" in [f["path"] for f in output["files"]], output["files"]
    assert b"All done." in server.read_file(task_id, "log.txt")
    assert server.read_file(task_id, "task-instructions.md").decode().strip().endswith(CHANGE.strip())
    listed = server.call("list_tasks", environment="test")
    assert [t["taskId"] for t in listed["tasks"]] == [task_id] and listed["total"] == 1


@flow
def a_follow_up_runs_in_the_same_workspace_and_a_busy_task_refuses_one(stage):
    server = stage.server()
    task_id = server.create("echo first > /workspace/kept; until [ -e /workspace/go ]; do sleep 0.1; done")
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / "kept").exists())
    try:
        server.call("follow_up_task", taskId=task_id, instructions="echo too early")
        raise AssertionError("a busy task took a follow-up")
    except ToolError as refusal:
        assert refusal.code == "task_busy", refusal
    (workspace / "go").touch()
    assert server.wait_ended(task_id)["status"] == "completed"
    server.call("follow_up_task", taskId=task_id, instructions="cat /workspace/kept; echo second")
    wait_until("the follow-up to be counted", lambda: server.task(task_id)["followUpCount"] == 1)
    task = server.wait_ended(task_id)
    assert task["status"] == "completed" and task["latestResponse"]["followUpsSince"] == 0, task
    assert task["latestResponse"]["content"].split() == ["first", "second"], task["latestResponse"]


@flow
def a_failing_script_is_a_failed_task_with_its_own_exit_code(stage):
    server = stage.server()
    task = server.wait_ended(server.create("echo about to fail; echo why >&2; exit 7"))
    assert task["status"] == "failed" and task["exitCode"] == 7, task
    assert task["failure"]["stage"] == "agent" and "why" in task["failure"]["logTail"]["content"], task["failure"]


@flow
def a_script_ended_by_a_signal_is_a_failed_task(stage):
    server = stage.server()
    task = server.wait_ended(server.create("kill -SEGV $$"))
    assert task["status"] == "failed" and task["exitCode"] == 128 + 11, task


@flow
def an_image_that_is_missing_fails_the_launch_and_names_it(stage):
    server = stage.server()
    server.environment_file("bare", image="longshore/absent:9")
    task = server.wait_ended(server.create("echo never", environment="bare"))
    assert task["status"] == "failed" and task["exitCode"] == -1, task
    assert task["failure"]["stage"] == "launch" and "longshore/absent:9" in task["failure"]["message"], task["failure"]


@flow
def a_repository_that_cannot_be_fetched_fails_the_launch_and_leaves_nothing(stage):
    server = stage.server(repositories=[{"name": "gone", "url": "http://127.0.0.1:9/gone.git", "branch": "main"}])
    task_id = server.create("echo never")
    task = server.wait_ended(task_id)
    assert task["status"] == "failed" and task["failure"]["stage"] == "launch", task
    assert "gone" in task["failure"]["message"], task["failure"]
    assert stage.containers_of(server, task_id) == []


@flow
def memory_that_runs_out_is_named_even_when_a_child_was_the_victim(stage):
    server = stage.server()
    server.environment_file("small", limits={"memoryMb": 64})
    task = server.wait_ended(server.create("bash -c 'x=$(head -c 200000000 /dev/zero | tr \"\\\\0\" x); echo ${#x}'; exit 3",
                                           environment="small"))
    assert task["status"] == "failed" and task["exitCode"] == 3, task
    assert "memory" in (task["failure"]["message"] + task["failure"]["type"]).lower(), task["failure"]


@flow
def a_stop_ends_the_turn_and_the_container_and_may_be_repeated(stage):
    server = stage.server()
    task_id = server.create("touch /workspace/begun; sleep 1000")
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    server.call("stop_task", taskId=task_id)
    task = server.wait_ended(task_id, 20)
    assert task["status"] == "interrupted", task
    server.call("stop_task", taskId=task_id)
    wait_until("the container to stop", lambda: not any(
        c["State"]["Running"] for c in stage.containers_of(server, task_id)), 20)


@flow
def an_interrupt_ends_the_turn_and_leaves_the_container_for_a_follow_up(stage):
    server = stage.server()
    task_id = server.create("touch /workspace/begun; sleep 1000")
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    server.call("interrupt_task", taskId=task_id)
    assert server.wait_ended(task_id, 20)["status"] == "interrupted"
    assert stage.container_of(server, task_id)["State"]["Running"]
    server.call("follow_up_task", taskId=task_id, instructions="echo still here")
    wait_until("the follow-up to be counted", lambda: server.task(task_id)["followUpCount"] == 1)
    task = server.wait_ended(task_id)
    assert task["status"] == "completed" and "still here" in task["latestResponse"]["content"], task


@flow
def a_revoked_key_is_refused_at_once(stage):
    server = stage.server()
    made = server.command("key", "add", "admin", "--name", "short", "--json")
    first, server.key = server.key, made["key"]
    server.call("list_environments")
    server.command("key", "revoke", str(made["id"]))
    try:
        server.call("list_environments")
        raise AssertionError("a revoked key was taken")
    except HttpError as refusal:
        assert refusal.status == 401, refusal
    server.key = first
    server.call("list_environments")


@flow
def a_broken_environment_file_leaves_the_others_running(stage):
    server = stage.server()
    folder = server.data / "setup" / "environments" / "broken"
    folder.mkdir(parents=True)
    (folder / "environment.json").write_text('{"image": ')
    server.environment_file("another")
    assert server.wait_ended(server.create("echo fine"))["status"] == "completed"
    try:
        server.create("echo never", environment="broken")
        raise AssertionError("a broken environment took a task")
    except ToolError:
        pass


@flow
def a_backup_restores_into_a_folder_that_answers_as_before(stage):
    server = stage.server()
    task_id = server.create("echo the reply to keep")
    reply = server.wait_ended(task_id)["latestResponse"]["content"]
    archive = stage.folder / "backup.tar"
    server.command("backup", str(archive), "--with-key")
    second = stage.new_server("restored")
    second.command("restore", str(archive))
    second.key = server.key
    second.start()
    task = second.task(task_id)
    assert task["status"] in ENDED and task["latestResponse"]["content"] == reply, task
    assert second.read_file(task_id, "log.txt") == server.read_file(task_id, "log.txt")


@flow
def a_restored_copy_leaves_the_turns_of_its_original_alone(stage):
    engine = stage.engine()
    server = stage.server(docker_host=engine.address)
    server.command("setting", "set", "TASK_CONCURRENCY", "1")
    held = server.create("touch /workspace/begun; until [ -e /workspace/go ]; do sleep 0.1; done; echo whole")
    workspace = stage.folder_of(server, held)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    waiting = server.create("echo second")
    server.call("follow_up_task", taskId=held, instructions="echo third", queueIfBusy=True)
    containers = {c["Id"]: c["Labels"]["longshore.server"] for c in engine.containers()}
    archive = stage.folder / "backup.tar"
    server.command("backup", str(archive), "--with-key")

    second = stage.new_server("restored", docker_host=engine.address)
    (old_id,) = containers.values()
    assert f"label=longshore.server={old_id}" in second.command("restore", str(archive))
    second.key = server.key
    second.start()
    wait_until("the copy to know its engine", lambda: json.loads(second.get("/health")[1])["engine"]["reachable"])
    for task_id in (held, waiting):
        task = second.wait_ended(task_id)
        assert task["status"] == "interrupted", task
    queue = second.call("list_task_follow_up_queue", taskId=held)
    assert queue["paused"] and queue["pauseReason"] == "turn_interrupted" and len(queue["entries"]) == 1, queue
    # The copy makes a container beside the original's, which bears the same task's name.
    second.call("follow_up_task", taskId=waiting, instructions="echo in the copy")
    assert second.wait_ended(waiting)["status"] == "completed"
    labels = {c["Id"]: c["Labels"]["longshore.server"] for c in engine.containers()}
    assert containers.items() <= labels.items() and len(set(labels.values())) == 2, labels
    assert server.task(held)["status"] == "running"
    (workspace / "go").touch()
    for task_id in (held, waiting):
        assert server.wait_ended(task_id)["status"] == "completed"
    assert server.read_file(held, "log.txt").startswith(b"whole")
