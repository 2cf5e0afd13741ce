"""The real programs of Claude Code, Codex and Gemini CLI do tasks in real containers; their models are scripted."""

import json
import os
import pathlib
import subprocess
import time

from longshore import ROOT, ToolError, engine_request, flow, wait_until

PROGRAMS = os.environ.get("AGENTS_FOLDER") or str(ROOT / "build" / "test" / "agents")
NODE = f"{PROGRAMS}/gemini/current/bin/node"
HEADER = "of-the-test"


class Models:
    """The scripted model servers, and what was asked of them."""

    def __init__(self, folder):
        self.log = pathlib.Path(folder) / "models.log"
        self.log.touch()
        self.process = subprocess.Popen([NODE, str(pathlib.Path(__file__).with_name("models.mjs"))],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        env=dict(os.environ, PORT="0", LOG=str(self.log)))
        self.port = int(self.process.stdout.readline())
        self.address = f"http://127.0.0.1:{self.port}"

    def variables(self):
        return {"ANTHROPIC_BASE_URL": self.address, "ANTHROPIC_API_KEY": "dummy-key-a",
                "OPENAI_BASE_URL": f"{self.address}/v1", "OPENAI_API_KEY": "dummy-key-o",
                "GOOGLE_GEMINI_BASE_URL": self.address, "GEMINI_API_KEY": "dummy-key-g"}

    def requests(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def stop(self):
        self.process.terminate()
        self.process.wait()


def begin(stage, **members):
    """A server whose environment `test` has the scripted models, and the models."""
    models = Models(stage.folder)
    stage.remotes.append(models)
    server = stage.new_server(environment={"AGENTS_FOLDER": PROGRAMS}).start().prepare()
    server.environment_file("test", network="host", environment=models.variables(), **members)
    return server, models


def events(server, task_id):
    """The task's events; none as long as it has not begun."""
    try:
        server.read_file(task_id, "debug-stream.jsonl")
    except ToolError as refusal:
        assert refusal.code == "file_not_found", refusal
        return []
    return [json.loads(line) for line in server.read_file(task_id, "debug-stream.jsonl").decode().splitlines()]


def turn(server, task_id, instructions, seconds=90):
    """A follow-up, and the task when it has ended."""
    before = server.task(task_id)["followUpCount"]
    server.call("follow_up_task", taskId=task_id, instructions=instructions)
    wait_until("the follow-up to be counted", lambda: server.task(task_id)["followUpCount"] == before + 1)
    return server.wait_ended(task_id, seconds)


def check_completed(task):
    assert task["status"] == "completed", json.dumps(task, indent=1)
    return task["latestResponse"]["content"]


def works_and_remembers(stage, agent, usage, chosen, is_asked):
    """`is_asked` tells of a request whether it asked the model with what was chosen."""
    server, models = begin(stage)
    task_id = server.create("RUN echo teal > /workspace/colour; cat /workspace/colour", agent=agent, **chosen)
    task = server.wait_ended(task_id, 90)
    reply = check_completed(task)
    assert reply.startswith("It said: ") and "teal" in reply, reply
    assert (stage.folder_of(server, task_id) / "colour").read_text() == "teal\n"
    assert task["usage"] == usage | {"costUsd": task["usage"]["costUsd"]}, task["usage"]
    assert (task["usage"]["costUsd"] > 0) == (agent == "claude"), task["usage"]
    told = events(server, task_id)
    calls = [e for e in told if e["type"] == "tool_call"]
    results = [e for e in told if e["type"] == "tool_result"]
    assert len(calls) == 1 and "echo teal" in calls[0]["command"] and calls[0]["tool"], told
    assert len(results) == 1 and "teal" in results[0]["text"] and results[0]["isError"] is False, told
    assert calls[0]["toolUseId"] == results[0]["toolUseId"], told
    assert [e["seq"] for e in told] == list(range(1, len(told) + 1)), told
    assert not [e for e in told if e["type"] in ("raw", "error")], told

    # The conversation lives in the task's home, not in the container.
    container = stage.container_of(server, task_id)
    engine_request(server.docker_host, "DELETE", f"/v1.41/containers/{container['Id']}?force=1&v=1")
    task = turn(server, task_id, "RECALL")
    assert "RUN echo teal" in check_completed(task), task["latestResponse"]
    assert task["usage"]["outputTokens"] == usage["outputTokens"] + 30, task["usage"]
    costs = task["usage"]["costUsd"]
    assert (costs > 0) == (agent == "claude") and costs < 0.01, costs
    asked = [r for r in models.requests() if "RUN echo teal" in json.dumps(r["body"])]
    assert len(asked) == 3 and all(is_asked(r) for r in asked), [(r["url"], r["body"].get("model")) for r in asked]


@flow
def claude_works_in_the_workspace_and_remembers_in_a_new_container(stage):
    works_and_remembers(
        stage, "claude", {"inputTokens": 200, "outputTokens": 60, "cacheReadTokens": 40, "cacheWriteTokens": 14},
        {"model": "claude-opus-5-5", "reasoningEffort": "high"},
        lambda r: r["body"]["model"] == "claude-opus-5-5" and r["body"]["output_config"]["effort"] == "high")


@flow
def codex_works_in_the_workspace_and_remembers_in_a_new_container(stage):
    works_and_remembers(
        stage, "codex", {"inputTokens": 200, "outputTokens": 60, "cacheReadTokens": 40, "cacheWriteTokens": 0},
        {"model": "gpt-6-astra", "reasoningEffort": "xhigh"},
        lambda r: r["body"]["model"] == "gpt-6-astra" and r["body"]["reasoning"]["effort"] == "xhigh")


@flow
def gemini_works_in_the_workspace_and_remembers_in_a_new_container(stage):
    works_and_remembers(
        stage, "gemini", {"inputTokens": 200, "outputTokens": 60, "cacheReadTokens": 20, "cacheWriteTokens": 0},
        {"model": "gemini-2.5-flash"}, lambda r: "/gemini-2.5-flash:" in r["url"])


def configured(stage, agent):
    server, models = begin(stage, secrets=[{"name": "WORD_TOKEN"}], mcpServers=[
        {"name": "echo", "url": "http://127.0.0.1:1/mcp"}])
    folder = server.data / "setup" / "environments" / "test"
    (folder / "AGENTS.md").write_text("Speak of the lighthouse.\n")
    (folder / "memory").mkdir()
    (folder / "memory" / "tides.md").write_text("The tide turns at marigold.\n")
    (folder / "skills" / "knots").mkdir(parents=True)
    (folder / "skills" / "knots" / "SKILL.md").write_text("---\nname: knots\ndescription: How to tie a bowline\n---\nTie it.\n")
    server.command("secret", "set", "WORD_TOKEN", "--environment", "test", text=HEADER + "\n")
    server.environment_file("test", network="host", environment=models.variables(), secrets=[{"name": "WORD_TOKEN"}],
                            mcpServers=[{"name": "echo", "url": f"{models.address}/mcp",
                                         "headers": {"Authorization": "Bearer ${secret:WORD_TOKEN}"}}])
    server.command("environment", "reload")
    task_id = server.create("CALL repeat_word", agent=agent)
    reply = check_completed(server.wait_ended(task_id, 90))
    assert "mcp heard harbour" in reply, reply
    asked = [r for r in models.requests() if r["url"] == "/mcp" and r["method"] == "POST"]
    assert asked and all(r["headers"].get("authorization") == f"Bearer {HEADER}" for r in asked), asked
    reply = check_completed(turn(server, task_id, "SYSTEM lighthouse marigold bowline submarine"))
    assert reply == "lighthouse=true marigold=true bowline=true submarine=false", reply
    left = [p for p in (server.data / "tasks" / task_id / "agent").rglob("*")]
    assert left == [], left


@flow
def claude_has_the_environments_servers_instructions_memory_and_skills(stage):
    configured(stage, "claude")


@flow
def codex_has_the_environments_servers_instructions_memory_and_skills(stage):
    configured(stage, "codex")


@flow
def gemini_has_the_environments_servers_instructions_memory_and_skills(stage):
    configured(stage, "gemini")


@flow
def what_a_provider_refuses_is_a_failed_turn_of_its_category(stage):
    server, _ = begin(stage)
    tasks = {(agent, what): server.create(f"FAIL {what}", agent=agent)
             for agent in ("claude", "codex", "gemini") for what in ("auth", "limit")}
    tasks["claude", "server"] = server.create("FAIL server", agent="claude")
    categories = {"auth": "auth", "limit": "rate_limit", "server": "unknown"}
    for (agent, what), task_id in tasks.items():
        task = server.wait_ended(task_id, 120)
        failure = task.get("failure")
        assert task["status"] == "failed" and failure, (agent, what, task)
        assert failure["stage"] == "agent" and failure["category"] == categories[what], (agent, what, failure)
        assert failure["agentErrors"] and failure["agentErrors"][-1]["message"] == failure["message"], (agent, what, failure)
        assert task["latestResponse"] is None, (agent, what, task)
    limited = server.task(tasks["codex", "limit"])["failure"]
    assert "resetsAt" in limited, limited


@flow
def an_interrupted_turn_leaves_a_conversation_that_goes_on(stage):
    server, models = begin(stage)
    tasks = {agent: server.create(f"REMEMBER the tide of {agent} is low", agent=agent) for agent in ("claude", "codex", "gemini")}
    for agent, task_id in tasks.items():
        check_completed(server.wait_ended(task_id, 90))
        server.call("follow_up_task", taskId=task_id, instructions=f"HANG {agent}")
    for agent, task_id in tasks.items():
        wait_until("the model to be asked",
                   lambda a=agent: any(f"HANG {a}" in json.dumps(r["body"]) for r in models.requests()), 60)
        server.call("interrupt_task", taskId=task_id)
        assert server.wait_ended(task_id)["status"] == "interrupted"
        assert f"REMEMBER the tide of {agent} is low" in check_completed(turn(server, task_id, "RECALL"))


@flow
def a_server_that_dies_during_a_turn_loses_and_doubles_nothing_of_it(stage):
    server, _ = begin(stage)
    task_ids = [server.create("RUN for i in 1 2 3 4 5 6; do echo part $i; sleep 1; done; echo landed", agent=agent)
                for agent in ("claude", "codex", "gemini")]
    for task_id in task_ids:
        wait_until("the tool to be called", lambda t=task_id: any(e["type"] == "tool_call" for e in events(server, t)), 60)
    server.kill()
    time.sleep(1)
    server.start()
    for task_id in task_ids:
        assert "landed" in check_completed(server.wait_ended(task_id, 60))
        told = events(server, task_id)
        assert [e["seq"] for e in told] == list(range(1, len(told) + 1)), told
        assert [e["type"] for e in told if e["type"].startswith("tool")] == ["tool_call", "tool_result"], told


OWN = """
printf '%s\\n' '{"type":"system","subtype":"init","session_id":"own-1"}'
printf '%s\\n' '{"type":"assistant","message":{"content":[{"type":"text","text":"Claude AI usage limit reached|4102444800"}],"model":"<synthetic>"}}'
printf '%s\\n' '{"type":"result","subtype":"success","is_error":false,"result":"Claude AI usage limit reached|4102444800","usage":{"output_tokens":0}}'
"""


@flow
def an_agent_of_the_environments_own_is_read_in_its_format(stage):
    parrot = {"command": ["bash", "/dev/fd/3"], "promptOn": "fd3", "format": "claude-json"}
    server, models = begin(stage, agents=[{"name": "parrot", **parrot}, {"name": "spent", **parrot}])
    listed = next(e for e in server.call("list_environments")["environments"] if e["name"] == "test")
    assert listed["agents"] == ["claude", "codex", "gemini", "shell", "parrot", "spent"], listed
    task = server.wait_ended(server.create(OWN, agent="spent"))
    # It ended with 0 and looks like a reply.
    assert task["status"] == "failed" and task["exitCode"] == 0, task
    assert task["failure"]["category"] == "rate_limit", task["failure"]
    assert task["failure"]["resetsAt"] == "2100-01-01T00:00:00.000Z", task["failure"]
    (server.data / "setup" / "environments" / "test" / "AGENTS.md").write_text("Speak of the lighthouse.\n")
    third = server.create("cat $LONGSHORE_AGENT_CONFIG/AGENTS.md $LONGSHORE_AGENT_CONFIG/mcp.json; "
                          "touch $LONGSHORE_AGENT_CONFIG/x || id -u", agent="parrot")
    server.wait_ended(third)
    log = server.read_file(third, "log.txt").decode()
    assert "lighthouse" in log and '{"mcpServers":{}}' in log and "64500" in log, log
    second = server.create("echo '{\"type\":\"result\",\"subtype\":\"success\",\"session_id\":\"own-2\"}'", agent="parrot")
    server.wait_ended(second)
    task = turn(server, second, "echo \"$LONGSHORE_SESSION\"")
    assert b"own-2" in server.read_file(second, "log.txt"), task


GROK = """#!/bin/sh
echo "args: $*" >&2
printf '%s\\n' '{"type":"system","subtype":"init","session_id":"grok-7"}'
printf '{"type":"assistant","message":{"content":[{"type":"text","text":"It was: %s"}]}}\\n' "$(head -1 /dev/fd/3)"
printf '%s\\n' '{"type":"result","subtype":"success","is_error":false,"usage":{"input_tokens":5,"output_tokens":6}}'
"""


@flow
def a_program_that_is_brought_by_folder_is_run_and_kept_by_its_containers(stage):
    server = stage.server()
    folder = stage.folder / "grok-build" / "bin"
    folder.mkdir(parents=True)
    (folder / "grok").write_text(GROK)
    (folder / "grok").chmod(0o755)
    command = ("agent", "install", "grok", "--from", str(folder.parent), "--version", "1.0", "--json")
    first = server.command(*command)["installed"][0]["version"]
    server.environment_file("test", environment={"XAI_API_KEY": "dummy-key-x"})
    server.command("environment", "reload")
    task_id = server.create("a light", agent="grok")
    assert check_completed(server.wait_ended(task_id)) == "It was: a light"
    (folder / "grok").write_text(GROK.replace("It was", "It is"))
    second = server.command(*command)["installed"][0]["version"]
    assert first != second and second == server.command("agent", "list", "--json")["agents"][3]["version"]
    # Its container keeps the program that it was made with; a new one has the new.
    assert check_completed(turn(server, task_id, "a bell")) == "It was: a bell"
    assert b"-r grok-7" in server.read_file(task_id, "log.txt")
    assert check_completed(server.wait_ended(server.create("a buoy", agent="grok"))) == "It is: a buoy"
    actions = [e["action"] for e in server.command("audit", "list", "--json")["entries"]]
    assert actions.count("agent.install") == 2, actions


@flow
def an_agent_whose_program_is_missing_is_refused_with_what_to_do(stage):
    server, _ = begin(stage)
    for agent, wanted in (("grok", "longshored agent install grok --from"), ("nobody", "there is no agent nobody")):
        try:
            server.create("anything", agent=agent)
            raise AssertionError(f"{agent} was taken")
        except ToolError as refusal:
            assert refusal.code == "invalid_agent" and wanted in str(refusal), refusal
    listed = server.command("agent", "list", "--json")["agents"]
    assert {a["name"]: bool(a["installed"]) for a in listed}["claude"], listed


def goes_back_and_apart(stage, agent):
    """A conversation that is rewound forgets, and a fork of it remembers what is left."""
    server, _ = begin(stage)
    task_id = server.create("RUN echo teal", agent=agent)
    check_completed(server.wait_ended(task_id, 90))
    check_completed(turn(server, task_id, "RUN echo marigold"))
    status, body, _ = server.request("POST", f"/tasks/{task_id}/rewind", json.dumps({"pointId": 0}).encode(), {
        "Content-Type": "application/json", "Authorization": f"Bearer {server.key}"})
    assert status == 200 and json.loads(body)["discardedTurns"] == 1, body
    said = check_completed(turn(server, task_id, "RECALL"))
    assert "echo teal" in said and "marigold" not in said, said
    copy = server.call("fork_task", taskId=task_id, instructions="RECALL")
    task = server.wait_ended(copy["taskId"], 90)
    said = check_completed(task)
    assert "echo teal" in said and "marigold" not in said, said
    assert 0 < task["usage"]["outputTokens"] < server.task(task_id)["usage"]["outputTokens"], task["usage"]


@flow
def claude_is_rewound_and_forked(stage):
    goes_back_and_apart(stage, "claude")


@flow
def codex_is_rewound_and_forked(stage):
    goes_back_and_apart(stage, "codex")
