"""A copy of a task goes its own way."""

import random
import subprocess
import time
import uuid

from longshore import flow


@flow
def a_fork_finds_everything_and_changes_nothing_of_its_source(stage):
    remote = stage.remote()
    url = remote.add("project", {"read.me": "hello\n"})
    server = stage.server(repositories=[{"url": url}])
    source = server.create("echo mine > work.txt; echo kept > $HOME/memory; echo out > /task-output/out.txt; echo said")
    server.wait_ended(source)
    copy = server.call("fork_task", taskId=source, instructions=(
        "cat work.txt $HOME/memory /task-output/out.txt; git status --short; echo theirs > work.txt; pwd"))
    assert copy["sourceTaskId"] == source and copy["taskId"] != source, copy
    ended = server.wait_ended(copy["taskId"])
    assert ended["status"] == "completed" and ended["followUpCount"] == 1, ended
    assert ended["latestResponse"]["content"].split() == [
        "mine", "kept", "out", "??", "work.txt", "/workspace/project"], ended["latestResponse"]
    output = server.call("get_task_output", taskId=copy["taskId"])
    assert [e["content"].strip() for e in output["responses"]["entries"] if e["role"] == "agent"][0] == "said", output
    assert (stage.folder_of(server, source) / "project" / "work.txt").read_text() == "mine\n"
    linked = subprocess.run(["find", str(server.data / "tasks"), "-type", "f", "-links", "+1"], capture_output=True,
                            text=True, check=True).stdout
    assert linked == "", linked
    names = [stage.container_of(server, task)["Id"] for task in (source, copy["taskId"])]
    assert names[0] != names[1]


@flow
def a_crash_at_any_moment_of_a_fork_leaves_one_or_none(stage):
    server = stage.server()
    source = server.create("head -c 20000000 /dev/urandom > large; for i in $(seq 300); do echo $i > file-$i; done")
    server.wait_ended(source)
    moments = random.Random(3)
    for number in range(1, 6):
        arguments = {"taskId": source, "instructions": "ls | wc -l", "requestId": str(uuid.uuid4())}
        pending = server.post_mcp_without_waiting("fork_task", arguments)
        time.sleep(moments.uniform(0, 0.3))
        server.kill()
        pending.close()
        server.start()
        copy = server.call("fork_task", **arguments)
        ended = server.wait_ended(copy["taskId"])
        assert ended["latestResponse"]["content"].split() == ["301"], ended
        assert server.call("list_tasks", environment="test")["total"] == number + 1
        assert len(list((server.data / "tasks").iterdir())) == number + 1
        assert list((server.data / "forks").iterdir()) == []
