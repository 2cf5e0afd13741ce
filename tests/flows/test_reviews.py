"""Reviews that come over time: loops of review and improvement, and reviews asked for before the work is finished."""

import json

from longshore import ToolError, flow, wait_until


def _rest(server, method, path, body=None):
    status, answer, _ = server.request(method, path, json.dumps(body).encode() if body is not None else None, {
        "Content-Type": "application/json", "Authorization": f"Bearer {server.key}"})
    return status, json.loads(answer)


def _agent(name, script):
    return {"name": name, "description": name, "command": ["/bin/bash", "-c", script], "promptOn": "stdin",
            "format": "text"}


# Writes down what it was told and which turn it is in; a held one waits for the file `go`.
CODER = """cd /workspace; n=$(($(ls told.* 2> /dev/null | wc -l) + 1)); cat > told.$n; touch begun.$n
until [ $n != "${HOLD:-0}" ] || [ -e go ]; do sleep 0.05; done
echo "version $n" > /task-output/summary.md; echo "turn $n"; grep -q 'break it' told.$n && exit 3 || exit 0"""

# The first version is faulty, the second good with something left to say.
CRITIC = """cat > /dev/null; cd /task-output
case "$(cat variant-summaries/A.md)" in
*"version 1"*) verdict=needs-improvement priority=high text='handle the empty list';;
*"version 2"*) verdict=pass priority=medium text='name the total well';;
*) verdict=pass priority=low text='nothing';;
esac
printf '{"mode": "review", "verdict": "%s", "confidence": "high", "variantFeedback": {"A": {"status": "%s", "improvements":
[{"text": "%s", "priority": "%s"}]}}}' "$verdict" "$verdict" "$text" "$priority" > recommendation.json"""

MUTE = "cat > /dev/null; echo I say nothing"


def _prepare(stage, **variables):
    server = stage.new_server().start().prepare()
    server.environment_file("test", agents=[_agent("coder", CODER), _agent("critic", CRITIC), _agent("mute", MUTE)],
                            environment=variables)
    return server


def _loop(server, task):
    status, loop = _rest(server, "GET", f"/tasks/{task}/review-loop")
    assert status == 200, loop
    return loop


def _stopped(server, task):
    def over():
        loop = _loop(server, task)
        return loop if loop["phase"] == "stopped" else None
    return wait_until("the loop to stop", over, 120, 0.1)


def _judges(server, group):
    return [t for t in server.call("get_task_group", groupId=group)["tasks"] if t.get("isJudgeTask")]


@flow
def a_loop_passes_in_its_second_round_and_polishes(stage):
    server = _prepare(stage)
    task = server.create("begin", agent="coder")
    server.wait_ended(task)
    run = server.call("create_judge_task", taskId=task, agents=["critic"], reviewLoop={"maxRounds": 3})
    assert run["reviewLoop"]["phase"] == "reviewing" and run["reviewLoop"]["holdsNotifications"], run
    loop = _stopped(server, task)
    assert loop["stopReason"] == "passed_after_polish" and loop["round"] == 2, loop
    assert [(r["round"], r["verdict"], r["improvements"]["high"]) for r in loop["reviews"]] == [
        (1, "needs-improvement", 1), (2, "pass", 0)], loop
    workspace = stage.folder_of(server, task)
    assert "- [high] handle the empty list" in (workspace / "told.2").read_text()
    assert "- [medium] name the total well" in (workspace / "told.3").read_text()
    assert not (workspace / "told.4").exists()
    done = server.task(task)
    assert done["status"] == "completed" and done["followUpCount"] == 2, done
    assert len(_judges(server, run["groupId"])) == 2


@flow
def a_loop_goes_on_after_each_kill(stage):
    server = _prepare(stage, HOLD="2")
    task = server.create("begin", agent="coder")
    server.wait_ended(task)
    run = server.call("create_judge_task", taskId=task, agents=["critic"], reviewLoop={})
    server.kill()
    server.start()
    workspace = stage.folder_of(server, task)
    wait_until("the feedback to be worked on", lambda: (workspace / "begun.2").exists(), 60)
    assert _loop(server, task)["phase"] == "improving"
    server.kill()
    (workspace / "go").touch()
    server.start()
    wait_until("the second round", lambda: len(_judges(server, run["groupId"])) == 2, 60)
    server.kill()
    server.start()
    loop = _stopped(server, task)
    assert loop["stopReason"] == "passed_after_polish", loop
    assert sorted(p.name for p in workspace.glob("told.*")) == ["told.1", "told.2", "told.3"]
    assert len(_judges(server, run["groupId"])) == 2


