#!/usr/bin/env python3
"""The README's lists of settings and tools are those of the tables.

readme.py [--write] [LONGSHORED]

Compares, one ok / not ok line a list; --write puts the present lists in. The program is $LONGSHORED when none is given.
"""
import os
import re
import subprocess
import sys


def reference(program, section):
    return subprocess.run([program, "reference", section], check=True, capture_output=True, text=True).stdout


def settings(program):
    rows = [line for line in reference(program, "settings").splitlines() if line.startswith("|")]
    return "\n".join(rows)


def tools(program):
    rows = ["| tool | what it does |", "|---|---|"]
    for name, description in re.findall(r"^### (\w+)\n\n(.+)$", reference(program, "tools"), re.M):
        rows.append(f"| `{name}` | {re.split(r'(?<=[.]) ', description)[0]} |")
    return "\n".join(rows)


# The markers keep a line between them, so that an empty list is found too.
LISTS = {"settings": settings, "tools": tools}


def main():
    is_writing = sys.argv[1:2] == ["--write"]
    programs = sys.argv[1 + is_writing:]
    program = programs[0] if programs else os.environ["LONGSHORED"]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "README.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    failed = False
    for name, make in LISTS.items():
        block = re.compile(rf"(<!-- {name}: from the tables -->\n).*?(\n<!-- end -->)", re.S)
        found = block.search(text)
        wanted = make(program)
        is_same = bool(found) and found.group(0) == found.group(1) + wanted + found.group(2)
        if is_writing:
            text = block.sub(lambda match: match.group(1) + wanted + match.group(2), text)
        else:
            print(f"{'ok' if is_same else 'not ok'} - the_readme_lists_the_{name}_of_the_tables")
            failed = failed or not is_same
    if is_writing:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return failed


sys.exit(main())
