#!/usr/bin/env python3
"""Measures how often `compare --profile` names a planted function among its first three.

usage: rates.py LOOPBENCH OUT_FOLDER [RUNS [SLOWDOWN_PCT]]

The program has 20 functions that take equally long. In the new build, one of them takes longer, so that the benchmark
is slower by SLOWDOWN_PCT (15). Each run plants another function, and keeps its report in OUT_FOLDER. Runs with perf and
with callgrind alternate. This script is not a part of `make test`, because a run takes half a minute.
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
{functions}
void parts(benchmark::State& state) {{
    unsigned long x = 1;
    for ([[maybe_unused]] auto _ : state) {{ {calls} }}
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
    """Returns the place of the function and the profiler, or None if the benchmark was not significantly slower."""
    causes = report.get("causes")
    if not causes:
        return None
    functions = causes[0].get("profile", {"functions": []})["functions"]
    places = [place for place, each in enumerate(functions, 1) if each["name"].split("(")[0] == function]
    return places[0] if places else len(functions) + 1, causes[0].get("profile", {"profiler": "none"})["profiler"]


def main(loopbench, out, runs=20, slowdown_pct=15):
    out.mkdir(parents=True, exist_ok=True)
    base = build(out, "base", source(None, 0))
    right = slower = 0
    for run in range(runs):
        planted = 7 * run % FUNCTIONS
        folder = out / f"run-{run + 1}"
        folder.mkdir(exist_ok=True)
        program = build(folder, "next", source(planted, slowdown_pct))
        subprocess.run([loopbench, "compare", base, program, "--profile", "--min-time", "10ms", "-o", folder],
                       env=without_perf(folder) if run % 2 else None, capture_output=True)
        found = place_of(f"part_{planted}", json.loads((folder / "report.json").read_text()))
        slower += found is not None
        right += found is not None and found[0] <= 3
        print(f"run {run + 1}:", f"part_{planted} has place {found[0]} ({found[1]})" if found else
              "not significantly slower, because the machine was too noisy", flush=True)
    print(f"{right} of {slower} runs with a slowdown named the planted function among the first three")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4, 5):
        sys.exit(__doc__)
    main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), *map(int, sys.argv[3:]))
