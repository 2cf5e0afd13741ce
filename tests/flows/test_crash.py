"""The server dies, at every point of a turn's life: nothing is lost, done twice or misreported."""

import os
import random
import socket
import time
import uuid

from longshore import ENDED, ToolError, flow, engine_request, wait_until

# Another seed tries other moments.
SEED = int(os.environ.get("LONGSHORE_TEST_SEED", "20"))

HELD = """
echo begin
touch /workspace/begun
until [ -e /workspace/go ]; do sleep 0.1; done
echo end
touch /workspace/done
exit %d
"""


def _held(stage, server, code=0):
    """A task whose turn has begun and waits for the file `go`; returns its id and its workspace on this machine."""
    task_id = server.create(HELD % code)
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    return task_id, workspace


@flow
def a_turn_that_runs_through_a_crash_is_picked_up_and_runs_once(stage):
    server = stage.server()
    task_id, workspace = _held(stage, server)
    server.kill()
    server.start()
    assert server.task(task_id)["status"] == "running"
    (workspace / "go").touch()
    task = server.wait_ended(task_id)
    assert task["status"] == "completed" and task["exitCode"] == 0, task
    assert server.read_file(task_id, "log.txt").split() == [b"begin", b"end"]


@flow
def a_turn_that_ends_while_the_server_is_dead_keeps_its_exit_code(stage):
    server = stage.server()
    task_id, workspace = _held(stage, server, 7)
    server.kill()
    (workspace / "go").touch()
    wait_until("the script to end", lambda: (workspace / "done").exists())
    server.start()
    task = server.wait_ended(task_id)
    assert task["status"] == "failed" and task["exitCode"] == 7, task
    assert server.read_file(task_id, "log.txt").split() == [b"begin", b"end"]


@flow
def a_turn_whose_container_went_while_the_server_was_dead_ends_with_a_reason(stage):
    server = stage.server()
    task_id, _ = _held(stage, server)
    container = stage.container_of(server, task_id)
    server.kill()
    engine_request(server.docker_host, "DELETE", f"/v1.41/containers/{container['Id']}?force=1&v=1")
    server.start()
    task = server.wait_ended(task_id, 30)
    assert task["status"] in ("failed", "interrupted") and task["exitCode"] != 0, task
    assert server.wait_ended(server.create("echo free"))["status"] == "completed"


@flow
def a_turn_whose_container_is_killed_ends_with_a_reason(stage):
    server = stage.server()
    task_id, _ = _held(stage, server)
    container = stage.container_of(server, task_id)
    engine_request(server.docker_host, "POST", f"/v1.41/containers/{container['Id']}/kill")
    task = server.wait_ended(task_id, 30)
    assert task["status"] in ("failed", "interrupted") and task["exitCode"] != 0, task


@flow
def a_stop_that_was_asked_for_before_a_crash_is_carried_out_after_it(stage):
    server = stage.server()
    task_id = server.create("trap 'touch /workspace/asked' TERM; touch /workspace/begun; while :; do sleep 0.1; done")
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    pending = server.post_mcp_without_waiting("stop_task", {"taskId": task_id})
    wait_until("the script to be asked to end", lambda: (workspace / "asked").exists())
    server.kill()
    pending.close()
    server.start()
    task = server.wait_ended(task_id, 40)
    assert task["status"] == "interrupted", task
    wait_until("the container to stop", lambda: not any(
        c["State"]["Running"] for c in stage.containers_of(server, task_id)), 30)


@flow
def sigterm_ends_the_server_within_five_seconds_and_leaves_the_turn_running(stage):
    server = stage.server()
    task_id, workspace = _held(stage, server)
    status, took = server.terminate()
    assert status == 0 and took < 5, (status, took)
    assert stage.container_of(server, task_id)["State"]["Running"]
    server.start()
    (workspace / "go").touch()
    assert server.wait_ended(task_id)["status"] == "completed"
    assert server.read_file(task_id, "log.txt").split() == [b"begin", b"end"]


@flow
def a_crash_at_any_moment_of_a_task_loses_and_doubles_nothing(stage):
    server = stage.server()
    moments = random.Random(SEED)
    made = {}
    for number in range(12):
        # From the receipt of the call to past the end of the turn.
        moment = moments.uniform(0, 0.1) if number % 3 == 0 else moments.uniform(0, 1.5)
        arguments = {"environment": "test", "instructions": "echo once >> /workspace/times; cat /workspace/times",
                     "requestId": str(uuid.uuid4())}
        pending = server.post_mcp_without_waiting("create_task", arguments)
        time.sleep(moment)
        server.kill()
        pending.close()
        server.start()
        task_id = server.call("create_task", **arguments)["taskId"]
        assert server.call("create_task", **arguments)["taskId"] == task_id
        made[task_id] = moment
    listed = server.call("list_tasks", environment="test", limit=100)
    assert listed["total"] == len(made) and {t["taskId"] for t in listed["tasks"]} == set(made), listed
    for task_id, moment in made.items():
        ended = server.wait_ended(task_id)
        assert ended["status"] == "completed", (moment, ended)
        assert server.read_file(task_id, "log.txt") == b"once\n", moment
    owned = stage.containers_of(server)
    assert len(owned) == len(made), [c["Name"] for c in owned]


