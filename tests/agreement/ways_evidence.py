#!/usr/bin/env python3
"""Makes and shows the evidence on the pairings (reports/evidence/ways).

    ways_evidence.py make LOOPBENCH FOLDER [--old LOOPBENCH] [--noise] [--series NAME]... [--tries N]
    ways_evidence.py show LOOPBENCH FOLDER

Series:

    ways            each workload in each pairing, in consecutive sessions of 10 s, so that all pairings meet the same
                    conditions; `old` is another build of loopbench (--old), next to the same contenders
    equal-turns     `compare` of a contender with itself, interleaved
    equal-together  the same, concurrent
    slowed-3        `compare` with the contender slowed down by 3 %, 10 s
    slowed-1        the same by 1 %, 60 s and a threshold of 0.5 %
    stranger-3      a third-party Google Benchmark program without slices, and a build of it that does 3 % more work,
                    20 s; with the pairing that `compare` chooses

With --noise, a neighbour keeps a core busy for half of each second. `make` continues where it was interrupted, and
skips a series that is complete. All journals of a series are in one archive; index.jsonl has the seed, the exit code
and the duration of each try. `show` judges every journal again with `loopbench report`, and prints only results of
that. LOOPBENCH is in a folder with `contenders`, `stranger` and `stranger_3_slower`.
"""

import argparse
import collections
import contextlib
import io
import json
import math
import pathlib
import shlex
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

from calibration_evidence import slim

BASELINE, OTHER = "asio-epoll", "loop-epoll"
CALCULATING = ["yield", "post/chain", "spawn", "gather/yield/children:1000", "timer/churn/timers:1000"]
ECHO = "echo/rtt/tcp/conns:100/bytes:64"
WORKLOADS = CALCULATING + ["echo/rtt/tcp/conns:1/bytes:64", ECHO, "echo/rtt/tcp/conns:1000/bytes:64",
                           "pipe/read/bytes:4096"]
WAYS = ["old", "turns", "together"]
SLICE_S, SLICES = 10, 6  # per workload and pairing: a minute in total

# Name: the number of tries, the approximate duration of one in seconds, and whether both sides are equal.
Series = collections.namedtuple("Series", "tries seconds equal")
SERIES = {
    "ways": Series(SLICES * len(WORKLOADS) * len(WAYS), SLICE_S + 1, False),
    "equal-turns": Series(320, 3, True),
    "equal-together": Series(320, 3, True),
    "slowed-3": Series(40, 10, False),
    "slowed-1": Series(40, 60, False),
    "stranger-3": Series(40, 20, False),
}


def wrapped(folder, name, program, slowdown):
    """Writes a contender that is `program` slowed down by this share of its time. All names must have the same length.
    """
    file = folder / name
    file.write_text(f"#!/bin/sh\nLOOPBENCH_SLOWDOWN={slowdown:.2f} exec {shlex.quote(str(program))} \"$@\"\n")
    file.chmod(0o755)
    return str(file)


