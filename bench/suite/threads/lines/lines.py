#!/usr/bin/env python3
"""Counts what an operation of the workloads threads/... costs besides instructions, and prints a table.

    lines.py BUILD [--threads N] [--operations N] [--places N] [--contender NAME]... [WORKLOAD]...

BUILD is a build folder with LOOPBENCH_LINES=ON (the preset `lines`), in which the contenders are built. A WORKLOAD is
a name without the number of threads, for example threads/echo/conns:100.

Runs each contender three times with N operations and three times with 2 N, and divides the difference of the medians by
the difference of the operations. Three numbers are printed for each operation: how many cache lines move between cores,
how many atomic operations there are, and how many mutexes are locked (counter.cpp says what these are). With --places,
the rows below a contender are the N places in its source where most of the lines move.

Lines move only while threads work at the same time. So nothing else may run, and each thread needs a core of its own.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

CONTENDERS = ["asio-shared", "asio-shared-defer", "asio-strands", "asio-each", "asio-reuseport", "loop-each",
              "loop-each-uring", "loop-reuseport", "libuv-reuseport", "floor-mutex-queue", "floor-stealing-queue",
              "floor-threads-epoll"]
WORKLOADS = ["threads/post/stay/chains:64", "threads/post/move/chains:64", "threads/strand/even/strands:64",
             "threads/timer/chains:64", "threads/echo/conns:100"]
TOTALS = ("moves", "atomics", "locks")
RUNS = 3


class Unsupported(Exception):
    """The contender does not run the workload. The text is its reason."""


def counts_of(program, workload, operations):
    """Runs the workload, and returns its totals, and the moves of each place, (object, offset)."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "counts"
        done = subprocess.run([program, f"--benchmark_filter=^{re.escape(workload)}/iterations"], check=False,
                              env=os.environ | {"LOOPBENCH_OPERATIONS": str(operations),
                                                "LOOPBENCH_LINES_FILE": str(file)},
                              capture_output=True, text=True)
        refused = re.search(r"unsupported: .*", done.stdout)
        if refused:
            raise Unsupported(refused[0].rstrip("'\" "))
        if done.returncode or "ERROR OCCURRED" in done.stdout or workload not in done.stdout:
            sys.exit(f"{program}: {workload} failed: {done.stderr.strip() or done.stdout.strip()}")
        if not file.exists():
            sys.exit(f"{program} does not count lines; configure the build with -DLOOPBENCH_LINES=ON")
        totals, places = collections.Counter(), collections.Counter()
        for line in file.read_text().splitlines():
            kind, *rest = line.split(maxsplit=3)
            if kind == "place":
                places[rest[2], rest[1]] += int(rest[0])
            else:
                totals[kind] += int(rest[0])
        return totals, places


def medians_of(program, workload, operations):
    """Returns the medians of the totals, and of the moves of each place, of several runs."""
    runs = [counts_of(program, workload, operations) for _ in range(RUNS)]
    return tuple(collections.Counter({key: statistics.median(run[i][key] for run in runs)
                                      for key in set().union(*(run[i] for run in runs))}) for i in (0, 1))


def name_of(function):
    """Returns the last two parts of a function's name, without the arguments of templates and of the function."""
    depth, text = 0, ""
    for each in function:
        depth += (each == "<") - (each == ">")
        text += each if depth == 0 and each != ">" else ""
    return "::".join(text.split("(")[0].split(" ")[-1].split("::")[-2:])


def source_of(place):
    """Returns the innermost source line outside the C++ library, and its function without arguments."""
    program, offset = place
    output = subprocess.run(["addr2line", "-i", "-f", "-C", "-e", program, offset], check=False, capture_output=True,
                            text=True).stdout.splitlines()
    frames = list(zip(output[1::2], output[::2])) or [("?", "?")]
    line, function = next((frame for frame in frames if "/c++/" not in frame[0]), frames[-1])
    return f"{pathlib.Path(line.split(' ')[0]).name} {name_of(function)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("workload", nargs="*", default=WORKLOADS)
    parser.add_argument("--contender", action="append")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--operations", type=int, default=20000)
    parser.add_argument("--places", type=int, default=0)
    options = parser.parse_intermixed_args()
    if options.operations < 1:
        parser.error("--operations must be at least 1")
    if options.places and not shutil.which("addr2line"):
        parser.error("--places needs addr2line; install binutils")
    folder = options.build / "bin" / "contenders"
    names = options.contender or [name for name in CONTENDERS if (folder / name).exists()]
    lacking = [name for name in names if not (folder / name).exists()]
    if lacking or not names:
        sys.exit(f"{folder} lacks {', '.join(lacking) or 'the contenders'}; configure with `cmake --preset lines`, and "
                 "build them")
    for workload in options.workload:
        print(f"{workload}/threads:{options.threads}")
        print(f"  {'per operation':24}" + "".join(f"{each:>9}" for each in TOTALS))
        for name in names:
            try:
                few, many = (medians_of(folder / name, f"{workload}/threads:{options.threads}", number)
                             for number in (options.operations, 2 * options.operations))
            except Unsupported as why:
                print(f"  {name:24} {why}")
                continue
            # Moves at the start and at the end differ from run to run, and can make a difference slightly negative.
            cells = [(many[0][each] - few[0][each]) / options.operations for each in TOTALS]
            cells = [0.0 if -0.05 < each < 0 else each for each in cells]
            print(f"  {name:24}" + "".join(f"{each:9.2f}" for each in cells), flush=True)
            if not options.places:
                continue
            moved = collections.Counter()
            for place, count in (many[1] - few[1]).items():
                moved[source_of(place)] += count
            for text, count in moved.most_common(options.places):
                print(f"    {count / options.operations:5.2f}  {text}")


if __name__ == "__main__":
    main()
