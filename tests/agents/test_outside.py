"""The real programs of Claude Code, Codex and Gemini CLI as clients of the server, by key: each makes a task and reads
what came of it, in whichever revision of the protocol it chooses. Their models are scripted."""

import json
import os
import re
import subprocess

from longshore import ENDED, flow, wait_until
from test_agents import NODE, PROGRAMS, Models

SPOKEN = re.compile(r'An MCP request was read .*method="([^"]*)".* revision="([^"]*)"')
SECONDS = 90


def run(home, command, environment, says):
    """Runs a client's program in a home of its own until it has ended; what it printed holds `says`."""
    given = {"PATH": os.environ["PATH"], "HOME": str(home), "TERM": "dumb", **environment}
    done = subprocess.run(command, cwd=home, env=given, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=SECONDS, check=False)
    assert done.returncode == 0 and says in done.stdout, (done.returncode, done.stdout[-3000:], done.stderr[-3000:])


def claude(home, models, server, prompt, says):
    config = home / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"longshore": {
        "type": "http", "url": url_of(server), "headers": {"Authorization": f"Bearer {server.key}"}}}}))
    run(home, [f"{PROGRAMS}/claude/current/claude", "-p", prompt, "--mcp-config", str(config), "--strict-mcp-config",
               "--tools", "", "--allowedTools", "mcp__longshore", "--output-format", "stream-json", "--verbose",
               "--max-turns", "6"],
        models.variables() | {name: "1" for name in ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER",
                                                     "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING")}
        | {"ENABLE_TOOL_SEARCH": "false"}, says)


def codex(home, models, server, prompt, says):
    (home / "codex").mkdir(exist_ok=True)
    (home / "codex" / "config.toml").write_text(f"""
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{models.address}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.longshore]
url = "{url_of(server)}"
bearer_token_env_var = "LONGSHORE_KEY"
startup_timeout_sec = 20
default_tools_approval_mode = "approve"
""")
    run(home, [f"{PROGRAMS}/codex/current/bin/codex", "exec", "--json", "--skip-git-repo-check", "-s", "read-only",
               "--disable", "plugins", "--disable", "apps", prompt],
        {"CODEX_HOME": str(home / "codex"), "SCRIPTED_KEY": "dummy", "LONGSHORE_KEY": server.key}, says)


def gemini(home, models, server, prompt, says):
    (home / ".gemini").mkdir(exist_ok=True)
    (home / ".gemini" / "settings.json").write_text(json.dumps({
        "security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "mcpServers": {"longshore": {"httpUrl": url_of(server), "trust": True, "timeout": 20000,
                                     "headers": {"Authorization": f"Bearer {server.key}"}}}}))
    run(home, [NODE, f"{PROGRAMS}/gemini/current/bundle/gemini.js", "-p", prompt, "-m", "gemini-2.5-flash", "-o",
               "stream-json", "--approval-mode", "yolo", "--skip-trust"],
        models.variables() | {"GEMINI_CLI_TRUST_WORKSPACE": "true"}, says)


def url_of(server):
    host, port = server.address()
    return f"http://{host}:{port}/mcp"


def makes_and_reads_a_task(stage, client, revision):
    models = Models(stage.folder)
    stage.remotes.append(models)
    server = stage.server(environment={"LOG_LEVEL": "debug"})
    home = stage.folder / "home"
    home.mkdir()
    name = f"Of {client.__name__}"
    arguments = {"environment": "test", "name": name, "instructions": "echo the tide is high"}
    client(home, models, server, f"CALL create_task {json.dumps(arguments)}", "taskId")
    tasks = server.call("list_tasks")["tasks"]
    assert [task["name"] for task in tasks] == [name] and tasks[0]["source"] == "mcp", tasks
    task_id = tasks[0]["taskId"]
    wait_until("the task to end", lambda: server.task(task_id)["status"] in ENDED, 60)
    client(home, models, server, f"CALL get_task {json.dumps({'taskId': task_id})}", "the tide is high")
    spoken = SPOKEN.findall(server.log.read_text(errors="replace"))
    assert ("tools/list", revision) in spoken, spoken


@flow
def claude_code_makes_and_reads_a_task_from_outside(stage):
    makes_and_reads_a_task(stage, claude, "2026-07-28")


@flow
def codex_makes_and_reads_a_task_from_outside(stage):
    makes_and_reads_a_task(stage, codex, "2025-06-18")


@flow
def gemini_cli_makes_and_reads_a_task_from_outside(stage):
    makes_and_reads_a_task(stage, gemini, "2025-03-26")
