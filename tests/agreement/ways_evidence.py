#!/usr/bin/env python3
"""Makes and shows the evidence on the ways in which trials are made (reports/evidence/ways).

    ways_evidence.py make LOOPBENCH FOLDER [--rounds 4] [--blocks 6] [--min-time 150ms] [--noise]
    ways_evidence.py show FOLDER

`make` measures each workload apart, in turns and together, in short sessions that follow each other in that order, so
that all three meet the same hour; with --noise a neighbour keeps one core busy for half a second of each second. `show`
prints, for each workload and way, the time of the baseline, the scatter of a block (the standard deviation of the
logarithm of the baseline's ratio to its twin, which is 1), the ratio of the other contender, and how wide the interval
of that is. A journal is kept of each session, packed.
"""

import argparse
import json
import lzma
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

from calibration_evidence import pack

WAYS = ["apart", "turns", "together"]
BASELINE, OTHER = "asio-epoll", "loop-epoll"
WORKLOADS = [
    "yield", "post/chain", "spawn", "gather/yield/children:1000", "timer/churn/timers:1000",
    "echo/rtt/tcp/conns:1/bytes:64", "echo/rtt/tcp/conns:100/bytes:64", "echo/rtt/tcp/conns:1000/bytes:64",
    "pipe/read/bytes:4096",
]


def session(workload, way, seed, options, target):
    with tempfile.TemporaryDirectory() as folder:
        command = [options.loopbench, "run", "--contender", BASELINE, "--contender", OTHER, "--workload", workload,
                   "--way", way, "--blocks", str(options.blocks), "--min-time", options.min_time, "--seed", str(seed),
                   "-o", folder]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pack(pathlib.Path(folder) / "journal.jsonl", target)


def make(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    noise = subprocess.Popen(
        [sys.executable, "-c", "import time\nwhile True:\n    end = time.monotonic() + 0.5\n"
         "    while time.monotonic() < end: pass\n    time.sleep(0.5)\n"]) if options.noise else None
    try:
        for round_ in range(options.rounds):
            for workload in WORKLOADS:
                for way in WAYS:
                    name = f"{'noisy' if noise else 'plain'}-{workload.replace('/', '_')}-{way}-{round_}.jsonl.xz"
                    session(workload, way, 1000 * round_ + 7, options, options.folder / name)
                    print(name, flush=True)
    finally:
        if noise:
            noise.kill()


def blocks_of(text):
    """The log ratios of the twin and of the other contender to the baseline, and its times, by block."""
    trials = {}
    for line in map(json.loads, text.splitlines()):
        if "block" in line and line["status"] == "ok":
            trials.setdefault(line["block"], {})[line["contender"]] = line  # the last attempt

    def log_ratio(a, b):
        if a.get("turns_ns") and b.get("turns_ns"):
            return statistics.median(math.log(x / y) for x, y in zip(a["turns_ns"], b["turns_ns"]))
        return math.log(a["metrics"]["time"] / b["metrics"]["time"])

    for block in trials.values():
        twin = next((name for name in block if name not in (BASELINE, OTHER)), None)
        if BASELINE in block and OTHER in block and twin:
            base = block[BASELINE]
            yield log_ratio(base, block[twin]), log_ratio(base, block[OTHER]), base["metrics"]["time"]


def show(options):
    found = {}
    for file in sorted(options.folder.glob("*.jsonl.xz")):
        machine, workload, way, _ = file.name.removesuffix(".jsonl.xz").rsplit("-", 3)
        text = lzma.decompress(file.read_bytes()).decode()
        found.setdefault((machine, workload), {}).setdefault(way, []).extend(blocks_of(text))
    print("| machine | workload | way | blocks | time (ns) | scatter of a block | ratio | its interval |")
    print("|---|---|---|---|---|---|---|---|")
    for (machine, workload), ways in found.items():
        for way in WAYS:
            rows = ways.get(way, [])
            if len(rows) < 2:
                continue
            equal, other, time = zip(*rows)
            error = 1.96 * statistics.stdev(other) / math.sqrt(len(other))
            print(f"| {machine} | {workload.replace('_', '/')} | {way} | {len(rows)} | {statistics.median(time):.4g} "
                  f"| {100 * statistics.stdev(equal):.2f} % | {math.exp(statistics.median(other)):.3f} "
                  f"| +- {100 * error:.2f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    making = commands.add_parser("make")
    making.add_argument("loopbench")
    making.add_argument("folder", type=pathlib.Path)
    making.add_argument("--rounds", type=int, default=4)
    making.add_argument("--blocks", type=int, default=6)
    making.add_argument("--min-time", default="150ms")
    making.add_argument("--noise", action="store_true")
    making.set_defaults(do=make)
    showing = commands.add_parser("show")
    showing.add_argument("folder", type=pathlib.Path)
    showing.set_defaults(do=show)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
