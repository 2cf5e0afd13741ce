"""The same work done by several agents, side by side."""

import collections
import http.client
import json

from longshore import ToolError, flow, wait_until

OWN = [{"name": "second", "description": "bash by another name", "command": ["/bin/bash"], "promptOn": "stdin",
        "format": "text"}]
WORK = "echo work of $0 > /task-output/summary.md; cat /task-output/attachments/hint.txt; touch /workspace/done; exit 0"


def _events(server, wanted):
    """Reads what happened to tasks since the beginning until so many of each kind were told."""
    host, port = server.address()
    connection = http.client.HTTPConnection(host, port, timeout=20)
    connection.request("GET", "/events?lastEventId=0", headers={"Authorization": f"Bearer {server.key}"})
    answer = connection.getresponse()
    kinds = collections.Counter()
    while any(kinds[kind] < count for kind, count in wanted.items()):
        line = answer.readline().decode()
        assert line, kinds
        if line.startswith("data:"):
            kinds[json.loads(line[5:]).get("kind")] += 1
    connection.close()


@flow
def two_agents_do_the_same_and_one_is_the_winner(stage):
    server = stage.new_server().start().prepare()
    server.environment_file("test", agents=OWN)
    made = server.call("create_task", environment="test", instructions=WORK, agents=["shell", "second"],
                       requestId="3f0f9b0e-6f3c-4c0e-9d8a-1f8c2b7a9e21",
                       attachments=[{"filename": "hint.txt", "content": "a hint\n"}])
    group, (first, second) = made["groupId"], made["taskIds"]
    assert made["name"].startswith("echo work of") and made["groupUrl"].endswith(f"/task.html?groupId={group}"), made
    server.kill()
    server.start()
    ended = [server.wait_ended(task) for task in (first, second)]
    assert [t["status"] for t in ended] == ["completed"] * 2, ended
    assert [t["latestResponse"]["content"] for t in ended] == ["a hint\n"] * 2, ended
    assert [t["groupIndex"] for t in ended] == [0, 1]
    folders = [stage.folder_of(server, task) for task in (first, second)]
    assert folders[0] != folders[1] and all((folder / "done").exists() for folder in folders)

    # Marks, names, pins and a snooze, seen by both doors.
    marked = server.call("set_task_winner", taskId=second, winner=True)
    assert marked["winnerTaskId"] == second and marked["group"]["status"] == "completed", marked
    server.call("set_task_loser", taskId=first, loser=True)
    try:
        server.call("set_task_loser", taskId=second, loser=True)
        raise AssertionError("a winner was made a loser")
    except ToolError as refusal:
        assert "conflicting_outcome" in str(refusal)
    server.call("rename_group", groupId=group, name="Both")
    server.call("set_group_pinned", groupIds=[group], pinned=True)
    status, body, _ = server.get(f"/task-groups/{group}")
    rest = json.loads(body)
    assert status == 200 and rest["name"] == "Both" and rest["loserTaskIds"] == [first], rest
    assert rest["isPinned"] and rest["evaluableTaskIds"] == [second], rest
    server.call("set_group_snooze", groupId=group, snoozeForMinutes=60)
    assert server.call("list_task_groups")["total"] == 0
    listed = server.call("list_task_groups", includeSnoozed=True, pinned=True)
    assert [g["groupId"] for g in listed["groups"]] == [group] and listed["ungroupedTasks"] == [], listed

    # The same request again is the same outcome; another variant of one of them joins.
    again = server.call("create_task", environment="test", instructions=WORK, agents=["shell", "second"],
                        requestId="3f0f9b0e-6f3c-4c0e-9d8a-1f8c2b7a9e21",
                        attachments=[{"filename": "hint.txt", "content": "a hint\n"}])
    assert again["taskIds"] == [first, second], again
    third = server.call("create_task", sourceTaskId=first, agent="second")
    assert third["groupId"] == group and third["warnings"][0]["code"] == "source_attachments_not_copied", third
    ended = server.wait_ended(third["taskId"])
    assert ended["groupIndex"] == 2 and b"No such file" in server.read_file(third["taskId"], "log.txt"), ended
    _events(server, {"created": 3, "grouped": 3, "marked": 2, "renamed": 2, "pinned": 4, "ended": 3})


@flow
def a_task_is_done_again_beside_itself(stage):
    server = stage.new_server().start().prepare()
    server.environment_file("test", agents=OWN)
    source = server.create("cat /task-output/attachments/handoff.md | head -1; echo the work", shared=False,
                           handoff={"summary": "what was done"})
    server.wait_ended(source)
    made = server.call("create_task", sourceTaskId=source, agent="second")
    assert made["promotedTaskId"] == source and not made["task"]["shared"], made
    ended = server.wait_ended(made["taskId"])
    assert ended["status"] == "completed" and "the work" in ended["latestResponse"]["content"], ended
    instructions = server.read_file(made["taskId"], "task-instructions.md").decode()
    assert "Handoff context" not in instructions, instructions
    group = server.call("get_task_group", groupId=made["groupId"])
    assert [t["taskId"] for t in group["tasks"]] == [source, made["taskId"]], group
    wait_until("the group to be complete", lambda: server.call(
        "get_task_group", groupId=made["groupId"])["status"] == "completed")
