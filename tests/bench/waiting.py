"""A thousand tasks that wait for ten slots, half of them one person's and first in the queue: whose turn it is, and what a
decision takes over writing as much without one."""

import json
import subprocess

import data
import machine
from report import at_most, median

PEOPLE = 40
PART = 100


class Waiting:
    title = "1000 tasks wait for 10 slots, microseconds"
    rounds = 3
    quick_rounds = 1

    def __init__(self, options):
        self.found = []

    def __enter__(self):
        self.pristine = data.seeded(1000)
        return self

    def __exit__(self, *_):
        pass

    def measure(self):
        copy = data.copy(self.pristine, "waiting")
        try:
            done = subprocess.run(["taskset", "-c", str(machine.SERVER_CPU), data.PROGRAMS / "bench_queue", copy.folder],
                                  check=True, capture_output=True, text=True)
            self.found.append(json.loads(done.stdout))
        finally:
            data.drop(copy)

    def _median(self, name, part=slice(None)):
        return median([median(found[name][part]) for found in self.found])

    def report(self, report):
        report.table(self.title, ["what", "median", "while most wait", "while few wait"],
                     [[words, *(f"{self._median(name, part):.0f}"
                                for part in (slice(None), slice(PART), slice(-PART, None)))]
                      for name, words in (("decide", "a slot goes to whose turn it is"), ("write", "as much is written"))])
        report.note(f"a task joins the queue: {self._median('enqueue'):.0f}")

    def goals(self):
        yield at_most("a decision against writing as much:", self._median("decide") / self._median("write"), 3, " times")
        most, few = self._median("decide", slice(PART)), self._median("decide", slice(-PART, None))
        yield at_most("a decision while 900 wait against one while few do:", most / few, 3, " times")
        waited = max(max(found["people"].index(person) for person in range(1, PEOPLE)) + 1 for found in self.found)
        # The other one starts again whenever nothing of his runs any more, which is once in ten starts.
        yield at_most("starts until each of 39 who came behind 500 tasks of another had one:", waited, (PEOPLE - 1) * 1.25)
