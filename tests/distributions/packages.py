#!/usr/bin/env python3
"""Makes the packages of a release, tries them in fresh Debian releases, and prints a table.

    packages.py SOURCE FOLDER [NAME...]

Needs root, debootstrap and Debian's archive. SOURCE is a clone; its HEAD is tried. The names are deb:bookworm,
deb:trixie (the Debian packages, made and tried in this release) and tarball (made in trixie; tried in bullseye, trixie
and testing), unless others are named. With "try:" before a name, its packages of an earlier call are tried again.
FOLDER/results.json has the results of all names, also of earlier calls; FOLDER/NAME.log has the output. The packages
are in FOLDER/packages. The exit code is 1 if a check failed. .ci/run does not run this script, because it needs much
time.
"""

import json
import os
import pathlib
import re
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

from cells import LIMIT_S, Results, commit_of, commits, git, markdown
from debian_root import Root, RootFailed, remove_root, tell, with_own_mounts

NAMES = ("deb:bookworm", "deb:trixie", "tarball")
BUILDER_OF_TARBALL, USERS_OF_TARBALL = "trixie", ("bullseye", "trixie", "testing")
PLACE, PROGRAMS = "/root/sources", "/root/programs"
PACKAGES = PLACE + "/build/packages"

# Folders that belong to the package manager and to the system, and change with each installation.
VOLATILE = ("dev", "proc", "run", "sys", "tmp", "root", "var/cache", "var/lib/apt", "var/lib/dpkg", "var/log")

# With MORE=1, each operation allocates once more and takes twice as long.
SUMS = """#include <benchmark/benchmark.h>
#include <memory>
#include <numeric>
#include <vector>

static void sums(benchmark::State& state) {
    std::vector<int> numbers(10'000);
    for (auto _ : state) {
        for (int round = 0; round <= MORE; ++round)
            benchmark::DoNotOptimize(std::accumulate(numbers.begin(), numbers.end(), 0));
        if (MORE == 1) benchmark::DoNotOptimize(std::make_unique<int>(1));
    }
}
BENCHMARK(sums);
BENCHMARK_MAIN();
"""
BUILD_PROGRAMS = f"""cd {PROGRAMS}
for more in 0 1; do g++ -O2 -DMORE=$more sums.cpp -lbenchmark -lpthread -o sums$more; done"""
# The difference is planted, so the exit code is 3, or 5 on a machine that is too noisy. The allocations show that
# libloopbench_malloc_counter.so was loaded into the programs.
COMPARE_PROGRAMS = f"""cd {PROGRAMS}
code=0; loopbench compare ./sums0 ./sums1 --blocks 8 --min-time 5ms -o compared || code=$?
[ $code = 3 ] || [ $code = 5 ]
grep -q '"allocations"' compared/report.json
grep -q '"sums' compared/report.json"""
COMPARE_COMMANDS = f"""cd {PROGRAMS}
code=0; loopbench compare --blocks 6 --min-time 1ms -o commands -- 'true' 'sleep 0.01' || code=$?
[ $code = 3 ] || [ $code = 5 ]"""
HISTORY = f"""cd {PROGRAMS}
loopbench history add compared/report.json --history h.db --commit abc
loopbench history list --history h.db | grep abc"""
NO_CONTENDERS = "code=0; loopbench run --quick -o /root/out 2>&1 | grep loopbench-contenders"
MANUAL = "MANWIDTH=80 man loopbench | grep -q 'loopbench compare'"
COMPLETION = """bash -c '. /usr/share/bash-completion/bash_completion
_completion_loader loopbench
COMP_WORDS=(loopbench comp) COMP_CWORD=1 COMP_LINE="loopbench comp" COMP_POINT=14
$(complete -p loopbench | sed "s/.*-F \\([^ ]*\\).*/\\1/") loopbench comp loopbench
echo "${COMPREPLY[@]}" | grep -q compare'"""
SWAP = f"""cd {PROGRAMS}
g++ -std=c++20 -O1 $(pkg-config --cflags loopbench-asio-dropin) server.cpp -o swapped \\
  $(pkg-config --libs loopbench-asio-dropin)
nm -C swapped | grep -q loopbench::loop
./swapped 7311 & server=$!
for i in 1 2 3 4 5 6 7 8 9 10; do
  answer=$(bash -ec 'exec 3<>/dev/tcp/127.0.0.1/7311; echo hello >&3; read -r back <&3; echo $back') && break; sleep 0.3
done
kill $server
[ "$answer" = hello ]"""
FIND_PACKAGE = f"""cd {PROGRAMS}
cmake -S . -B built > cmake.log
cmake --build built --target beside > cmake.log
built/beside"""
CONTENDERS = f"""loopbench list | grep -q asio-epoll
cd {PROGRAMS}
code=0; loopbench run --workload yield --contender asio-epoll --contender loop-epoll --contender asyncio --blocks 2 \\
  --min-time 1ms -o run || code=$?
[ $code = 0 ] || [ $code = 4 ] || [ $code = 5 ]
grep -q '"loop-epoll"' run/report.json"""


