"""What a task changed is saved when its turn ends, and read without its container or its workspace."""

import hashlib
import json
import os
import time
import zlib

from longshore import ToolError, engine_request, files_below, flow, wait_until
from test_git import login_file, locked_remote
from test_pulls import upstream

FILES = {"a.txt": "one\n", "b.txt": "".join(f"line {n}\n" for n in range(200)), "deep/c.txt": "c\n" * 10,
         "deep/d.txt": "d\n", ".gitignore": "*.o\n", "run.sh": "echo\n"}


def _stage(stage):
    url = stage.remote().add("app", FILES)
    return stage.server(repositories=[{"url": url}])


def _files(server, task, **arguments):
    answer = server.call("list_task_changed_files", taskId=task, limit=100, **arguments)
    return {file["filePath"]: file for file in answer["files"]}, answer


def _diff(server, task, path, **arguments):
    return server.call("read_task_diff", taskId=task, repository="app", filePath=path, **arguments)


def _turn(server, task, script):
    server.call("follow_up_task", taskId=task, instructions=script)
    return server.wait_ended(task)


def _imports(server):
    line = next(line for line in server.get("/metrics")[1].decode().splitlines()
                if line.startswith("longshore_change_imports_total"))
    return int(line.split()[-1])


def _refusal(server, tool, **arguments):
    try:
        server.call(tool, **arguments)
    except ToolError as error:
        return error.code
    raise AssertionError(f"{tool} was not refused")


@flow
def every_kind_of_change_is_listed_and_can_be_read(stage):
    server = _stage(stage)
    task = server.create(
        "echo two >> a.txt; git mv deep/c.txt deep/e.txt; rm deep/d.txt; ln -s a.txt link; printf 'a\\0b' > bin; "
        "echo new > new.txt; git add new.txt; git commit -qam Mine; echo loose > loose.txt; chmod +x run.sh; touch x.o; "
        "head -c 40000000 /dev/zero > huge; head -c 9000000 /dev/zero | tr '\\0' 'a' > large; touch void; "
        "echo x > \"$(printf 'caf\\351')\"; mkdir sub; cd sub; git init -q; echo s > s; git add s; git commit -qm S; cd ..; "
        "cp .git/index /workspace/index; git rev-parse HEAD > /workspace/head")
    assert server.wait_ended(task)["status"] == "completed"
    workspace = stage.folder_of(server, task)
    assert (workspace / "index").read_bytes() == (workspace / "app" / ".git" / "index").read_bytes()
    files, answer = _files(server, task)
    assert (answer["status"], answer["incomplete"], answer["turn"]) == ("available", False, 1), answer
    told = {path: (file["status"], file["additions"], file["deletions"]) for path, file in files.items()}
    assert told == {
        "a.txt": ("modified", 1, 0), "deep/e.txt": ("renamed", 0, 0), "deep/d.txt": ("deleted", 0, 1),
        "link": ("added", 1, 0), "bin": ("added", None, None), "new.txt": ("added", 1, 0),
        "loose.txt": ("added", 1, 0), "run.sh": ("modified", 0, 0), "huge": ("added", None, None), "void": ("added", 0, 0),
        "large": ("added", None, None), "caf\ufffd": ("added", 1, 0), "sub": ("added", 1, 0)}, told
    assert files["deep/e.txt"]["oldPath"] == "deep/c.txt" and files["bin"]["binary"]
    assert (files["huge"]["omitted"], files["large"]["omitted"]) == ("not_saved", "too_large"), files
    # Neither the container nor the workspace is needed, and git's own headers say the rest.
    server.call("stop_task", taskId=task)
    wait_until("the container to stop", lambda: not stage.container_of(server, task)["State"]["Running"])
    (workspace / "app").rename(workspace / "gone")
    diff = _diff(server, task, "a.txt")
    assert diff["diff"].endswith("@@ -1 +1,2 @@\n one\n+two\n") and diff["diff"].startswith("diff --git a/a.txt b/a.txt\n")
    assert (diff["status"], diff["nextHunkOffset"], diff["hunks"], diff["redacted"]) == ("available", None, 1, False), diff
    assert "rename from deep/c.txt\nrename to deep/e.txt" in _diff(server, task, "deep/e.txt")["diff"]
    assert "deleted file mode" in _diff(server, task, "deep/d.txt")["diff"]
    assert "new file mode 120000" in _diff(server, task, "link")["diff"]
    mode = _diff(server, task, "run.sh")
    assert mode["status"] == "empty" and "old mode 100644\nnew mode 100755\n" in mode["diff"], mode
    assert _diff(server, task, "void")["status"] == "empty"
    binary = _diff(server, task, "bin")
    assert binary["binary"] and "Binary files" in binary["diff"] and not binary["omitted"], binary
    for path, reason in (("huge", "not_saved"), ("large", "too_large")):
        left = _diff(server, task, path)
        assert (left["omitted"], left["reason"], left["diff"]) == (True, reason, None), left
    assert "+x" in _diff(server, task, "caf\ufffd")["diff"]
    assert "Subproject commit" in _diff(server, task, "sub")["diff"]
    assert _refusal(server, "read_task_diff", taskId=task, repository="app", filePath="b.txt") == "not_found"
    assert _refusal(server, "read_task_diff", taskId=task, repository="lib", filePath="a.txt") == "not_found"
    assert _refusal(server, "list_task_changed_files", taskId="1796072972276-xxxxxxxxx") == "task_not_found"
    pages, offset = [], 0
    while offset is not None:
        page = server.call("list_task_changed_files", taskId=task, offset=offset, limit=3)
        pages, offset = pages + page["files"], page["nextOffset"]
    assert [file["filePath"] for file in pages] == list(files), pages
    over_rest = json.loads(server.get(f"/tasks/{task}/changed-files?limit=100")[1])
    assert over_rest == answer, over_rest


