#!/usr/bin/env python3
"""Makes and checks the evidence that where code lies is taken for noise (reports/evidence/layouts).

    layout_evidence.py make  BUILD FOLDER [--aa-tries 60] [--tries 20] [--blocks 60] [--budget 60s]
    layout_evidence.py check BUILD FOLDER

BUILD is a build folder of the repository that was configured with -DLOOPBENCH_LAYOUTS=20, with loopbench and the
target loop-epoll.layouts built. `make` measures, and needs a quiet machine: comparisons of unchanged code with
itself, and of code with the same made 3 % slower (LOOPBENCH_SLOWDOWN), both at 1 %. Each comparison is one try, and
has layouts that no other has: as many of each side as there are blocks, linked for it from the same objects. `check`
unpacks the journals, and counts what `loopbench report` makes of them. Both end with 1 when what has to be is not so:
of at least 60 comparisons of equals at most one is called different, and of at least 20 slowdowns 95 % are called
slower.
"""

import argparse
import json
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

from calibration_evidence import slim

THRESHOLD = "1%"
SLOWED_PCT = 3
RUNS = {  # the workloads of each
    "equal": ["yield", "spawn", "gather/yield/children:1000", "echo/rtt/tcp/conns:1/bytes:64"],
    "slowed": ["echo/rtt/tcp/conns:100/bytes:64"],
}


class linker:
    """Links loop-epoll with one seed after the other."""

    def __init__(self, build):
        self.build = build
        ask = ["ninja", "-C", build, "-t", "commands", "loop-epoll.layouts"]
        commands = subprocess.run(ask, check=True, stdout=subprocess.PIPE, text=True).stdout
        links = [line for line in commands.splitlines() if "-o bin/layouts/loop-epoll/" in line]
        self.command = links[0]
        self.seed = 0

    def link(self, target):
        self.seed += 1
        command = re.sub(r"(--shuffle-sections=(?:\.text\*=)?)\d+", rf"\g<1>{self.seed}", self.command)
        command = re.sub(r"-o bin/layouts/\S+", f"-o {target}", command)
        subprocess.run(command, shell=True, check=True, cwd=self.build, stdout=subprocess.DEVNULL)


def add_side(links, folder, count, slowed_pct):
    """Layouts that are started by scripts, so that both sides are started alike and one of them is slowed down."""
    programs = folder / "programs"
    programs.mkdir(parents=True)
    for number in range(1, count + 1):
        program, script = programs / f"{number:03}", folder / f"{number:03}"
        links.link(program)
        script.write_text(f'#!/bin/sh\nLOOPBENCH_SLOWDOWN=0.{slowed_pct:02} exec {program} "$@"\n')
        script.chmod(0o755)


def slim_of_layouts(line):
    line = slim(line)
    for item in line.get("executables", []):
        for layout in item.get("layouts", []):
            layout["path"] = pathlib.Path(layout["path"]).name
    if "command" in line:
        line["command"] = ["loopbench", "compare", "base", "next", *line["command"][4:]]
    return line


def compare(loopbench, links, run, blocks, budget):
    """One try; gives the lines of its journal."""
    with tempfile.TemporaryDirectory() as scratch:
        base, following, out = (pathlib.Path(scratch) / name for name in ("base", "next", "out"))
        add_side(links, base, blocks, 0)
        add_side(links, following, blocks, SLOWED_PCT if run == "slowed" else 0)
        command = [loopbench, "compare", base, following, "--threshold", THRESHOLD, "--blocks", str(blocks)]
        command += ["--budget", budget, "--min-time", "50ms", "-o", out]
        for workload in RUNS[run]:
            command += ["--workload", workload]
        code = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        if code not in (0, 3, 4, 5):
            sys.exit(f"layout_evidence: the comparison ended with {code}: {command}")
        return (out / "journal.jsonl").read_text().splitlines()


def make(build, folder, options):
    loopbench, links = build / "bin/loopbench", linker(build)
    folder.mkdir(parents=True, exist_ok=True)
    for run, tries in (("equal", options.aa_tries), ("slowed", options.tries)):
        lines = []
        for number in range(tries):
            lines += compare(loopbench, links, run, options.blocks, options.budget)
            print(f"{run}: {number + 1} of {tries}", file=sys.stderr)
            slimmed = [json.dumps(slim_of_layouts(json.loads(line)), separators=(",", ":")) for line in lines]
            packed = lzma.compress(("\n".join(slimmed) + "\n").encode(), preset=9 | lzma.PRESET_EXTREME)
            (folder / f"{run}.jsonl.xz").write_bytes(packed)
    (folder / "table.txt").write_text(table_of(build, folder))


def journals_in(folder, run):
    """The tries' journals, each of which begins with a line that has a schema."""
    all_of_them = []
    for line in lzma.decompress((folder / f"{run}.jsonl.xz").read_bytes()).decode().splitlines(keepends=True):
        if line.startswith('{"schema"'):
            all_of_them.append("")
        all_of_them[-1] += line
    return all_of_them


def judged_again(build, journal):
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "journal.jsonl"
        file.write_text(journal)
        command = [build / "bin/loopbench", "report", file, "--format", "json"]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def tries_of(build, folder, run):
    """Of each try: the fitness of its session, and of each workload verdict, ratio and layout effect."""
    for journal in journals_in(folder, run):
        report = judged_again(build, journal)
        times = [item for item in report["results"] if item["metric"] == "time" and item["ratio"]]
        yield report["aa"]["found"], report["seed"], times


def table_of(build, folder):
    text = ""
    for run in RUNS:
        for number, (fitness, seed, times) in enumerate(tries_of(build, folder, run)):
            for item in times:
                ratio = item["ratio"]
                layout = format(item["layout_pct"], ".2f") if "layout_pct" in item else "?"
                text += f"{run:6} {number + 1:3} {seed:20} {fitness:7} {item['workload']:32} {item['verdict']:12}"
                text += f" {ratio['median']:.4f} [{ratio['low'] or 0:.4f}, {ratio['high'] or 0:.4f}]"
                text += f" {len(item['samples']):3} blocks, layout {layout} %\n"
    return text


def check(build, folder):
    table = table_of(build, folder)
    print(table)
    if table != (folder / "table.txt").read_text():
        yield "the journals give another table than table.txt"
    equal, slowed = (list(tries_of(build, folder, run)) for run in RUNS)
    different = sum(any(item["verdict"] in ("faster", "slower") for item in times) for _, _, times in equal)
    slower = sum(any(item["verdict"] == "slower" for item in times) for _, _, times in slowed)
    unfit = sum(fitness == "unfit" for fitness, _, _ in equal + slowed)
    print(f"{different} of {len(equal)} comparisons of equals called different, {slower} of {len(slowed)} slowdowns")
    print(f"of {SLOWED_PCT} % called slower, {unfit} sessions unfit")
    if len(equal) < 60 or different > 1:
        yield f"{different} of {len(equal)} comparisons of equals were called different"
    if len(slowed) < 20 or slower < 0.95 * len(slowed):
        yield f"{slower} of {len(slowed)} slowdowns of {SLOWED_PCT} % were found"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("what", choices=("make", "check"))
    parser.add_argument("build", type=lambda text: pathlib.Path(text).absolute())
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--aa-tries", type=int, default=60)
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--blocks", type=int, default=60)
    parser.add_argument("--budget", default="60s")
    options = parser.parse_args()
    if options.what == "make":
        make(options.build, options.folder, options)
    problems = list(check(options.build, options.folder))
    for problem in problems:
        print(f"layout_evidence: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
