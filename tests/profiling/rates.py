#!/usr/bin/env python3
"""Measures how often `compare --profile` names a planted function among its first three.

usage: rates.py LOOPBENCH OUT_FOLDER [RUNS [SLOWDOWN_PCT]]

The program has 20 functions that take equally long. In the new build, one of them takes longer, so that the CPU time of
the benchmark grows by SLOWDOWN_PCT (15). The benchmark also waits, and fills a table before its loop. Each run plants
another function, and keeps its report in OUT_FOLDER, which must not exist. Runs with perf and with callgrind alternate.
This script is not a part of `make test`, because a run takes half a minute.
"""

import json
import os
import pathlib
import subprocess
import sys

FUNCTIONS, ROUNDS = 20, 400


def source(planted, slowdown_pct):
    functions = "".join(
        f"""[[gnu::noinline]] unsigned long part_{i}(unsigned long x) {{
    for (int i = 0; i < {round(ROUNDS * (1 + FUNCTIONS * slowdown_pct / 100)) if i == planted else ROUNDS}; ++i)
        benchmark::DoNotOptimize(x = x * {2 * i + 6364136223846793005}u + {i});
    return x;
}}
""" for i in range(FUNCTIONS))
    calls = "".join(f"x = part_{i}(x);\n" for i in range(FUNCTIONS))
    return f"""#include <benchmark/benchmark.h>
#include <unistd.h>
{functions}
[[gnu::noinline]] void fill_table() {{
    unsigned long x = 1;
    for (int i = 0; i < 30'000'000; ++i) benchmark::DoNotOptimize(x = x * 6364136223846793005u + 1);
}}
void parts(benchmark::State& state) {{
    fill_table();
    unsigned long x = 1, runs = 0;
    for ([[maybe_unused]] auto _ : state) {{
        {calls}
        if (++runs % 16 == 0) ::usleep(20);
    }}
}}
BENCHMARK(parts);
BENCHMARK_MAIN();
"""


def build(folder, name, text):
    (folder / f"{name}.cpp").write_text(text)
    program = folder / name
    subprocess.run(["g++", "-std=c++20", "-O2", folder / f"{name}.cpp", "-o", program, "-lbenchmark", "-lpthread"],
                   check=True)
    return program


def without_perf(folder):
    """Returns an environment in which perf does not work, so that callgrind is used."""
    (folder / "tools").mkdir(exist_ok=True)
    fake = folder / "tools/perf"
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    return os.environ | {"PATH": f"{folder / 'tools'}:{os.environ['PATH']}"}


def place_of(function, report):
    """Returns the place of the function and the profiler."""
    profile = report["causes"][0].get("profile", {"functions": [], "profiler": "none"})
    functions = profile["functions"]
    places = [place for place, each in enumerate(functions, 1) if each["name"].split("(")[0] == function]
    return places[0] if places else len(functions) + 1, profile["profiler"]


def compare(loopbench, programs, folder, environment):
    """Returns the report, or None if the new program was not significantly slower."""
    regression, others = 3, (0, 4, 5)
    ran = subprocess.run([loopbench, "compare", *programs, "--profile", "--min-time", "10ms", "-o", folder],
                         env=environment, capture_output=True, text=True)
    if ran.returncode not in (regression, *others):
        sys.exit(f"the comparison failed with exit code {ran.returncode}: {ran.stderr}")
    return json.loads((folder / "report.json").read_text()) if ran.returncode == regression else None


def main(loopbench, out, runs=20, slowdown_pct=15):
    if out.exists():
        sys.exit(f"{out} exists; choose a new folder, because an old report would be read as a new one")
    out.mkdir(parents=True)
    base = build(out, "base", source(None, 0))
    right = 0
    for run in range(runs):
        planted = 7 * run % FUNCTIONS
        folder = out / f"run-{run + 1}"
        folder.mkdir()
        program = build(folder, "next", source(planted, slowdown_pct))
        report = compare(loopbench, (base, program), folder, without_perf(folder) if run % 2 else None)
        place, profiler = place_of(f"part_{planted}", report) if report else (None, None)
        right += place is not None and place <= 3
        print(f"run {run + 1}:", f"part_{planted} has place {place} ({profiler})" if place else
              "not significantly slower, because the machine was too noisy", flush=True)
    print(f"{right} of {runs} runs named the planted function among the first three")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4, 5):
        sys.exit(__doc__)
    main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), *map(int, sys.argv[3:]))
