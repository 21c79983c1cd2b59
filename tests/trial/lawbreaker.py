#!/usr/bin/env python3
"""A contender with the defect that the variable LAWBREAKER selects. Each defect leads to numbers that cannot be true.

usage: lawbreaker.py GOOGLE_BENCHMARK_FLAGS, with LAWBREAKER_MODULES=bench/suite/contenders

    (empty)      no defect
    outside      counts operations that it did before the timed section
    short-time   reports a tenth of the time of its timed section
    fast-clock   has a clock that is three times as fast
    slow-clock   has a clock that is a hundred times as slow
    half-work    does half of the operations that it reports, in half of the time
    off-by-one   counts one operation more than it did
    printed      prints a tenth of the time that it measured
    slices       reports ten times the operations of each slice in an interleaved trial
"""

import asyncio
import os
import sys
import time

# LAWBREAKER_MODULES comes last, because it also contains a contender that is named asyncio and would otherwise hide
# Python's module asyncio.
sys.path.append(os.environ["LAWBREAKER_MODULES"])
import gbench  # noqa: E402

DEFECT = os.environ.get("LAWBREAKER", "")
OPERATION_NS = 20_000
real_clock, real_usage = time.monotonic_ns, gbench.usage

if DEFECT in ("fast-clock", "slow-clock"):
    factor = 3 if DEFECT == "fast-clock" else 1 / 100
    time.monotonic_ns = lambda: int(real_clock() * factor)
    gbench.STARTED_NS = int(gbench.STARTED_NS * factor)
elif DEFECT == "short-time":
    gbench.usage = lambda: (real_usage()[0] // 10, *real_usage()[1:])


def operation():
    until = real_clock() + OPERATION_NS
    while real_clock() < until:
        pass


def operations(trial, count):
    start = time.monotonic_ns()
    for _ in range(count):
        operation()
        start = trial.record_latency(start)


async def work(trial):
    if DEFECT == "outside":
        for _ in range(1000):
            operation()
    trial.begin()
    while count := trial.next():
        operations(trial, count // 2 if DEFECT == "half-work" else count)
    trial.end()
    more = {"outside": 1000, "off-by-one": 1}.get(DEFECT, 0)
    trial.done += more
    if trial.slices:
        trial.slices.operations += more
    trial.prove("that it works", True, True)


if DEFECT == "slices":
    real_write = os.write

    def ten_times(file, line):
        first, *rest = line.split(b" ")
        return real_write(file, b" ".join([first + b"0", *rest]) if rest else line)

    os.write = ten_times

if DEFECT == "printed":
    result_of = gbench.Contender.result_of

    def a_tenth(self, workload, small, min_time_s):
        trial, result = result_of(self, workload, small, min_time_s)
        return trial, result | {"real_time": result["real_time"] / 10}

    gbench.Contender.result_of = a_tenth

gbench.Contender("lawbreaker", "breaks laws",
                 [gbench.Workload("echo/rtt/tcp/conns:1/bytes:64", work, (10_000, 10_000))], asyncio.run,
                 lambda: {"library": "none", "library_version": "0"}, asyncio.sleep).main()
