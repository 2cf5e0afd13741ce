"""Two servers want one data folder, or one port."""

from longshore import flow


def _second_is_refused(server, *words):
    server.launch()
    status = server.process.wait(20)
    said = server.log_end()
    assert status != 0, said
    for word in words:
        assert word in said, f"{word!r} is not in: {said}"


@flow
def a_second_server_on_the_same_folder_says_who_holds_it_and_ends(stage):
    first = stage.server()
    second = stage.new_server("data")
    second.log = stage.folder / "second.log"
    address = (first.data / "address").read_text()
    second.keep_address = True
    _second_is_refused(second, str(first.process.pid))
    assert (first.data / "address").read_text() == address
    assert first.wait_ended(first.create("echo unharmed"))["status"] == "completed"


@flow
def a_second_server_on_the_same_port_is_refused(stage):
    first = stage.server()
    second = stage.new_server("other", port=first.address()[1])
    _second_is_refused(second, str(first.address()[1]))
    assert first.call("list_environments")["environments"][0]["name"] == "test"


@flow
def a_folder_is_free_again_after_its_server_was_killed(stage):
    server = stage.server()
    server.kill()
    server.start()
    assert server.wait_ended(server.create("echo back"))["status"] == "completed"
