"""One table of figures, and one result line for each goal."""

import statistics


class Report:
    def __init__(self):
        self.failed = 0
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

    def goals(self, goals):
        for goal in goals:
            self.failed += not goal.is_met
            print(f"{'ok' if goal.is_met else 'not ok'} - {goal.sentence}: {goal.found}", flush=True)

    def fail(self, name, reason):
        self.failed += 1
        print(f"not ok - {name}: {reason}", flush=True)

    def skip(self, name, reason):
        print(f"ok - {name} # SKIP {reason}", flush=True)


class Goal:
    def __init__(self, sentence, is_met, found):
        self.sentence = sentence
        self.is_met = bool(is_met)
        self.found = found


def at_most(sentence, value, limit, unit=""):
    return Goal(f"{sentence} at most {limit:g}{unit}", value <= limit, f"{value:.3g}{unit}")


def at_least(sentence, value, limit, unit=""):
    return Goal(f"{sentence} at least {limit:g}{unit}", value >= limit, f"{value:.3g}{unit}")


def inverse(sentence, ours, theirs, times):
    """`ours` is to be at most one part in `times` of `theirs`."""
    ratio = theirs / ours if ours else float("inf")
    return Goal(f"{sentence} at most 1/{times:g}", ratio >= times, f"1/{ratio:.1f}")


def median(values):
    return statistics.median(values)
