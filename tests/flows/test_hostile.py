"""Programs that do not behave: what they may not reach, and that they end."""

import hashlib

from longshore import ToolError, flow, wait_until


def _begun(stage, server, script):
    task_id = server.create(script)
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    return task_id, workspace


def _nothing_left(stage, server, task_id, word):
    for container in stage.containers_of(server, task_id):
        if container["State"]["Running"]:
            left = [p for p in stage.processes_in(server, container["Id"]) if word in p]
            assert not left, left


@flow
def a_program_that_ignores_term_is_stopped_in_bounded_time(stage):
    server = stage.server()
    task_id, _ = _begun(stage, server, "trap '' TERM INT HUP; touch /workspace/begun; while :; do sleep 1; done")
    server.call("stop_task", taskId=task_id)
    assert server.wait_ended(task_id, 30)["status"] == "interrupted"


@flow
def a_program_in_a_session_of_its_own_does_not_outlive_the_turn(stage):
    server = stage.server()
    script = ("(setsid bash -c \"trap '' TERM HUP; setsid sleep 4242 & setsid sleep 4242\" &) ; sleep 0.3; "
              "touch /workspace/begun; echo leader done; exit 4")
    task_id = server.create(script)
    task = server.wait_ended(task_id, 30)
    assert task["status"] == "failed" and task["exitCode"] == 4, task
    _nothing_left(stage, server, task_id, "4242")


@flow
def an_interrupt_reaches_a_program_that_hides(stage):
    server = stage.server()
    task_id, _ = _begun(stage, server, "setsid bash -c \"trap '' TERM; touch /workspace/begun; while :; do sleep 4243; done\"")
    server.call("interrupt_task", taskId=task_id)
    assert server.wait_ended(task_id, 30)["status"] == "interrupted"
    _nothing_left(stage, server, task_id, "4243")


@flow
def a_forged_exit_record_is_not_believed(stage):
    server = stage.server()
    script = """
    for dir in $(awk '{print $2}' /proc/mounts) /task-output /workspace /tmp; do
            for name in exit exit.json exit-1.json turn-1.exit 1.json result.json; do
                    printf '{"version":1,"run":"1","turn":1,"exit":0,"code":0,"exitCode":0}' > "$dir/$name"
            done
    done 2>/dev/null
    kill -9 1 2>/dev/null
    kill -9 $PPID 2>/dev/null
    exit 3
    """
    task = server.wait_ended(server.create(script), 30)
    assert task["status"] == "failed" and task["exitCode"] == 3, task


@flow
def the_control_folder_is_closed_to_the_agent(stage):
    server = stage.server()
    script = """
    awk '$4 !~ /(^|,)ro(,|$)/ {print $2}' /proc/mounts | while read -r dir; do
            if touch "$dir/probe" 2>/dev/null; then echo "writable $dir"; rm -f "$dir/probe"; fi
    done
    grep -E '^Cap(Eff|Bnd|Prm)' /proc/self/status
    grep NoNewPrivs /proc/self/status
    """
    task = server.wait_ended(server.create(script))
    lines = task["latestResponse"]["content"].splitlines()
    writable = {line.split()[1] for line in lines if line.startswith("writable")}
    assert writable <= {"/workspace", "/task-output", "/tmp", "/home/agent", "/dev/shm", "/dev/mqueue"}, writable
    for line in lines:
        if line.startswith("Cap"):
            assert int(line.split()[1], 16) == 0, line
        if line.startswith("NoNewPrivs"):
            assert line.split()[1] == "1", line


@flow
def links_in_task_output_lead_nowhere(stage):
    server = stage.server()
    script = """
    cd /task-output
    ln -s /etc/passwd summary.md
    ln -s / root
    ln -s ../../../../../../../../etc/hostname up
    mkfifo pipe
    mkdir -p patches && echo fine > patches/app.patch
    ln -s patches linked
    echo ok
    """
    task_id = server.create(script)
    assert server.wait_ended(task_id)["status"] == "completed"
    paths = [f["path"] for f in server.call("get_task_output", taskId=task_id)["files"]]
    assert "patches/app.patch" in paths, paths
    assert not {"summary.md", "up", "pipe", "linked/app.patch"} & set(paths), paths
    assert server.read_file(task_id, "patches/app.patch") == b"fine\n"
    for path in ("summary.md", "root/etc/passwd", "up", "pipe", "linked/app.patch", "../log.txt", "/etc/passwd",
                 "patches/../../x", "patches", ""):
        try:
            page = server.call("read_task_file", taskId=task_id, path=path)
            raise AssertionError(f"{path!r} was read: {page}")
        except ToolError:
            pass
    full = server.task(task_id, includeSummary=True)
    assert "root:" not in (full.get("summary") or ""), full


@flow
def a_file_swapped_for_a_link_while_it_is_read_never_shows_the_target(stage):
    server = stage.server()
    script = """
    cd /task-output
    touch /workspace/begun
    until [ -e /workspace/go ]; do
            echo harmless > a; mv -f a summary.md
            ln -sf /etc/passwd b; mv -f b summary.md
            mkdir -p dir; echo harmless > dir/file; rm -rf dir; ln -s /etc dir; rm -f dir
    done
    """
    task_id, workspace = _begun(stage, server, script)
    for _ in range(60):
        for path in ("summary.md", "dir/file", "dir/passwd"):
            try:
                content = server.call("read_task_file", taskId=task_id, path=path)["content"]
                assert content in ("harmless\n", ""), content
            except ToolError:
                pass
        summary = server.task(task_id, includeSummary=True).get("summary") or ""
        assert "root:" not in summary, summary
    (workspace / "go").touch()
    server.wait_ended(task_id)