@flow
def a_long_diff_is_read_hunk_by_hunk(stage):
    server = _stage(stage)
    task = server.create("for n in 20 60 100 140 180; do sed -i \"s/^line $n\\$/changed $n/\" b.txt; done; "
                         "seq 1 9000 > new.txt; { seq 1 3000; printf 'a\\0b\\n'; echo behind; } > zero.txt")
    server.wait_ended(task)
    whole = _diff(server, task, "b.txt")
    assert whole["hunks"] == 5 and whole["nextHunkOffset"] is None and not whole["truncated"], whole
    header = whole["diff"][:whole["diff"].index("@@ ")]
    read, offset = header, 0
    while offset is not None:
        page = _diff(server, task, "b.txt", maxChars=420, hunkOffset=offset)
        assert page["diff"].startswith(header) and len(page["diff"]) <= 420 and page["hunkOffset"] == offset, page
        read, offset = read + page["diff"][len(header):], page["nextHunkOffset"]
    assert read == whole["diff"]
    large = _diff(server, task, "new.txt", maxChars=24000)
    assert large["truncated"] and len(large["diff"]) == 24000 and large["nextHunkOffset"] is None, large["nextHunkOffset"]
    beyond = _diff(server, task, "b.txt", hunkOffset=99)
    assert beyond["diff"] == header and beyond["nextHunkOffset"] is None, beyond
    # A zero byte that stands too far behind for git to call the file binary hides nothing of what follows it.
    assert _diff(server, task, "zero.txt", maxChars=24000)["diff"].endswith("+3000\n+a\ufffdb\n+behind\n")


@flow
def every_turn_saves_what_it_left_and_an_unchanged_one_takes_nothing_up(stage):
    server = _stage(stage)
    task = server.create("echo hello")
    server.wait_ended(task)
    files, answer = _files(server, task)
    assert (answer["status"], files, _imports(server)) == ("empty", {}, 0), answer
    _turn(server, task, "echo two >> a.txt")
    assert list(_files(server, task)[0]) == ["a.txt"] and _imports(server) == 1
    first = server.call("get_task_review_summary", taskId=task)["revision"]
    started = time.monotonic()
    _turn(server, task, "touch b.txt; git status --short")
    took = time.monotonic() - started
    assert _imports(server) == 1, took
    again = server.call("get_task_review_summary", taskId=task)["revision"]
    assert again["fingerprints"] == first["fingerprints"] and again["turn"] == first["turn"] + 1, (first, again)
    _turn(server, task, "git commit -qam Mine; echo three >> a.txt; rm deep/d.txt")
    assert list(_files(server, task)[0]) == ["a.txt", "deep/d.txt"] and _imports(server) == 2
    assert server.call("get_task_review_summary", taskId=task)["revision"]["fingerprints"] != first["fingerprints"]
    _turn(server, task, "git reset -q --hard HEAD~1")
    assert _files(server, task)[1]["status"] == "empty" and _imports(server) == 2
    # Rewound, the task shows what the turn it stands at left; the workspace stays.
    status, _, _ = server.request("POST", f"/tasks/{task}/rewind", json.dumps({"pointId": 3}).encode(), {
        "Authorization": f"Bearer {server.key}", "Content-Type": "application/json"})
    assert status == 200
    assert list(_files(server, task)[0]) == ["a.txt", "deep/d.txt"]
    assert "+three" in _diff(server, task, "a.txt")["diff"]


