"""More tasks than slots."""

import json
import time
from datetime import datetime, timezone

from longshore import flow, wait_until

HELD = "touch /workspace/begun; until [ -e /workspace/go ]; do sleep 0.1; done"


def _one_slot(stage):
    server = stage.new_server().start().prepare()
    server.command("setting", "set", "TASK_CONCURRENCY", "1")
    server.environment_file("test")
    first = server.create(HELD)
    workspace = stage.folder_of(server, first)
    wait_until("the first turn to begin", lambda: (workspace / "begun").exists())
    return server, first, workspace


@flow
def a_task_waits_for_a_slot_and_takes_it_when_it_is_free(stage):
    server, first, workspace = _one_slot(stage)
    second = server.create("echo second")
    assert server.task(second)["status"] == "queued"
    assert stage.containers_of(server, second) == []
    (workspace / "go").touch()
    assert server.wait_ended(first)["status"] == "completed"
    assert server.wait_ended(second)["status"] == "completed"


@flow
def the_queue_lives_through_a_crash_in_its_order(stage):
    server, first, workspace = _one_slot(stage)
    waiting = [server.create(f"echo {number}") for number in range(3)]
    server.kill()
    server.start()
    assert [server.task(task_id)["status"] for task_id in [first, *waiting]] == ["running"] + ["queued"] * 3
    (workspace / "go").touch()
    ended = [server.wait_ended(task_id) for task_id in waiting]
    assert [t["status"] for t in ended] == ["completed"] * 3, ended
    assert sorted(t["startedAt"] for t in ended) == [t["startedAt"] for t in ended], ended


@flow
def a_stopped_task_frees_its_slot_and_a_stopped_waiting_task_never_starts(stage):
    server, first, _ = _one_slot(stage)
    second, third = server.create("echo second"), server.create("echo third")
    server.call("stop_task", taskId=second)
    assert server.wait_ended(second)["status"] == "interrupted"
    server.call("stop_task", taskId=first)
    assert server.wait_ended(third)["status"] == "completed"
    assert server.task(second)["latestResponse"] is None
    assert stage.containers_of(server, second) == []


@flow
def a_usage_limit_holds_back_thirty_tasks_until_it_is_over(stage):
    server = stage.new_server().start().prepare()
    server.environment_file("test", agents=[{"name": "metered", "command": ["/bin/bash"], "format": "claude-json"}])
    resets_at = int(time.time()) + 8
    refusal = [{"type": "rate_limit_event",
                "rate_limit_info": {"status": "rejected", "resetsAt": resets_at, "rateLimitType": "five_hour"}},
               {"type": "result", "subtype": "success", "is_error": True, "api_error_type": "rate_limit_error", "result": "429"}]
    reply = json.dumps({"type": "result", "subtype": "success", "result": "done"})
    limited = server.create("".join(f"echo '{json.dumps(line)}'\n" for line in refusal) + "exit 1", agent="metered")
    failure = server.wait_ended(limited)["failure"]
    assert failure["category"] == "rate_limit", failure
    waiting = [server.create(f"echo '{reply}'", agent="metered") for _ in range(30)]
    server.kill()
    server.start()
    other = server.create("echo other")
    assert server.wait_ended(other)["status"] == "completed"
    first = server.task(waiting[0])
    assert first["status"] != "queued" or first["queuedFor"]["reason"] == "account_limit", first
    ended = [server.wait_ended(task_id, seconds=120) for task_id in waiting]
    assert [t["status"] for t in ended] == ["completed"] * 30, ended
    limit = datetime.fromtimestamp(resets_at, timezone.utc)
    assert all(datetime.fromisoformat(t["startedAt"].replace("Z", "+00:00")) >= limit for t in ended), ended


@flow
def more_slots_are_given_away_as_soon_as_they_are_set(stage):
    server, _, workspace = _one_slot(stage)
    second = server.create("echo second")
    assert server.task(second)["queuedFor"]["reason"] == "slots"
    server.command("setting", "set", "TASK_CONCURRENCY", "2")
    assert server.wait_ended(second)["status"] == "completed"
    (workspace / "go").touch()