NEVER = CRITIC.replace("verdict=pass", "verdict=fail")
# Its second turn changes the code, later ones do not.
LAZY = """cd /workspace/app; n=$(($(cat ../turn 2> /dev/null) + 1)); echo $n > ../turn; cat > /dev/null
[ $n = 3 ] || echo $n >> main.c; echo "version $n" > /task-output/summary.md"""


@flow
def a_loop_stops_when_the_code_does_not_change(stage):
    server = _prepare(stage)
    address = stage.remote().add("app", {"main.c": "int main;\n"})
    server.environment_file("code", agents=[_agent("lazy", LAZY), _agent("never", NEVER)], network="host",
                            repositories=[{"name": "app", "url": address}])
    task = server.create("begin", environment="code", agent="lazy")
    server.wait_ended(task)
    server.call("create_judge_task", taskId=task, agents=["never"],
                reviewLoop={"maxRounds": 5, "minFeedbackPriority": "low", "pullLatest": True})
    loop = _stopped(server, task)
    assert loop["stopReason"] == "no_changes" and loop["round"] == 2, loop


@flow
def a_pull_that_conflicts_stops_a_loop_and_sends_nothing(stage):
    server = _prepare(stage)
    remote = stage.remote()
    address = remote.add("app", {"main.c": "int main;\n"})
    server.environment_file("code", agents=[_agent("lazy", LAZY), _agent("never", NEVER)], network="host",
                            repositories=[{"name": "app", "url": address}])
    task = server.create("begin", environment="code", agent="lazy")
    server.wait_ended(task)
    work = remote.folder / "work" / "app"
    (work / "main.c").write_text("int other;\n")
    remote.git("commit", "-qam", "Another", cwd=work)
    remote.git("push", "-q", str(remote.folder / "git" / "app.git"), "main", cwd=work)
    server.call("create_judge_task", taskId=task, agents=["never"], reviewLoop={"pullLatest": True})
    loop = _stopped(server, task)
    assert loop["stopReason"] == "pull_conflict" and loop["stopMessage"].startswith("pull_conflict: "), loop
    assert server.task(task)["followUpCount"] == 0


@flow
def a_reviewer_that_says_nothing_is_tried_once_more(stage):
    server = _prepare(stage)
    task = server.create("begin", agent="coder")
    server.wait_ended(task)
    server.call("create_judge_task", taskId=task, agents=["mute", "critic"], reviewLoop={})
    loop = _stopped(server, task)
    assert loop["stopReason"] == "judges_failed", loop
    assert [(r["agent"], r["attempt"]) for r in loop["reviews"]] == [("mute", 1), ("critic", 1), ("mute", 2)], loop


HELD = "cat > /dev/null; touch /workspace/begun; until [ -e /workspace/go ]; do sleep 0.05; done; echo over"


@flow
def a_variant_and_a_judge_that_are_deleted_or_stopped_end_their_loops(stage):
    server = _prepare(stage)
    server.environment_file("test", agents=[_agent("coder", CODER), _agent("held", HELD)])
    deleted, stopped = server.create("begin", agent="coder"), server.create("begin", agent="coder")
    runs = []
    for task in (deleted, stopped):
        server.wait_ended(task)
        runs.append(server.call("create_judge_task", taskId=task, agent="held", reviewLoop={}))
    judges = [run["taskId"] for run in runs]
    for judge in judges:
        folder = stage.folder_of(server, judge)
        wait_until("the judge to begin", lambda: (folder / "begun").exists())
    assert _rest(server, "DELETE", f"/tasks/{deleted}")[0] == 200
    assert _rest(server, "GET", f"/tasks/{deleted}/review-loop")[0] == 404
    (stage.folder_of(server, judges[0]) / "go").touch()
    assert server.wait_ended(judges[0])["status"] == "completed"
    server.call("stop_task", taskId=judges[1])
    assert _stopped(server, stopped)["stopReason"] == "judge_cancelled"
    loop = runs[1]["reviewLoop"]["loopId"]
    assert _rest(server, "POST", f"/review-loops/{loop}/continue", {})[0] == 409
    assert _rest(server, "POST", f"/review-loops/{loop}/stop", {})[0] == 200
    assert server.task(stopped)["followUpCount"] == 0


