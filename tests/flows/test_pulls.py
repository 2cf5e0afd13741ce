"""Upstream changes come into a task's workspace, from a remote that wants a login that no container ever sees."""

import json
import subprocess

from longshore import ToolError, flow, wait_until
from test_git import TOKEN, locked_remote, login_file


def upstream(remote, name, path, content, message="Upstream"):
    """A commit on main of the remote."""
    work = remote.folder / "work" / name
    (work / path).write_text(content)
    remote.git("add", "-A", cwd=work)
    remote.git("commit", "-q", "-m", message, cwd=work)
    remote.git("push", "-q", str(remote.folder / "git" / f"{name}.git"), "main", cwd=work)
    return remote.git("rev-parse", "HEAD", cwd=work).strip()


def _stage(stage, *names):
    remote = locked_remote(stage)
    urls = [remote.add(name, {"a.txt": "one\n", "b.txt": "one\n"}) for name in names]
    server = stage.new_server().start().prepare()
    login_file(server, remote)
    server.environment_file("test", repositories=[{"url": url, "branch": "main"} for url in urls])
    return server, remote


def _run(server, task_id, script):
    server.call("follow_up_task", taskId=task_id, instructions=script)
    ended = server.wait_ended(task_id)
    assert ended["status"] == "completed", ended
    return ended["latestResponse"]["content"]


def _repos(answer):
    return {repo["repository"]: repo for repo in answer["repos"]}


@flow
def a_pull_rebases_what_was_not_pushed_and_keeps_what_was_not_committed(stage):
    server, remote = _stage(stage, "app")
    task = server.create("echo mine >> b.txt; git commit -qam Mine; echo open > c.txt; echo staged > d.txt; "
                         "git add d.txt; echo changed >> b.txt")
    server.wait_ended(task)
    answer = server.call("pull_task_changes", taskId=task)
    assert answer["success"] and _repos(answer)["app"]["status"] == "up_to_date", answer
    tip = upstream(remote, "app", "a.txt", "two\n")
    answer = server.call("pull_task_changes", taskId=task)
    repo = _repos(answer)["app"]
    assert answer["success"] and (repo["status"], repo["method"]) == ("updated", "rebase"), answer
    assert repo["before"] != repo["after"], answer
    said = _run(server, task, "git log --format=%s; cat a.txt b.txt c.txt d.txt; git rev-parse HEAD~1 origin/main; "
                              "git stash list; git status --short; git config --list; env; cat .git/config")
    assert said.split()[:12] == ["Mine", "Upstream", "Start", "two", "one", "mine", "changed", "open", "staged", tip, tip,
                                 "M"], said
    found = subprocess.run(["grep", "-rlF", TOKEN, str(server.data)], capture_output=True, text=True, check=False).stdout
    assert found.split() == [str(server.data / "git-credentials")], found
    assert TOKEN not in json.dumps(answer) and TOKEN not in said and TOKEN not in server.log_end(100000)
    assert not (stage.folder_of(server, task).parent / "secrets" / "pull").exists()


@flow
def merges_that_were_not_pushed_are_not_flattened(stage):
    server, remote = _stage(stage, "app")
    task = server.create("git checkout -qb side; echo side > s.txt; git add s.txt; git commit -qm Side; git checkout -q main; "
                         "echo mine >> b.txt; git commit -qam Mine; git merge -q --no-edit side")
    assert server.wait_ended(task)["status"] == "completed"
    upstream(remote, "app", "a.txt", "two\n")
    repo = _repos(server.call("pull_task_changes", taskId=task))["app"]
    assert (repo["status"], repo["method"]) == ("updated", "merge"), repo
    assert _run(server, task, "git rev-list --merges HEAD | wc -l; cat a.txt s.txt").split() == ["2", "two", "side"]


