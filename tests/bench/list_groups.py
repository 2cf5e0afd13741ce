"""list_task_groups and get_task_group: groups of six among tasks that stand alone, ten times as many against a tenth."""

import http.client
import time

import data
import servers
from report import at_most, median

FILTERS = {
    "no filter": {},
    "without tasks that stand alone": {"includeUngroupedTasks": False},
    "environment": {"environment": "environment-3"},
    "status": {"status": "completed"},
    "a status that none has": {"status": "running"},
    "environment and status": {"environment": "environment-3", "status": "completed"},
    "created by me": {"createdByMe": True},
    "created by me, status": {"createdByMe": True, "status": "completed"},
    "created by my teams": {"createdByMyTeams": True},
    "created by my teams, environment": {"createdByMyTeams": True, "environment": "environment-3"},
    "pinned": {"pinned": True},
    "not pinned": {"pinned": False},
    "snoozed ones too": {"includeSnoozed": True},
    "offset 1000": {"offset": 1000},
}
CALLS = 9


class ListGroups:
    title = "list_task_groups, newest 25, and a group of six"
    rounds = 3
    quick_rounds = 1

    def __init__(self, options):
        self.tasks = (100_000, 1_000_000)
        self.sizes = tuple(count // data.GROUP_EVERY for count in self.tasks)
        self.taken = {name: {size: [] for size in self.sizes} for name in [*FILTERS, "next page by cursor"]}
        self.of_six = {"get_task_group": [], "get_task": []}
        self.servers = {}
        self.copies = []

    def __enter__(self):
        for size, tasks in zip(self.sizes, self.tasks):
            copy = data.copy(data.grouped(tasks), f"groups-{size}")
            self.copies.append(copy)
            self.servers[size] = servers.longshored(copy, name=f"longshored {size} groups").start()
        self.connections = {size: http.client.HTTPConnection("127.0.0.1", server.port)
                            for size, server in self.servers.items()}
        self.filters = {size: {**FILTERS, "next page by cursor": {"cursor": self._next(size)}} for size in self.sizes}
        return self

    def __exit__(self, *_):
        for server in self.servers.values():
            server.stop()
        for copy in self.copies:
            data.drop(copy)

    def _next(self, size):
        return servers.result_of(self._call(size, "list_task_groups", {}))["structuredContent"]["nextCursor"]

    def _call(self, size, tool, arguments):
        return servers.exchange(self.connections[size], self.servers[size].key, "tools/call",
                                {"name": tool, "arguments": arguments})

    def _time(self, size, tool, arguments, taken):
        begun = time.perf_counter()
        self._call(size, tool, arguments)
        taken.append((time.perf_counter() - begun) * 1000)

    def measure(self):
        """The two servers take turns, call by call; so do a group of six and a single task of it."""
        for name, taken in self.taken.items():
            for size in self.sizes:
                servers.result_of(self._call(size, "list_task_groups", self.filters[size][name]))
            for _ in range(CALLS):
                for size in self.sizes:
                    self._time(size, "list_task_groups", self.filters[size][name], taken[size])
        large = self.sizes[-1]
        group = servers.result_of(self._call(large, "get_task_group", {"groupId": data.group_id(0)}))["structuredContent"]
        assert group["variantCount"] == 6, group
        for _ in range(CALLS * 3):
            self._time(large, "get_task_group", {"groupId": data.group_id(0)}, self.of_six["get_task_group"])
            self._time(large, "get_task", servers.get_task(0)["arguments"], self.of_six["get_task"])

    def report(self, report):
        rows = [[name, *(f"{median(taken[size]):.2f}" for size in self.sizes)] for name, taken in self.taken.items()]
        report.table(self.title, ["filters", *(f"p50 ms at {size:,} groups" for size in self.sizes)],
                     [*rows, *([name, "", f"{median(taken):.2f}"] for name, taken in self.of_six.items())])

    def goals(self):
        """Totals are counted up to ten thousand, which some filters reach only in the larger store: less than half of
        ten times as much is wanted of each."""
        small, large = self.sizes
        for name, taken in self.taken.items():
            yield at_most(f"list_task_groups, {name}: p50 at {large:,} groups against {small:,}:",
                          median(taken[large]) / median(taken[small]), 5, " times")
        yield at_most("get_task_group, a group of six: p50 against get_task of one:",
                      median(self.of_six["get_task_group"]) / median(self.of_six["get_task"]), 6, " times")
