#!/usr/bin/env python3
"""Runs the programs of the Asio clinic, and writes a table of their verdicts (docs/asio-clinic.md).

    clinic.py BUILD [--boost FOLDER]... [--runs N] [--only GLOB] [-o FOLDER]

BUILD is a configured and optimised build folder of this project. Builds the programs there, and runs each of them N
times (1) with Asio's own context and with this project's, each on epoll and on io_uring. For each --boost FOLDER, which
contains boost/asio.hpp or include/boost/asio.hpp, does the same with that Boost in a build folder below
BUILD/clinic-boosts, and adds a table. A Boost before 1.81 or after 1.92 runs only with Asio's own context, because this
project's supports only these versions. --only builds and runs only the programs whose names match. After each program,
writes clinic.json and clinic.md to the folder after -o (the current one). Ends with 1 if a build fails or if a program
of BUILD did not follow the rules of clinic.hpp.
"""

import argparse
import collections
import fnmatch
import hashlib
import json
import math
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
OLDEST, NEWEST = (1, 81), (1, 92)  # the versions of Boost that this project's context supports
WAYS = {
    "Asio on epoll": ("stock_epoll", {}),
    "Asio on io_uring": ("stock_io_uring", {}),
    "ours on epoll": ("swapped", {"LOOPBENCH_ASIO": "epoll"}),
    "ours on io_uring": ("swapped", {"LOOPBENCH_ASIO": "io_uring"}),
}
# The kinds of lines that a program prints (clinic.hpp), with their exit codes.
EXIT_CODES = {"right": 0, "measured": 0, "wrong": 1, "hangs": 1, "throws": 1, "unavailable": 77}
MEASURED = re.compile(r"measured: ([-+.\de]+)(?: \(([-+.\de]+) to ([-+.\de]+)\))? (.+)")
# The kinds of bad runs. The first is the worst. `crashes` is a signal or a sanitizer; `fails` is a program that
# does not follow the rules, or that is missing.
BAD = ("fails", "crashes", "hangs", "throws", "wrong")
SANITIZER = re.compile(r"ERROR: (AddressSanitizer: [\w-]+)|runtime error: (.+)")


def described(program):
    """Returns the claim or question of a program, the links to the complaints (the first lines of its source), and a
    checksum of its code without comments, with the headers that it shares with other programs. clinic.hpp does not
    count, because it contains no check.
    """
    lines = (PROGRAMS / f"{program}.cpp").read_text().splitlines()
    return {"program": program, "claim": lines[0].removeprefix("// "), "links": lines[1].removeprefix("// ").split(),
            "code": hashlib.sha256(code_of(PROGRAMS / f"{program}.cpp").encode()).hexdigest()[:16]}


def code_of(path):
    text = re.sub(r"^\s*//.*\n|\s+//.*", "", path.read_text(), flags=re.M)
    headers = sorted({*re.findall(r'#include "tests/clinic/([\w.]+)"', text)} - {"clinic.hpp"})
    return text + "".join(code_of(PROGRAMS / each) for each in headers)


def kind_of(line):
    return line.partition(":")[0]


def is_well_formed(line):
    if line == "right":
        return True
    if kind_of(line) == "measured":
        found = MEASURED.fullmatch(line)
        try:
            return bool(found) and all(math.isfinite(float(each)) for each in found.groups()[:3] if each)
        except ValueError:
            return False
    return re.fullmatch(r"(wrong|hangs|throws|unavailable): \S.*", line) is not None


def is_expected(line, expected):
    """Returns true if the line is the expected one. `...` at the end of `expected` stands for any end."""
    return line.startswith(expected[:-3]) if expected.endswith("...") else line == expected


