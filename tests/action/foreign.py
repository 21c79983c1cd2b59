#!/usr/bin/env python3
"""Runs the steps of action.yml in a fresh Debian 12 on three third-party projects, taken from Debian's source packages.

    foreign.py SOURCE FOLDER [PROJECT...]

Needs root, debootstrap, python3-yaml and Debian's archive; takes about an hour. The folder gets the root file system,
which a second run uses again, and `results.json` with all answers. A request that has a right answer is not repeated.
For each project, there are three pull requests: an unchanged program, one in which a benchmark does 10 % more work, and
one that adds, removes and renames benchmarks. The script ends with exit code 1 if a request has no right answer. It is
not a part of .ci/run, because it needs much time and a machine without other work.
"""

import dataclasses
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

import steps

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

from debian_root import MIRROR, Root, tell, with_own_mounts

PLANTED = (0.09, 0.12)  # the planted slowdown is in this range
HELPERS = """static inline void do_more_work() {
    static unsigned long all;
    unsigned long x = all;
    for (int i = 0; i < ROUNDS; ++i) {
        x += 1;
        __asm__ volatile("" : "+r"(x));  // one step after the other, with no access to memory
    }
    all = x;
}
"""


@dataclasses.dataclass
class Project:
    """A source package. `slower` names a function of the file `source`, whose loop gets more work, and a benchmark that
    this function measures. `changed` has replacements in that file, and `only` the benchmarks that then exist on one
    side."""

    package: str
    needs: str
    inputs: dict
    source: str
    slower: tuple
    workloads: str
    changed: dict
    only: dict


PROJECTS = [
    Project(package="snappy/bookworm", needs="zlib1g-dev",
            inputs={"target": "snappy_benchmark", "cmake": "-DSNAPPY_BUILD_TESTS=OFF"},
            source="snappy_benchmark.cc", slower=("BM_UValidate", "BM_UValidate/1"),
            workloads="BM_UFlat/1 BM_UValidate/1 BM_ZFlat/1",
            changed={"BENCHMARK(BM_UFlatMedley);": 'BENCHMARK(BM_UFlatMedley)->Name("BM_Medley");',
                     "BENCHMARK(BM_ZFlatAll);": 'BENCHMARK(BM_UValidateMedley)->Name("BM_Added");'},
            only={"base": ["BM_UFlatMedley", "BM_ZFlatAll"], "head": ["BM_Medley", "BM_Added"]}),
    Project(package="spdlog/bookworm", needs="libfmt-dev",
            inputs={"target": "latency", "cmake": "-DSPDLOG_BUILD_BENCH=ON -DSPDLOG_FMT_EXTERNAL=ON"},
            source="bench/latency.cpp", slower=("bench_c_string", "null_sink_st (500_bytes c_str)"),
            workloads="null_sink_st* null_sink_fmt_string",
            changed={'"null_sink_fmt_string"': '"null_sink_format"',
                     '"disabled-at-runtime"': '"disabled-by-level"'},
            only={"base": ["null_sink_fmt_string", "disabled-at-runtime"],
                  "head": ["null_sink_format", "disabled-by-level"]}),
    Project(package="ftxui/trixie", needs="libgmock-dev libgtest-dev",
            inputs={"target": "ftxui-benchmark", "cmake": "-DFTXUI_BUILD_TESTS=ON -DFTXUI_BUILD_EXAMPLES=OFF"},
            source="src/ftxui/dom/benchmark_test.cpp", slower=("BencharkText", "BencharkText/4"),
            workloads="BencharkText/4 BencharkBasic/64 BenchmarkStyle/*",
            changed={"BENCHMARK(BencharkText)->DenseRange(0, 10, 1)": "BENCHMARK(BencharkText)->DenseRange(0, 11, 1)",
                     "BENCHMARK(BencharkBasic)": 'BENCHMARK(BencharkBasic)->Name("Basic")'},
            only={"base": ["BencharkBasic/64"], "head": ["Basic/64", "BencharkText/11"]}),
]
OF_CHANGED = {"snappy/bookworm": "BM_*Medley BM_ZFlatAll BM_Added BM_UFlat/1",
              "spdlog/bookworm": "null_sink* disabled*", "ftxui/trixie": "*Basic/64 BencharkText/4 BencharkText/11"}


