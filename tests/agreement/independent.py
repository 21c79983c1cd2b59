#!/usr/bin/env python3
"""The suite's numbers against programs that share no line with it, in the same session, in turn.

usage: independent.py CONTENDER_DIR INDEPENDENT

Prints the medians and their ratio; exits with 1 when one is off by more than 15 %. It times things, so it is no test
of every change: run it on a quiet machine.
"""

import json
import pathlib
import statistics
import subprocess
import sys

PAIRS = [
    ("yield", "asio-epoll", "yield"),
    ("gather", "asio-epoll", "gather/yield/children:1000"),
    ("asio-echo", "asio-epoll", "echo/rtt/tcp/conns:1/bytes:64"),
    ("blocking-echo", "floor-blocking", "echo/rtt/tcp/conns:1/bytes:64"),
]
ROUNDS = 7
TOLERANCE = 0.15


def independent(program, work):
    return float(subprocess.run([program, work], check=True, capture_output=True, text=True).stdout)


def suite(folder, contender, workload):
    command = [folder / contender, f"--benchmark_filter=^{workload}/", "--benchmark_format=json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    [row] = json.loads(output)["benchmarks"]
    return row["real_time"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    agree = True
    for work, contender, workload in PAIRS:
        both = [(suite(folder, contender, workload), independent(program, work)) for _ in range(ROUNDS)]
        ours, theirs = (statistics.median(column) for column in zip(*both))
        ratio = statistics.median(a / b for a, b in both)
        verdict = "agrees" if abs(ratio - 1) <= TOLERANCE else "DISAGREES"
        agree &= verdict == "agrees"
        print(f"{contender:15} {workload:30} {ours:9.1f} ns   alone {theirs:9.1f} ns   {ratio:.3f}  {verdict}")
    sys.exit(0 if agree else 1)


main()
