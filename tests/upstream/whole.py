#!/usr/bin/env python3
"""Runs all of Boost's tests and examples on our context and on Asio's, and prints a table of the passed checks.

usage: whole.py BUILD_FOLDER

Configures the build for all tests, builds them if needed (an hour on one core), runs them, and prints the table.
The exit code is 0 if all tests passed, and 1 otherwise.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

WAYS = ["stock", "epoll", "io_uring"]
# Leaves out the comparison with Google Benchmark, which needs the program loopbench.
TESTS = r"^upstream\.(is_built|has_no_other_context|tripwire|asio/|beast/|examples/)"


def run_all(build, junit):
    subprocess.run(["cmake", "-DLOOPBENCH_UPSTREAM=whole", build], check=True, stdout=sys.stderr)
    return subprocess.run(["ctest", "--test-dir", build, "-R", TESTS, "-j8", "--no-tests=error",
                           "--output-on-failure", "--output-junit", junit, "--test-output-size-passed", str(1 << 20)],
                          check=False, stdout=sys.stderr).returncode == 0


def checks(output):
    """Returns the number of passed checks. Asio's tests print each check; Beast's and drive.py print the number."""
    found = re.findall(r"(\d+) tests? total, 0 failures|(\d+) checks passed$", output, re.M)
    return sum(int(beast or driven) for beast, driven in found) or len(re.findall(r" passed$", output, re.M))


def table(junit):
    rows = {}
    for case in ElementTree.parse(junit).iter("testcase"):
        name, dot, way = case.get("name").removeprefix("upstream.").rpartition(".")
        if not dot or way not in WAYS:
            continue
        passed = case.get("status") == "run" and checks(case.findtext("system-out") or "")
        rows.setdefault(name, {})[way] = str(passed or "failed")
    width = max(map(len, rows))
    yield " ".join([f"{'checks that passed':{width}}", *[f"{way:>9}" for way in WAYS]])
    for name, cells in sorted(rows.items()):
        yield " ".join([f"{name:{width}}", *[f"{cells.get(way, '-'):>9}" for way in WAYS]])


def main():
    with tempfile.TemporaryDirectory() as folder:
        junit = os.path.join(folder, "junit.xml")
        all_passed = run_all(str(pathlib.Path(sys.argv[1]).resolve()), junit)
        print("\n".join(table(junit)))
    return 0 if all_passed else 1


if __name__ == "__main__":
    sys.exit(main())