def commit(root, place, message):
    root.run("git add --all --force .\n"
             f"git -c user.name=test -c user.email=test@localhost commit --quiet --allow-empty --message '{message}'",
             place)


def fetch(root, project):
    """Makes a repository of the package. Returns its folder in the root."""
    name = project.package.partition("/")[0]
    root.run(f"rm -rf /projects/{name} && mkdir -p /projects/{name}")
    root.run(f"apt-get install -y -qq --no-install-recommends {project.needs}; apt-get source -qq {project.package}; "
             "mv */ project", f"/projects/{name}")
    place = f"/projects/{name}/project"
    root.run("git init --quiet . && git config --global --add safe.directory '*'", place)
    commit(root, place, "upstream")
    return place


def edit(root, place, project, change):
    file = root.folder / place.lstrip("/") / project.source
    old = file.read_text()
    new = change(old)
    if old == new:
        sys.exit(f"{project.package}: the change does not apply to {project.source}")
    file.write_text(new)


def shortest_cpu_time(root, program, benchmark, inside):
    exactly = re.sub(r"[][.*+?(){}|^$\\]", r"\\\g<0>", benchmark)  # POSIX does not define escaped spaces
    text = root.run(f"{program} '--benchmark_filter=^{exactly}$' --benchmark_repetitions=9 "
                    "--benchmark_min_time=0.05 --benchmark_format=json 2>/dev/null", inside)
    rows = json.loads(text[text.index("{"):])["benchmarks"]
    unit = {"ns": 1, "us": 1e3, "ms": 1e6}
    return min(row["cpu_time"] * unit[row["time_unit"]] for row in rows if row["run_type"] == "iteration")


def with_more_work(text, function, rounds):
    start = text.index(f"{function}(benchmark::State")
    loop = re.compile(r"(for \(auto \w+ : state\)|while \(state\.KeepRunning\(\)\))\s*\{").search(text, start)
    text = f"{text[:loop.end()]} do_more_work();{text[loop.end():]}"
    return HELPERS.replace("ROUNDS", str(rounds)) + text


def replaced(text, changes):
    for old, new in changes.items():
        text = text.replace(old, new) if text.count(old) == 1 else text
    return text


