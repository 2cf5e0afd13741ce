"""From the start of the program to its first answer, with a store of 100,000 tasks on both sides."""

import time

import data
import servers
from report import inverse, median


class ColdStart:
    title = "cold start to the first answer"
    rounds = 5
    quick_rounds = 3

    def __init__(self, options):
        self.taken = {"longshored": [], "SDK idiomatic": []}

    def __enter__(self):
        seeded = data.seeded(100_000)
        self.database = data.peers_file(seeded)
        self.copy = data.copy(seeded, "cold-start")
        return self

    def __exit__(self, *_):
        data.drop(self.copy)

    def measure(self):
        for server in (servers.longshored(self.copy), servers.sdk("idiomatic", self.copy, self.database)):
            begun = time.perf_counter()
            server.spawn()
            try:
                server.wait_for_answer()
                self.taken[server.name].append((time.perf_counter() - begun) * 1000)
            finally:
                server.stop()

    def report(self, report):
        report.table(self.title, ["server", "ms"], [[name, f"{median(taken):.0f}"] for name, taken in self.taken.items()])

    def goals(self):
        ratio = median([theirs / ours for ours, theirs in zip(*self.taken.values())])
        yield inverse("cold start against the idiomatic SDK server:", 1, ratio, 10)