@flow
def lines_of_many_megabytes_and_broken_bytes_are_kept_to_the_byte(stage):
    server = stage.server()
    script = r"""
    printf 'first \xff\xfe\x00 broken \xe2\x82'
    head -c 12000000 /dev/zero | tr '\0' 'L'
    printf '\xc3'
    sleep 0.2
    printf '\xa9\nlast \xf0\x9f\x98\x80 without an end'
    """
    expected = (b"first \xff\xfe\x00 broken \xe2\x82" + b"L" * 12000000 + b"\xc3\xa9\nlast \xf0\x9f\x98\x80 without an end")
    task_id = server.create(script)
    task = server.wait_ended(task_id, 60)
    assert task["status"] == "completed", task
    assert task["latestResponse"]["truncated"] and "without an end" in task["latestResponse"]["content"][-40:]
    files = {f["path"]: f["size"] for f in server.call("get_task_output", taskId=task_id)["files"]}
    assert files["raw/turn-1.out"] == len(expected), files
    for path in ("log.txt", "raw/turn-1.out"):
        content = server.read_file(task_id, path)
        assert len(content) == len(expected), (path, len(content), len(expected))
        assert hashlib.sha256(content).digest() == hashlib.sha256(expected).digest(), path


@flow
def a_flood_of_processes_stays_inside_its_limit(stage):
    server = stage.server()
    server.environment_file("few", limits={"pids": 64})
    task_id = server.create("for i in $(seq 200); do sleep 30 & done; echo spawned; exit 0", environment="few")
    task = server.wait_ended(task_id, 60)
    assert task["status"] in ("completed", "failed"), task
    assert server.wait_ended(server.create("echo other"))["status"] == "completed"


@flow
def a_program_that_keeps_forking_away_is_ended_all_the_same(stage):
    server = stage.server()
    server.environment_file("test", limits={"pids": 200})
    script = """
    trap '' TERM HUP
    hop() { trap '' TERM HUP; sleep 0.01; setsid bash -c "$(declare -f hop); hop" & }
    export -f hop
    for i in 1 2 3 4 5; do hop & done
    touch /workspace/begun
    while :; do sleep 4245; done
    """
    task_id, _ = _begun(stage, server, script)
    server.call("interrupt_task", taskId=task_id)
    assert server.wait_ended(task_id, 40)["status"] == "interrupted"
    _nothing_left(stage, server, task_id, "hop")
    _nothing_left(stage, server, task_id, "4245")


@flow
def a_summary_that_is_a_pipe_or_enormous_holds_nobody_up(stage):
    server = stage.server()
    pipe = server.create("mkfifo /task-output/summary.md; echo ok")
    huge = server.create("truncate -s 1T /task-output/summary.md; echo ok")
    for task_id in (pipe, huge):
        assert server.wait_ended(task_id)["status"] == "completed"
        task = server.call("get_task", taskId=task_id, includeSummary=True)
        assert len(str(task.get("summary"))) <= 24100
        server.call("get_task_output", taskId=task_id)
    page = server.call("read_task_file", taskId=huge, path="summary.md", offset=1 << 39, maxBytes=1000)
    assert page["bytesReturned"] == 1000 and page["size"] == 1 << 40, page


@flow
def names_of_any_bytes_and_many_files_are_listed_within_bounds(stage):
    server = stage.server()
    script = """
    cd /task-output
    touch "$(printf 'line\\nbreak')" "$(printf 'bad\\377byte')" '"quoted"' '-dash' 'ünï' '.hidden'
    mkdir many && cd many && for i in $(seq 3000); do : > "file-$i"; done
    d=deep; for i in $(seq 60); do mkdir -p "$d"; d=$d/deep; done; echo bottom > "$d" || true
    """
    task_id = server.create(script)
    assert server.wait_ended(task_id)["status"] == "completed"
    output = server.call("get_task_output", taskId=task_id)
    paths = [f["path"] for f in output["files"]]
    assert 0 < len(paths) <= 500, len(paths)
    assert not any(path.startswith(".") or "/." in path for path in paths)
    assert output.get("filesOmitted", 0) > 2000, {k: v for k, v in output.items() if k != "files"}


@flow
def our_own_records_win_over_files_of_the_same_name(stage):
    server = stage.server()
    script = """
    mkdir -p /task-output/raw
    for name in log.txt debug-stream.jsonl task-instructions.md raw/turn-1.out; do echo forged > "/task-output/$name"; done
    echo genuine
    """
    task_id = server.create(script)
    assert server.wait_ended(task_id)["status"] == "completed"
    for name in ("log.txt", "raw/turn-1.out"):
        assert server.read_file(task_id, name) == b"genuine\n", name
    for name in ("debug-stream.jsonl", "task-instructions.md"):
        assert server.read_file(task_id, name).strip() != b"forged", name
    paths = [f["path"] for f in server.call("get_task_output", taskId=task_id)["files"]]
    assert paths.count("log.txt") == 1, paths


@flow
def the_time_limit_of_a_turn_is_kept_while_the_server_is_dead(stage):
    server = stage.server()
    server.environment_file("short", limits={"turnMinutes": 1})
    task_id = server.create("trap '' TERM; touch /workspace/begun; while :; do sleep 4246; done", environment="short")
    workspace = stage.folder_of(server, task_id)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    container = stage.container_of(server, task_id)["Id"]
    server.kill()
    wait_until("the runner to end the turn", lambda: not any(
        "4246" in line for line in stage.processes_in(server, container)), 90, 1)
    server.start()
    task = server.wait_ended(task_id, 20)
    assert task["status"] == "failed", task
    assert "limit" in (task["failure"]["message"] + task["failure"]["type"]).lower(), task["failure"]
    assert task["failure"]["category"] == "timeout", task["failure"]
