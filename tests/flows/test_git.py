"""Repositories: copied from remotes that want a login, without the login going anywhere else."""

import json
import pathlib
import subprocess

from longshore import flow, wait_until

TOKEN = "s3cret-token-of-the-remote"


def locked_remote(stage):
    """A remote that asks for the user `robot` with TOKEN."""
    remote = stage.remote()
    folder = remote.folder
    remote.stop()
    password = subprocess.run(["openssl", "passwd", "-apr1", TOKEN], check=True, capture_output=True, text=True).stdout
    (folder / "users").write_text(f"robot:{password}")
    config = folder / "lighttpd.conf"
    config.write_text(config.read_text() + f"""
server.modules += ("mod_auth", "mod_authn_file")
auth.backend = "htpasswd"
auth.backend.htpasswd.userfile = "{folder}/users"
auth.require = ("/" => ("method" => "basic", "realm" => "git", "require" => "valid-user"))
""")
    remote.process = subprocess.Popen(["lighttpd", "-D", "-f", str(config)], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until("the locked remote to listen", remote._listens, 10)
    return remote


def login_file(server, remote, token=TOKEN):
    path = server.data / "git-credentials"
    path.write_text(f"https://someone:else-entirely@example.com\nhttp://robot:{token}@127.0.0.1:{remote.port}\n")
    path.chmod(0o600)


@flow
def a_locked_remote_is_cloned_and_its_login_goes_nowhere_else(stage):
    remote = locked_remote(stage)
    url = remote.add("secret-project", {"read.me": "hello\n"})
    server = stage.new_server().start().prepare()
    login_file(server, remote)
    server.environment_file("test", repositories=[{"url": url, "branch": "main"}])
    task = server.create("cat read.me; git remote -v; git config --list; env; git log --oneline")
    ended = server.wait_ended(task)
    assert ended["status"] == "completed", ended
    assert "hello" in ended["latestResponse"]["content"], ended
    assert TOKEN not in json.dumps(server.task(task, includeOutput=True, includeSummary=True))
    assert TOKEN not in server.read_file(task, "log.txt").decode()
    found = subprocess.run(["grep", "-rlF", TOKEN, str(server.data)], capture_output=True, text=True, check=False).stdout
    assert found.split() == [str(server.data / "git-credentials")], found
    assert TOKEN not in server.log_end(100000)


@flow
def a_token_that_an_agent_prints_is_masked_at_every_door(stage):
    remote = locked_remote(stage)
    url = remote.add("project", {"read.me": "hello\n"})
    server = stage.new_server().start().prepare()
    login_file(server, remote)
    server.environment_file("test", repositories=[{"url": url}])
    task = server.create(f"echo before {TOKEN} after; echo {TOKEN} >&2; echo {TOKEN} > /task-output/summary.md; "
                         "echo http://me:mine@example.com/; exit 4", name=f"with {TOKEN}")
    ended = server.wait_ended(task)
    assert ended["exitCode"] == 4, ended
    answers = json.dumps([server.task(task, includeOutput=True, includeSummary=True, fullLatestResponse=True),
                          server.call("get_task_output", taskId=task), server.call("list_tasks")])
    files = b"".join(server.read_file(task, path) for path in
                     ("log.txt", "debug-stream.jsonl", "task-instructions.md", "summary.md", "raw/turn-1.out"))
    assert TOKEN not in answers and TOKEN.encode() not in files
    assert "me:mine" not in answers and b"me:mine" not in files
    assert "before [redacted] after" in answers, answers
    raw = (server.data / "records" / task / "raw" / "turn-1.out").read_bytes()
    assert TOKEN.encode() in raw, "the record on disk is what was printed"
    assert len(server.read_file(task, "raw/turn-1.out")) == len(raw)


@flow
def a_repository_that_cannot_be_had_ends_the_launch_with_its_reason(stage):
    remote = locked_remote(stage)
    url = remote.add("project", {"read.me": "hello\n"})
    server = stage.new_server().start().prepare()
    login_file(server, remote, token="wrong-token-of-the-remote")
    server.environment_file("test", repositories=[{"url": url}])
    ended = server.wait_ended(server.create("true"))
    failure = ended["failure"]
    assert (ended["status"], ended["exitCode"], failure["stage"], failure["category"]) == ("failed", -1, "launch", "setup")
    assert failure["type"] == "git_auth_failed" and "project" in failure["message"], failure
    assert "wrong-token" not in json.dumps(ended)
    login_file(server, remote)
    ended = server.wait_ended(server.create("true", branches={"project": "no/such"}))
    assert ended["failure"]["type"] == "git_ref_not_found" and "no/such" in ended["failure"]["message"], ended
    ended = server.wait_ended(server.create("cat read.me"))
    assert ended["status"] == "completed", ended


@flow
def the_branch_that_a_task_chose_is_checked_out(stage):
    remote = stage.remote()
    url = remote.add("project", {"read.me": "main\n"})
    work = remote.folder / "work" / "project"
    remote.git("checkout", "-q", "-b", "topic/one", cwd=work)
    pathlib.Path(work / "read.me").write_text("topic\n")
    remote.git("commit", "-qam", "Topic", cwd=work)
    remote.git("push", "-q", str(remote.folder / "git" / "project.git"), "topic/one", cwd=work)
    server = stage.server(repositories=[{"url": url, "branch": "main"}])
    task = server.create("cat read.me; git branch --show-current; pwd; stat -c %u .", branches={"project": "topic/one"})
    ended = server.wait_ended(task)
    assert ended["latestResponse"]["content"] == "topic\ntopic/one\n/workspace/project\n64500\n", ended
    assert ended["branches"] == {"project": "topic/one"}


@flow
def a_task_begins_although_the_mirror_of_its_repository_is_damaged(stage):
    engine = stage.engine()
    url = stage.remote().add("sample", {"read.me": "hello\n"})
    server = stage.server(docker_host=engine.address, repositories=[{"name": "sample", "url": url, "branch": "main"}])
    assert server.wait_ended(server.create("true"))["status"] == "completed"
    (mirror,) = (server.data / "mirrors").glob("*.git")

    def git(*words, **options):
        return subprocess.run(["git", "--git-dir=.", *words], cwd=mirror, check=True, capture_output=True, **options).stdout
    blob = git("rev-parse", "main:read.me").decode().strip()
    for pack in (mirror / "objects" / "pack").glob("*.pack"):
        content = pack.read_bytes()
        for part in pack.parent.glob(f"{pack.stem}.*"):
            part.unlink()
        git("unpack-objects", "-q", input=content)
    (mirror / "objects" / blob[:2] / blob[2:]).unlink()
    ended = server.wait_ended(server.create("cat read.me && git fsck"))
    assert ended["status"] == "completed" and "hello" in ended["latestResponse"]["content"], ended
