#!/usr/bin/env python3
"""Removes one defence at a time from the code, and shows that a test then fails.

usage: mutants.py --check
       mutants.py FOLDER [--only TEXT]... [--front "WORDS"] [--table FILE] [--list]

A mutant is a file NAME.mutant. It contains the name of the source file that it changes (File), the defence that it
removes (Defence), the program to build (Program), a filter of GoogleTest or the program's arguments (Tests), and the
code Before and After the change. The source file must contain the code Before exactly once. Blanks, line breaks and
comments in the source do not matter; the code Before must not contain comments.

--check builds nothing. It verifies that each mutant can be applied and that its tests exist.

FOLDER gets a copy of the checked-out commit, a build of this copy without optimisation, and the results. All three stay
for the next call, so that an interrupted run continues. A mutant that made a test fail is not tried again, even on a
later commit. All other mutants are tried again. The program must pass its tests before the mutant is applied. WORDS are
put before the commands that build and run programs, for example `nice` or a command that takes a lock.

The table has a line for each mutant that was tried. The exit code is 1 if a mutant survived or did not build, or if its
tests did not pass without the mutant.
"""

import argparse
import collections
import fnmatch
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RUN_LIMIT_S = 60  # a program that runs longer counts as a failed test
ENVIRONMENT = {**os.environ, "GTEST_COLOR": "no"}

FORMAT = re.compile(r"File: (.+)\nDefence: (.+)\nProgram: (.+)\nTests: (.+)\n\nBefore:\n((?:.*\n)+)After:\n((?:.*\n)*)")
COMMENT_OR_LITERAL = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.S)
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\w+|\S')
TEST = re.compile(r"^(TEST|TEST_F|TEST_P|TYPED_TEST|THREADS_TEST)\((\w+),\s*(\w+)\)", re.M)
NAME_IN_GOOGLETEST = {"TEST": "{}.{}", "TEST_F": "{}.{}", "TEST_P": "{}.{}/0", "TYPED_TEST": "{}/0.{}",
                      "THREADS_TEST": "threads/loop_each_2.{1}"}


class Unusable(Exception):
    """A mutant that cannot be applied or has no tests."""


class Mutant:
    def __init__(self, file):
        text = file.read_text()
        self.name = file.stem
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        if not (found := FORMAT.fullmatch(text)):
            sys.exit(f"{file}: expected File, Defence, Program, Tests, an empty line, Before and After, in this order")
        self.file, self.defence, self.program, self.tests, self.before, self.after = found.groups()
        self.is_googletest = self.program.endswith("_tests")

    def applied_in(self, root):
        """Returns the text of the mutant's source file with the change."""
        path = root / self.file
        if not path.is_file():
            raise Unusable(f"there is no file {self.file}")
        text = path.read_text()
        places = [*pattern_of(self.before).finditer(without_comments(text))]
        if len(places) != 1:
            raise Unusable(f"{self.file} contains the code before {len(places)} times; expected once")
        begin, end = places[0].span()
        return text[:begin] + self.after.rstrip("\n") + text[end:]


@functools.cache
def without_comments(text):
    """Replaces each comment with blanks, so that all other characters keep their positions."""
    return COMMENT_OR_LITERAL.sub(
        lambda found: re.sub(r"[^\n]", " ", found[0]) if found[0].startswith("/") else found[0], text)


def pattern_of(code):
    """Returns a pattern that matches the tokens of the code, with any blanks between them."""
    return re.compile(r"\s*".join(rf"\b{word}\b" if re.fullmatch(r"\w+", word) else re.escape(word)
                                  for word in TOKEN.findall(code)))


@functools.cache
def tests_in(folder):
    return [NAME_IN_GOOGLETEST[found[1]].format(found[2], found[3])
            for path in sorted(folder.rglob("*.cpp")) for found in TEST.finditer(path.read_text())]


def check_tests(mutant):
    """Raises Unusable if the mutant's program has no matching tests. The tests of NAME_tests are usually in the folder
    NAME; without such a folder, the tests of all folders count.
    """
    folder = HERE.parent / mutant.program.removesuffix("_tests")
    if not mutant.is_googletest:
        if not any(HERE.parent.rglob(f"{pathlib.Path(mutant.program).name}.cpp")):
            raise Unusable(f"there is no program {mutant.program}")
        return
    names = tests_in(folder if folder.is_dir() else HERE.parent)
    for pattern in mutant.tests.split(":"):
        if not any(fnmatch.fnmatchcase(name, pattern) for name in names):
            raise Unusable(f"no test of {mutant.program} has a name like '{pattern}'")


def check(mutants):
    count_of_unusable = 0
    for mutant in mutants:
        try:
            mutant.applied_in(ROOT)
            check_tests(mutant)
        except Unusable as problem:
            print(f"{mutant.name}: {problem}")
            count_of_unusable += 1
    if not mutants:
        sys.exit(f"{HERE} contains no mutants")
    if count_of_unusable != 0:
        sys.exit("Adapt these mutants to the current code, or remove those whose defence no longer exists; "
                 "see tests/mutants/README.md.")


def call(command, folder, **more):
    return subprocess.run(command, cwd=folder, text=True, errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **more)


