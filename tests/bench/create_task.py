"""Writes: create_task (staged) by one caller and by 32 at once, who share commits."""

import collections

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

    def __enter__(self):
        self.copy = data.copy(data.seeded(100_000), "create-task")
        self.server = servers.longshored(self.copy).start()
        return self

    def __exit__(self, *_):
        self.server.stop()
        data.drop(self.copy)

    def measure(self):
        self.syncs.append(machine.sync_cost(self.copy.folder) * 1000)
        for callers in CALLERS:
            self.seed += 1
            self.samples[callers].append(load.run(self.server, "create_task", callers, self.seconds, seed=self.seed))

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
        yield Goal("every create_task was answered", errors == 0, f"{errors} errors")