@flow
def a_conflict_is_put_back_and_the_other_repositories_stay_updated(stage):
    server, remote = _stage(stage, "app", "lib")
    task = server.create("cd app; echo mine > a.txt; git commit -qam Mine; echo open >> b.txt; cd ../lib; echo open > a.txt")
    assert server.wait_ended(task)["status"] == "completed"
    state = "cd app; git rev-parse HEAD; git status --short; git stash list; cat a.txt b.txt; ls .git | grep -c rebase"
    before = _run(server, task, state + "; true")
    upstream(remote, "app", "a.txt", "two\n")
    upstream(remote, "lib", "b.txt", "two\n")
    answer = server.call("pull_task_changes", taskId=task)
    repos = _repos(answer)
    assert (answer["success"], answer["error"]) == (False, "pull_conflict"), answer
    assert (repos["app"]["status"], repos["app"]["files"]) == ("conflict", ["a.txt"]), answer
    assert repos["lib"]["status"] == "updated", answer
    assert _run(server, task, state + "; true") == before
    assert _run(server, task, "cat lib/a.txt lib/b.txt").split() == ["open", "two"]
    # What is not committed conflicts as well, and is put back.
    upstream(remote, "lib", "a.txt", "three\n")
    repos = _repos(server.call("pull_task_changes", taskId=task))
    assert (repos["lib"]["status"], repos["lib"]["files"]) == ("conflict", ["a.txt"]), repos
    assert _run(server, task, "cd lib; cat a.txt; git stash list; git status --short").split() == ["open", "M", "a.txt"]
    # A merge of the agent's own is left as it is.
    _run(server, task, "cd lib; git checkout -q .; git checkout -qb x; echo x > x.txt; git add x.txt; git commit -qm X; "
                       "git checkout -q main; git merge -q --no-ff --no-commit x")
    repos = _repos(server.call("pull_task_changes", taskId=task))
    assert repos["lib"]["status"] == "failed" and "progress" in repos["lib"]["message"], repos
    assert _run(server, task, "cd lib; ls .git/MERGE_HEAD x.txt").split() == [".git/MERGE_HEAD", "x.txt"]


@flow
def a_follow_up_pulls_first_or_starts_no_turn(stage):
    server, remote = _stage(stage, "app")
    task = server.create("echo mine > mine.txt")
    server.wait_ended(task)
    server.call("stop_task", taskId=task)
    upstream(remote, "app", "a.txt", "two\n")
    arguments = {"taskId": task, "instructions": "cat a.txt; echo mine > a.txt; git commit -qam Mine", "pullLatest": True,
                 "idempotencyKey": "first"}
    server.call("follow_up_task", **arguments)
    ended = server.wait_ended(task)
    assert ended["latestResponse"]["content"].split() == ["two"], ended
    upstream(remote, "app", "a.txt", "three\n")
    refused = {**arguments, "instructions": "echo never", "idempotencyKey": "second"}
    for _ in range(2):  # a refusal is not the outcome of the key
        try:
            server.call("follow_up_task", **refused)
            raise AssertionError("a follow-up began without its pull")
        except ToolError as refusal:
            assert refusal.code == "pull_conflict", refusal
            assert refusal.body["details"]["repos"][0]["files"] == ["a.txt"], refusal
    assert server.task(task)["followUpCount"] == 1
    login_file(server, remote, token="not-the-token-at-all")
    try:
        server.call("follow_up_task", **refused)
        raise AssertionError("a follow-up began without its pull")
    except ToolError as refusal:
        assert refusal.code == "pull_failed" and "not-the-token" not in str(refusal), refusal
    assert server.call("follow_up_task", **arguments)["followUpCount"] == 1


@flow
def a_queued_pull_that_conflicts_pauses_the_queue_until_it_is_resumed(stage):
    server, remote = _stage(stage, "app")
    task = server.create("echo mine > a.txt; git commit -qam Mine; touch /workspace/begun; "
                         "until [ -e /workspace/go ]; do sleep 0.05; done")
    workspace = stage.folder_of(server, task)
    wait_until("the turn to begin", lambda: (workspace / "begun").exists())
    for text in ("echo first", "git log --format=%s"):
        server.call("follow_up_task", taskId=task, instructions=text, queueIfBusy=True, pullLatest=text == "echo first")
    upstream(remote, "app", "a.txt", "two\n")
    (workspace / "go").touch()

    def paused():
        queue = server.call("list_task_follow_up_queue", taskId=task)
        return queue if queue["paused"] else None
    queue = wait_until("the queue to be paused", paused, 60, 0.1)
    assert queue["pauseReason"] == "pull_conflict" and len(queue["entries"]) == 2, queue
    assert queue["pauseDetails"]["repos"][0]["files"] == ["a.txt"], queue
    assert server.task(task)["followUpCount"] == 0
    assert _run(server, task, "git reset -q --hard HEAD~1; echo done").split() == ["done"]
    server.call("resume_task_follow_up_queue", taskId=task)
    server.kill()  # in the middle of the pull, or before, or after
    server.start()
    wait_until("the turn to be counted", lambda: server.task(task)["followUpCount"] == 2, 60)
    assert server.wait_ended(task)["latestResponse"]["content"].split() == ["first", "Upstream", "Start"]
