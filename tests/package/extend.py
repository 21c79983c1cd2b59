#!/usr/bin/env python3
"""Checks that one file and one line add a workload, a contender or a format, and that one line adds a metric
(CONTRIBUTING.md).

    extend.py SOURCE BUILD SCRATCH

The script adds a workload, a contender, a format and a metric to a copy of the sources: the files of
tests/package/extend and the lines in LINES. `loopbench` must then list, explain, measure and write these additions.
The script compiles only the affected parts and links them with the other parts from BUILD.
"""

import pathlib
import re
import shutil
import subprocess
import sys

LINES = {  # file: (an existing line, the line to add after it)
    "bench/catalog/CMakeLists.txt": ("set(families", "    answer.hpp"),
    "bench/suite/contenders/CMakeLists.txt": (
        "add_library(loopbench_loop_contender STATIC EXCLUDE_FROM_ALL loop_contender.cpp)",
        'loopbench_add_contender(other other.cpp LIBRARIES loopbench_asio_ref ABOUT "A contender that a test adds.")'),
    "reports/model/metrics.cpp": (
        "constexpr std::array metrics{",
        """\
metric_info{.name = "answers", .title = "mean answer", .unit = "count", .better = larger,
            .summary = "the mean of all answers", .how = "By adding them up."},
"""),
    "reports/CMakeLists.txt": ("set(formats", "    render/formats/haiku.cpp"),
}
TOUCHED = [  # the libraries that are compiled from the changed files
    "reports/libloopbench_reports.a", "bench/libloopbench_catalog.a", "bench/catalog/libloopbench_workload_table.a",
]
OBJECT = "bench/suite/contenders/CMakeFiles/other.dir/other.cpp.o"


def run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"extend: exit code {done.returncode} of {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def copy_with_additions(source, target):
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for file in ("CMakeLists.txt", "LICENSE"):
        shutil.copy(source / file, target)
    for folder in ("loop", "asio_compat", "asio_ref", "bench", "reports"):
        shutil.copytree(source / folder, target / folder, ignore=shutil.ignore_patterns("evidence"))
    shutil.copytree(source / "tests/package/extend", target, dirs_exist_ok=True)
    for file, (before, line) in LINES.items():
        text = (target / file).read_text()
        if text.count(before + "\n") != 1:
            sys.exit(f"extend: {file} must have exactly one line: {before}")
        (target / file).write_text(text.replace(before + "\n", f"{before}\n{line}\n"))


def cached(build, name):
    found = re.search(rf"^{name}:\w+=(.+)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return [f"-D{name}={found[1]}"] if found else []


def link(build, target, replaced, output):
    command = run("ninja", "-C", build, "-t", "commands", target).splitlines()[-1]
    for old, new in replaced.items():
        if f" {old} " not in command:
            sys.exit(f"extend: the link command of {target} lacks {old}: {command}")
        command = command.replace(f" {old} ", f" {new} ")
    output.parent.mkdir(parents=True, exist_ok=True)
    run("sh", "-c", re.sub(r" -o \S+", f" -o {output}", command), cwd=build)


def built(source, build, scratch):
    copy_with_additions(source, scratch / "source")
    options = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DLOOPBENCH_TESTS=OFF"]
    for name in ("CMAKE_CXX_COMPILER", "CMAKE_CXX_COMPILER_LAUNCHER", "CMAKE_CXX_FLAGS"):
        options += cached(build, name)
    ours = scratch / "build"
    run("cmake", "-S", scratch / "source", "-B", ours, "-G", "Ninja", *options)
    run("ninja", "-C", ours, "loopbench_reports", "loopbench_catalog", "loopbench_workload_table", OBJECT)
    libraries = {name: ours / name for name in TOUCHED}
    link(build, "loopbench", libraries, scratch / "bin/loopbench")
    link(build, "asio-epoll", {OBJECT.replace("other.dir/other", "asio-epoll.dir/asio_epoll"): ours / OBJECT,
                               TOUCHED[2]: libraries[TOUCHED[2]]}, scratch / "bin/contenders/other")
    return scratch / "bin/loopbench"


def expect(pattern, text):
    if not re.search(pattern, text, re.MULTILINE):
        sys.exit(f"extend: nothing matches {pattern} in\n{text}")


def main(source, build, scratch):
    source, build, scratch = (pathlib.Path(path).absolute() for path in (source, build, scratch))
    loopbench, out = built(source, build, scratch), scratch / "out"
    listed = run(loopbench, "list")
    for what in ("other", "answer", "answers"):
        expect(rf"^[* ] {what}\s", listed)
    for what, text in (("answer", "one addition"), ("answers", "adding them up"), ("other", "a test adds")):
        expect(text, run(loopbench, "explain", what))
    run(loopbench, "run", "--contender", "other", "--workload", "answer", "--blocks", "2", "-o", out)
    expect(r"^answer,other,answers,count,larger,ok,.*,42,", (out / "report.csv").read_text())
    expect("^the answer is 42$", run(loopbench, "report", out / "report.json", "--format", "haiku"))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