@flow
def a_crash_at_any_moment_of_a_follow_up_delivers_it_once(stage):
    server = stage.server()
    task_id = server.create("echo 0 > /workspace/times")
    assert server.wait_ended(task_id)["status"] == "completed"
    moments = random.Random(SEED + 1)
    for number in range(1, 7):
        arguments = {"taskId": task_id, "instructions": f"echo {number} >> /workspace/times; cat /workspace/times",
                     "idempotencyKey": str(uuid.uuid4())}
        pending = server.post_mcp_without_waiting("follow_up_task", arguments)
        time.sleep(moments.uniform(0, 0.4))
        server.kill()
        pending.close()
        server.start()
        server.call("follow_up_task", **arguments)
        wait_until("the follow-up to be counted", lambda wanted=number: server.task(task_id)["followUpCount"] == wanted)
        task = server.wait_ended(task_id)
        assert task["status"] == "completed", task
        assert task["latestResponse"]["content"].split() == [str(n) for n in range(number + 1)], task["latestResponse"]


@flow
def what_carries_our_label_without_a_record_is_removed_and_the_rest_is_left_alone(stage):
    server = stage.server()
    server.wait_ended(server.create("true"))
    ours = stage.containers_of(server)[0]
    task_id = server.call("list_tasks", environment="test")["tasks"][0]["taskId"]
    # The same labels as a container of ours, but for a task that this server never had.
    strange = {name: value.replace(task_id, "1700000000000-aaaaaaaaa") for name, value in ours["Config"]["Labels"].items()}
    assert strange != ours["Config"]["Labels"], strange

    def make(name, with_labels):
        status, made = engine_request(server.docker_host, "POST", f"/v1.41/containers/create?name={name}",
                                      {"Image": ours["Config"]["Image"], "Cmd": ["true"], "Labels": with_labels})
        assert status == 201, made
        return made["Id"]
    suffix = uuid.uuid4().hex[:8]
    orphan = make(f"orphan-{suffix}", strange)
    foreign = make(f"foreign-{suffix}", {})
    try:
        server.kill()
        server.start()
        wait_until("the orphan to be removed", lambda: engine_request(
            server.docker_host, "GET", f"/v1.41/containers/{orphan}/json")[0] == 404, 30)
        assert engine_request(server.docker_host, "GET", f"/v1.41/containers/{foreign}/json")[0] == 200
        assert len(stage.containers_of(server)) == 1
    finally:
        for container in (orphan, foreign):
            engine_request(server.docker_host, "DELETE", f"/v1.41/containers/{container}?force=1")


@flow
def sigterm_does_not_wait_for_a_launch_which_the_next_process_takes_up(stage):
    server = stage.server()
    with socket.create_server(("127.0.0.1", 0)) as remote:  # takes what comes and never answers
        url = f"http://127.0.0.1:{remote.getsockname()[1]}/app.git"
        server.environment_file("stuck", repositories=[{"url": url}])
        stopped, taken_up = server.create("echo a", "stuck"), server.create("echo b", "stuck")
        began = time.monotonic()
        answer = server.call("stop_task", taskId=stopped)
        assert answer["stopped"] and time.monotonic() - began < 5, answer
        assert server.task(stopped)["status"] == "interrupted"
        status, took = server.terminate()
        assert status == 0 and took < 5, (status, took)
        server.start()
        assert server.task(taken_up)["status"] == "running"
        assert server.call("stop_task", taskId=taken_up)["stopped"]
    assert server.wait_ended(server.create("echo free"))["status"] == "completed"


@flow
def twenty_identical_creations_at_once_are_one_task_and_stay_one_after_a_crash(stage):
    server = stage.server()
    arguments = {"environment": "test", "instructions": "echo one", "requestId": str(uuid.uuid4())}
    answers = server.call_at_once(20, "create_task", **arguments)
    assert len(answers) == 20 and len({a["taskId"] for a in answers}) == 1, answers
    server.kill()
    server.start()
    again = server.call_at_once(20, "create_task", **arguments)
    assert {a["taskId"] for a in again} == {answers[0]["taskId"]}, again
    assert server.call("list_tasks", environment="test")["total"] == 1
    assert server.wait_ended(answers[0]["taskId"])["status"] in ENDED
    try:
        server.call("create_task", **{**arguments, "instructions": "echo other"})
        raise AssertionError("the same requestId was taken for other arguments")
    except ToolError as refusal:
        assert refusal.code == "idempotency_conflict", refusal
