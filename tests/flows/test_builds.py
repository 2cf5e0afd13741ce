"""Images that are built from an environment's folder, seen from outside: built, used by tasks, kept and taken away."""

from longshore import IMAGE, ToolError, engine_request, flow, wait_until

OVER = ("succeeded", "failed", "cancelled")
PROGRAM = "#!/bin/sh\necho hello from the image, $(cat /etc/installed-word)\n"
SETUP = """#!/bin/sh
set -e
echo installing
id -u
cp build/hello /usr/bin/hello
chmod 755 /usr/bin/hello
cp build/more/word /etc/installed-word
"""


def _write(server, name, content, environment="test"):
    path = server.data / "setup" / "environments" / environment / name
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name("." + path.name + ".part")
    part.write_text(content)
    part.rename(path)


def _setup(server, content=SETUP):
    _write(server, "build/hello", PROGRAM)
    _write(server, "build/more/word", "world")
    _write(server, "setup.sh", content)
    wait_until("the server to know that there is something to build", lambda: _is_refused(server), 15)


def _is_refused(server):
    """Whether a task is refused because its environment was never built."""
    try:
        server.call("create_task", environment="test", instructions="true", staged=True)
        return False
    except ToolError as error:
        assert error.code == "environment_not_built", error
        return True


def _build(server, *options):
    return server.command("environment", "build", "test", *options, "--json")["build"]["buildId"]


def _show(server, build_id):
    return server.command("environment", "build-show", build_id, "--json")["build"]


def _wait(server, build_id, seconds=90):
    def over():
        build = _show(server, build_id)
        return build if build["status"] in OVER else None
    return wait_until(f"build {build_id} to end", over, seconds, 0.2)


def _output(server, build_id):
    content, offset = "", 0
    while True:
        page = server.command("environment", "build-output", build_id, "--offset", str(offset), "--json")
        content += page["content"]
        if page["nextOffset"] is None:
            return content, page["isComplete"]
        offset = page["nextOffset"]


def _images(server, build_id):
    images = engine_request(server.docker_host, "GET", "/v1.41/images/json")[1]
    return [image for image in images if (image["Labels"] or {}).get("longshore.build") == build_id]


@flow
def a_setup_script_makes_the_image_that_tasks_get_also_after_a_restart(stage):
    server = stage.server()
    _setup(server)
    build_id = _build(server, "--fresh")
    build = _wait(server, build_id)
    assert build["status"] == "succeeded" and build["inUse"] and build["exitCode"] is None, build
    assert build["source"] == "setup.sh" and build["baseImage"] == IMAGE and len(build["inputsHash"]) == 64, build
    output, is_complete = _output(server, build_id)
    assert "installing\n0\n" in output and is_complete, output
    task = server.wait_ended(server.create("hello; test -e /longshore-setup || echo tidy"))
    assert task["status"] == "completed", task
    assert task["latestResponse"]["content"].split("\n")[:2] == ["hello from the image, world", "tidy"], task
    server.terminate()
    server.start()
    wait_until("the environment to be listed", lambda: server.call("list_environments")["environments"])
    task = server.wait_ended(server.create("hello"))
    assert "hello from the image, world" in task["latestResponse"]["content"], task
    listed = server.command("environment", "builds", "test", "--json")
    assert [b["buildId"] for b in listed["builds"]] == [build_id] and listed["nextCursor"] is None, listed
    image = engine_request(server.docker_host, "GET", f"/v1.41/images/{build['image']}/json")[1]
    base = engine_request(server.docker_host, "GET", f"/v1.41/images/{IMAGE}/json")[1]
    assert image["Config"]["User"] == base["Config"]["User"] != "", image["Config"]


@flow
def a_failing_step_leaves_the_earlier_image_in_use_and_says_why(stage):
    server = stage.server()
    _setup(server)
    first = _wait(server, _build(server))
    assert first["status"] == "succeeded", first
    _write(server, "setup.sh", "#!/bin/sh\necho this goes wrong\nexit 3\n")
    build_id = _build(server)
    build = _wait(server, build_id)
    assert build["status"] == "failed" and build["exitCode"] == 3 and not build["inUse"], build
    assert build["endReason"] == "image_build_failed" and "non-zero code: 3" in build["message"], build
    assert "this goes wrong\n" in _output(server, build_id)[0]
    task = server.wait_ended(server.create("hello"))
    assert "hello from the image, world" in task["latestResponse"]["content"], task
    assert _show(server, first["buildId"])["inUse"]