def run_of(command, environment, patience_s=PATIENCE_S):
    """Runs a program. Returns its line, and the end of what it wrote to stderr."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=patience_s,
                             env={"ASAN_OPTIONS": "detect_leaks=0", **os.environ, **environment})
    except subprocess.TimeoutExpired:
        return {"line": f"hangs: did not end within {patience_s} s", "stderr": ""}
    except OSError as error:
        return {"line": f"fails: did not start: {error.strerror}", "stderr": ""}
    lines = ran.stdout.splitlines()
    last = (ran.stderr.strip().splitlines() or [""])[-1].strip()
    if sanitizer := SANITIZER.search(ran.stderr):
        line = f"crashes: {sanitizer[1] or re.sub('0x[0-9a-f]+', 'X', f'UndefinedBehaviorSanitizer: {sanitizer[2]}')}"
    elif ran.returncode < 0:
        line = f"crashes: {signal.Signals(-ran.returncode).name}" + (f" ({last})" if last else "")
    elif len(lines) == 1 and is_well_formed(lines[0]) and ran.returncode == EXIT_CODES[kind_of(lines[0])]:
        line = lines[0]
    else:
        line = f"fails: exit code {ran.returncode}, and printed '{' / '.join(lines)[:200]}'"
    return {"line": line, "stderr": ran.stderr.replace(f"{SOURCE}/", "")[-2000:]}


def verdict_of(lines):
    """Returns the verdict of several runs: their common line, the median and range of what they measured, or each
    different line with the number of runs.
    """
    kinds = {kind_of(each) for each in lines}
    if kinds == {"measured"}:
        found = [MEASURED.fullmatch(each) for each in lines]
        values = [[float(each[1]), float(each[2] or each[1]), float(each[3] or each[1])] for each in found]
        median, low, high = (of(column) for of, column in zip((statistics.median_low, min, max), zip(*values)))
        of_range = f" ({low:g} to {high:g})" if low != high else ""
        return {"result": "measured", "text": f"{median:g}{of_range} {found[0][4]}", "value": median}
    counts = collections.Counter(lines)
    text = "; ".join(line if len(counts) == 1 else f"{line} ({count} of {len(lines)} runs)"
                     for line, count in counts.items())
    bad = [each for each in BAD if each in kinds]
    mixed = len(kinds) > 1 and not bad
    return {"result": "fails" if mixed else bad[0] if bad else kinds.pop(), "text": text}


def programs_of(build, only="*"):
    """Returns the programs of a configured build folder whose names match the glob."""
    return fnmatch.filter(json.loads((build / "bin/clinic/build.json").read_text())["programs"], only)


def build_programs(build, only, *options, check=True):
    subprocess.run(["cmake", "--build", build, "--target", *(f"clinic_{each}" for each in programs_of(build, only)),
                    *options], check=check)


def rows_of(build_folder, only, runs):
    folder = build_folder / "bin/clinic"
    is_stock_only = not (folder / "swapped").is_dir()
    ways = {way: how for way, how in WAYS.items() if not is_stock_only or way.startswith("Asio")}
    for program in programs_of(build_folder, only):
        verdicts = {}
        for way, (build, environment) in ways.items():
            if is_stock_only and not (folder / build / program).exists():
                all_runs = [{"line": "unavailable: it does not compile with this Boost", "stderr": ""}]
            else:
                all_runs = [run_of([folder / build / program], environment) for _ in range(runs)]
            verdicts[way] = {**verdict_of([each["line"] for each in all_runs]), "runs": all_runs}
            print(f"{program}, {way}: {verdicts[way]['text']}", file=sys.stderr, flush=True)
        yield {**described(program), "verdicts": verdicts}


def label_of(link):
    thread = re.fullmatch(r"https://github\.com/[^/]+/([^/]+)/(?:issues|pull)/(\d+)", link)
    return f"{thread[1]}#{thread[2]}" if thread else "documentation"


def table_of(of_boost):
    """Returns a table in Markdown. Programs that measure are last."""
    rows = of_boost["rows"]
    ways = [way for way in WAYS if rows and way in rows[0]["verdicts"]]
    titles = [f"{way} (Boost {of_boost['boost']})" if way.startswith("Asio") else way for way in ways]
    lines = [f"| complaint, question or documented behaviour | {' | '.join(titles)} |", "|---|" + "---|" * len(ways)]
    for row in sorted(rows, key=lambda each: each["claim"].endswith("?")):
        links = ", ".join(f"[{label_of(link)}]({link})" for link in row["links"])
        cells = [f"{row['claim']} ({links})", *(row["verdicts"][way]["text"] for way in ways)]
        cells = [cell.replace("|", "\\|") for cell in cells]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def heading_of(of_boost, report):
    return f"Boost {of_boost['boost']}, Linux {report['kernel']}, {of_boost['compiler']}"


def version_of(headers):
    """Returns the folder for the compiler's option -I, and the version of the Boost in `headers`."""
    for folder in (headers, headers / "include"):
        if (folder / "boost/version.hpp").exists() and (folder / "boost/asio.hpp").exists():
            number = re.search(r"#define BOOST_VERSION (\d+)", (folder / "boost/version.hpp").read_text())
            value = int(number[1])
            return folder.resolve(), (value // 100000, value // 100 % 1000, value % 100)
    raise FileNotFoundError(f"{headers} contains no Boost; name a folder that contains boost/asio.hpp and "
                            "boost/version.hpp, or the folder above its folder `include`")


def build_of_boost(build, only, number, headers):
    """Configures a build folder with the Boost in `headers`, builds the programs there, and returns it."""
    folder = build / "clinic-boosts" / str(number)
    found, version = version_of(headers)
    is_supported = OLDEST <= version[:2] <= NEWEST
    special = (["-S", SOURCE, f"-DBOOST_ROOT={found}"] if is_supported else
               ["-S", PROGRAMS / "stock", "-G", "Ninja", f"-DCLINIC_BOOST={found}",
                f"-DCLINIC_BOOST_VERSION={'.'.join(map(str, version))}"])
    subprocess.run(["cmake", *special, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
                    "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG"], check=True)
    # With a Boost that is not supported, the programs that do not compile are left out.
    build_programs(folder, only, *([] if is_supported else ["--", "-k", "0"]), check=is_supported)
    return folder


def write(report, output):
    output.mkdir(parents=True, exist_ok=True)
    (output / "clinic.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    (output / "clinic.md").write_text("\n".join(
        f"## {heading_of(each, report)}\n\n{table_of(each)}" for each in report["boosts"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD", type=pathlib.Path)
    parser.add_argument("--boost", metavar="FOLDER", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--runs", metavar="N", type=int, default=1)
    parser.add_argument("--only", metavar="GLOB", default="*")
    parser.add_argument("-o", metavar="FOLDER", type=pathlib.Path, default=pathlib.Path("."), dest="output")
    arguments = parser.parse_args()
    cache = arguments.build / "CMakeCache.txt"
    if not cache.exists():
        parser.error(f"{arguments.build} is not a build folder; configure it with cmake --preset release")
    if not re.search(r"^CMAKE_BUILD_TYPE:\w+=Rel", cache.read_text(), re.M):
        parser.error(f"{arguments.build} is not optimised, so its times mean nothing; use cmake --preset release")
    if arguments.runs < 1:
        parser.error(f"--runs {arguments.runs} is not possible; use at least 1")
    report = {"kernel": platform.release(), "cpus": os.cpu_count(), "boosts": []}
    try:
        for headers in arguments.boost:
            version_of(headers)
        subprocess.run(["cmake", arguments.build], check=True)  # the list of programs can have changed
        if not programs_of(arguments.build, arguments.only):
            parser.error(f"no program has a name that matches '{arguments.only}' (--only); the programs are "
                         f"{', '.join(programs_of(arguments.build))}")
        build_programs(arguments.build, arguments.only)
        builds = [arguments.build,
                  *(build_of_boost(arguments.build, arguments.only, *each) for each in enumerate(arguments.boost))]
    except FileNotFoundError as missing:
        parser.error(str(missing))
    except subprocess.CalledProcessError as failed:
        sys.exit(f"clinic.py: {' '.join(map(str, failed.cmd))} failed; its output says why")
    for build in builds:
        about = json.loads((build / "bin/clinic/build.json").read_text())
        report["boosts"].append({**{key: about[key] for key in about if key != "programs"}, "rows": []})
        for row in rows_of(build, arguments.only, arguments.runs):
            report["boosts"][-1]["rows"].append(row)
            write(report, arguments.output)
    failed = [row["program"] for row in report["boosts"][0]["rows"]
              if any(way["result"] == "fails" for way in row["verdicts"].values())]
    if failed:
        sys.exit(f"clinic.py: these programs are missing or do not follow the rules of clinic.hpp: {', '.join(failed)}")


if __name__ == "__main__":
    main()
