"""A thousand open event streams: what each costs, how soon an update reaches all, how soon the dead are gone, and what
calls notice of it."""

import http.client
import json
import os
import select
import socket
import subprocess
import threading
import time

import data
import load
import machine
import servers
from report import Goal, at_most, median

STREAMS = 1000
PEOPLE = 20
UPDATES = 20
DEAD = 500
HEARTBEAT_SECONDS = 12
TCP_REPAIR = 19


class Listeners:
    """So many streams, read by one thread through epoll."""

    def __init__(self, port, keys, count):
        self.poll = select.epoll()
        self.sockets = {}
        for i in range(count):
            one = socket.create_connection(("127.0.0.1", port), 20)
            one.sendall(f"GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {keys[i % len(keys)]}\r\n\r\n".encode())
            one.setblocking(False)
            self.sockets[one.fileno()] = one
            self.poll.register(one.fileno(), select.EPOLLIN)
        self.await_all(b"event: ready", 30)

    def await_all(self, text, seconds):
        """Reads until every stream has had the text; returns the time at which each had."""
        waiting = {number: b"" for number in self.sockets}
        times = []
        deadline = time.perf_counter() + seconds
        while waiting:
            left = deadline - time.perf_counter()
            if left <= 0:
                raise RuntimeError(f"{len(waiting)} of {len(self.sockets)} streams did not get {text}")
            for number, _ in self.poll.poll(left):
                piece = self.sockets[number].recv(65536)
                if not piece:
                    raise RuntimeError("a stream ended")
                if number in waiting:
                    waiting[number] += piece
                    if text in waiting[number]:
                        times.append(time.perf_counter())
                        del waiting[number]
        return times

    def drop(self, count, is_silent):
        """Lets go of so many, with a farewell or without a word, as a machine that was switched off does."""
        for number in list(self.sockets)[:count]:
            self.poll.unregister(number)
            one = self.sockets.pop(number)
            if is_silent:
                one.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
            one.close()

    def close(self):
        self.drop(len(self.sockets), False)
        self.poll.close()


class Streams:
    title = f"{STREAMS} event streams"
    rounds = 1
    quick_rounds = 1

    def __init__(self, options):
        self.count = 100_000
        self.seconds = 1 if options.quick else 3
        self.memory, self.quiet, self.all, self.gone, self.hung_up = [], [], [], [], []
        self.calls_quiet, self.calls_meanwhile = [], []
        self.number = 0

    def __enter__(self):
        self.copy = data.copy(data.seeded(self.count), "streams")
        self.server = servers.longshored(self.copy).start()
        self.keys = [self._person(f"listener-{i}") for i in range(PEOPLE)]
        os.sched_setaffinity(0, {machine.LOAD_CPU})
        return self

    def __exit__(self, *_):
        os.sched_setaffinity(0, machine.CPUS)
        self.server.stop()
        data.drop(self.copy)

    def _person(self, name):
        def command(*arguments):
            return subprocess.run([data.BUILD / "longshored", "--data", self.copy.folder, "--json", *arguments], check=True,
                                  capture_output=True, text=True).stdout
        command("user", "add", name, "--role", "Server Admin")
        return json.loads(command("key", "add", name, "--name", "streams"))["key"]

    def measure(self):
        load.run(self.server, "get_task", 32, 1, self.count)
        for _ in range(2):
            self.calls_quiet.append(load.run(self.server, "get_task", 32, self.seconds, self.count))
        before = machine.memory(self.server.pid)[0]
        one = Listeners(self.server.port, self.keys, 1)
        self.quiet.append(self._updates(one))
        one.close()
        listeners = Listeners(self.server.port, self.keys, STREAMS)
        machine.wait_until_idle(self.server.pid)
        self.memory.append((machine.memory(self.server.pid)[0] - before) * 1024 / STREAMS)
        self.all.append(self._updates(listeners))
        self._call_meanwhile(listeners)
        self._lose(listeners)
        listeners.close()

    def _update(self, connection):
        """Makes a change that everybody sees; returns its mark."""
        self.number += 1
        name = f"update-{os.getpid()}-{self.number}"
        servers.result_of(servers.exchange(connection, self.server.key, "tools/call", {"name": "create_task", "arguments": {
            "environment": "environment-0", "staged": True, "instructions": "true", "name": name}}))
        return name.encode()

    def _updates(self, listeners):
        """The ms after which each stream had each update, counted from the call that made it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        taken = []
        for _ in range(UPDATES):
            begun = time.perf_counter()
            mark = self._update(connection)
            taken += [(at - begun) * 1000 for at in listeners.await_all(mark, 20)]
        connection.close()
        return taken

    def _call_meanwhile(self, listeners):
        """Calls under load while all streams are told something every second."""
        is_over = threading.Event()

        def update():
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
            while not is_over.wait(1):
                listeners.await_all(self._update(connection), 20)
            connection.close()
        updating = threading.Thread(target=update)
        updating.start()
        for _ in range(2):
            self.calls_meanwhile.append(load.run(self.server, "get_task", 32, self.seconds, self.count))
        is_over.set()
        updating.join()

    def _open_descriptors(self):
        return len(os.listdir(f"/proc/{self.server.pid}/fd"))

    def _lose(self, listeners):
        for is_silent, found in ((True, self.gone), (False, self.hung_up)):
            wanted = self._open_descriptors() - DEAD // 2
            begun = time.perf_counter()
            listeners.drop(DEAD // 2, is_silent)
            while self._open_descriptors() > wanted + 5 and time.perf_counter() - begun < 60:
                time.sleep(0.05)
            found.append(time.perf_counter() - begun)

    def report(self, report):
        rows = [["an update to one stream of a quiet server", *(share(self.quiet, part) for part in (0.5, 0.99))],
                [f"an update to each of {STREAMS}", *(share(self.all, part) for part in (0.5, 0.99))],
                ["get_task, 32 connections, quiet", *(self._call(member, self.calls_quiet) for member in ("p50", "p99"))],
                ["get_task meanwhile", *(self._call(member, self.calls_meanwhile) for member in ("p50", "p99"))]]
        report.table(self.title, ["what", "p50 ms", "p99 ms"], [[what, f"{p50:.1f}", f"{p99:.1f}"] for what, p50, p99 in rows])
        report.note(f"{STREAMS} streams have their update (p99) after {share(self.all, 0.99) / share(self.quiet, 0.5):.1f} "
                    "times what one stream of a quiet server takes (p50)")
        report.note(f"clients that hung up were gone after {median(self.hung_up):.2f} s")

    @staticmethod
    def _call(member, loads):
        return median([getattr(one, member) for one in loads])

    def goals(self):
        yield at_most(f"anonymous memory of each of {STREAMS} streams:", median(self.memory), 16, " kB")
        yield at_most(f"one update to all of {STREAMS} streams, p99:", share(self.all, 0.99), 100, " ms")
        yield at_most("dead peers are gone after (two heartbeats)", median(self.gone), 2 * HEARTBEAT_SECONDS, " s")
        yield at_most("get_task's p99 meanwhile against a quiet server:",
                      self._call("p99", self.calls_meanwhile) / self._call("p99", self.calls_quiet), 3, " times")
        errors = sum(one.errors for one in self.calls_quiet + self.calls_meanwhile)
        yield Goal("every get_task was answered beside the streams", float(errors == 0), f"{errors} errors")


def share(rounds, part):
    """The value that so great a part of each round's values do not exceed; the median of the rounds."""
    return median([sorted(values)[min(int(len(values) * part), len(values) - 1)] for values in rounds])
