#!/usr/bin/env python3
"""The README's lists of settings and tools are those of the tables.

readme.py LONGSHORED [README]          compares, one ok / not ok line a list
readme.py --write LONGSHORED [README]  puts the present lists in
"""
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


LISTS = {"settings": settings, "tools": tools}


def main():
    arguments = sys.argv[1:]
    is_writing = arguments[0] == "--write"
    program, *rest = arguments[1:] if is_writing else arguments
    path = rest[0] if rest else "README.md"
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
