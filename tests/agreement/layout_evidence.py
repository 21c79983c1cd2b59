#!/usr/bin/env python3
"""Makes and judges the evidence that comparisons of builds are right (reports/evidence/layouts).

    layout_evidence.py make BUILD FOLDER [--series NAME]...
                       [--aa-tries 60] [--tries 20] [--report-tries 20] [--blocks 120] [--budget 60s]
    layout_evidence.py show BUILD FOLDER

BUILD is a build folder of the repository that was configured with -DLOOPBENCH_LAYOUTS=20, with loopbench, asio-epoll
and the target loop-epoll.layouts built. `make` measures, and needs a quiet machine. It makes three series of tries:

    equal    unchanged code against itself at 1 %; each side has as many layouts as blocks, and no try shares layouts
    slowed   the same with one side 3 % slower (LOOPBENCH_SLOWDOWN)
    reports  three sessions of 12 results in 10 blocks: two of one build, and one of it made 10 % slower. The
             second and the third are compared with the first as two reports

The measurements are kept in BUILD/layout-evidence, try by try, and a `make` that was stopped continues there. With
--series it makes only the tries of that series, so that two can run at once, each on its own core (taskset). A `make`
without --series packs complete series into FOLDER: the journals (SERIES.tar.xz); seed, seconds and exit codes of each
try (index.csv; reports are judged when they are packed); and the output of `show` (table.txt). `show` unpacks the
journals and judges all of them again. Both exit with 1 if one of these conditions fails: of at least 60 comparisons of
equals at most one is called different; of at least 20 slowdowns of 3 % at least 95 % are called slower; at least 20
pairs of equal reports all end with 0 or 4; of the pairs of reports with 10 % between them at least 20 end with 3, and
the others with 4.
"""

import argparse
import concurrent.futures
import csv
import hashlib
import io
import json
import lzma
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

from calibration_evidence import slim
from ways_evidence import compact, report_of, without_paths

THRESHOLD = "1%"
SLOWED_PCT, SLOWED_REPORT_PCT = 3, 10
EQUAL_BLOCKS, EQUAL_BUDGET = 20, "30s"  # the defaults of `compare`; the workloads are those of .ci/compare
EQUAL_WORKLOADS = ["yield", "spawn", "gather/yield/children:1000", "echo/rtt/tcp/conns:1/bytes:64"]
SLOWED_WORKLOADS = ["echo/rtt/tcp/conns:100/bytes:64"]
REPORT_WORKLOADS = [*EQUAL_WORKLOADS, "post/chain", *SLOWED_WORKLOADS]  # 12 results with two contenders
SERIES = {"equal": ["journal"], "slowed": ["journal"], "reports": ["first", "again", "slower"]}
INDEX = ["series", "try", "seed", "seconds", "exit", "exit_slower"]


class linker:
    """Links loop-epoll with any seed."""

    def __init__(self, build):
        self.build = build
        ask = ["ninja", "-C", build, "-t", "commands", "loop-epoll.layouts"]
        commands = subprocess.run(ask, check=True, stdout=subprocess.PIPE, text=True).stdout
        links = [line for line in commands.splitlines() if "-o bin/layouts/loop-epoll/" in line]
        if not links:
            sys.exit(f"layout_evidence: {build} has no layouts; configure it with -DLOOPBENCH_LAYOUTS=20")
        self.command = links[0]

    def link(self, seed, target):
        command = re.sub(r"(--shuffle-sections=(?:\.text\*=)?)\d+", rf"\g<1>{seed}", self.command)
        command = re.sub(r"-o bin/layouts/\S+", f"-o {target}", command)
        subprocess.run(command, shell=True, check=True, cwd=self.build, stdout=subprocess.DEVNULL)

    def link_all(self, first_seed, targets):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(self.link, range(first_seed, first_seed + len(targets)), targets))


def write_script(script, program, slowed_pct):
    """Writes a script that starts a program, slowed down or not, so that both sides are started in the same way."""
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(f'#!/bin/sh\nLOOPBENCH_SLOWDOWN=0.{slowed_pct:02} exec {program} "$@"\n')
    script.chmod(0o755)


def run(command, *ends):
    """Runs a command and returns its exit code, which must be one of `ends`."""
    code = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    if code not in ends:
        sys.exit(f"layout_evidence: exit code {code} of {' '.join(map(str, command))}")
    return code


def options_of(workloads, seed, blocks, budget, out):
    options = ["--seed", str(seed), "--blocks", str(blocks), "--budget", budget, "--min-time", "50ms", "-o", out]
    for workload in workloads:
        options += ["--workload", workload]
    return options


