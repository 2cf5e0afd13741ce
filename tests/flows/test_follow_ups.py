"""What is sent to a task that is busy, or for later: queued, delivered once, paused, edited and resumed."""

import json
import random
import time
import uuid

from longshore import ToolError, flow, wait_until

HELD = "echo {0} >> /workspace/times; touch /workspace/begun-{0}; until [ -e /workspace/go-{0} ]; do sleep 0.05; done"


def _refused(server, tool, **arguments):
    try:
        server.call(tool, **arguments)
    except ToolError as refusal:
        return refusal.code
    raise AssertionError(f"{tool} was not refused")


def rest(server, method, path, body=None):
    status, answer, _ = server.request(method, path, json.dumps(body).encode() if body is not None else None, {
        "Content-Type": "application/json", "Authorization": f"Bearer {server.key}"})
    return status, json.loads(answer) if answer else None


def _held(stage, server, number=1):
    task_id = server.create(HELD.format(number))
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / f"begun-{number}").exists())
    return task_id, workspace


def _queue(server, task_id, text, **arguments):
    answer = server.call("follow_up_task", taskId=task_id, instructions=text, queueIfBusy=True, **arguments)
    assert answer["queued"], answer
    return answer["queuedFollowUpId"]


def _said(server, task_id, text):
    def over():
        task = server.task(task_id)
        reply = (task["latestResponse"] or {}).get("content", "")
        return task if task["status"] == "completed" and text in reply else None
    return wait_until(f"the task to say {text}", over, 60, 0.1)


@flow
def a_queue_is_paused_by_a_stop_edited_and_resumed(stage):
    server = stage.server()
    task_id, workspace = _held(stage, server)
    assert _refused(server, "follow_up_task", taskId=task_id, instructions="echo no") == "task_busy"
    first, second = _queue(server, task_id, "echo one"), _queue(server, task_id, "echo two")
    assert server.task(task_id)["queuedFollowUps"] == 2
    server.call("stop_task", taskId=task_id)
    listed = server.call("list_task_follow_up_queue", taskId=task_id)
    assert listed["paused"] and listed["pauseReason"] == "stopped", listed
    assert [e["entryId"] for e in listed["entries"]] == [first, second], listed
    assert server.task(task_id)["followUpQueuePaused"]
    path = f"/tasks/{task_id}/follow-up-queue/"
    status, edited = rest(server, "PATCH", path + first, {"version": 1, "instructions": "cat /workspace/times; echo ONE"})
    assert status == 200 and edited["version"] == 2, edited
    assert rest(server, "PATCH", path + first, {"version": 1, "instructions": "echo lost"})[0] == 409
    assert rest(server, "DELETE", path + second + "?version=1")[0] == 200
    assert rest(server, "DELETE", path + second + "?version=2")[0] == 404
    server.kill()
    server.start()
    assert server.task(task_id)["status"] == "interrupted"
    assert server.call("resume_task_follow_up_queue", taskId=task_id)["resumed"]
    task = _said(server, task_id, "ONE")
    assert task["latestResponse"]["content"].split() == ["1", "ONE"] and task["followUpCount"] == 1, task


@flow
def an_interrupt_sends_the_queue_when_it_is_told_to(stage):
    server = stage.server()
    task_id, workspace = _held(stage, server)
    _queue(server, task_id, "echo next")
    answer = server.call("interrupt_task", taskId=task_id, queue="send_queued")
    assert answer["interrupted"], answer
    _said(server, task_id, "next")


@flow
def a_crash_at_any_moment_of_a_queued_follow_up_delivers_it_once(stage):
    server = stage.server()
    task_id, workspace = _held(stage, server, 0)
    moments = random.Random(7)
    for number in range(1, 9):
        arguments = {"taskId": task_id, "instructions": HELD.format(number), "queueIfBusy": True,
                     "idempotencyKey": str(uuid.uuid4())}
        pending = server.post_mcp_without_waiting("follow_up_task", arguments)
        # Before, while and after it is accepted; every other time the turn before ends meanwhile.
        time.sleep(moments.uniform(0, 0.05))
        if number % 2:
            (workspace / f"go-{number - 1}").touch()
            time.sleep(moments.uniform(0, 0.3))
        server.kill()
        pending.close()
        server.start()
        server.call("follow_up_task", **arguments)
        (workspace / f"go-{number - 1}").touch()
        wait_until(f"turn {number} to begin", lambda n=number: (workspace / f"begun-{n}").exists(), 60)
    (workspace / "go-8").touch()
    task = server.wait_ended(task_id)
    assert task["status"] == "completed" and task["followUpCount"] == 8, task
    assert (workspace / "times").read_text().split() == [str(n) for n in range(9)]
    assert server.call("list_task_follow_up_queue", taskId=task_id)["status"] == "empty"


@flow
def what_fell_due_while_the_server_was_dead_is_delivered_once_into_a_stopped_container(stage):
    server = stage.server()
    task_id = server.create("echo 0 > /workspace/times")
    server.wait_ended(task_id)
    server.call("stop_task", taskId=task_id)
    due = time.time() + 3
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(due)) + "Z"
    arguments = {"taskId": task_id, "instructions": "echo woken >> /workspace/times; cat /workspace/times",
                 "deliverAt": stamp, "idempotencyKey": "wake"}
    answer = server.call("follow_up_task", **arguments)
    assert answer["scheduled"] and answer["deliverAt"].startswith(stamp[:19]), answer
    assert server.task(task_id)["scheduledFollowUps"] == 1
    server.kill()
    wait_until("the time to come", lambda: time.time() > due + 0.5)
    server.start()
    assert _said(server, task_id, "woken")["latestResponse"]["content"].split() == ["0", "woken"]
    again = server.call("follow_up_task", **arguments)
    assert (again["scheduledFollowUpId"], again["followUpState"]) == (answer["scheduledFollowUpId"], "delivered")
    server.kill()
    server.start()
    task = server.task(task_id)
    assert task["followUpCount"] == 1 and task["status"] == "completed" and "scheduledFollowUps" not in task, task


@flow
def a_wake_up_comes_by_itself_and_joins_the_queue_of_a_busy_task(stage):
    server = stage.server()
    task_id, workspace = _held(stage, server)
    due = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 2)) + "+00:00"
    scheduled = server.call("follow_up_task", taskId=task_id, instructions="echo woken", deliverAt=due)
    entry = server.call("list_task_follow_up_queue", taskId=task_id)["entries"][0]
    assert (entry["state"], entry["entryId"]) == ("scheduled", scheduled["scheduledFollowUpId"]), entry
    wait_until("the wake-up to be queued", lambda: server.call(
        "list_task_follow_up_queue", taskId=task_id)["entries"][0]["state"] == "queued", 20)
    (workspace / "go-1").touch()
    _said(server, task_id, "woken")
