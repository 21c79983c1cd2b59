#!/usr/bin/env python3
"""Builds programs of other projects on Asio's own context and on this project's loop, and compares what they do.

    programs.py BUILD FOLDER [NAME...]

BUILD is a build folder of this project with the target loopbench_loop built. Each file NAME.py in this folder fetches
a program into FOLDER/NAME, builds it, and says what is tried; without names, all of them run. A swapped program runs
once on epoll and once on io_uring. After each check, the script writes FOLDER/results.json, and at the end
FOLDER/results.txt with a table of all results in results.json, also those of earlier runs.

Needs Debian 12 and its archive. Installs missing packages with apt-get, which needs root. Takes more than an
hour. Ends with 0 if each program gave the same results on all ways, with 1 if there is a difference, and with 2 if a
program could not be fetched or built, or if a check fails on Asio's own context, too, so that it proves nothing.
"""

import argparse
import importlib
import json
import pathlib
import platform
import sys

import kit

ABOUT = ("kit", "programs", "programs_test")
TITLES = {"stock": "Asio's own context", "epoll": "on epoll", "io_uring": "on io_uring"}


def names_in(place):
    return sorted(file.stem for file in place.glob("*.py") if file.stem not in ABOUT)


def differs(check):
    return any(check[way] != check["stock"] for way in kit.WAYS)


class Results:
    """The results of all programs, in FOLDER/results.json."""

    def __init__(self, folder):
        self.file = folder / "results.json"
        self.programs = json.loads(self.file.read_text()) if self.file.exists() else {}

    def keep(self, program, unavailable=None):
        self.programs[program.name] = {"version": program.version, "unavailable": unavailable,
                                       "checks": program.checks}
        part = self.file.with_suffix(".part")
        part.write_text(json.dumps(self.programs, indent=1) + "\n")
        part.replace(self.file)

    def table(self):
        """Returns the lines of the table. Equal results of a check are written once."""
        yield f"Linux {platform.release()}. `equal`: the same result on Asio's own context, on epoll and on io_uring"
        for name, program in sorted(self.programs.items()):
            yield ""
            yield " ".join(filter(None, [name, program["version"]]))
            for check in program["checks"]:
                if differs(check):
                    yield f"  DIFFERS  {check['check']}"
                    yield from (f"    {TITLES[way]}: {check[way]}" for way in kit.WAYS)
                else:
                    word = "FAILS" if check["fails_on_stock"] else "equal"
                    yield f"  {word}  {check['check']}: {check['stock']}"
            if program["unavailable"]:
                yield f"  NOT TRIED  {program['unavailable']}"

    def code(self, names):
        mine = [self.programs[name] for name in names]
        checks = [check for program in mine for check in program["checks"]]
        if any(map(differs, checks)):
            return 1
        is_incomplete = any(program["unavailable"] or not program["checks"] for program in mine)
        return 2 if is_incomplete or any(check["fails_on_stock"] for check in checks) else 0


def try_program(module, program, results):
    """Runs the module of a program, and keeps its results."""
    try:
        module.run(program)
        results.keep(program)
    except kit.Unavailable as missing:
        program.tell(f"not available: {missing}")
        results.keep(program, str(missing))


def main(words, place=kit.HERE):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD", type=pathlib.Path)
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("names", metavar="NAME", nargs="*")
    arguments = parser.parse_args(words)
    known = names_in(place)
    if unknown := set(arguments.names) - set(known):
        parser.error(f"unknown program: {', '.join(sorted(unknown))}; the programs are {', '.join(known)}")
    if not (arguments.build / "CMakeCache.txt").exists():
        parser.error(f"{arguments.build} is not a build folder; configure it with cmake --preset release")
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    results = Results(folder)
    swap = kit.Swap(arguments.build.resolve(), folder / "prefix")
    names = arguments.names or known
    sys.path.insert(0, str(place))
    for name in names:
        program = kit.Program(name, folder / name, swap, results.keep)
        try_program(importlib.import_module(name), program, results)
    text = "\n".join(results.table()) + "\n"
    (folder / "results.txt").write_text(text)
    print(text, end="")
    return results.code(names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