class Checks:
    """The results of the checks in a root, and their log."""

    def __init__(self, root, log, about):
        self.root, self.log, self.about, self.results = root, log, about, []

    def check(self, name, script):
        start = time.monotonic()
        done = self.root.start(script, limit_s=LIMIT_S)
        self.log.write(f"== {self.about}: {name}\n$ {script}\n{done.stdout}\n")
        self.log.flush()
        passed = done.returncode == 0
        self.add(name, passed, time.monotonic() - start, "" if passed else done.stdout[-500:])

    def add(self, name, passed, seconds=0.0, text=""):
        self.results.append(self.about | {"check": name, "passed": passed, "seconds": round(seconds), "text": text})
        tell(json.dumps(self.results[-1]))


def fresh_root(folder, suite, packages):
    remove_root(folder)
    return Root(folder, suite, packages)


def put_sources(source, root, tree, place=PLACE):
    """Puts the source archive of the commit, or of a folder in it, into the root. Returns the folder."""
    folder = root.folder / place.lstrip("/")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    archive = root.folder / "root/sources.tar"
    git(source, "archive", f"--output={archive}", tree)
    root.run(f"tar xf /root/{archive.name}", place)
    return folder


def put_programs(source, root, commit):
    folder = put_sources(source, root, f"{commit}:tests/package/asio", PROGRAMS)
    (folder / "sums.cpp").write_text(SUMS)


def take_packages(root, pattern, target, commit):
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    (target / "commit").write_text(commit)
    for each in (root.folder / PACKAGES.lstrip("/")).glob(pattern):
        shutil.copy(each, target)


def commit_of_packages(folder):
    if not (folder / "commit").exists():
        raise RootFailed(f"{folder} has no packages; start the script without \"try:\"")
    return (folder / "commit").read_text()


def commands_below(source, heading):
    """Returns the commands of docs/packages.md below the heading, so that what the page says is tried."""
    section = (source / "docs/packages.md").read_text().partition(f"\n## {heading}\n")[2]
    return re.search(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)[1].splitlines()


def follow_documentation(checks, source, heading):
    for command in commands_below(source, heading):
        checks.check(command, f"cd {PLACE}\n{command}".replace("apt-get install", "apt-get install -y -qq"))


def files_in(folder):
    """Returns the paths of all files that do not belong to the package manager or the kernel."""
    found = set()
    for place, folders, names in os.walk(folder):
        inside = pathlib.Path(place).relative_to(folder)
        folders[:] = [each for each in folders if str(inside / each) not in VOLATILE]
        found |= {str(inside / name) for name in folders + names}
    return found


def check_removal(checks, root):
    """Installs the packages twice. The first time, their dependencies stay, so that only the packages are compared."""
    names = "loopbench libloopbench-dev loopbench-contenders"
    root.run(f"dpkg --purge {names}")
    before = files_in(root.folder)
    root.run("dpkg --install /root/debs/*.deb")
    checks.check("asyncio as root",
                 "/usr/libexec/loopbench/contenders/asyncio --benchmark_list_tests=true | grep -q sleep")
    checks.check("purge", f"dpkg --purge {names}")
    left = sorted(files_in(root.folder) - before)
    checks.add("removal without a trace", not left, text=", ".join(left[:20]))


def make_debs(source, folder, suite, log):
    commit = commit_of(source)
    built = Root(folder / f"build-{suite}", suite, "git")
    sources = put_sources(source, built, commit)
    builder = Checks(built, log, {"name": f"deb:{suite}", "suite": suite, "commit": commit})
    builder.check("install what the build needs", f"cd {PLACE} && .ci/install build")
    follow_documentation(builder, sources, "Debian packages")
    builder.check("lintian", f"""apt-get install -y -qq --no-install-recommends lintian
lintian --fail-on error --suppress-tags initial-upload-closes-no-bugs {PACKAGES}/*.deb""")
    take_packages(built, "*.deb", folder / "packages" / suite, commit)
    return builder.results