@flow
def a_dockerfile_counts_before_a_setup_script_and_finds_the_files_beside_it(stage):
    server = stage.server()
    _setup(server)
    _write(server, "Dockerfile", f"FROM {IMAGE}\nCOPY build/more/word /etc/installed-word\n"
           "USER 0:0\nCOPY setup.sh /usr/bin/kept-setup\n")
    build = _wait(server, _build(server))
    assert build["status"] == "succeeded" and build["source"] == "Dockerfile", build
    task = server.wait_ended(server.create("cat /etc/installed-word; test -x /usr/bin/kept-setup && echo kept"))
    assert "worldkept" in task["latestResponse"]["content"], task


@flow
def a_build_is_cancelled_and_its_container_is_gone(stage):
    server = stage.server()
    _setup(server, "#!/bin/sh\necho begun\nsleep 1000\n")
    build_id = _build(server)
    wait_until("the step to begin", lambda: "begun" in _output(server, build_id)[0])
    refused = server.command("environment", "build", "test", check=False)
    assert refused.returncode != 0 and build_id in refused.stdout + refused.stderr, refused
    cancelled = server.command("environment", "build-cancel", build_id, "--json")["build"]
    assert cancelled["cancelRequestedAt"], cancelled
    build = _wait(server, build_id, 20)
    assert build["status"] == "cancelled" and build["endReason"] == "cancelled", build
    wait_until("the step's container to be gone", lambda: not _building(server), 20)
    again = server.command("environment", "build-cancel", build_id, "--json")["build"]
    assert again["finishedAt"] == build["finishedAt"], again
    assert _is_refused(server)


def _building(server):
    """Containers whose command is the script's."""
    found = engine_request(server.docker_host, "GET", "/v1.41/containers/json?all=1")[1]
    return [c for c in found if "longshore-setup" in c["Command"]]


@flow
def a_build_ends_with_its_server_and_can_be_started_again(stage):
    server = stage.server()
    go = "#!/bin/sh\necho begun\nsleep 1000\n"
    _setup(server, go)
    build_id = _build(server)
    wait_until("the step to begin", lambda: "begun" in _output(server, build_id)[0])
    server.kill()
    server.start()
    build = _wait(server, build_id, 20)
    assert build["status"] == "failed" and build["endReason"] == "server_restart", build
    wait_until("the step's container to be gone", lambda: not _building(server), 20)
    second = _build(server)
    wait_until("the step to begin", lambda: "begun" in _output(server, second)[0])
    server.terminate()
    server.start()
    build = _wait(server, second, 20)
    assert build["status"] == "failed" and build["endReason"] == "server_restart", build
    _write(server, "setup.sh", SETUP)
    assert _wait(server, _build(server))["status"] == "succeeded"


@flow
def old_images_go_when_no_container_uses_them(stage):
    server = stage.server()
    _setup(server)
    builds = []
    for number in range(5):
        _write(server, "build/more/word", f"word {number}")
        builds.append(_build(server))
        assert _wait(server, builds[-1])["status"] == "succeeded"
        if number == 0:
            held = server.create("until [ -e /workspace/go ]; do sleep 0.1; done; hello")
            workspace = stage.folder_of(server, held)
    wait_until("the second image to be removed", lambda: not _images(server, builds[1]), 20)
    assert _images(server, builds[0]), "a container uses it"
    assert all(_images(server, build) for build in builds[2:])
    (workspace / "go").touch()
    assert "word 0" in server.wait_ended(held)["latestResponse"]["content"]
    assert "word 4" in server.wait_ended(server.create("hello"))["latestResponse"]["content"]
    assert _show(server, builds[1])["imageRemoved"]


@flow
def a_dead_engine_ends_a_build_with_a_reason(stage):
    engine = stage.engine()
    server = stage.server(docker_host=engine.address)
    # Nobody ends the step of an engine that was killed: it ends by itself.
    _setup(server, "#!/bin/sh\necho begun\nsleep 15\n")
    build_id = _build(server)
    wait_until("the step to begin", lambda: "begun" in _output(server, build_id)[0])
    engine.kill()
    build = _wait(server, build_id, 30)
    assert build["status"] == "failed" and build["endReason"].startswith("engine_"), build
