"""The real programs of Claude Code and Codex do the same work and judge it; their models are scripted."""

import json

from longshore import flow
from test_agents import begin, check_completed

VERDICT = {"mode": "comparison", "winner": {"label": "B", "confidence": "high"},
           "rankings": [{"label": "B", "rank": 1}, {"label": "A", "rank": 2}],
           "variantFeedback": {label: {"status": "pass", "improvements": []} for label in "AB"}}


@flow
def claude_and_codex_do_the_same_and_judge_it_and_the_winner_is_taken(stage):
    server, models = begin(stage)
    made = server.call("create_task", environment="test", agents=["claude", "codex"],
                       instructions="RUN echo teal > /workspace/colour; cat /workspace/colour")
    for task in made["taskIds"]:
        assert "teal" in check_completed(server.wait_ended(task, 120))
    run = server.call("create_judge_task", groupId=made["groupId"], agents=["claude", "codex"],
                      reviewerSettings={"codex": {"model": "gpt-6-astra", "reasoningEffort": "high"}},
                      instructions=f"RUN cd /task-output && cat variant-responses/*.md && echo '{json.dumps(VERDICT)}' "
                                   "> recommendation.json && echo 'Take [[VARIANT:B]].' > recommendation.md")
    for judge in run["taskIds"]:
        reply = check_completed(server.wait_ended(judge, 120))
        assert reply.startswith("It said: ") and reply.count("teal") == 2, reply
        told = server.call("get_task_output", taskId=judge, include=["recommendation"])["recommendation"]
        assert told["parse"] == "strict" and told["winner"]["taskId"] in made["taskIds"], told
        assert told["markdown"] == "Take [[VARIANT:B]].\n", told
    # Both judges had the same labels, and neither was told who did what.
    first, second = (server.task(judge) for judge in run["taskIds"])
    assert first["variants"] == second["variants"] and second["model"] == "gpt-6-astra", second
    asked = [r for r in models.requests() if "[[VARIANT:" in json.dumps(r["body"])]
    assert asked and not [task for task in made["taskIds"] if task in json.dumps([r["body"] for r in asked])]
    status, body, _ = server.request("POST", f"/tasks/{run['taskIds'][0]}/apply-winner", "{}", {
        "Authorization": f"Bearer {server.key}", "Content-Type": "application/json"})
    applied = json.loads(body)
    assert status == 200 and applied["winnerTaskId"] == first["variants"]["B"]["taskId"], applied
    assert server.call("get_task_group", groupId=made["groupId"])["winnerTaskId"] == applied["winnerTaskId"]