@flow
def a_fork_has_its_own_copy_of_what_was_saved(stage):
    server = _stage(stage)
    source = server.create("echo two >> a.txt")
    server.wait_ended(source)
    copy = server.call("fork_task", taskId=source)["taskId"]
    assert _files(server, copy)[0].keys() == {"a.txt"}
    _turn(server, copy, "echo x > x.txt")
    assert _files(server, copy)[0].keys() == {"a.txt", "x.txt"} and _files(server, source)[0].keys() == {"a.txt"}
    assert server.request("DELETE", f"/tasks/{source}", headers={"Authorization": f"Bearer {server.key}"})[0] == 200
    assert [path.name for path in (server.data / "changes").iterdir()] == [copy]
    assert "+two" in _diff(server, copy, "a.txt")["diff"]


@flow
def what_cannot_be_saved_is_unavailable_with_a_fixed_reason_and_fails_no_turn(stage):
    remote = stage.remote()
    server = stage.server(repositories=[{"url": remote.add("app", FILES)}, {"url": remote.add("lib", FILES)}])

    def states(task):
        answer = _files(server, task)[1]
        return [(r["repository"], r["status"], r["reason"]) for r in answer["repositories"]], answer
    task = server.create("echo two >> app/a.txt; rm -rf lib")
    assert server.wait_ended(task)["status"] == "completed"
    found, answer = states(task)
    assert found == [("app", "available", None), ("lib", "unavailable", "missing")], found
    assert (answer["status"], answer["incomplete"]) == ("available", True), answer
    _turn(server, task, "cd app; rm -rf .git/HEAD .git/refs; git -C /workspace init -q lib")
    found, answer = states(task)
    assert found[0] == ("app", "unavailable", "broken") and found[1][1] == "available", found
    assert _diff(server, task, "a.txt")["status"] == "unavailable"
    reasons = [reason["code"] for reason in server.call("get_task_review_summary", taskId=task)["approval"]["reasons"]]
    assert reasons == ["changes_incomplete", "approval_not_offered"], reasons
    # A file that cannot be read, and a repository inside without a commit, are left out; the rest is there.
    partly = server.create("cd app; echo two >> a.txt; echo x > x; chmod 0 x; mkdir sub; git init -q sub; touch sub/y")
    assert server.wait_ended(partly)["status"] == "completed"
    files, answer = _files(server, partly, repository="app")
    assert {path: file.get("omitted") for path, file in files.items()} == {"a.txt": None, "sub/": "not_saved"}, files
    assert answer["incomplete"], answer
    # More than is handed out, by the settings in force.
    server.command("setting", "set", "CHANGES_FILES", "3")
    many = server.create("cd app; for n in 1 2 3 4 5; do echo $n > f$n; done")
    assert server.wait_ended(many)["status"] == "completed"
    found, answer = states(many)
    assert found == [("app", "unavailable", "too_large"), ("lib", "empty", None)], found
    assert [(f["filePath"], f["status"], f["omitted"]) for f in answer["files"]] == [
        (f"f{n}", "added", "not_saved") for n in range(1, 6)], answer["files"]
    server.command("setting", "set", "CHANGES_FILES", "20000")
    server.command("setting", "set", "CHANGES_MEGABYTES", "1")
    packed = server.create("cd app; head -c 3000000 /dev/urandom > r")
    assert server.wait_ended(packed)["status"] == "completed"
    assert states(packed)[0][0] == ("app", "unavailable", "too_large")


def _loose(git, kind, content):
    """Write an object as the workspace's owner would; returns its id."""
    whole = f"{kind} {len(content)}\0".encode() + content
    name = hashlib.sha1(whole).hexdigest()
    owner = git.stat()
    folder = git / "objects" / name[:2]
    folder.mkdir(exist_ok=True)
    os.chown(folder, owner.st_uid, owner.st_gid)
    (folder / name[2:]).write_bytes(zlib.compress(whole))
    return name


def _forge(git):
    """Make the index name a tree, as that of all its entries, that holds .git/config. git takes its word for it."""
    blob = _loose(git, "blob", b"[core]\n")
    inner = _loose(git, "tree", b"100644 config\0" + bytes.fromhex(blob))
    evil = _loose(git, "tree", b"40000 .git\0" + bytes.fromhex(inner))
    index = bytearray((git / "index").read_bytes()[:-20])
    at = index.index(b"\n", index.index(b"TREE")) + 1
    index[at:at + 20] = bytes.fromhex(evil)
    (git / "index").write_bytes(bytes(index) + hashlib.sha1(index).digest())
    return evil


