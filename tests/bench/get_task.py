"""get_task under load, beside the peers: processor time for each request, requests a second, latency, stalls."""

import collections

import data
import load
import servers
from report import Goal, at_least, inverse, median

OURS, BARE, LOW, IDIOMATIC, FASTMCP = "longshored", "bare libmicrohttpd", "SDK lowlevel", "SDK idiomatic", "fastmcp"
COMPARED = (32, 256)
STALLS = (32, 127, 128, 129, 512)


class GetTask:
    title = "get_task beside the peers"
    rounds = 3
    quick_rounds = 1

    def __init__(self, options):
        self.count = 100_000
        self.seconds = {32: 1, 256: 2} if options.quick else {32: 2, 256: 3}
        self.samples = collections.defaultdict(list)
        self.stalls = collections.defaultdict(list)
        self.long = collections.defaultdict(list)
        self.servers = {}
        self.has_access_token = options.oauth
        if options.oauth:
            self.title += ", with an OAuth access token"

    def __enter__(self):
        seeded = data.seeded(self.count)
        database = data.peers_file(seeded)
        self.copy = data.copy(seeded, "get-task")
        if self.has_access_token:
            self.copy = data.with_access_token(self.copy)
        self._start(servers.longshored(self.copy))
        answer = data.WORK / "answer.json"
        answer.write_bytes(self.servers[OURS].answer("tools/call", servers.get_task(0)))
        self._start(servers.bare(answer))
        for peer in (servers.sdk("lowlevel", seeded, database), servers.sdk("idiomatic", seeded, database),
                     servers.fastmcp(seeded, database)):
            self._start(peer)
            load.run(peer, "get_task", 32, 1, self.count)  # the peers' compiler warms up
        return self

    def _start(self, server):
        self.servers[server.name] = server
        server.start()

    def __exit__(self, *_):
        for server in self.servers.values():
            server.stop()
        data.drop(self.copy)

    def measure(self):
        for connections in COMPARED:
            for name, server in self.servers.items():
                self.samples[name, connections].append(
                    load.run(server, "get_task", connections, self.seconds[connections], self.count))
        for connections in STALLS:
            self.stalls[connections].append(load.run(self.servers[OURS], "get_task", connections, 1, self.count))
        for name in (OURS, LOW):
            self.long[name].append(load.run(self.servers[name], "long", 32, 1))

    def report(self, report):
        heads = ["server", "connections", "CPU us/request", "requests/s", "p50 ms", "p99 ms", "bytes", "errors"]
        rows = [row(name, connections, self.samples[name, connections])
                for connections in COMPARED for name in self.servers]
        rows += [row(OURS, connections, self.stalls[connections]) for connections in STALLS if connections not in COMPARED]
        rows += [row(f"{name}, 12,000-character reply", 32, self.long[name]) for name in (OURS, LOW)]
        report.table(self.title, heads, rows)

    def _ratio(self, member, name, connections):
        """Median over the rounds of theirs to ours."""
        return median([getattr(theirs, member) / getattr(ours, member) for theirs, ours in
                       zip(self.samples[name, connections], self.samples[OURS, connections])])

    def goals(self):
        for connections in COMPARED:
            at = f"of get_task at {connections} connections"
            yield inverse(f"CPU {at} against the low-level SDK server:", 1, self._ratio("cpu", LOW, connections), 15)
            yield inverse(f"CPU {at} against the idiomatic SDK server:", 1, self._ratio("cpu", IDIOMATIC, connections), 100)
            best = min((LOW, IDIOMATIC, FASTMCP), key=lambda name: 1 / median(
                [sample.rate for sample in self.samples[name, connections]]))
            yield at_least(f"requests a second {at} against the best peer ({best}):",
                           1 / self._ratio("rate", best, connections), 12, " times")
            yield at_least(f"requests a second {at} against bare libmicrohttpd:",
                           100 / self._ratio("rate", BARE, connections), 25, " %")
        yield inverse("p99 of get_task at 256 connections against the low-level SDK server:", 1,
                      self._ratio("p99", LOW, 256), 20)
        for connections in STALLS[1:]:
            ratio = median([many.rate / few.rate for many, few in zip(self.stalls[connections], self.stalls[32])])
            yield at_least(f"no stall: requests a second at {connections} connections against 32:", ratio, 0.9, " times")
        errors = sum(sample.errors for (name, _), samples in self.samples.items() if name == OURS for sample in samples)
        errors += sum(sample.errors for samples in self.stalls.values() for sample in samples)
        yield Goal("every get_task was answered", float(errors == 0), f"{errors} errors")


def row(name, connections, samples):
    def of(member):
        return median([getattr(sample, member) for sample in samples])
    return [name, connections, f"{of('cpu'):.1f}", f"{of('rate'):.0f}", f"{of('p50'):.2f}", f"{of('p99'):.1f}",
            f"{of('bytes'):.0f}", sum(sample.errors for sample in samples)]
