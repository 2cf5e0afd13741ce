"""More tasks than slots."""

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