class Tries:
    """The command lines of a series, by the number of the try."""

    def __init__(self, options, scratch):
        binaries = options.loopbench.parent
        self.loopbench, self.old = str(options.loopbench), str(options.old) if options.old else None
        self.contenders = binaries / "contenders"
        flagship = self.contenders / OTHER
        self.as_it_is = wrapped(scratch, "slowed-00", flagship, 0)
        self.slowed = {3: wrapped(scratch, "slowed-03", flagship, 0.03),
                       1: wrapped(scratch, "slowed-01", flagship, 0.01)}
        self.strangers = [str(binaries / "stranger"), str(binaries / "stranger_3_slower")]

    def compare(self, pair, workload, *more):
        return [self.loopbench, "compare", *pair, "--workload", workload, *more]

    def command(self, series, number):
        """Returns the command of a try, or None if it cannot be made, such as one of the old build without --old."""
        if series == "ways":
            way = WAYS[number % len(WAYS)]
            # The old measurements with a thousand connections are kept: that workload is now measured sequentially.
            if (way == "old" and not self.old) or (way != "old" and "conns:1000" in self.workload(series, number)):
                return None
            return [self.old if way == "old" else self.loopbench, "run", "--contender", BASELINE,
                    "--contender", OTHER, "--workload", self.workload(series, number), "--blocks", "1000",
                    "--min-time", "150ms", "--budget", f"{SLICE_S}s", *([] if way == "old" else ["--way", way])]
        if series.startswith("equal-"):
            return self.compare([self.as_it_is, self.as_it_is], self.workload(series, number), "--way",
                                series.removeprefix("equal-"), "--blocks", "20", "--min-time", "20ms", "--budget",
                                "6s")
        # The echo workload makes a fixed number of round trips, of which nearly all are timed.
        many = ["--blocks", "1000", "--min-time", "150ms", "--budget"]
        if series == "slowed-3":
            return self.compare([self.as_it_is, self.slowed[3]], ECHO, *many, "10s")
        if series == "slowed-1":
            return self.compare([self.as_it_is, self.slowed[1]], ECHO, *many, "60s", "--threshold", "0.5%")
        return self.compare(self.strangers, "real/chain", "--blocks", "1000", "--min-time", "50ms", "--budget",
                            "20s")

    @staticmethod
    def workload(series, number):
        if series == "ways":
            return WORKLOADS[number // len(WAYS) % len(WORKLOADS)]
        if series.startswith("equal-"):
            # For concurrent trials, only workloads whose trials can have any requested length.
            all_ = CALCULATING + ([ECHO] if series == "equal-turns" else [])
            return all_[number % len(all_)]
        return "real/chain" if series == "stranger-3" else ECHO


def compact(line):
    return json.dumps(line, separators=(",", ":"))


def without_paths(value):
    """Replaces absolute paths by their last component."""
    if isinstance(value, dict):
        return {key: without_paths(each) for key, each in value.items()}
    if isinstance(value, list):
        return [without_paths(each) for each in value]
    return pathlib.Path(value).name if isinstance(value, str) and value.startswith("/") else value


def slimmed(line):
    """Returns a line of a journal, reduced to the data that is judged."""
    usage = line.get("usage")
    line = slim(line)
    if usage and line.get("way") == "together":
        line["usage"] = usage  # shows which contender had the core
    return without_paths(line)


def run_one(command, seed, target):
    """Runs a try, writes its journal to `target`, and returns the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*command, "--seed", str(seed), "-o", folder]
        ran = subprocess.run(command, check=False, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if ran.returncode in (1, 2):
            sys.exit(f"\n{shlex.join(command)} ended with {ran.returncode}, no try was made: {ran.stderr}")
        journal = pathlib.Path(folder) / "journal.jsonl"
        lines = journal.read_text().splitlines() if journal.exists() else []
    text = "".join(compact(slimmed(json.loads(line))) + "\n" for line in lines)
    partly = target.with_suffix(".partly")
    partly.write_text(text)
    partly.rename(target)
    return ran.returncode


def pack(folder, archive):
    partly = archive.with_suffix(".partly")
    with tarfile.open(partly, "w:xz", preset=9) as packed:
        for file in sorted(folder.iterdir()):
            member = tarfile.TarInfo(file.name)
            member.size = file.stat().st_size
            with file.open("rb") as content:
                packed.addfile(member, content)
    partly.rename(archive)
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


@contextlib.contextmanager
def neighbour(wanted):
    """Keeps any one core busy for half of each second."""
    code = ("import os, time\nos.sched_setaffinity(0, range(os.cpu_count()))\nwhile True:\n"
            "    end = time.monotonic() + 0.5\n    while time.monotonic() < end: pass\n    time.sleep(0.5)\n")
    process = subprocess.Popen([sys.executable, "-c", code]) if wanted else None
    try:
        yield
    finally:
        if process:
            process.kill()
            process.wait()


class Progress:
    """Prints a line with the time left, estimated from the ratio of actual to expected durations."""

    def __init__(self, expected):
        self.left, self.done, self.began = expected, 0, time.monotonic()

    def show(self, what):
        pace = (time.monotonic() - self.began) / self.done if self.done else 1
        print(f"\r{what}, about {self.left * pace / 60:.0f} min left   ", end="", file=sys.stderr, flush=True)

    def took(self, expected):
        self.left -= expected
        self.done += expected


def make(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    machine = "noisy" if options.noise else "plain"
    todo = []
    for name in options.series or SERIES:
        tries = options.tries or SERIES[name].tries
        if not (options.folder / f"{machine}-{name}.tar.xz").exists():
            todo.append((name, tries))
    progress = Progress(sum(tries * SERIES[name].seconds for name, tries in todo))
    with tempfile.TemporaryDirectory() as scratch, neighbour(options.noise), \
            (options.folder / "index.jsonl").open("a") as index:
        of = Tries(options, pathlib.Path(scratch))
        for name, tries in todo:
            folder = options.folder / f"{machine}-{name}"
            folder.mkdir(exist_ok=True)
            for number in range(tries):
                target, command = folder / f"{number:04}.jsonl", of.command(name, number)
                progress.show(f"{machine}-{name} {number + 1}/{tries}")
                if command and not target.exists():
                    seed, began = 1000 + number, time.monotonic()
                    code = run_one(command, seed, target)
                    line = {"machine": machine, "series": name, "try": number, "seed": seed, "exit": code,
                            "seconds": round(time.monotonic() - began, 1), "workload": of.workload(name, number)}
                    if name == "ways":
                        line["way"] = WAYS[number % len(WAYS)]
                    print(json.dumps(line), file=index, flush=True)
                progress.took(SERIES[name].seconds)
            pack(folder, options.folder / f"{machine}-{name}.tar.xz")
    print(file=sys.stderr)


def report_of(loopbench, journal):
    """Returns the report on a journal, or None if it has no trials."""
    if not journal:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write(journal)
        file.flush()
        shown = subprocess.run([loopbench, "report", file.name, "--format", "json"], check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if shown.returncode != 0:
        sys.exit(f"ways_evidence: a journal cannot be read: {shown.stderr.strip()}")
    return json.loads(shown.stdout)


def time_of(report, contender):
    found = [each for each in report["results"] if each["contender"] == contender and each["metric"] == "time"]
    return found[0] if found and found[0]["status"] == "ok" else None


def joined(journals):
    """Joins sessions of one plan into a longer one: the blocks of each follow those of the one before."""
    lines, blocks = [], 0
    for journal in journals:
        begun, *rest = map(json.loads, journal.splitlines())
        lines = lines or [compact(begun)]
        trials = [line for line in rest if "block" in line]
        # Leaves out a block that was cut short by the budget, which would be a gap.
        made = collections.Counter(line["block"] for line in trials if line["attempt"] == 0)
        contenders = len(begun["plan"]["contenders"])
        whole = max((block + 1 for block, count in made.items() if count == contenders), default=0)
        for line in trials:
            if line["block"] < whole:
                line["block"] += blocks
                lines.append(compact(line))
        blocks += whole
    return "\n".join(lines) + "\n"


def width_of(report):
    """Returns half of the interval of the other contender's ratio, in percent of the ratio."""
    time_ = time_of(report, OTHER) if report else None
    ratio = time_["ratio"] if time_ else None
    if not ratio or ratio["low"] is None or ratio["high"] is None:
        return None
    return 50 * (ratio["high"] - ratio["low"]) / ratio["median"]


def percent(value):
    return "-" if value is None else f"{value:.2f} %"


def show_ways(loopbench, tries, machine):
    print(f"\n{machine}, {SLICE_S} s each time; widths are half of the ratio's 95 % interval, '-' where blocks are too "
          "few for one\n")
    print("| workload | way | blocks | time (ns) | scatter of a block | ratio | width after "
          f"{SLICE_S} s | after {SLICES * SLICE_S} s | verdict |")
    print("|---|---|---|---|---|---|---|---|---|")
    journals = collections.defaultdict(list)
    for line, journal in tries:
        if journal:
            journals[line["workload"], line["way"]].append(journal)
    for workload in WORKLOADS:
        for way in WAYS:
            if not journals[workload, way]:
                continue
            first = [width_of(report_of(loopbench, each)) for each in journals[workload, way]]
            known = [width for width in first if width is not None]
            after_first = statistics.median(known) if 2 * len(known) > len(first) else None
            whole = report_of(loopbench, joined(journals[workload, way]))
            base, other = time_of(whole, BASELINE), time_of(whole, OTHER)
            if not base or not other:
                continue
            ratio = other["ratio"]["median"] if other["ratio"] else math.nan
            print(f"| {workload} | {way} | {len(base['samples'])} | {base['median']:.4g} "
                  f"| {percent(whole['aa']['spread_pct'])} | {ratio:.3f} | {percent(after_first)} "
                  f"| {percent(width_of(whole))} | {other['verdict']} |")


def at_most(found, tries):
    """Returns Clopper and Pearson's upper bound of a share, with 95 % confidence."""
    if found == tries:
        return 1.0
    low, high = found / tries, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        tail = sum(math.comb(tries, i) * middle**i * (1 - middle)**(tries - i) for i in range(found + 1))
        low, high = (middle, high) if tail > 0.05 else (low, middle)
    return high


def show_comparisons(loopbench, tries, machine, name):
    """Prints the verdicts of the tries, by workload and pairing."""
    counts = collections.defaultdict(collections.Counter)
    for line, journal in tries:
        report = report_of(loopbench, journal)
        time_ = time_of(report, "next") if report else None
        count = counts[line["workload"], time_["way"] if time_ else "-"]
        count["tries"] += 1
        count[time_["verdict"] if time_ else "no result"] += 1
        count["unfit"] += report is not None and report["aa"]["found"] != "fit"
        count[f"exit {line['exit']}"] += 1
    print(f"\n{machine}-{name}\n\n| workload | way | tries | slower | faster | equivalent | inconclusive | no result "
          "| A/A not fit | exit codes |\n|---|---|---|---|---|---|---|---|---|---|")
    for (workload, way), count in counts.items():
        codes = ", ".join(f"{key[5:]}: {value}" for key, value in sorted(count.items()) if key.startswith("exit"))
        numbers = [count[each] for each in ("tries", "slower", "faster", "equivalent", "inconclusive", "no result",
                                            "unfit")]
        print(f"| {workload} | {way} | {' | '.join(map(str, numbers))} | {codes} |")
    all_ = sum(counts.values(), collections.Counter())
    if SERIES[name].equal:
        different = all_["slower"] + all_["faster"]
        print(f"\n{different} of {all_['tries']} were called different; with 95 % confidence at most "
              f"{100 * at_most(different, all_['tries']):.2f} % are.")
    else:
        print(f"\n{all_['slower']} of {all_['tries']} were called slower.")


def show(options):
    index = {}
    for line in map(json.loads, (options.folder / "index.jsonl").read_text().splitlines()):
        index[line["machine"], line["series"], line["try"]] = line
    for archive in sorted(options.folder.glob("*.tar.xz")):
        machine, name = archive.name.removesuffix(".tar.xz").split("-", 1)
        tries = []
        with tarfile.open(archive) as packed:
            for member in packed:
                number = int(pathlib.Path(member.name).stem)
                text = io.TextIOWrapper(packed.extractfile(member)).read()
                tries.append((index[machine, name, number], text))
        if name == "ways":
            show_ways(options.loopbench, tries, machine)
        else:
            show_comparisons(options.loopbench, tries, machine, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    making, showing = commands.add_parser("make"), commands.add_parser("show")
    for command, do in ((making, make), (showing, show)):
        command.add_argument("loopbench", type=lambda path: pathlib.Path(path).resolve())
        command.add_argument("folder", type=pathlib.Path)
        command.set_defaults(do=do)
    making.add_argument("--old", type=lambda path: pathlib.Path(path).resolve())
    making.add_argument("--noise", action="store_true")
    making.add_argument("--series", action="append", choices=SERIES)
    making.add_argument("--tries", type=int, help="of each series, instead of as many as the evidence needs")
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
