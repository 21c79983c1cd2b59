#!/usr/bin/env python3
"""Compares interleaved with sequential trials, on every workload that a run can interleave, in both sizes.

usage: pairings.py LOOPBENCH FILE.csv [--workload GLOB]... [--size small|full]... [--rounds N]

In each round, a workload runs in one pairing and directly afterwards in the other pairing, so that slow changes of the
machine affect both. The script compares the medians of all rounds. Times must agree within 15 %, and ratios to the
baseline within 5 %; otherwise the workload must be sequential (pairing_of_trials() in workload_table.hpp). No trial may
fail. FILE.csv gets a line for each result. The script needs a quiet machine, and exits with 1 if a result is outside of
the limits.
"""

import argparse
import csv
import fnmatch
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

BASELINE = "asio-epoll"
CONTENDERS = [BASELINE, "loop-epoll", "loop-uring", "floor-*"]
SIZES = {"small": ["--quick", "--min-time", "30ms"], "full": ["--min-time", "100ms"]}
PAIRINGS = ["interleaved", "sequential"]
TIME_LIMIT, RATIO_LIMIT = 0.15, 0.05


def measured(loopbench, workload, size, pairing, seed):
    """Runs the workload with this pairing. Returns {contender: (time in ns, ratio to the baseline or None)}."""
    with tempfile.TemporaryDirectory() as folder:
        command = [loopbench, "run", *SIZES[size], "--workload", workload, "--pairing", pairing, "--blocks", "5",
                   "--seed", str(seed), "--budget", "5min", "-o", folder]
        for contender in CONTENDERS:
            command += ["--contender", contender]
        ran = subprocess.run(command, check=False, text=True, capture_output=True)
        if ran.returncode not in (0, 5):
            sys.exit(f"{' '.join(command)} ended with {ran.returncode}: {ran.stderr}")
        report = json.loads((pathlib.Path(folder) / "report.json").read_text())
    found = {}
    for result in report["results"]:
        if result["status"] in ("failed", "not_run"):
            sys.exit(f"{workload}, {size}, {pairing}: {result['contender']} failed: {result['reason']}")
        if result["metric"] == "time" and result["status"] == "ok":
            if result["pairing"] != pairing:
                sys.exit(f"{workload}, {size}: {result['contender']} is {result['pairing']}, expected {pairing}")
            ratio = result["ratio"]["median"] if result["ratio"] else None
            found[result["contender"]] = (result["median"], ratio)
    return found


def rows_of(loopbench, workload, size, rounds):
    runs = {pairing: [] for pairing in PAIRINGS}
    for number in range(rounds):
        for pairing in PAIRINGS if number % 2 == 0 else reversed(PAIRINGS):
            runs[pairing].append(measured(loopbench, workload, size, pairing, number))
    contenders = {name for all_ in runs.values() for run in all_ for name in run}
    for contender in sorted(contenders):
        times, ratios = {}, {}
        for pairing, all_ in runs.items():
            times[pairing] = statistics.median(run[contender][0] for run in all_)
            # A run contains no ratio of the baseline to itself, so this ratio is set to 1. Any other contender has a
            # ratio in every run.
            ratios[pairing] = 1.0 if contender == BASELINE else statistics.median(run[contender][1] for run in all_)
        time = times["interleaved"] / times["sequential"] - 1
        ratio = ratios["interleaved"] / ratios["sequential"] - 1
        yield {"workload": workload, "size": size, "contender": contender,
               "interleaved_ns": f"{times['interleaved']:.5g}", "sequential_ns": f"{times['sequential']:.5g}",
               "time_differs_pct": f"{100 * time:.1f}", "ratio_differs_pct": f"{100 * ratio:.1f}",
               "agrees": "yes" if abs(time) <= TIME_LIMIT and abs(ratio) <= RATIO_LIMIT else "no"}


def interleaved_workloads(loopbench, globs):
    listed = json.loads(subprocess.run([loopbench, "list", "--json"], check=True, text=True,
                                       capture_output=True).stdout)["workloads"]
    return [each["name"] for each in listed if each["pairing"] == "interleaved" and
            (not globs or any(fnmatch.fnmatch(each["name"], glob) for glob in globs))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("loopbench")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--workload", action="append", default=[])
    parser.add_argument("--size", action="append", choices=SIZES)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    outside = rows = 0
    with options.file.open("w", newline="") as out:
        writer = None
        for workload in interleaved_workloads(options.loopbench, options.workload):
            for size in options.size or SIZES:
                for row in rows_of(options.loopbench, workload, size, options.rounds):
                    writer = writer or csv.DictWriter(out, row, lineterminator="\n")
                    if out.tell() == 0:
                        writer.writeheader()
                    writer.writerow(row)
                    out.flush()
                    outside += row["agrees"] == "no"
                    rows += 1
                    print(*row.values(), flush=True)
    if rows == 0:
        sys.exit(f"no workload that a run interleaves matches {options.workload}")
    print(f"{outside} of {rows} results exceed the limits")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