@flow
def a_review_asked_for_before_the_end_waits_through_a_kill_and_comes_once(stage):
    server = _prepare(stage, HOLD="1")
    task = server.create("begin", agent="coder")
    asked = server.call("create_judge_task", taskId=task, agents=["critic"], whenFinished=True,
                        reviewLoop={"maxRounds": 2, "minFeedbackPriority": "high"})
    assert asked["status"] == "pending" and asked["variantTaskIds"] == [task], asked
    workspace = stage.folder_of(server, task)
    wait_until("the turn to begin", lambda: (workspace / "begun.1").exists())
    queued = server.call("follow_up_task", taskId=task, instructions="and more", queueIfBusy=True)
    assert queued["queued"], queued
    server.kill()
    server.start()

    def request():
        return server.call("list_pending_judge_requests", taskId=task)["requests"][0]

    assert request()["status"] == "pending", request()
    (workspace / "go").touch()
    # However early in its launch the server dies.
    for _ in range(3):
        wait_until("the launch to begin", lambda: request()["status"] in ("launching", "launched"), 60, 0.01)
        server.kill()
        server.start()
    told = wait_until("the launch", lambda: request()["status"] == "launched" and request(), 60)
    assert told["groupId"] == asked["groupId"] and len(told["taskIds"]) == 1, told
    loop = _stopped(server, task)
    assert loop["loopId"] == told["reviewLoopId"] and loop["stopReason"] == "passed", loop
    assert len(_judges(server, told["groupId"])) == 1
    try:
        server.call("cancel_pending_judge_request", pendingRequestId=told["pendingRequestId"])
        raise AssertionError("a launched request was cancelled")
    except ToolError as refusal:
        assert refusal.code == "pending_request_launched", refusal


@flow
def work_that_fails_takes_its_review_with_it(stage):
    server = _prepare(stage)
    task = server.create("break it", agent="coder")
    try:
        asked = server.call("create_judge_task", taskId=task, agents=["critic"], whenFinished=True)
    except ToolError as refusal:
        assert refusal.code == "nothing_to_evaluate" and server.wait_ended(task)["status"] == "failed", refusal
        return
    server.wait_ended(task)

    def over():
        request = server.call("list_pending_judge_requests")["requests"][0]
        return request if request["status"] == "cancelled" else None
    request = wait_until("the request to be cancelled", over)
    assert request["pendingRequestId"] == asked["pendingRequestId"] and request["reason"] == "source_failed", request


@flow
def an_environment_has_its_groups_judged_and_its_tasks_verified(stage):
    server = _prepare(stage)
    reviewers = [{"agent": "critic"}]
    agents = [_agent("coder", CODER), _agent("critic", CRITIC), _agent("mute", MUTE)]
    server.environment_file("strict", agents=agents, autoJudge={"reviewers": reviewers},
                            verification={"reviewers": reviewers, "reviewLoop": {"minFeedbackPriority": "high"}})
    task = server.create("begin", environment="strict", agent="coder")
    loop = wait_until("the verification", lambda: _rest(server, "GET", f"/tasks/{task}/review-loop")[0] == 200, 60)
    loop = _stopped(server, task)
    assert loop["stopReason"] == "passed" and loop["round"] == 2, loop
    status, told = _rest(server, "GET", f"/tasks/{task}/automatic-reviews")
    assert status == 200 and [r["origin"] for r in told["requests"]] == ["verification"], told
    made = server.call("create_task", environment="strict", instructions="begin", agents=["coder", "mute"])
    judged = wait_until("the group to be judged", lambda: _judges(server, made["groupId"]), 60)
    assert judged[0]["judgeMode"] == "comparison" and judged[0]["agent"] == "critic", judged
    server.wait_ended(judged[0]["taskId"])
    assert len(_judges(server, made["groupId"])) == 1