class Tree:
    """A copy of the commit, in which mutants are applied and removed again."""

    def __init__(self, folder, front):
        self.folder, self.front = folder / "tree", front
        self.commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], check=True, text=True,
                                     capture_output=True).stdout.strip()
        if not self.folder.exists():
            subprocess.run(["git", "-C", ROOT, "worktree", "add", "--detach", "--quiet", self.folder, self.commit],
                           check=True)
        self.reset(self.commit)
        self.build_folder = self.folder / "build/dev"
        if not (self.build_folder / "build.ninja").exists():
            # This preset compiles each source separately (no unity build). A mutant then needs only one compilation.
            configured = call(["cmake", "--preset", "dev", "-DLOOPBENCH_WERROR=OFF", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"],
                              self.folder)
            if configured.returncode != 0:
                sys.exit(configured.stdout)

    def reset(self, commit="HEAD"):
        subprocess.run(["git", "-C", self.folder, "reset", "--quiet", "--hard", commit], check=True)

    def build(self, program):
        """Builds the program. Returns None, or the compiler's output if the build failed."""
        done = call([*self.front, "ninja", "-C", self.build_folder, f"bin/{program}"], self.folder)
        return None if done.returncode == 0 else done.stdout

    def run(self, mutant):
        """Runs the mutant's tests. Returns True and an empty text if all tests pass, and otherwise False and the name
        of the first test that fails.
        """
        arguments = [f"--gtest_filter={mutant.tests}"] if mutant.is_googletest else shlex.split(mutant.tests)
        command = [*self.front, "timeout", "-k", "5", str(RUN_LIMIT_S), self.build_folder / "bin" / mutant.program,
                   *arguments]
        done = call(command, self.folder, env=ENVIRONMENT)
        if "Running 0 tests" in done.stdout:
            return False, "no test has such a name"
        if done.returncode == 0:
            return True, ""
        failed = re.findall(r"^\[  FAILED  \] ([\w./]+)", done.stdout, re.M)
        begun = re.findall(r"^\[ RUN      \] ([\w./]+)", done.stdout, re.M)
        if failed:
            return False, failed[0]
        ended = "does not end" if done.returncode in (124, 137) else f"ends with {done.returncode}"
        return False, f"{begun[-1]} {ended}" if begun else f"{mutant.program} {ended}"


def outcome_of(mutant, tree, passing):
    if (mutant.program, mutant.tests) not in passing:
        if problem := tree.build(mutant.program):
            return "not built without the mutant", problem[-300:]
        passes, what = tree.run(mutant)
        if not passes:
            return "not passing without the mutant", what
        passing.add((mutant.program, mutant.tests))
    try:
        (tree.folder / mutant.file).write_text(mutant.applied_in(tree.folder))
    except Unusable as problem:
        return "does not apply", str(problem)
    try:
        if problem := tree.build(mutant.program):
            error = re.search(r"^.*error: (.*)$", problem, re.M)
            return "does not build", error.group(1) if error else problem[-300:]
        passes, what = tree.run(mutant)
        return ("survives", "") if passes else ("red", what)
    finally:
        tree.reset()


def table_of(mutants, results):
    rows = [(mutant, results[mutant.name]) for mutant in mutants if mutant.name in results]
    red = sum(result["outcome"] == "red" for _, result in rows)
    commits = collections.Counter(result["commit"][:12] for _, result in rows)
    tried_on = ", ".join(f"{count} on commit {commit}" for commit, count in commits.items())
    lines = [f"{len(rows)} of {len(mutants)} mutants were tried, {tried_on}: a test detects {red} of them, "
             f"no test detects {len(rows) - red}.", "", "| mutant | test that fails |", "|---|---|"]
    for mutant, result in rows:
        is_red = result["outcome"] == "red"
        seen = f"`{result['what']}`" if is_red else f"**{result['outcome']}** {result['what']}".strip()
        lines.append(f"| {mutant.name} | {seen} |")
    return "\n".join(lines) + "\n"


def try_all(mutants, chosen, folder, front):
    """Tries the chosen mutants. Returns a dictionary of their results by the mutants' names."""
    folder.mkdir(parents=True, exist_ok=True)
    tree = Tree(folder.resolve(), front)
    known, results, passing = folder / "results.jsonl", {}, set()
    for line in known.read_text().splitlines() if known.exists() else []:
        result = json.loads(line)
        if result["outcome"] == "red" and any(each.digest == result["mutant"] for each in mutants):
            results[result["name"]] = result
    # Mutants with the same program and tests follow each other, so that the program is built and run only once without
    # a mutant.
    for mutant in sorted(chosen, key=lambda each: (each.program, each.tests, each.file)):
        if mutant.name not in results:
            started = time.monotonic()
            outcome, what = outcome_of(mutant, tree, passing)
            results[mutant.name] = {"name": mutant.name, "mutant": mutant.digest, "commit": tree.commit,
                                    "outcome": outcome, "what": what}
            with open(known, "a", encoding="utf-8") as file:
                file.write(json.dumps(results[mutant.name]) + "\n")
            print(f"{mutant.name}: {outcome} {what} ({time.monotonic() - started:.0f} s)", flush=True)
    return results


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--front", type=shlex.split, default=[])
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    mutants = [Mutant(file) for file in sorted(HERE.glob("*.mutant"))]
    chosen = [each for each in mutants if not options.only or any(text in each.name for text in options.only)]
    if options.list:
        print("\n".join(f"{each.name}: {each.defence}" for each in chosen))
        return 0
    if options.check:
        return check(chosen)
    if options.folder is None:
        parser.error("name a folder for the build, or use --check")
    results = try_all(mutants, chosen, options.folder, options.front)
    text = table_of(mutants, results)
    if options.table:
        options.table.parent.mkdir(parents=True, exist_ok=True)
        options.table.write_text(text)
    else:
        print(text)
    return 0 if all(results[each.name]["outcome"] == "red" for each in chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
