"""list_tasks: the newest 25 of each documented set of filters, in a large store against one of a tenth of its size."""

import http.client
import time

import data
import servers
from report import at_most, median

FILTERS = {
    "no filter": {},
    "environment": {"environment": "environment-3"},
    "status": {"status": "failed"},
    "a status that none has": {"status": "running"},
    "a rare status": {"status": "staged"},
    "environment and status": {"environment": "environment-3", "status": "completed"},
    "group": {"groupId": "g-bench"},
    "created by me": {"createdByMe": True},
    "created by me, status": {"createdByMe": True, "status": "completed"},
    "created by me, environment": {"createdByMe": True, "environment": "environment-4"},
    "created by me, environment, status": {"createdByMe": True, "environment": "environment-4", "status": "completed"},
    "created by my teams": {"createdByMyTeams": True},
    "created by my teams, environment": {"createdByMyTeams": True, "environment": "environment-3"},
    "created by my teams, environment, status": {"createdByMyTeams": True, "environment": "environment-3",
                                                 "status": "completed"},
    "pinned": {"pinned": True},
    "not pinned": {"pinned": False},
    "snoozed ones too": {"includeSnoozed": True},
    "offset 1000": {"offset": 1000},
}
CALLS = 15


class ListTasks:
    title = "list_tasks, newest 25"
    rounds = 3
    quick_rounds = 1

    def __init__(self, options):
        self.sizes = (100_000, 1_000_000)
        self.taken = {name: {size: [] for size in self.sizes} for name in [*FILTERS, "next page by cursor"]}
        self.servers = {}
        self.copies = []

    def __enter__(self):
        for size in self.sizes:
            copy = data.copy(data.seeded(size), f"list-{size}")
            self.copies.append(copy)
            self.servers[size] = servers.longshored(copy, name=f"longshored {size}").start()
        self.connections = {size: http.client.HTTPConnection("127.0.0.1", server.port)
                            for size, server in self.servers.items()}
        self.filters = {size: {**FILTERS, "next page by cursor": {"cursor": self._next(size)}}
                        for size in self.sizes}
        return self

    def __exit__(self, *_):
        for server in self.servers.values():
            server.stop()
        for copy in self.copies:
            data.drop(copy)

    def _next(self, size):
        return servers.result_of(self._call(size, {}))["structuredContent"]["nextCursor"]

    def _call(self, size, arguments):
        return servers.exchange(self.connections[size], self.servers[size].key, "tools/call",
                                {"name": "list_tasks", "arguments": arguments})

    def measure(self):
        """The two servers take turns, call by call."""
        for name, taken in self.taken.items():
            for size in self.sizes:
                servers.result_of(self._call(size, self.filters[size][name]))
            for _ in range(CALLS):
                for size in self.sizes:
                    begun = time.perf_counter()
                    self._call(size, self.filters[size][name])
                    taken[size].append((time.perf_counter() - begun) * 1000)

    def report(self, report):
        report.table(self.title, ["filters", *(f"p50 ms at {size:,}" for size in self.sizes)],
                     [[name, *(f"{median(taken[size]):.2f}" for size in self.sizes)]
                      for name, taken in self.taken.items()])

    def goals(self):
        small, large = self.sizes
        for name, taken in self.taken.items():
            yield at_most(f"list_tasks, {name}: p50 at {large:,} tasks against {small:,}:",
                          median(taken[large]) / median(taken[small]), 2, " times")
