#!/usr/bin/env python3
"""Takes one defence after the other out, and shows that a test goes red for each.

usage: mutants.py FOLDER [--only TEXT]... [--front "WORDS"] [--table FILE] [--list]

FOLDER gets a copy of the commit that is checked out, and a build of it without optimisation; both stay for the next
time, and so do results: what was ended goes on where it was, and what was not red is tried again, on a later commit as
well. A patch's first lines say what it takes out (Defence), which program is built (Program), and with what it is run
(Tests: a filter of GoogleTest, or arguments). First the program has to be green without the patch. Words in front of
builds and runs may be `nice`, or a lock.

The table has a line for each patch that was tried. Exit code 0 when none survived, 1 when one did, does not build, or
was never green.
"""

import argparse
import collections
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
RUN_LIMIT_S = 60  # a test that does not end is red as well
ENVIRONMENT = {**os.environ, "GTEST_COLOR": "no"}


class Patch:
    def __init__(self, file):
        text = file.read_text()
        self.file, self.name = file, file.stem
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        self.defence, self.program, self.tests = (re.search(rf"^{key}: (.+)$", text, re.M).group(1)
                                                  for key in ("Defence", "Program", "Tests"))
        self.changed = re.search(r"^\+\+\+ b/(.+)$", text, re.M).group(1)


def call(command, folder, **more):
    return subprocess.run(command, cwd=folder, text=True, errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **more)


class Tree:
    """A copy of the commit, in which patches come and go."""

    def __init__(self, folder, front):
        self.folder, self.front = folder / "tree", front
        self.commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], check=True, text=True,
                                     capture_output=True).stdout.strip()
        if not self.folder.exists():
            subprocess.run(["git", "-C", ROOT, "worktree", "add", "--detach", "--quiet", self.folder, self.commit],
                           check=True)
        self.git("reset", "--quiet", "--hard", self.commit)
        self.build_folder = self.folder / "build/dev"
        if not (self.build_folder / "build.ninja").exists():
            # Each source by itself, so that a patch costs one: the preset has that.
            configured = call(["cmake", "--preset", "dev", "-DLOOPBENCH_WERROR=OFF", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"],
                              self.folder)
            if configured.returncode != 0:
                sys.exit(configured.stdout)

    def git(self, *words):
        subprocess.run(["git", "-C", self.folder, *words], check=True)

    def build(self, program):
        """What the compiler says when it fails."""
        done = call([*self.front, "ninja", "-C", self.build_folder, program], self.folder)
        return None if done.returncode == 0 else done.stdout

    def run(self, patch):
        """Whether it is green, and the first test that is not."""
        arguments = [f"--gtest_filter={patch.tests}"] if patch.program.endswith("_tests") else shlex.split(patch.tests)
        command = [*self.front, "timeout", "-k", "5", str(RUN_LIMIT_S), self.build_folder / "bin" / patch.program,
                   *arguments]
        done = call(command, self.folder, env=ENVIRONMENT)
        if "Running 0 tests" in done.stdout:
            return False, "no test is called so"
        if done.returncode == 0:
            return True, ""
        failed = re.findall(r"^\[  FAILED  \] ([\w./]+)", done.stdout, re.M)
        begun = re.findall(r"^\[ RUN      \] ([\w./]+)", done.stdout, re.M)
        if failed:
            return False, failed[0]
        ended = "does not end" if done.returncode in (124, 137) else f"ends with {done.returncode}"
        return False, f"{begun[-1]} {ended}" if begun else f"{patch.program} {ended}"


def outcome_of(patch, tree, green):
    if (patch.program, patch.tests) not in green:
        if problem := tree.build(patch.program):
            return "not built without the patch", problem[-300:]
        is_green, what = tree.run(patch)
        if not is_green:
            return "not green without the patch", what
        green.add((patch.program, patch.tests))
    try:
        tree.git("apply", str(patch.file))
    except subprocess.CalledProcessError:
        return "does not apply", ""
    try:
        if problem := tree.build(patch.program):
            error = re.search(r"^.*error: (.*)$", problem, re.M)
            return "does not build", error.group(1) if error else problem[-300:]
        is_green, what = tree.run(patch)
        return ("survives", "") if is_green else ("red", what)
    finally:
        tree.git("reset", "--quiet", "--hard")


def table_of(patches, results):
    rows = [(patch, results[patch.name]) for patch in patches if patch.name in results]
    red = sum(result["outcome"] == "red" for _, result in rows)
    commits = collections.Counter(result["commit"][:12] for _, result in rows)
    tried_on = ", ".join(f"{count} on commit {commit}" for commit, count in commits.items())
    lines = [f"{len(rows)} of {len(patches)} patches were tried, {tried_on}: {red} are seen by a test, "
             f"{len(rows) - red} are not.", "", "| patch | the test that fails |", "|---|---|"]
    for patch, result in rows:
        is_red = result["outcome"] == "red"
        seen = f"`{result['what']}`" if is_red else f"**{result['outcome']}** {result['what']}".strip()
        lines.append(f"| {patch.name} | {seen} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--front", type=shlex.split, default=[])
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    patches = [Patch(file) for file in sorted(HERE.glob("*.patch"))]
    chosen = [each for each in patches if not options.only or any(text in each.name for text in options.only)]
    if options.list:
        print("\n".join(f"{each.name}: {each.defence}" for each in chosen))
        return 0
    options.folder.mkdir(parents=True, exist_ok=True)
    tree = Tree(options.folder.resolve(), options.front)
    known, results, green = options.folder / "results.jsonl", {}, set()
    for line in known.read_text().splitlines() if known.exists() else []:
        result = json.loads(line)
        if result["outcome"] == "red" and any(each.digest == result["patch"] for each in patches):
            results[result["name"]] = result
    # By program and tests: each is built and seen green once.
    for patch in sorted(chosen, key=lambda each: (each.program, each.tests, each.changed)):
        if patch.name not in results:
            started = time.monotonic()
            outcome, what = outcome_of(patch, tree, green)
            results[patch.name] = {"name": patch.name, "patch": patch.digest, "commit": tree.commit, "outcome": outcome,
                                   "what": what}
            with open(known, "a", encoding="utf-8") as file:
                file.write(json.dumps(results[patch.name]) + "\n")
            print(f"{patch.name}: {outcome} {what} ({time.monotonic() - started:.0f} s)", flush=True)
    text = table_of(patches, results)
    if options.table:
        options.table.parent.mkdir(parents=True, exist_ok=True)
        options.table.write_text(text)
    else:
        print(text)
    return 0 if all(results[each.name]["outcome"] == "red" for each in chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
