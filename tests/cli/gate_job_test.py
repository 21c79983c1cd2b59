#!/usr/bin/env python3
"""Runs the steps of the CI job in docs/gate.md, on a repository with a small Google Benchmark program.

    gate_job_test.py SOURCE LOOPBENCH SCRATCH

The test leaves out the steps that install packages and build loopbench. It runs `loopbench compare` with few, short
trials, and ignores the verdicts, because other tests use this machine. Then a stub replaces `loopbench`, to see which
exit codes fail the job.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

INSTALLED = "/opt/loopbench/build/release/bin/loopbench"
FAILS_THE_JOB = {0: False, 1: True, 2: True, 3: True, 4: False, 5: False}

PROGRAM = """#include <benchmark/benchmark.h>
static void BM_count(benchmark::State& state) {
    for (auto _ : state)
        for (int i = 0; i < COUNT; ++i) benchmark::DoNotOptimize(i);
}
BENCHMARK(BM_count);
BENCHMARK_MAIN();
"""
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(program CXX)
find_package(benchmark REQUIRED)
add_executable(bench bench.cpp)
target_link_libraries(bench PRIVATE benchmark::benchmark)
"""


def job_in(document):
    (job,) = re.findall(r"^```\n(name: speed\n.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL)
    environment = dict(re.findall(r"^ {6}([A-Z]+): (\S+)", job, re.MULTILINE))
    steps = re.findall(r"^ {6}- name: (.+)\n(?: {8}if: .*\n)? {8}run: \|\n((?: {10}.*\n)+)", job, re.MULTILINE)
    return environment, {name: textwrap.dedent(code) for name, code in steps}


def git(repository, *arguments):
    identity = ("-c", "user.name=test", "-c", "user.email=test@localhost")
    return subprocess.run(["git", "-C", repository, *identity, *arguments], check=True, capture_output=True,
                          text=True).stdout.strip()


def make_repository(folder):
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
    (folder / "CMakeLists.txt").write_text(PROJECT)
    for count in ("100", "200"):
        (folder / "bench.cpp").write_text(PROGRAM.replace("COUNT", count))
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "--message", count)


def write_command(path, text):
    path.write_text("#!/bin/sh\n" + text + "\n")
    path.chmod(0o755)
    return str(path)


def run_step(code, loopbench, folder, environment):
    code = code.replace(INSTALLED, loopbench)
    return subprocess.run(["sh", "-e", "-c", code], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def main(source, loopbench, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    repository = scratch / "repository"
    make_repository(repository)
    given, steps = job_in(source / "docs/gate.md")
    environment = os.environ | given | {"LAYOUTS": "6", "HOME": str(scratch), "GITHUB_WORKSPACE": str(repository),
                                        "GITHUB_STEP_SUMMARY": str(scratch / "summary.md")}
    quick = write_command(scratch / "quick", f'case $1 in compare) set -- "$@" --blocks 6 --min-time 2ms;; esac\n'
                                             f'exec {loopbench} "$@"')
    for name in ("Build base and head", "Compare", "Show the report"):
        done = run_step(steps[name], quick, repository, environment)
        if done.returncode not in ({0, 3} if name == "Compare" else {0}):
            sys.exit(f"{name}: exit code {done.returncode}\n{done.stdout}")
    if "BM" not in (scratch / "summary.md").read_text():
        sys.exit("the summary of the job does not name the benchmark")
    for code, fails in FAILS_THE_JOB.items():
        stub = write_command(scratch / "stub", f"exit {code}")
        if (run_step(steps["Compare"], stub, repository, environment).returncode != 0) != fails:
            sys.exit(f"exit code {code} of compare {'does not fail' if fails else 'fails'} the job")
    print("the job ran")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]), os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()))
