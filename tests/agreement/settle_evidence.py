#!/usr/bin/env python3
"""Makes and shows the evidence on how much of a turn must not be timed (reports/evidence/settle).

    settle_evidence.py make LOOPBENCH FOLDER [--rounds 3]
    settle_evidence.py show LOOPBENCH FOLDER

`make` measures contenders in turns by themselves, and then beside others, with untimed parts of several lengths: what
is longer beside others is what they do to the caches. Beside the suite's own there is `hungry`, which reads all of
1 MiB or 4 MiB in a turn, beside two more of itself. LOOPBENCH is in a folder with `contenders` and `hungry`. `show`
has every journal judged once more by `loopbench report`.
"""

import argparse
import collections
import json
import math
import pathlib
import shutil
import statistics
import sys
import tarfile
import tempfile

from ways_evidence import Progress, pack, report_of, run_one, time_of

UNTIMED_MS = [0, 0.1, 0.25, 0.5, 1, 2, 4]
TIMED_MS = 1.5
NEIGHBOURS = {"loop-epoll": ["asio-epoll", "asio-tuned"], "hungry": ["hungr2", "hungr3"]}
CELLS = [("loop-epoll", workload) for workload in (
    "yield", "spawn", "gather/yield/children:1000", "timer/churn/timers:1000", "echo/rtt/tcp/conns:1/bytes:64",
    "echo/rtt/tcp/conns:100/bytes:64", "echo/rtt/tcp/conns:1000/bytes:64")] + [
        ("hungry", f"cache/walk/bytes:{mib << 20}") for mib in (1, 4)]
COMPANY = ["alone", "beside"]
SESSIONS = [(cell, untimed, company) for cell in CELLS for untimed in UNTIMED_MS for company in COMPANY]
ABOUT_S = 4


def command(options, folder, session):
    (who, workload), untimed, company = session
    chosen = [who] + (NEIGHBOURS[who] if company == "beside" else [])
    return [str(options.loopbench), "run", "--contender-dir", str(folder),
            *(word for name in chosen for word in ("--contender", name)), "--workload", workload, "--way", "turns",
            "--turn", f"{untimed}ms+{TIMED_MS}ms", "--blocks", "6", "--min-time", "100ms"]


def make(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    trials = options.folder / "settle"
    trials.mkdir(exist_ok=True)
    progress = Progress(options.rounds * len(SESSIONS) * ABOUT_S)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name in ["hungry", *NEIGHBOURS["hungry"]]:
            shutil.copy(options.loopbench.parent / "hungry", folder / name)
        with (options.folder / "index.jsonl").open("a") as index:
            for number in range(options.rounds * len(SESSIONS)):
                session = SESSIONS[number % len(SESSIONS)]
                target = trials / f"{number:04}.jsonl"
                (who, workload), untimed, company = session
                progress.show(f"{workload}, {untimed} ms, {company}")
                if not target.exists():
                    code = run_one(command(options, folder, session), number, target)
                    print(json.dumps({"try": number, "seed": number, "exit": code, "contender": who,
                                      "workload": workload, "untimed_ms": untimed, "company": company}),
                          file=index, flush=True)
                progress.took(ABOUT_S)
    pack(trials, options.folder / "settle.tar.xz")
    print(file=sys.stderr)


def show(options):
    index = {line["try"]: line for line in map(json.loads, (options.folder / "index.jsonl").read_text().splitlines())}
    times = collections.defaultdict(list)  # of blocks
    with tarfile.open(options.folder / "settle.tar.xz") as packed:
        for member in packed:
            line = index[int(pathlib.Path(member.name).stem)]
            report = report_of(options.loopbench, packed.extractfile(member).read().decode())
            time = time_of(report, line["contender"]) if report else None
            cell = line["contender"], line["workload"]
            samples = time["samples"] if time else []
            times[cell, line["untimed_ms"], line["company"]] += [each for each in samples if each]
    print("How much longer an operation takes beside others than alone, by the part of a turn that is not timed (with "
          "1.96 standard errors of both medians' logarithms).\n")
    print("| contender | workload | " + " | ".join(f"{untimed:g} ms" for untimed in UNTIMED_MS) + " |")
    print("|---|---|" + "---|" * len(UNTIMED_MS))
    for cell in CELLS:
        found = []
        for untimed in UNTIMED_MS:
            logs = [[math.log(time) for time in times[cell, untimed, company]] for company in COMPANY]
            if min(map(len, logs)) < 2:
                found.append("-")
                continue
            alone, beside = map(statistics.median, logs)
            error = 1.96 * math.sqrt(sum(statistics.variance(each) / len(each) for each in logs))
            found.append(f"{100 * math.expm1(beside - alone):+.2f} ± {100 * error:.2f} %")
        print(f"| {cell[0]} | {cell[1]} | " + " | ".join(found) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    making, showing = commands.add_parser("make"), commands.add_parser("show")
    for each, do in ((making, make), (showing, show)):
        each.add_argument("loopbench", type=lambda path: pathlib.Path(path).resolve())
        each.add_argument("folder", type=pathlib.Path)
        each.set_defaults(do=do)
    making.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