def try_debs(source, folder, suite, log):
    packages = folder / "packages" / suite
    commit = commit_of_packages(packages)
    root = fresh_root(folder / f"try-{suite}", suite, "ca-certificates")
    (root.folder / "root/debs").mkdir()
    for each in packages.glob("*.deb"):
        shutil.copy(each, root.folder / "root/debs")
    put_programs(source, root, commit)
    checks = Checks(root, log, {"name": f"deb:{suite}", "suite": suite, "commit": commit})
    get = "apt-get install -y -qq"
    checks.check("install loopbench", f"{get} /root/debs/loopbench_*.deb\nloopbench --version")
    checks.check("install what the checks need", f"{get} --no-install-recommends man-db bash-completion g++ cmake make "
                 "pkg-config libbenchmark-dev\n" + BUILD_PROGRAMS)
    checks.check("man loopbench", MANUAL)
    checks.check("bash completion", COMPLETION)
    checks.check("compare two programs", COMPARE_PROGRAMS)
    checks.check("compare two commands", COMPARE_COMMANDS)
    checks.check("history", HISTORY)
    checks.check("run without contenders names the package", NO_CONTENDERS)
    checks.check("install libloopbench-dev", f"{get} --no-install-recommends /root/debs/libloopbench-dev_*.deb")
    checks.check("an Asio program through pkg-config", SWAP)
    checks.check("find_package(loopbench COMPONENTS asio)", FIND_PACKAGE)
    checks.check("install loopbench-contenders", f"{get} --no-install-recommends /root/debs/loopbench-contenders_*.deb")
    checks.check("run with contenders", CONTENDERS)
    check_removal(checks, root)
    return checks.results


def make_tarball(source, folder, log):
    suite, commit = BUILDER_OF_TARBALL, commit_of(source)
    built = Root(folder / f"build-{suite}", suite, "git")
    sources = put_sources(source, built, commit)
    builder = Checks(built, log, {"name": "tarball", "suite": suite, "commit": commit})
    builder.check("install what the build needs", f"cd {PLACE} && .ci/install build")
    follow_documentation(builder, sources, "An archive for other distributions")
    take_packages(built, "*.tar.gz", folder / "packages/tarball", commit)
    return builder.results


def try_tarball(source, folder, log):
    results, packages = [], folder / "packages/tarball"
    commit = commit_of_packages(packages)
    for user in USERS_OF_TARBALL:
        root = fresh_root(folder / f"try-tarball-{user}", user, "g++ libbenchmark-dev strace")
        put_programs(source, root, commit)
        for archive in packages.glob("*.tar.gz"):
            shutil.copy(archive, root.folder / "root/loopbench.tar.gz")
        root.environment["PATH"] += ":/root/there/bin"
        checks = Checks(root, log, {"name": "tarball", "suite": user, "commit": commit})
        checks.check("unpack", "mkdir /root/there\ntar xzf /root/loopbench.tar.gz -C /root/there --strip-components=1\n"
                     "loopbench --version")
        checks.check("build two programs", BUILD_PROGRAMS)
        checks.check("compare two programs", COMPARE_PROGRAMS)
        checks.check("compare two commands", COMPARE_COMMANDS)
        checks.check("history", HISTORY)
        checks.check("run without contenders names the remedy", NO_CONTENDERS)
        results += checks.results
    return results


def table(results):
    """Returns a Markdown table: one row for each check, one column for each name and suite."""
    columns = list(dict.fromkeys((each["name"], each["suite"]) for each in results))
    in_column = {column: [each for each in results if (each["name"], each["suite"]) == column] for column in columns}
    rows = [["commit", *(commits(each) for each in in_column.values())]]
    for check in dict.fromkeys(each["check"] for each in results):
        row = [check]
        for column in columns:
            found = [each for each in in_column[column] if each["check"] == check]
            row.append("-" if not found else f"{found[-1]['seconds']} s" if found[-1]["passed"] else "**failed**")
        rows.append(row)
    return markdown(["check", *(f"{name.partition(':')[0]}, {suite}" for name, suite in columns)], rows)


def check_name(name):
    """Raises RootFailed if the script cannot make such packages."""
    if not re.fullmatch(r"(try:)?(deb:[a-z][a-z0-9-]*|tarball)", name):
        raise RootFailed(f"'{name}' is unknown; expected tarball or, for example, deb:trixie or try:deb:trixie")


def try_name(source, folder, name, log):
    """Returns the results of the name: first those of making the packages, unless it begins with "try:"."""
    only_try = name.startswith("try:")
    kind, _, suite = name.removeprefix("try:").partition(":")
    made = []
    if not only_try:
        made = make_debs(source, folder, suite, log) if kind == "deb" else make_tarball(source, folder, log)
    if any(not each["passed"] for each in made):
        return made
    return made + (try_debs(source, folder, suite, log) if kind == "deb" else try_tarball(source, folder, log))


def main(source, folder, names):
    for name in names:
        check_name(name)
    results = Results(folder, ("name", "suite", "check"))
    root_failed = False
    for name in dict.fromkeys(names):
        try:
            with open(folder / f"{name.replace(':', '-')}.log", "w") as log:
                results.keep(*try_name(source, folder, name, log))
        except RootFailed as failure:
            tell(f"{name}: {failure}")
            root_failed = True
        (folder / "table.md").write_text(table(results.all) + "\n")
    print(table(results.all))
    return 1 if root_failed or not all(each["passed"] for each in results.all) else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with_own_mounts()
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:] or NAMES))
