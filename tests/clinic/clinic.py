#!/usr/bin/env python3
"""Runs the programs of the Asio clinic, and writes a table of their verdicts (docs/asio-clinic.md).

    clinic.py BUILD [--boost FOLDER]... [--runs N] [--only GLOB] [-o FOLDER]

BUILD is a configured build folder of this project. Builds its target `clinic`, and runs each program N times (1) with
Asio's own context and with this project's, each on epoll and on io_uring. For each --boost FOLDER, which contains
boost/asio.hpp or include/boost/asio.hpp, does the same with that Boost in a build folder below BUILD/clinic-boosts,
and adds a table. --only selects the programs whose names match. Writes clinic.json and clinic.md to the folder after -o
(the current one). Ends with 1 if a build fails.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import platform
import re
import signal
import statistics
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = SOURCE / "tests/clinic"
PATIENCE_S = 600  # the programs' own watchdog (clinic.hpp) ends them earlier
WAYS = {
    "Asio on epoll": ("stock_epoll", {}),
    "Asio on io_uring": ("stock_io_uring", {}),
    "ours on epoll": ("swapped", {"LOOPBENCH_ASIO": "epoll"}),
    "ours on io_uring": ("swapped", {"LOOPBENCH_ASIO": "io_uring"}),
}


def complaint(program):
    """Returns the claim or question of a program, and the links to the complaints: the first lines of its source."""
    lines = (PROGRAMS / f"{program}.cpp").read_text().splitlines()
    return {"program": program, "claim": lines[0].removeprefix("// "), "links": lines[1].removeprefix("// ").split()}


def line_of(command, environment, patience_s=PATIENCE_S):
    """Runs a program, and returns its verdict. A crash and a hang are wrong, too."""
    try:
        ran = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True,
                             timeout=patience_s)
    except subprocess.TimeoutExpired:
        return f"wrong: did not end within {patience_s} s"
    except OSError as error:
        return f"wrong: did not start: {error.strerror}"
    if ran.returncode < 0:
        return f"wrong: ended by {signal.Signals(-ran.returncode).name}"
    lines = ran.stdout.splitlines()
    if len(lines) != 1 or ran.returncode != (1 if lines[0].startswith("wrong: ") else 0):
        return f"wrong: exit code {ran.returncode}, after {len(lines)} lines of output"
    return lines[0]


def verdict_of(lines):
    """Returns the verdict of several runs: wrong if one is wrong, otherwise the median of what was measured."""
    wrong = [each.removeprefix("wrong: ") for each in lines if each.startswith("wrong: ")]
    if wrong:
        how_often = "" if len(wrong) == len(lines) else f" in {len(wrong)} of {len(lines)} runs"
        return {"result": "wrong", "text": f"wrong{how_often}: {wrong[0]}"}
    measured = [re.fullmatch(r"measured: (\S+) (.+)", each) for each in lines]
    if all(measured):
        median = statistics.median_low(float(each[1]) for each in measured)
        unit = next(each[2] for each in measured if float(each[1]) == median)
        return {"result": "measured", "text": f"{median:g} {unit}", "value": median}
    return {"result": "right", "text": "right"}


def rows_of(folder, only, runs):
    programs = sorted(path.name for path in (folder / "swapped").iterdir() if fnmatch.fnmatch(path.name, only))
    for program in programs:
        verdicts = {}
        for way, (build, environment) in WAYS.items():
            lines = [line_of([folder / build / program], environment) for _ in range(runs)]
            verdicts[way] = {**verdict_of(lines), "runs": lines}
            print(f"{program}, {way}: {verdicts[way]['text']}", file=sys.stderr, flush=True)
        yield {**complaint(program), "verdicts": verdicts}


def label_of(link):
    thread = re.fullmatch(r"https://github\.com/[^/]+/([^/]+)/(?:issues|pull)/(\d+)", link)
    return f"{thread[1]}#{thread[2]}" if thread else "documentation"


def table_of(rows):
    """Returns a table in Markdown. Programs that measure are last."""
    lines = [f"| complaint | {' | '.join(WAYS)} |", "|---|" + "---|" * len(WAYS)]
    for row in sorted(rows, key=lambda each: any(way["result"] == "measured" for way in each["verdicts"].values())):
        links = ", ".join(f"[{label_of(link)}]({link})" for link in row["links"])
        cells = [f"{row['claim']} ({links})", *(row["verdicts"][way]["text"] for way in WAYS)]
        cells = [cell.replace("|", "\\|") for cell in cells]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def heading_of(of_boost, report):
    return f"Boost {of_boost['boost']}, Linux {report['kernel']}"


def build_of_boost(build, number, headers):
    """Configures a build folder with the Boost in `headers`, and returns it."""
    folder = build / "clinic-boosts" / str(number)
    subprocess.run(["cmake", "-S", SOURCE, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
                    "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG", f"-DBOOST_ROOT={headers.resolve()}"], check=True)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD", type=pathlib.Path)
    parser.add_argument("--boost", metavar="FOLDER", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--runs", metavar="N", type=int, default=1)
    parser.add_argument("--only", metavar="GLOB", default="*")
    parser.add_argument("-o", metavar="FOLDER", type=pathlib.Path, default=pathlib.Path("."), dest="output")
    arguments = parser.parse_args()
    if not (arguments.build / "CMakeCache.txt").exists():
        parser.error(f"{arguments.build} is not a build folder; configure it with cmake --preset release")
    if arguments.runs < 1:
        parser.error(f"--runs {arguments.runs} is not possible; use at least 1")
    report = {"kernel": platform.release(), "boosts": []}
    try:
        builds = [arguments.build, *(build_of_boost(arguments.build, *each) for each in enumerate(arguments.boost))]
        for build in builds:
            subprocess.run(["cmake", "--build", build, "--target", "clinic"], check=True)
    except subprocess.CalledProcessError as failed:
        sys.exit(f"clinic.py: {' '.join(map(str, failed.cmd))} failed; its output says why")
    for build in builds:
        folder = build / "bin/clinic"
        report["boosts"].append({"boost": (folder / "boost_version.txt").read_text(),
                                 "rows": list(rows_of(folder, arguments.only, arguments.runs))})
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "clinic.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    (arguments.output / "clinic.md").write_text("\n".join(
        f"## {heading_of(each, report)}\n\n{table_of(each['rows'])}" for each in report["boosts"]))


if __name__ == "__main__":
    main()
