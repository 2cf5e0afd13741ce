"""The engine dies, comes back, or was never there."""

import json

from longshore import flow, wait_until

HELD = "echo begin; touch /workspace/begun; until [ -e /workspace/go ]; do sleep 0.1; done; echo end; exit 5"


def _engine_is_reachable(server):
    return json.loads(server.get("/health")[1])["engine"]["reachable"]


@flow
def a_turn_lives_through_the_engine_being_killed_and_started_again(stage):
    engine = stage.engine()
    server = stage.server(docker_host=engine.address)
    task_id = server.create(HELD)
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    engine.kill()
    wait_until("the server to say that its engine is down", lambda: not _engine_is_reachable(server), 30)
    assert server.task(task_id)["status"] == "running"
    engine.start()
    (workspace / "go").touch()
    task = server.wait_ended(task_id, 60)
    assert task["status"] == "failed" and task["exitCode"] == 5, task
    assert server.read_file(task_id, "log.txt").split() == [b"begin", b"end"]
    wait_until("the server to find its engine again", lambda: _engine_is_reachable(server), 60)
    assert server.wait_ended(server.create("echo after"), 60)["status"] == "completed"


@flow
def a_turn_that_ends_while_the_engine_is_dead_keeps_its_exit_code(stage):
    engine = stage.engine()
    server = stage.server(docker_host=engine.address)
    task_id = server.create(HELD)
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    engine.kill()
    (workspace / "go").touch()
    task = server.wait_ended(task_id, 60)
    assert task["exitCode"] == 5, task
    engine.start()


@flow
def the_engine_and_the_server_die_together_and_the_turn_is_still_reported_truly(stage):
    engine = stage.engine()
    server = stage.server(docker_host=engine.address)
    task_id = server.create(HELD)
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    engine.kill()
    server.kill()
    engine.start()
    server.start()
    (workspace / "go").touch()
    task = server.wait_ended(task_id, 60)
    assert task["status"] == "failed" and task["exitCode"] == 5, task


@flow
def a_dead_engine_fails_a_launch_and_never_hangs_it(stage):
    server = stage.server(docker_host=f"unix://{stage.folder}/nobody.sock")
    assert server.get("/health")[0] in (200, 503)
    task = server.wait_ended(server.create("echo never"), 90)
    assert task["status"] == "failed" and task["exitCode"] == -1 and task["failure"]["stage"] == "launch", task


@flow
def an_engine_that_takes_its_containers_along_ends_their_turns_with_a_reason(stage):
    engine = stage.engine(live_restore=False)
    server = stage.server(docker_host=engine.address)
    task_id = server.create(HELD)
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    engine.terminate()
    task = server.wait_ended(task_id, 60)
    assert task["status"] in ("failed", "interrupted") and task["exitCode"] not in (0, 5, None), task
    engine.start()
    wait_until("the server to find its engine again", lambda: _engine_is_reachable(server), 60)
    # The container is there but ended; a follow-up starts it again, with the workspace as it was.
    server.call("follow_up_task", taskId=task_id, instructions="ls /workspace")
    wait_until("the follow-up to be counted", lambda: server.task(task_id)["followUpCount"] == 1)
    task = server.wait_ended(task_id, 60)
    assert task["status"] == "completed" and "begun" in task["latestResponse"]["content"], task


@flow
def an_engine_that_crashes_without_live_restore_leaves_no_turn_running_for_ever(stage):
    engine = stage.engine(live_restore=False)
    server = stage.server(docker_host=engine.address)
    task_id = server.create(HELD)
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    engine.kill()
    engine.start()  # a new daemon ends the containers that it finds
    task = server.wait_ended(task_id, 60)
    assert task["status"] in ("failed", "interrupted") and task["exitCode"] not in (0, 5, None), task
    assert server.wait_ended(server.create("echo after"), 60)["status"] == "completed"


@flow
def a_stop_while_the_engine_is_dead_still_ends_the_turn(stage):
    engine = stage.engine()
    server = stage.server(docker_host=engine.address)
    task_id = server.create(HELD)
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    engine.kill()
    server.call("stop_task", taskId=task_id)
    assert server.wait_ended(task_id, 60)["status"] == "interrupted"
    engine.start()
    wait_until("the container to stop", lambda: not any(
        c["State"]["Running"] for c in stage.containers_of(server, task_id)), 60)


@flow
def tasks_created_while_the_engine_is_away_are_launched_or_failed_and_never_stuck(stage):
    engine = stage.engine()
    server = stage.server(docker_host=engine.address)
    engine.kill()
    tasks = [server.create(f"echo {number}") for number in range(3)]
    engine.start()
    for task_id in tasks:
        task = server.wait_ended(task_id, 90)
        assert task["status"] == "completed" or task["failure"]["stage"] == "launch", task
    assert len(stage.containers_of(server)) <= len(tasks)