@flow
def a_tree_that_no_checkout_may_hold_is_refused_however_git_is_made_to_hand_it_out(stage):
    server = _stage(stage)
    # Files as old as the index are looked at once more, and what stands for their tree is thrown away.
    task = server.create("for f in $(git ls-files); do touch -d 2020-01-01 $f; done; "
                         "git read-tree HEAD; git update-index -q --refresh; git write-tree")
    server.wait_ended(task)
    evil = _forge(stage.folder_of(server, task) / "app" / ".git")
    ended = _turn(server, task, "git write-tree")
    assert (ended["status"], ended["latestResponse"]["content"].strip()) == ("completed", evil), ended
    answer = _files(server, task)[1]
    assert (answer["status"], answer["reason"]) == ("unavailable", "refused"), answer
    kept = list(files_below(server.data / "changes" / task / "app.git" / "objects"))
    assert kept == [], kept
    _turn(server, task, "rm .git/index; git reset -q; echo two >> a.txt; git config core.fsmonitor 'touch /tmp/monitored'; "
                        "git config core.hooksPath /tmp; printf '#!/bin/sh\\ntouch /tmp/hooked' > /tmp/post-index-change; "
                        "chmod +x /tmp/post-index-change")
    assert _files(server, task)[0].keys() == {"a.txt"}
    ended = _turn(server, task, "ls /tmp; ls .git/objects/pack")
    assert "monitored" not in ended["latestResponse"]["content"] and "hooked" not in ended["latestResponse"]["content"], ended


# A clean filter of the agent's own makes git take its time until somebody lets it go on.
SLOW = ("git config filter.slow.clean 'until [ -e /workspace/go ]; do sleep 0.05; done; cat'; "
        "echo '*.slow filter=slow' > .gitattributes; echo x > x.slow; echo two >> a.txt")


@flow
def a_server_that_is_killed_while_it_saves_saves_it_at_its_next_start(stage):
    server = _stage(stage)
    task = server.create(SLOW)
    workspace = stage.folder_of(server, task)
    facts = server.data / "records" / task / "changes.err"
    wait_until("saving to begin", facts.exists)
    assert server.task(task)["status"] == "running"
    server.kill()
    (workspace / "go").touch()
    server.start()
    assert server.wait_ended(task)["status"] == "completed"
    assert list(_files(server, task)[0]) == [".gitattributes", "a.txt", "x.slow"]
    assert not facts.exists() and not facts.with_name("changes.out").exists()


@flow
def what_takes_too_long_or_lost_its_container_is_not_saved_and_the_task_goes_on(stage):
    server = _stage(stage)
    server.command("setting", "set", "CHANGES_SECONDS", "1")
    task = server.create(SLOW)
    assert server.wait_ended(task)["status"] == "completed"
    answer = _files(server, task)[1]
    assert (answer["status"], answer["reason"]) == ("unavailable", "not_finished"), answer
    assert "CHANGES" not in json.dumps(stage.processes_in(server, stage.container_of(server, task)["Id"]))
    (stage.folder_of(server, task) / "go").touch()
    server.command("setting", "set", "CHANGES_SECONDS", "60")
    assert _turn(server, task, "true")["status"] == "completed"
    assert list(_files(server, task)[0]) == [".gitattributes", "a.txt", "x.slow"]
    server.call("follow_up_task", taskId=task, instructions="touch /workspace/begun; sleep 100")
    wait_until("the turn to begin", (stage.folder_of(server, task) / "begun").exists)
    container = stage.container_of(server, task)["Id"]
    engine_request(server.docker_host, "POST", f"/v1.41/containers/{container}/kill")
    server.wait_ended(task)
    answer = _files(server, task)[1]
    assert (answer["status"], answer["reason"]) == ("unavailable", "container_not_running"), answer
    assert _turn(server, task, "true")["status"] == "completed"
    assert list(_files(server, task)[0]) == [".gitattributes", "a.txt", "x.slow"]
    # A turn that never began hides nothing of what was saved before.
    server.command("setting", "set", "TASK_CONCURRENCY", "1")
    blocker = server.create("sleep 100")
    wait_until("the other to run", lambda: server.task(blocker)["status"] == "running")
    server.call("follow_up_task", taskId=task, instructions="true")
    server.call("stop_task", taskId=task)
    server.wait_ended(task)
    assert list(_files(server, task)[0]) == [".gitattributes", "a.txt", "x.slow"]


