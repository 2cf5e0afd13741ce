"""One table of figures, and one result line for each goal.

A line says whether its goal is met. On a machine that others use too a figure swings by half, so a goal that is missed by
less than TOLERANCE is told as missed and does not fail the run, unless the run is strict.
"""

import statistics

TOLERANCE = 2.5


class Report:
    def __init__(self, is_strict=False):
        self.failed = 0
        self.is_strict = is_strict
        self.results = []

    def table(self, title, heads, rows):
        cells = [[str(cell) for cell in row] for row in [heads, *rows]]
        widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
        print(f"\n# {title}")
        for row in cells:
            print("#   " + "  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                                      for i, (cell, width) in enumerate(zip(row, widths))))

    def note(self, text):
        print(f"#   {text}")

    def fails(self, goal):
        return not goal.is_met and (self.is_strict or goal.share * TOLERANCE < 1)

    def goals(self, goals):
        for goal in goals:
            has_failed = self.fails(goal)
            self.failed += has_failed
            words = "" if goal.is_met else " MISSED"
            print(f"{'not ok' if has_failed else 'ok'} - {goal.sentence}: {goal.found}{words}", flush=True)

    def fail(self, name, reason):
        self.failed += 1
        print(f"not ok - {name}: {reason}", flush=True)

    def skip(self, name, reason):
        print(f"ok - {name} # SKIP {reason}", flush=True)


class Goal:
    """`share` is how much of the goal was reached: 1 and more is met."""

    def __init__(self, sentence, share, found):
        self.sentence = sentence
        self.share = share
        self.is_met = share >= 1
        self.found = found


def at_most(sentence, value, limit, unit=""):
    return Goal(f"{sentence} at most {limit:g}{unit}", limit / value if value > 0 else 1, f"{value:.3g}{unit}")


def at_least(sentence, value, limit, unit=""):
    return Goal(f"{sentence} at least {limit:g}{unit}", value / limit, f"{value:.3g}{unit}")


def inverse(sentence, ours, theirs, times):
    """`ours` is to be at most one part in `times` of `theirs`."""
    ratio = theirs / ours if ours else float("inf")
    return Goal(f"{sentence} at most 1/{times:g}", ratio / times, f"1/{ratio:.1f}")


def median(values):
    return statistics.median(values)
