"""Memory of the server: after its start, and after it has served 256 connections."""

import data
import load
import machine
import servers
from report import at_most, median


class Memory:
    title = "memory of the server"
    rounds = 1
    quick_rounds = 1

    def __init__(self, options):
        self.count = 100_000
        self.idle = []
        self.after = []

    def __enter__(self):
        self.copy = data.copy(data.seeded(self.count), "memory")
        return self

    def __exit__(self, *_):
        data.drop(self.copy)

    def measure(self):
        with servers.longshored(self.copy) as server:
            self.idle.append(machine.memory(server.pid))
            load.run(server, "get_task", 256, 2, self.count)
            self.after.append(machine.memory(server.pid))

    def report(self, report):
        report.table(self.title, ["when", "anonymous MB", "resident MB"],
                     [[when, *(f"{median(column):.1f}" for column in zip(*found))]
                      for when, found in (("idle", self.idle), ("after 256 connections", self.after))])

    def goals(self):
        anonymous, resident = zip(*self.idle)
        yield at_most("anonymous memory when idle:", median(anonymous), 8, " MB")
        yield at_most("resident memory when idle:", median(resident), 24, " MB")
