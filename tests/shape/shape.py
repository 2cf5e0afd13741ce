"""Checks the shape of the house: which folder may include which, and what may stand where.

    python3 tests/shape/shape.py [ROOT]

Prints one result line for each rule, after the faults it found.
"""

import pathlib
import re
import subprocess
import sys

# Each layer and what it may include besides itself. A folder belongs to the longest name that it starts with.
BASE = {"server/base"}
SERVICES = BASE | {"server/store", "server/http", "docker/runner", "docker", "git"}
DOORS = BASE | {"server/http", "server/services"}
EVERYTHING = SERVICES | {"server/services", "mcp", "oauth", "server/rest", "server/web", "server/admin", "migrations"}
LAYERS = {
    "server/base": set(),
    "docker/runner": BASE,
    "server/store": BASE | {"migrations"},
    "server/http": BASE,
    "docker": BASE | {"docker/runner"},
    "git": BASE,
    "server/services": SERVICES,
    "mcp": DOORS,
    "oauth": DOORS,
    "server/rest": DOORS,
    "server/web": DOORS,
    "server/admin": DOORS,
    "server": EVERYTHING,
}

# An outside library's headers and the only folders (or files) where they may be included.
LIBRARIES = {
    r"sqlite3(ext)?\.h": ("server/store",),
    r"microhttpd.*\.h": ("server/http",),
    r"gnutls/.*": ("server/http",),
    r"curl/.*": ("docker", "server/http/fetch.c"),
    r"git2(\.h|/.*)": ("git",),
    r"sodium(\.h|/.*)": ("server/base",),
    r"liboath/.*": ("server/base",),
    r"cjose/.*": ("server/base",),
}

SQL = re.compile(r"\b(SELECT\b.+\bFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(TABLE|INDEX|UNIQUE)"
                 r"|DROP\s+TABLE|ALTER\s+TABLE|PRAGMA\s+\w+|BEGIN\s+(IMMEDIATE|EXCLUSIVE|TRANSACTION)|WHERE\s+\w+\s*(=|IN\b))",
                 re.DOTALL)
# Written in two halves, so that this file does not find itself.
MARKERS = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")
MACHINE_PATHS = re.compile(r"(?<![\w.$}/-])/(wo" + r"rk/|ro" + r"ot/\.|ho" + r"me/(?!agent\b)[a-z])[\w./-]*")
TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
BINARY = {".png", ".ico", ".woff2", ".gz", ".pack", ".bin"}


class Tree:
    """The files that git would commit, with their text."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                capture_output=True, check=True).stdout.decode().split("\0")
        self.files = {}
        for name in sorted(filter(None, listed)):
            path = self.root / name
            if path.is_file() and not path.is_symlink() and path.suffix not in BINARY:
                self.files[name] = path.read_text(errors="replace")

    def sources(self):
        """The product's own C files: those that lie in a layer."""
        return {name: text for name, text in self.files.items() if name.endswith((".c", ".h")) and layer_of(name)}


def layer_of(name):
    folder = name.rsplit("/", 1)[0] if "/" in name else ""
    matching = [layer for layer in LAYERS if folder == layer or folder.startswith(layer + "/")]
    return max(matching, key=len, default=None)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def without_comments(text):
    """The text with comments blanked, positions kept."""
    def blank(match):
        token = match.group(0)
        return re.sub(r"[^\n]", " ", token) if token.startswith("/") else token
    return TOKENS.sub(blank, text)


def includes(text):
    """(line, name, whether in quotes) of each include."""
    code = without_comments(text)
    return [(line_of(code, match.start()), match.group(1) or match.group(2), match.group(1) is not None)
            for match in INCLUDE.finditer(code)]


def no_include_points_up_or_sideways(tree):
    for name, text in tree.sources().items():
        own = layer_of(name)
        for line, included, quoted in includes(text):
            target = layer_of(included) or ("migrations" if included.startswith("migrations/") else None)
            if target and target != own and target not in LAYERS[own]:
                yield f"{name}:{line}: {own} must not include {included}, which belongs to {target}"
            elif quoted and "/" not in included:
                yield f"{name}:{line}: write the include from the root, not \"{included}\""
            elif quoted and included.startswith("tests/"):
                yield f"{name}:{line}: the product must not include {included}"


def no_files_include_each_other(tree):
    graph = {name: [included for _, included, quoted in includes(text) if quoted and included in tree.files]
             for name, text in tree.files.items() if name.endswith((".c", ".h"))}
    done = set()
    for start in graph:
        path, stack = [], [(start, iter(graph[start]))]
        while stack:
            name, rest = stack[-1]
            if not path or path[-1] != name:
                path.append(name)
            following = next(rest, None)
            if following is None:
                done.add(name)
                path.pop()
                stack.pop()
            elif following in path:
                yield "a cycle: " + " -> ".join(path[path.index(following):] + [following])
                done.update(path)
            elif following not in done:
                stack.append((following, iter(graph.get(following, []))))


def a_library_stays_in_its_folder(tree):
    for name, text in tree.sources().items():
        for line, included, _ in includes(text):
            for pattern, allowed in LIBRARIES.items():
                if re.fullmatch(pattern, included) and not any(name == place or layer_of(name) == place for place in allowed):
                    yield f"{name}:{line}: {included} belongs to {' and '.join(allowed)} only"


def sql_is_written_in_the_store_only(tree):
    for name, text in tree.sources().items():
        if layer_of(name) == "server/store":
            continue
        code = without_comments(text)
        # Neighbouring literals are one text to the compiler, and to the reader.
        for match in re.finditer(r'"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*', code):
            if SQL.search(match.group(0)):
                yield f"{name}:{line_of(code, match.start())}: SQL outside server/store: {match.group(0)[:60]}"


def nothing_is_left_over(tree):
    for name, text in tree.files.items():
        if name.endswith("package-lock.json"):
            if '"resolved"' in text:
                yield f"{name}: names where packages were fetched: make it with npm's omit-lockfile-registry-resolved"
            continue
        if name == "LICENSE":
            continue
        for pattern, what in ((MARKERS, "a left-over marker"), (MACHINE_PATHS, "a path of one machine")):
            for match in pattern.finditer(text):
                yield f"{name}:{line_of(text, match.start())}: {what}: {match.group(0)}"


RULES = (no_include_points_up_or_sideways, no_files_include_each_other, a_library_stays_in_its_folder,
         sql_is_written_in_the_store_only, nothing_is_left_over)


def main(root):
    tree = Tree(root)
    failed = False
    for rule in RULES:
        faults = list(rule(tree))
        for fault in faults:
            print(f"# {fault}")
        print(f"{'not ok' if faults else 'ok'} - {rule.__name__}")
        failed = failed or bool(faults)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]))