class maker:
    def __init__(self, options):
        self.loopbench, self.links = options.build / "bin/loopbench", linker(options.build)
        self.asio = options.build / "bin/contenders"
        self.options = options

    def sides(self, scratch, seed, blocks, slowed_pct):
        """Yields the folders of two sides, each with its own layouts."""
        programs = [scratch / f"programs/{number:04}" for number in range(2 * blocks)]
        programs[0].parent.mkdir()
        self.links.link_all(1000 * seed + 1, programs)
        for side, pct, mine in (("base", 0, programs[:blocks]), ("next", slowed_pct, programs[blocks:])):
            for number, program in enumerate(mine):
                write_script(scratch / side / f"{number:04}", program, pct)
            yield scratch / side

    def compare(self, seed, scratch, workloads, blocks, budget, slowed_pct):
        sides = self.sides(scratch, seed, blocks, slowed_pct)
        more = options_of(workloads, seed, blocks, budget, scratch / "out")
        code = run([self.loopbench, "compare", *sides, "--threshold", THRESHOLD, *more], 0, 3, 4, 5)
        return [scratch / "out/journal.jsonl"], [code]

    def equal(self, seed, scratch):
        return self.compare(seed, scratch, EQUAL_WORKLOADS, EQUAL_BLOCKS, EQUAL_BUDGET, 0)

    def slowed(self, seed, scratch):
        return self.compare(seed, scratch, SLOWED_WORKLOADS, self.options.blocks, self.options.budget, SLOWED_PCT)

    def reports(self, seed, scratch):
        journals = []
        for name, pct in zip(SERIES["reports"], (0, 0, SLOWED_REPORT_PCT)):
            write_script(scratch / name / "mine", self.asio / "loop-epoll", pct)
            out = scratch / f"{name}.out"
            which = ["--contender-dir", scratch / name, "--contender", "mine", "--contender", "asio-epoll"]
            more = options_of(REPORT_WORKLOADS, 1000 * seed + len(journals), 10, "60s", out)
            run([self.loopbench, "run", *which, *more], 0, 5)
            journals.append(out / "journal.jsonl")
        return journals, [compared(self.loopbench, journals[0], other) for other in journals[1:]]

    def make(self, series, number, folder):
        """Makes one try: writes its journals, reduced to the data that verdicts depend on, and its index entry."""
        started, seed = time.monotonic(), 1000 * list(SERIES).index(series) + number
        with tempfile.TemporaryDirectory() as scratch:
            journals, codes = getattr(self, series)(seed, pathlib.Path(scratch))
            folder.mkdir(parents=True, exist_ok=True)
            for name, journal in zip(SERIES[series], journals):
                lines = [compact(without_paths(slim(json.loads(line)))) for line in journal.read_text().splitlines()]
                (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        seconds = f"{time.monotonic() - started:.0f}"
        entry = dict(zip(INDEX, [series, number, seed, seconds, *codes]))
        (folder / "try.json").write_text(json.dumps(entry))  # written last: without it the try is incomplete


def compared(loopbench, then, now):
    return run([loopbench, "compare", then, now], 0, 3, 4, 5)


def codes_of_reports(loopbench, of_try):
    return [compared(loopbench, of_try / "first.jsonl", of_try / f"{name}.jsonl") for name in ("again", "slower")]


def refuse_other_build(build, work):
    """Refuses to mix tries of two builds, because the result would be meaningless."""
    programs = ("loopbench", "contenders/asio-epoll", "contenders/loop-epoll")
    state = " ".join(hashlib.sha256((build / "bin" / name).read_bytes()).hexdigest() for name in programs)
    work.mkdir(exist_ok=True)
    known = work / "build.txt"
    if not known.exists():
        known.write_text(state)
    elif known.read_text() != state:
        sys.exit(f"layout_evidence: the tries in {work} are of another build; remove them, or go back to that build")


def make(options):
    work = options.build / "layout-evidence"
    refuse_other_build(options.build, work)
    tries = {"equal": options.aa_tries, "slowed": options.tries, "reports": options.report_tries}
    making = maker(options)
    to_do = [(series, number) for series in options.series or SERIES for number in range(1, tries[series] + 1)
             if not (work / series / f"{number:03}" / "try.json").exists()]
    usual_s = {"equal": 30, "slowed": 80, "reports": 75}  # estimates until one is made
    for done, (series, number) in enumerate(to_do, 1):
        folder = work / series / f"{number:03}"
        making.make(series, number, folder)
        entry = json.loads((folder / "try.json").read_text())
        usual_s[series] = float(entry["seconds"])
        left_min = sum(usual_s[other] for other, _ in to_do[done:]) / 60
        codes = " and ".join(str(entry[key]) for key in INDEX[4:] if key in entry)
        print(f"{series}: try {number} of {tries[series]}, {entry['seconds']} s, exit {codes}; "
              f"{done} of {len(to_do)} done, {left_min:.0f} min left", file=sys.stderr, flush=True)
    if options.series:
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    loopbench = options.build / "bin/loopbench"
    for series in SERIES:
        pack(work / series, tries[series], options.folder / f"{series}.tar.xz")
    with (options.folder / "index.csv").open("w", newline="") as file:
        index = csv.DictWriter(file, INDEX, lineterminator="\n")
        index.writeheader()
        for series in SERIES:
            for number in range(1, tries[series] + 1):
                entry = json.loads((work / series / f"{number:03}" / "try.json").read_text())
                if series == "reports":
                    entry["exit"], entry["exit_slower"] = codes_of_reports(loopbench, work / series / f"{number:03}")
                index.writerow(entry)
    (options.folder / "table.txt").write_text(table_of(loopbench, options.folder)[0])
    shutil.rmtree(work)


def pack(tries, count, target):
    """Packs files without owner and time, so that the same journals give the same archive."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for number in range(1, count + 1):
            for file in sorted((tries / f"{number:03}").glob("*.jsonl")):
                item = tarfile.TarInfo(f"{number:03}/{file.name}")
                item.size = file.stat().st_size
                archive.addfile(item, io.BytesIO(file.read_bytes()))
    target.write_bytes(lzma.compress(data.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def lines_of_pairs(series, number, report):
    for item in report["results"]:
        if item["metric"] != "time" or not item["ratio"]:
            continue
        ratio = item["ratio"]
        layout = format(item["layout_pct"], ".2f") if "layout_pct" in item else "?"
        yield (f"{series:7} {number:3} {report['seed']:5} {report['aa']['found']:7} {item['workload']:32} "
               f"{item['verdict']:12} {ratio['median']:.4f} [{ratio['low'] or 0:.4f}, {ratio['high'] or 0:.4f}] "
               f"{len(item['samples']):3} blocks, layout {layout} %\n")


def verdicts_of(report):
    return [item["verdict"] for item in report["results"] if item["metric"] == "time" and item["ratio"]]


def table_of(loopbench, folder):
    """Returns the table of the packed journals, and the data for the claims."""
    text, found = "", {"equal": [], "slowed": [], "reports": []}
    with (folder / "index.csv").open() as file:
        index = list(csv.DictReader(file))
    with tempfile.TemporaryDirectory() as scratch:
        for series in SERIES:
            root = pathlib.Path(scratch) / series
            with tarfile.open(folder / f"{series}.tar.xz") as archive:
                archive.extractall(root, filter="data")
        for entry in index:
            series, number = entry["series"], int(entry["try"])
            of_try = pathlib.Path(scratch) / series / f"{number:03}"
            if series == "reports":
                codes = codes_of_reports(loopbench, of_try)
                text += f"{series} {number:3} {entry['seed']:>5} equal: exit {codes[0]}, 10 % slower: exit {codes[1]}\n"
                found[series].append(codes)
                if codes != [int(entry["exit"]), int(entry["exit_slower"])]:
                    sys.exit(f"layout_evidence: try {number} of {series} ended otherwise when it was measured")
            else:
                report = report_of(loopbench, (of_try / "journal.jsonl").read_text())
                text += "".join(lines_of_pairs(series, number, report))
                found[series].append((report["aa"]["found"], verdicts_of(report)))
    return text, found


def show(loopbench, folder):
    """Prints the results and yields the claims that fail."""
    table, found = table_of(loopbench, folder)
    print(table)
    if table != (folder / "table.txt").read_text():
        yield "the journals give another table than table.txt"
    equal, slowed, reports = found["equal"], found["slowed"], found["reports"]
    different = sum("faster" in verdicts or "slower" in verdicts for _, verdicts in equal)
    slower = sum("slower" in verdicts for _, verdicts in slowed)
    unfit = sum(fitness == "unfit" for fitness, _ in equal + slowed)
    passed, caught = (sum(codes[i] in right for codes in reports) for i, right in enumerate([(0, 4), (3,)]))
    claims = [
        (f"{different} of {len(equal)} comparisons of equals were called different",
         len(equal) >= 60 and different <= 1),
        (f"{slower} of {len(slowed)} slowdowns of {SLOWED_PCT} % were found",
         len(slowed) >= 20 and slower >= 0.95 * len(slowed)),
        (f"{passed} of {len(reports)} pairs of equal reports ended with 0 or 4",
         len(reports) >= 20 and passed == len(reports)),
        (f"{caught} of {len(reports)} pairs of reports with {SLOWED_REPORT_PCT} % between them ended with 3",
         caught >= 20 and all(codes[1] in (3, 4) for codes in reports)),
    ]
    for claim, _ in claims:
        print(claim)
    print(f"{unfit} of {len(equal) + len(slowed)} sessions were unfit")
    for claim, holds in claims:
        if not holds:
            yield claim


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "show"))
    parser.add_argument("build", type=lambda text: pathlib.Path(text).absolute())
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--series", choices=SERIES, action="append")
    parser.add_argument("--aa-tries", type=int, default=60)
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--report-tries", type=int, default=20)
    parser.add_argument("--blocks", type=int, default=120)
    parser.add_argument("--budget", default="60s")
    options = parser.parse_args()
    if options.what == "make":
        make(options)
        if options.series:
            return 0
    problems = list(show(options.build / "bin/loopbench", options.folder))
    for problem in problems:
        print(f"layout_evidence: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
