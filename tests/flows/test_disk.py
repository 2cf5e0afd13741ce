"""The disk fills up."""

from longshore import ENDED, files_below, flow, wait_until

FLOOD = "echo begin; head -c 64M /dev/zero | tr '\\0' 'x'; echo; exit %d"


@flow
def a_full_disk_under_the_records_ends_the_turn_with_a_clear_reason(stage):
    server = stage.new_server()
    stage.small_disk(server.data / "records", "16m")
    server.start().prepare().environment_file("test")
    task_id = server.create(FLOOD % 0)
    task = server.wait_ended(task_id, 90)
    assert task["status"] == "failed", task
    assert "disk" in (task["failure"]["message"] + task["failure"]["type"]).lower(), task["failure"]
    assert server.call("list_tasks", environment="test")["total"] == 1
    # Room again: the next task is as any other.
    for path in files_below(server.data / "records"):
        if path.stat().st_size > 1 << 20:
            path.write_bytes(b"")
    assert server.wait_ended(server.create("echo again"), 60)["status"] == "completed"


@flow
def a_full_disk_under_the_whole_data_folder_leaves_the_store_whole(stage):
    server = stage.new_server()
    stage.small_disk(server.data, "40m")
    server.start().prepare().environment_file("test")
    first = server.create("echo kept")
    assert server.wait_ended(first)["status"] == "completed"
    second = server.create(FLOOD % 3)
    wait_until("the flood to be over", lambda: server.task(second)["status"] in ENDED, 90)
    for path in files_below(server.data):
        if path.stat().st_size > 8 << 20 and "store" not in path.name:
            path.write_bytes(b"")
    server.kill()
    server.start()
    assert server.task(first)["latestResponse"]["content"].strip() == "kept"
    assert server.wait_ended(second)["status"] == "failed"
    assert server.wait_ended(server.create("echo again"))["status"] == "completed"
