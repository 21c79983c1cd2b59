#!/usr/bin/env python3
"""Checks that the programs in FOLDER are layouts of PROGRAM: layouts.py PROGRAM FOLDER [NM READELF].

The programs must have the same functions in different orders, and must need the same libraries as PROGRAM. PROGRAM
itself can have slightly different functions, because another linker selected them from the static libraries.
"""

import pathlib
import re
import subprocess
import sys


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def functions(nm, program):
    lines = output_of(nm, "--defined-only", "--numeric-sort", "--print-size", program).splitlines()
    found = re.findall(r"^[0-9a-f]+ ([0-9a-f]+) [tTwW] (\S+)$", "\n".join(lines), re.MULTILINE)
    return [(name, int(size, 16)) for size, name in found]


def libraries(readelf, program):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output_of(readelf, "--dynamic", program))


def problems_of(program, layouts, nm="nm", readelf="readelf"):
    if len(layouts) < 2:
        yield f"there are {len(layouts)} layouts"
    whole, orders = sorted(functions(nm, layouts[0])) if layouts else [], {}
    for layout in layouts:
        found = functions(nm, layout)
        if sorted(found) != whole:
            lacking = set(whole) ^ set(found)
            yield f"{layout} and {layouts[0]} have different functions: {sorted(lacking)[:5]}"
        if libraries(readelf, layout) != libraries(readelf, program):
            yield f"{layout} and {program} need different libraries"
        same = orders.setdefault(tuple(found), layout)
        if same != layout:
            yield f"{layout} and {same} have their functions in the same order"


def main(words):
    if len(words) < 3:
        sys.exit(__doc__)
    layouts = sorted(path for path in pathlib.Path(words[2]).iterdir() if path.is_file())
    problems = list(problems_of(words[1], layouts, *words[3:]))
    for problem in problems:
        print(f"layouts: {problem}", file=sys.stderr)
    if not problems:
        print(f"{len(layouts)} layouts of {len(functions((words[3:] or ['nm'])[0], layouts[0]))} functions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
