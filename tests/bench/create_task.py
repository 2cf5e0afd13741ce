"""Writes: create_task (staged) by one caller and by 32 at once, who share commits. The server has all processors: its
writer and those who serve the callers are threads of their own."""

import collections
import sqlite3

import data
import load
import machine
import servers
from report import Goal, at_least, median

CALLERS = (1, 32)


class CreateTask:
    title = "create_task, staged"
    rounds = 3
    quick_rounds = 2

    def __init__(self, options):
        self.seconds = 1 if options.quick else 2
        self.samples = collections.defaultdict(list)
        self.syncs = []
        self.seed = 0
        self.open = 0  # calls that the end of a load may have cut off

    def __enter__(self):
        self.copy = data.copy(data.seeded(100_000), "create-task")
        self.server = servers.longshored(self.copy, cpus=machine.ALL_CPUS).start()
        self.before = self._tasks()
        return self

    def __exit__(self, *_):
        self.server.stop()
        data.drop(self.copy)

    def measure(self):
        self.syncs.append(machine.sync_cost(self.copy.folder) * 1000)
        for callers in CALLERS:
            self.seed += 1
            self.open += callers
            self.samples[callers].append(load.run(self.server, "create_task", callers, self.seconds, seed=self.seed))

    def _tasks(self):
        """How many tasks there are, from the store itself."""
        with sqlite3.connect(f"file:{self.copy.folder}/store.db?mode=ro", uri=True) as store:
            return store.execute("SELECT count(*) FROM tasks").fetchone()[0]

    def report(self, report):
        def of(callers, member):
            return median([getattr(sample, member) for sample in self.samples[callers]])
        report.table(self.title, ["callers", "tasks/s", "CPU us/task", "p50 ms", "p99 ms"],
                     [[callers, f"{of(callers, 'rate'):.0f}", f"{of(callers, 'cpu'):.0f}", f"{of(callers, 'p50'):.2f}",
                       f"{of(callers, 'p99'):.2f}"] for callers in CALLERS])
        report.note(f"appending a page to a file and waiting for the disk: {median(self.syncs):.2f} ms")

    def goals(self):
        ratio = median([many.rate / one.rate for one, many in zip(*(self.samples[callers] for callers in CALLERS))])
        yield at_least("create_task a second by 32 callers against one:", ratio, 10, " times")
        errors = sum(sample.errors for samples in self.samples.values() for sample in samples)
        answered = sum(sample.requests for samples in self.samples.values() for sample in samples)
        made = self._tasks() - self.before
        yield Goal("every answered create_task made its task", float(not errors and answered <= made <= answered + self.open),
                   f"{errors} errors, {answered} answers, {made} tasks")
