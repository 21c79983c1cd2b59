#!/usr/bin/env python3
"""Measures how often the gate of a pull request is wrong on a machine like a hosted runner: two cores with a neighbour.

    rates.py LOOPBENCH EQUAL_TRIES SLOWER_TRIES FOLDER

Simulates pull requests of a program with five benchmarks. In an A/A try, base and head are the same code; in the
others, one benchmark of head does 5 % more work. Each try links both sides in 20 new orders, as .ci/gate does, and
compares them with the defaults of .ci/gate. Two tries run at a time (one if only one core may be
used), each on its own core, which it shares with a neighbour that computes for 50 ms to 2 s and then waits for up to
three times as long. A try is red if the exit code is 3. FOLDER/tries.csv gets a line for each try, and the rates are
printed with their bounds. Tries that are already in FOLDER count, so that an interrupted measurement can be continued.
"""

import collections
import concurrent.futures
import csv
import os
import pathlib
import queue
import random
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

from error_rates import upper_bound

LAYOUTS, PLANTED = 20, 0.05
DEFAULTS = ["--blocks", "20", "--min-time", "20ms", "--threshold", "3%", "--budget", "10min"]
CORES = sorted(os.sched_getaffinity(0))[:2]
NEIGHBOUR = """
import os, random, time
parent = os.getppid()
while os.getppid() == parent:
    busy = random.uniform(0.05, 2)
    until = time.monotonic() + busy
    while time.monotonic() < until: pass
    time.sleep(random.uniform(0, 3 * busy))
"""
PROGRAM = """#include <benchmark/benchmark.h>
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>
static std::vector<unsigned> numbers(std::size_t n) {
    std::vector<unsigned> all(n);
    unsigned state = 1;
    for (auto& each : all) each = state = state * 1664525u + 1013904223u;
    return all;
}
static void BM_sort(benchmark::State& state) {
    for (auto _ : state) { auto all = numbers(500); std::sort(all.begin(), all.end()); benchmark::DoNotOptimize(all); }
}
BENCHMARK(BM_sort);
static void BM_sum(benchmark::State& state) {
    const auto all = numbers(4096);
    for (auto _ : state) benchmark::DoNotOptimize(std::accumulate(all.begin(), all.end(), 0u));
}
BENCHMARK(BM_sum);
static void BM_concat(benchmark::State& state) {
    for (auto _ : state) {
        std::string text;
        for (int i = 0; i < 50; ++i) text += "part of a text";
        benchmark::DoNotOptimize(text);
    }
}
BENCHMARK(BM_concat);
static void BM_map(benchmark::State& state) {
    const auto all = numbers(100);
    for (auto _ : state) {
        std::map<unsigned, int> map;
        for (auto each : all) ++map[each % 64];
        benchmark::DoNotOptimize(map);
    }
}
BENCHMARK(BM_map);
static void BM_hash(benchmark::State& state) {
    const std::string text(BYTES, 'x');
    for (auto _ : state) {
        unsigned long hash = 14695981039346656037u;
        for (unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
        benchmark::DoNotOptimize(hash);
    }
}
BENCHMARK(BM_hash);
BENCHMARK_MAIN();
"""
PLANTED_IN, BYTES = "BM_hash", 2000


def compile_side(folder, name, size):
    source = folder / f"{name}.cpp"
    source.write_text(PROGRAM.replace("BYTES", str(size)))
    subprocess.run(["g++", "-O2", "-DNDEBUG", "-ffunction-sections", "-c", source, "-o", folder / f"{name}.o"],
                   check=True)


def link(folder, name, to, seeds):
    to.mkdir(parents=True)
    for i, seed in enumerate(seeds):
        subprocess.run(["g++", folder / f"{name}.o", "-fuse-ld=mold", f"-Wl,--shuffle-sections={seed}", "-lbenchmark",
                        "-lpthread", "-o", to / f"{i:02}"], check=True)


def one_try(loopbench, folder, number, slower, free_cores):
    core = free_cores.get()
    try:
        return measured_try(loopbench, folder, number, slower, core)
    finally:
        free_cores.put(core)


def measured_try(loopbench, folder, number, slower, core):
    place = folder / f"try{number}"
    shutil.rmtree(place, ignore_errors=True)
    seeds = random.sample(range(1, 1 << 30), 2 * LAYOUTS)
    link(folder, "base", place / "base", seeds[:LAYOUTS])
    link(folder, "slower" if slower else "base", place / "head", seeds[LAYOUTS:])
    done = subprocess.run(["taskset", "-c", str(core), loopbench, "compare", place / "base", place / "head", *DEFAULTS,
                           "-o", place / "report"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    shutil.rmtree(place)
    if done.returncode not in (0, 3, 4, 5):
        raise RuntimeError(f"loopbench compare ended with exit code {done.returncode}")
    return {"head": "slower" if slower else "equal", "exit_code": done.returncode,
            "verdict": done.stdout.partition("\n")[0]}


def print_rates(rows):
    equal = [row for row in rows if row["head"] == "equal"]
    slower = [row for row in rows if row["head"] == "slower"]
    for name, tries, wrong in (("equal and red", equal, sum(row["exit_code"] == 3 for row in equal)),
                               ("slower and not found", slower, sum(not is_found(row) for row in slower))):
        if tries:
            codes = dict(collections.Counter(row["exit_code"] for row in tries))
            print(f"{name}: {wrong} of {len(tries)} tries (with 95 % confidence, at most "
                  f"{100 * upper_bound(wrong, len(tries)):.1f} %); exit codes {codes}")


def is_found(row):
    return row["exit_code"] == 3 and f"{PLANTED_IN} by " in row["verdict"]


def earlier_tries(file):
    if not file.exists():
        return []
    with file.open(newline="") as lines:
        return [row | {"exit_code": int(row["exit_code"])} for row in csv.DictReader(lines)]


def count(rows, kind):
    return sum(row["head"] == kind for row in rows)


def main(loopbench, equal, slower, folder):
    folder.mkdir(parents=True, exist_ok=True)
    compile_side(folder, "base", BYTES)
    compile_side(folder, "slower", round(BYTES * (1 + PLANTED)))
    rows = earlier_tries(folder / "tries.csv")
    kinds = [False] * max(0, equal - count(rows, "equal")) + [True] * max(0, slower - count(rows, "slower"))
    random.shuffle(kinds)
    neighbours = [subprocess.Popen(["taskset", "-c", str(core), sys.executable, "-c", NEIGHBOUR]) for core in CORES]
    free_cores = queue.Queue()
    for core in CORES:
        free_cores.put(core)
    try:
        with (folder / "tries.csv").open("a", newline="") as file, \
                concurrent.futures.ThreadPoolExecutor(len(CORES)) as pool:
            writer = csv.DictWriter(file, ["head", "exit_code", "verdict"])
            if file.tell() == 0:
                writer.writeheader()
            running = [pool.submit(one_try, loopbench, folder, i, kind, free_cores) for i, kind in enumerate(kinds)]
            for done in concurrent.futures.as_completed(running):
                rows.append(done.result())
                writer.writerow(rows[-1])
                file.flush()
                print(f"try {len(rows)} of {equal + slower}: {rows[-1]}", flush=True)
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()
    print_rates(rows)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), pathlib.Path(sys.argv[4]).resolve())
