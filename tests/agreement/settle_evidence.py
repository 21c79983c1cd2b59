#!/usr/bin/env python3
"""Makes and shows the evidence on the length of the untimed part of a slice (reports/evidence/settle).

    settle_evidence.py make LOOPBENCH FOLDER [--pairs 16]
    settle_evidence.py show LOOPBENCH FOLDER

`make` measures an interleaved contender alone and, right before or after that, beside others on the same core, with
several lengths of the untimed part. The additional time beside others shows their effect on the caches. Apart from the
suite's own contenders it measures `hungry`, which reads all of 1 MiB or 4 MiB in a slice, beside two copies of itself.
LOOPBENCH is in a folder with `contenders` and `hungry`. `show` judges every journal again with `loopbench report`.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import shutil
import statistics
import sys
import tarfile
import tempfile

from ways_evidence import Progress, pack, report_of, run_one, time_of

UNTIMED_MS = [0, 0.25, 0.5, 1]
TIMED_MS = 1.5
NEIGHBOURS = {"loop-epoll": ["asio-epoll", "asio-tuned"], "hungry": ["hungr2", "hungr3"]}
CELLS = [("loop-epoll", workload) for workload in (
    "yield", "spawn", "gather/yield/children:1000", "timer/churn/timers:1000", "echo/rtt/tcp/conns:1/bytes:64",
    "echo/rtt/tcp/conns:100/bytes:64", "echo/rtt/tcp/conns:1000/bytes:64")] + [
        ("hungry", f"cache/walk/bytes:{mib << 20}") for mib in (1, 4)]
COMPANY = ["alone", "beside"]
# The old measurements with a thousand connections are kept: that workload is now measured sequentially.
PAIRS = [(cell, untimed) for cell in CELLS if "conns:1000" not in cell[1] for untimed in UNTIMED_MS]
ABOUT_S = 2


def command(options, folder, cell, untimed, company, core):
    who, workload = cell
    chosen = [who] + (NEIGHBOURS[who] if company == "beside" else [])
    return [str(options.loopbench), "run", "--contender-dir", str(folder),
            *(word for name in chosen for word in ("--contender", name)), "--workload", workload, "--way", "turns",
            "--turn", f"{untimed}ms+{TIMED_MS}ms", "--blocks", "1", "--min-time", "100ms", "--pin", str(core)]


def make(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    trials = options.folder / "settle"
    trials.mkdir(exist_ok=True)
    cores = sorted(os.sched_getaffinity(0))
    progress = Progress(options.pairs * len(PAIRS) * ABOUT_S)
    with tempfile.TemporaryDirectory() as scratch, (options.folder / "index.jsonl").open("a") as index:
        folder = pathlib.Path(scratch)
        for name in ["hungry", *NEIGHBOURS["hungry"]]:
            shutil.copy(options.loopbench.parent / "hungry", folder / name)
        for number in range(options.pairs * len(PAIRS)):
            round_, place = divmod(number, len(PAIRS))
            cell, untimed = PAIRS[place]
            core = cores[round_ % len(cores)]
            progress.show(f"{cell[1]}, {untimed} ms")
            order = COMPANY if round_ // len(cores) % 2 == 0 else COMPANY[::-1]
            for company in order:
                target = trials / f"{number:04}-{company}.jsonl"
                if not target.exists():
                    code = run_one(command(options, folder, cell, untimed, company, core), number, target)
                    print(json.dumps({"pair": number, "seed": number, "exit": code, "contender": cell[0],
                                      "workload": cell[1], "untimed_ms": untimed, "company": company, "core": core}),
                          file=index, flush=True)
            progress.took(ABOUT_S)
    pack(trials, options.folder / "settle.tar.xz")
    print(file=sys.stderr)


def median_with_interval(values):
    """Returns the median, and the values that enclose the true median with at least 95 % confidence (order statistics).
    """
    ordered, below = sorted(values), 0.0
    cut = 0
    while below + math.comb(len(ordered), cut) / 2**len(ordered) <= 0.025:
        below += math.comb(len(ordered), cut) / 2**len(ordered)
        cut += 1
    return statistics.median(ordered), ordered[max(cut - 1, 0)], ordered[min(len(ordered) - cut, len(ordered) - 1)]


def show(options):
    index = {(line["pair"], line["company"]): line
             for line in map(json.loads, (options.folder / "index.jsonl").read_text().splitlines())}
    times = {}
    with tarfile.open(options.folder / "settle.tar.xz") as packed:
        for member in packed:
            number, company = pathlib.Path(member.name).stem.split("-")
            line = index[int(number), company]
            report = report_of(options.loopbench, packed.extractfile(member).read().decode())
            time = time_of(report, line["contender"]) if report else None
            times[int(number), company] = time["median"] if time else None
    longer = collections.defaultdict(list)
    for (number, company), line in index.items():
        alone, beside = times.get((number, "alone")), times.get((number, "beside"))
        if company == "beside" and alone and beside:
            longer[line["contender"], line["workload"], line["untimed_ms"]].append(math.log(beside / alone))
    print("How much longer an operation takes beside others than alone, by the part of a turn that is not timed: the "
          "median of pairs on one core, and its 95 % interval.\n")
    print("| contender | workload | " + " | ".join(f"{untimed:g} ms" for untimed in UNTIMED_MS) + " |")
    print("|---|---|" + "---|" * len(UNTIMED_MS))
    for cell in CELLS:
        found = []
        for untimed in UNTIMED_MS:
            logs = longer[(*cell, untimed)]
            if len(logs) < 6:
                found.append("-")
                continue
            middle, low, high = (100 * math.expm1(each) for each in median_with_interval(logs))
            found.append(f"{middle:+.2f} % [{low:+.2f}, {high:+.2f}]")
        print(f"| {cell[0]} | {cell[1]} | " + " | ".join(found) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    making, showing = commands.add_parser("make"), commands.add_parser("show")
    for each, do in ((making, make), (showing, show)):
        each.add_argument("loopbench", type=lambda path: pathlib.Path(path).resolve())
        each.add_argument("folder", type=pathlib.Path)
        each.set_defaults(do=do)
    making.add_argument("--pairs", type=int, default=16, help="of each cell and length")
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