class Requests:
    """The pull requests of a project."""

    def __init__(self, root, project, source, kept):
        self.root, self.project = root, project
        self.commit = subprocess.run(["git", "-C", source, "describe", "--always", "--dirty"], check=True,
                                     capture_output=True, text=True).stdout.strip()
        self.place = fetch(root, project)
        self.action = steps.read_action(source / "action.yml")
        self.root.run("rm -rf /root/.cache/loopbench")
        self.machine = steps.Machine(root=root.folder, action=pathlib.PurePosixPath("/action"),
                                     workspace=pathlib.PurePosixPath(self.place),
                                     files=pathlib.PurePosixPath("/tmp/runner"), kept=kept,
                                     environment=root.environment)

    def all(self):
        return {"unchanged": self.unchanged, "slower": self.slower, "added, removed and renamed": self.changed}

    def run(self, name, workloads, is_right):
        start = time.monotonic()
        inputs = self.project.inputs | {"workloads": workloads}
        job = steps.run_action(self.action, inputs, self.machine)
        result = {"project": self.project.package, "request": name, "loopbench": self.commit,
                  "exit_code": job.code, "of_compare": job.outputs.get("exit-code"),
                  "verdict": job.outputs.get("verdict"), "seconds": round(time.monotonic() - start),
                  "tool_from_cache": job.cache_hit, "right": bool(is_right(job))}
        tell(json.dumps(result))
        if not result["right"]:
            print(job.log[-4000:], job.summary[:2000], sep="\n")
        self.root.run("git reset --quiet --hard HEAD^", self.place)
        return result

    def unchanged(self):
        commit(self.root, self.place, "unchanged")
        return self.run("unchanged", self.project.workloads, lambda job: job.outputs["exit-code"] == "0")

    def build_here(self, name):
        """Makes a plain Release build of the working tree, and returns a copy of its program."""
        target, cmake = self.project.inputs["target"], self.project.inputs["cmake"]
        self.root.run(f"cmake -S . -B /tmp/plain -DCMAKE_BUILD_TYPE=Release {cmake} >/dev/null\n"
                      f"cmake --build /tmp/plain --parallel 2 --target {target} >/dev/null", self.place)
        folder = self.root.folder / "tmp/plain"
        program = next(file for file in folder.rglob(target) if file.is_file())
        shutil.copy(program, folder / name)
        return f"/tmp/plain/{name}"

    def slowdown_of(self, program, base):
        """Returns how much slower the program is than the base. Measures them in turns."""
        times = {each: [] for each in (base, program)}
        for _ in range(5):
            for each, found in times.items():
                found.append(shortest_cpu_time(self.root, each, self.project.slower[1], self.place))
        return min(times[program]) / min(times[base]) - 1

    def plant(self):
        """Adds work to the benchmark until it is about 10 % slower. Returns the slowdown of the plain build."""
        self.root.run("rm -rf /tmp/plain")
        base, function = self.build_here("base"), self.project.slower[0]
        too_few, too_many, rounds = 0, None, 1
        for _ in range(25):
            edit(self.root, self.place, self.project, lambda text: with_more_work(text, function, rounds))
            slowdown = self.slowdown_of(self.build_here("slower"), base)
            tell(f"{rounds} steps more: {100 * slowdown:.1f} % slower")
            if PLANTED[0] <= slowdown <= PLANTED[1]:
                return slowdown
            self.root.run("git checkout --quiet .", self.place)
            if slowdown < PLANTED[0]:
                too_few = rounds
            else:
                too_many = rounds
            if too_many is None:
                rounds = 4 * too_few
            else:
                rounds = (too_few + too_many) // 2
            if rounds in (too_few, too_many):
                break
        sys.exit(f"{self.project.package}: no amount of work makes {self.project.slower[1]} 10 % slower")

    def slower(self):
        benchmark = self.project.slower[1]
        planted = round(100 * self.plant(), 1)
        tell(f"planted {planted} % in {benchmark}")
        commit(self.root, self.place, "slower")
        result = self.run("slower", self.project.workloads, lambda job: (
            job.code == 3 and job.outputs["verdict"].startswith(f"SLOWER: {benchmark} by ")))
        return result | {"planted_pct": planted}

    def changed(self):
        edit(self.root, self.place, self.project, lambda text: replaced(text, self.project.changed))
        commit(self.root, self.place, "changed")

        def is_right(job):
            sides = {side: re.search(rf"only in {side}: (.*?)\. (?:These|$)", job.outputs["verdict"] + " ")
                     for side in ("base", "head")}
            return job.code == 0 and all(found and set(found[1].split(", ")) == set(self.project.only[side])
                                         for side, found in sides.items())
        return self.run("added, removed and renamed", OF_CHANGED[self.project.package], is_right)


def right_of(results):
    return {(result["project"], result["request"]) for result in results if result["right"]}


def copy_sources(source, root):
    shutil.rmtree(root.folder / "action", ignore_errors=True)
    files = subprocess.run(["git", "-C", source, "ls-files"], check=True, capture_output=True, text=True).stdout
    for line in files.splitlines():
        if (source / line).is_file():
            (root.folder / "action" / line).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / line, root.folder / "action" / line)


def main(source, folder, names):
    known = [project.package.partition("/")[0] for project in PROJECTS]
    if unknown := set(names) - set(known):
        sys.exit(f"unknown project: {', '.join(sorted(unknown))}; the projects are {', '.join(known)}")
    folder.mkdir(parents=True, exist_ok=True)
    sources = [f"deb-src {MIRROR} {suite} main" for suite in ("bookworm", "trixie")]
    root = Root(folder / "root", "bookworm", "git python3 dpkg-dev g++ libbenchmark-dev", sources)
    copy_sources(source, root)
    kept = folder / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else []
    for project in PROJECTS:
        if names and project.package.partition("/")[0] not in names:
            continue
        tell(project.package)
        requests = Requests(root, project, source, folder / "kept")
        for name, request in requests.all().items():
            if (project.package, name) in right_of(results):
                continue
            results.append(request())
            kept.write_text(json.dumps(results, indent=1) + "\n")
    asked = {(result["project"], result["request"]) for result in results}
    tell(f"{len(right_of(results))} of {len(asked)} requests have a right answer, after {len(results)} tries")
    return 0 if asked == right_of(results) else 1


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with_own_mounts()
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]))