@flow
def what_came_from_upstream_is_not_the_tasks_change(stage):
    remote = locked_remote(stage)
    url = remote.add("app", FILES)
    server = stage.new_server().start().prepare()
    login_file(server, remote)
    server.environment_file("test", repositories=[{"url": url, "branch": "main"}])
    task = server.create("echo mine > mine.txt; git add mine.txt; git commit -qm Mine; sed -i '100s/.*/mine/' b.txt")
    server.wait_ended(task)
    assert "@@ -97,7 +97,7 @@" in _diff(server, task, "b.txt")["diff"]
    upstream(remote, "app", "a.txt", "theirs\n")
    upstream(remote, "app", "b.txt", "theirs\n" + FILES["b.txt"])
    assert server.call("pull_task_changes", taskId=task)["success"]
    # The pull itself brings up to date what is told.
    files, answer = _files(server, task)
    assert files.keys() == {"b.txt", "mine.txt"} and answer["turn"] == 1, answer
    assert "@@ -98,7 +98,7 @@" in _diff(server, task, "b.txt")["diff"]
    _turn(server, task, "cat a.txt")
    assert _files(server, task)[0].keys() == {"b.txt", "mine.txt"}
    summary = server.call("get_task_review_summary", taskId=task)
    branches = summary["repositories"][0]["branches"]
    assert (branches["current"], branches["launch"], branches["pushTarget"]) == ("main", "main", "main"), branches
    assert branches["protection"] == "unknown" and task in branches["suggestedNewBranch"], branches


@flow
def secrets_in_a_diff_are_left_out_before_it_is_cut(stage):
    server = stage.new_server().start().prepare()
    server.environment_file("test", repositories=[{"url": stage.remote().add("app", FILES)}],
                            secrets=[{"name": "TOKEN_X"}])
    server.command("secret", "set", "TOKEN_X", "--environment", "test", text="s3cr3t-value-123\n")
    task = server.create("echo \"key=$TOKEN_X\" >> a.txt; echo 'https://joe:hunter22@example.com/x' > url.txt; "
                         "echo x > \"name-$TOKEN_X\"")
    server.wait_ended(task)
    files, _ = _files(server, task)
    assert files.keys() == {"a.txt", "url.txt", "name-[redacted]"}, files
    assert files["name-[redacted]"]["redacted"] and not files["a.txt"]["redacted"], files
    diff = _diff(server, task, "a.txt")
    assert "+key=[redacted]\n" in diff["diff"] and diff["redacted"], diff
    assert "hunter22" not in _diff(server, task, "url.txt")["diff"]
    named = _diff(server, task, "name-[redacted]")
    assert "s3cr3t" not in json.dumps(named) and named["redacted"], named


@flow
def comments_are_added_edited_and_told(stage):
    server = stage.server()
    task = server.create("true", staged=True)

    def ask(method, path, body=None):
        status, answer, _ = server.request(method, path, body and json.dumps(body).encode(), {
            "Authorization": f"Bearer {server.key}", **({"Content-Type": "application/json"} if body else {})})
        return status, json.loads(answer)
    assert server.call("list_task_comments", taskId=task)["status"] == "empty"
    status, first = ask("POST", f"/tasks/{task}/comments", {"body": "Look, @ana and @bob.smith. Mail x@example.com"})
    assert status == 200 and first["mentions"] == ["ana", "bob.smith"] and first["editable"], first
    status, edited = ask("PATCH", f"/tasks/{task}/comments/{first['commentId']}", {"body": "é" * 5000})
    assert status == 200 and edited["truncated"] and len(edited["body"]) == 4000 and edited["updatedAt"], status
    for n in range(3):
        ask("POST", f"/tasks/{task}/comments", {"body": f"n{n} https://a:sesame99@host/"})
    page = server.call("list_task_comments", taskId=task, offset=1, limit=2)
    assert (page["total"], page["nextOffset"], len(page["comments"])) == (4, 3, 2), page
    assert page["comments"][0]["redacted"] and "sesame" not in json.dumps(page), page
    assert ask("DELETE", f"/tasks/{task}/comments/{first['commentId']}")[1]["deleted"]
    assert ask("DELETE", f"/tasks/{task}/comments/{first['commentId']}")[1]["code"] == "comment_not_found"
    assert ask("POST", f"/tasks/{task}/comments", {"body": "  \n"})[0] == 400
