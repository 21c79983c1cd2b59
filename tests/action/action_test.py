#!/usr/bin/env python3
"""Runs the steps of action.yml and the script of gitlab.yml on a repository with a small Google Benchmark program.

    action_test.py SOURCE LOOPBENCH SCRATCH

The package manager is replaced by a program that does nothing. `loopbench compare` measures few, short trials, and the
verdicts do not count, because other tests use this machine. Where exit codes and base commits count, a stub replaces
`loopbench`.
"""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import own_git
import steps

SOURCE, LOOPBENCH, SCRATCH = pathlib.Path(), pathlib.Path(), pathlib.Path()
VERDICTS = ("PASS", "SLOWER", "UNDECIDED", "UNRELIABLE")

PROGRAM = """#include <benchmark/benchmark.h>
#include <string>
static void BM_count(benchmark::State& state) {
    for (auto _ : state)
        for (int i = 0; i < COUNT; ++i) benchmark::DoNotOptimize(i);
}
BENCHMARK(BM_count);
static void BM_string(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(std::string(40, 'x'));
}
BENCHMARK(BM_string)->Name("of_COUNT");
BENCHMARK(BM_string)->Name("of_all");
BENCHMARK_MAIN();
"""
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(program CXX)
find_package(benchmark REQUIRED)
add_executable(bench bench.cpp)
target_link_libraries(bench PRIVATE benchmark::benchmark)
"""
# Replaces Google Benchmark where a stub replaces loopbench: a program can only list its benchmarks. It is compiled in
# half of the time, and has enough functions for many link orders.
LIBRARY = """#include <cstdio>
#include <string>
#include <utility>
namespace benchmark {
struct State {
    int* begin() { return nullptr; }
    int* end() { return nullptr; }
};
template <class T> void DoNotOptimize(const T&) {}
inline volatile int called = 0;
template <int N> [[gnu::noinline]] void numbered() { called = N; }
template <int... N> void call(std::integer_sequence<int, N...>) { (numbered<N>(), ...); }
struct Named {
    std::string name;
    Named* before;
    Named* Name(const std::string& other) { name = other; return this; }
};
inline Named* last = nullptr;
inline Named* added(const char* name) { return last = new Named{name, last}; }
inline void list() {
    call(std::make_integer_sequence<int, 30>{});
    for (const Named* each = last; each; each = each->before) std::puts(each->name.c_str());
}
}
#define BENCHMARK_2(function, number) static auto* benchmark_##number = benchmark::added(#function)
#define BENCHMARK_1(function, number) BENCHMARK_2(function, number)
#define BENCHMARK(function) BENCHMARK_1(function, __COUNTER__)
#define BENCHMARK_MAIN() int main() { benchmark::list(); }
"""
PACKAGE = """add_library(benchmark::benchmark INTERFACE IMPORTED)
target_include_directories(benchmark::benchmark INTERFACE "${CMAKE_CURRENT_LIST_DIR}")
"""
# Writes its arguments to a file, and the names of the base's benchmarks to another one, and a report. Ends with CODE.
STUB = """#!/bin/sh
case $1 in
    compare)
        echo "$@" >"$SEEN/arguments"
        eval base=\\${$(($# - 1))}
        [ ! -x "$base" ] || "$base" --benchmark_list_tests >"$SEEN/base"
        mkdir -p loopbench-gate/report
        echo '{"gate": {"verdict": "SLOWER: <a> & b"}}' >loopbench-gate/report/report.json
        exit CODE ;;
    report) echo "report as $4" ;;
esac
"""


def git(repository, *arguments):
    return own_git.git(repository, "-c", "protocol.file.allow=always", *arguments)


def write_command(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def commit(repository, count):
    (repository / "bench.cpp").write_text(PROGRAM.replace("COUNT", str(count)))
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", f"count {count}")


def make_repository(folder):
    """Creates a repository at a merge commit. The pull request changes 100 to 200. Before the merge, the base's branch
    has moved on, to 300. The merge has the program of the pull request."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "CMakeLists.txt").write_text(PROJECT)
    commit(folder, 100)
    git(folder, "checkout", "--quiet", "-b", "request")
    commit(folder, 200)
    git(folder, "checkout", "--quiet", "main")
    commit(folder, 300)
    git(folder, "merge", "--quiet", "--strategy=ours", "--no-edit", "request")
    (folder / "bench.cpp").write_text(PROGRAM.replace("COUNT", "200"))
    git(folder, "commit", "--quiet", "--all", "--amend", "--no-edit")


class Fixture(unittest.TestCase):
    def setUp(self):
        self.folder = SCRATCH / self.id().rpartition(".")[2]
        shutil.rmtree(self.folder, ignore_errors=True)
        self.repository = self.folder / "a project"
        make_repository(self.repository)
        self.seen = self.folder / "seen"
        self.seen.mkdir()
        shutil.copytree(SOURCE / ".ci", self.folder / "action/.ci")
        write_command(self.folder / "action/.ci/install", "#!/bin/sh\n")
        self.tool = self.folder / "action/build/tool/bin/loopbench"
        for name in list(os.environ):  # of the CI that runs this test
            if name.startswith(("CI_", "GITHUB_", "LOOPBENCH_")) or name in ("CFLAGS", "CXXFLAGS", "CMAKE_GENERATOR"):
                del os.environ[name]
        self.environment = {"HOME": str(self.folder), "SEEN": str(self.seen),
                            "XDG_CACHE_HOME": str(self.folder / "cache")}
        self.machine = steps.Machine(root=pathlib.Path("/"), action=self.folder / "action",
                                     workspace=self.folder / "a project", files=self.folder / "files",
                                     kept=self.folder / "kept", environment=self.environment)

    def benchmarks_of_base(self):
        return (self.seen / "base").read_text().split()

    def use_loopbench(self):
        write_command(self.tool, f'#!/bin/sh\nexec {LOOPBENCH} "$@"\n')

    def use_stub(self, code=0):
        shutil.rmtree(self.folder / "kept", ignore_errors=True)  # its cache can contain another stub
        write_command(self.tool, STUB.replace("CODE", str(code)))
        library = self.folder / "library/lib/cmake/benchmark"
        (library / "benchmark").mkdir(parents=True, exist_ok=True)
        (library / "benchmark/benchmark.h").write_text(LIBRARY)
        (library / "benchmarkConfig.cmake").write_text(PACKAGE)
        # Ninja starts the compiler in half of the time that make needs.
        self.environment |= {"benchmark_ROOT": str(self.folder / "library"), "CMAKE_GENERATOR": "Ninja"}


class ActionTest(Fixture):
    def run_action(self, **inputs):
        given = {name.replace("_", "-"): text for name, text in inputs.items()}
        return steps.run_action(steps.read_action(SOURCE / "action.yml"), given, self.machine)

    def built(self, path):
        (place,) = (self.folder / "cache/loopbench/gate").iterdir()
        return place / path

    def change(self, text, file="CMakeLists.txt", twice=True):
        """Adds text to a file. With `twice`, base and head get the change."""
        with (self.repository / file).open("a") as opened:
            opened.write(text)
        git(self.repository, "add", ".")
        for message in ("changed", "unchanged") if twice else ("changed",):
            git(self.repository, "commit", "--quiet", "--allow-empty", "--message", message)

    def test_a_job_compares_base_and_head_in_several_layouts(self):
        self.use_loopbench()
        job = self.run_action(target="bench", layouts="10", blocks="6", min_time="2ms",
                              workloads="BM_* of_all of_300 of_200",
                              cmake="\n-DCMAKE_EXE_LINKER_FLAGS=-Wl,--no-undefined\n-DSECOND=\"2 words\"\n")
        self.assertIn(job.code, (0, 3), job.log)
        self.assertTrue(job.summary.startswith("```\n") and job.summary[4:].startswith(VERDICTS), job.summary[:200])
        self.assertTrue(job.outputs["verdict"].startswith(VERDICTS), job.outputs)
        self.assertIn(job.outputs["exit-code"], list("0345"))
        self.assertIn("BM_count", job.summary)
        for name in ("comparison.txt", "report/report.json", "report/report.html"):
            self.assertTrue((job.artifact / name).is_file(), name)
        of_head = [path.read_bytes() for path in sorted(self.built("layouts/head").iterdir())]
        self.assertEqual(10, len(of_head))
        self.assertEqual(10, len(set(of_head)), "two layouts are the same program")
        cache = (self.built("head/build/CMakeCache.txt")).read_text()
        self.assertIn("CMAKE_EXE_LINKER_FLAGS:STRING=-Wl,--no-undefined\n", cache)
        self.assertIn("SECOND:UNINITIALIZED=2 words\n", cache)
        self.assertEqual("", git(self.repository, "status", "--short"))
        self.assertEqual(1, len(git(self.repository, "worktree", "list").splitlines()), "a work tree is left")

    def test_one_layout_needs_no_folder_and_keeps_the_files_next_to_the_program(self):
        self.use_loopbench()
        self.change("file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/data.txt 3)\n")
        job = self.run_action(target="bench", layouts="1", blocks="6", min_time="2ms", workloads="BM_count")
        self.assertIn(job.code, (0, 3), job.log)
        self.assertTrue(self.built("head/build/data.txt").is_file())
        report = json.loads((job.artifact / "report/report.json").read_text())
        self.assertTrue(report["contenders"][1]["context"]["program"].endswith("head/build/bench"))

    def test_a_project_that_sets_its_own_linker_flags_is_shuffled_too(self):
        self.use_stub()
        self.change('set(CMAKE_EXE_LINKER_FLAGS "-s")\nset(CMAKE_CXX_FLAGS "-O1")\n')
        job = self.run_action(target="bench", layouts="10")
        self.assertEqual(0, job.code, job.log)
        self.assertEqual(10, len({path.read_bytes() for path in self.built("layouts/base").iterdir()}))

    def test_a_program_whose_file_name_has_a_version_is_shuffled_too(self):
        self.use_stub()
        self.change("set_target_properties(bench PROPERTIES VERSION 5.0.0)\n")  # `bench` links to bench-5.0.0
        self.environment["CMAKE_GENERATOR"] = "Unix Makefiles"
        job = self.run_action(target="bench", layouts="10")
        self.assertEqual(0, job.code, job.log)
        self.assertEqual(10, len({path.read_bytes() for path in self.built("layouts/base").iterdir()}))

    def test_shared_libraries_are_not_linked_in_several_orders(self):
        self.use_stub()
        functions = "".join(f"int f{i}(int x) {{ return {i} * x; }}\n" for i in range(50))
        (self.repository / "library.cpp").write_text(functions)
        self.change("add_library(own SHARED library.cpp)\ntarget_link_libraries(bench PRIVATE own)\n")
        job = self.run_action(target="bench", layouts="10")
        self.assertEqual(0, job.code, job.log)
        addresses = [subprocess.run(["nm", "-D", self.built(f"{side}/build/libown.so")], capture_output=True, text=True,
                                    check=True).stdout for side in ("base", "head")]
        self.assertIn("f49", addresses[0])
        self.assertEqual(*addresses)

    def test_a_file_that_the_project_lets_cmake_include_is_included_too(self):
        self.use_stub()
        self.change("set(ANSWER 42 CACHE INTERNAL \"\")\n", "own.cmake")
        job = self.run_action(target="bench", layouts="10", cmake=f"-D CMAKE_PROJECT_TOP_LEVEL_INCLUDES:STRING="
                                                                  f"'{self.repository / 'own.cmake'}'")
        self.assertEqual(0, job.code, job.log)
        self.assertTrue("ANSWER:INTERNAL=42\n" in self.built("head/build/CMakeCache.txt").read_text())

    def test_a_base_that_does_not_build_does_not_fail_the_job(self):
        self.use_stub()
        (self.repository / "bench.cpp").write_text("#error planted\n")
        git(self.repository, "commit", "--quiet", "--all", "--message", "broken")
        git(self.repository, "revert", "--no-edit", "HEAD")
        job = self.run_action(target="bench", layouts="1")
        self.assertEqual((0, "4"), (job.code, job.outputs["exit-code"]), job.log)
        self.assertTrue(job.outputs["verdict"].startswith("UNDECIDED: there is nothing to compare: the build of base"),
                        job.outputs)

    def test_a_file_that_git_does_not_know_is_named_if_the_build_fails(self):
        self.use_stub()
        self.change("", twice=False)
        (self.repository / "new.hpp").write_text("")
        (self.repository / "bench.cpp").write_text(f'#include "new.hpp"\n{PROGRAM}')
        job = self.run_action(target="bench", layouts="1", base="HEAD")
        self.assertEqual(1, job.code)
        self.assertIn("git does not know new.hpp", job.outputs["verdict"])

    def test_the_result_names_the_compared_commits(self):
        self.use_stub()
        self.assertEqual(0, self.run_action(target="bench", layouts="1").code)
        base, head = (git(self.repository, "log", "-1", "--format=%h \"%s\"", commit) for commit in ("HEAD^1", "HEAD"))
        text = (self.folder / "kept/artifacts/loopbench/comparison.txt").read_text()
        self.assertTrue(text.endswith(f"\nbase = {base}, head = {head}\n"), text)
        (self.repository / "bench.cpp").write_text(PROGRAM.replace("COUNT", "400"))
        job = self.run_action(target="bench", layouts="1", base="HEAD")
        self.assertTrue(job.summary.count(f"base = {head}, head = {head} with changes that are not committed\n"),
                        job.summary)

    def test_values_that_begin_with_a_dash_are_accepted(self):
        self.use_stub()
        words = ["run", "--base-command", "true", "--head-command", "true", "--options", "--profile", "--args", "-x",
                 "--cmake", "-DA=1"]
        done = subprocess.run([self.folder / "action/.ci/gate", *words], cwd=self.repository, capture_output=True,
                              env=os.environ | self.environment, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("--args=-x --profile -- true true", (self.seen / "arguments").read_text())

    def test_an_interrupted_comparison_keeps_its_results(self):
        write_command(self.tool, STUB.replace("exit CODE", "kill -INT $PPID; exit 130"))
        job = self.run_action(base_command="true", head_command="true")
        self.assertEqual((130, "130"), (job.code, job.outputs.get("exit-code")), job.log)
        self.assertTrue((job.artifact / "comparison.txt").is_file())

    def test_the_base_is_the_first_parent_of_the_merge(self):
        self.use_stub()
        self.environment["GITHUB_EVENT_NAME"] = "pull_request"
        self.assertEqual(0, self.run_action(target="bench", layouts="1").code)
        self.assertIn("of_300", self.benchmarks_of_base())

    def test_a_pull_request_without_its_merge_commit_is_refused(self):
        self.use_stub()
        git(self.repository, "checkout", "--quiet", "request")
        for event, told in (("pull_request", "ref"), ("pull_request_target", "pull_request_target")):
            self.environment["GITHUB_EVENT_NAME"] = event
            job = self.run_action(target="bench", layouts="1")
            self.assertEqual(2, job.code)
            self.assertIn(told, job.log)

    def test_a_given_base_stands_for_the_last_common_commit(self):
        self.use_stub()
        git(self.repository, "checkout", "--quiet", "request")
        self.assertEqual(0, self.run_action(target="bench", layouts="1", base="main^1").code)
        self.assertIn("of_100", self.benchmarks_of_base(), "the base's branch has a newer commit")
        job = self.run_action(target="bench", layouts="1", base="HEAD")
        self.assertEqual(2, job.code)
        self.assertIn("same commit", job.log)
        git(self.repository, "update-ref", "refs/remotes/origin/older", "main^1")  # CI has no local branch
        self.assertEqual(0, self.run_action(target="bench", layouts="1", base="older").code)
        self.assertIn("of_100", self.benchmarks_of_base())

    def test_uncommitted_changes_belong_to_the_head(self):
        self.use_stub()
        (self.repository / "bench.cpp").write_text(PROGRAM.replace("COUNT", "400"))
        self.assertEqual(0, self.run_action(target="bench", layouts="1", base="HEAD").code)
        self.assertIn("of_200", self.benchmarks_of_base())
        names = subprocess.run([self.built("head/build/bench"), "--benchmark_list_tests"], capture_output=True,
                               text=True, check=True).stdout
        self.assertIn("of_400", names.split())

    def test_changes_that_git_cannot_record_are_not_ignored(self):
        self.use_stub()
        git(self.repository, "checkout", "--quiet", "request")
        with self.assertRaises(subprocess.CalledProcessError):
            git(self.repository, "merge", "--quiet", "main^1")  # a conflict
        job = self.run_action(target="bench", layouts="1", base="HEAD^")
        self.assertEqual(2, job.code)
        self.assertIn("git stash create", job.log)

    def test_files_of_the_base_are_not_compiled_into_the_head(self):
        self.use_stub()
        project = PROJECT.replace("add_executable(bench bench.cpp)", 'file(GLOB_RECURSE all "*.cpp")\n'
                                                                     "add_executable(bench ${all})")
        (self.repository / "CMakeLists.txt").write_text(project)
        self.change("")
        for _ in range(2):  # a second run finds what the first one left
            self.assertEqual(0, self.run_action(target="bench", layouts="1").code)

    def test_a_project_in_a_subfolder_is_built_there_for_both_sides(self):
        self.use_stub()
        (self.repository / "sub folder").mkdir()
        for name in ("CMakeLists.txt", "bench.cpp"):
            git(self.repository, "mv", name, f"sub folder/{name}")
        self.change("", "sub folder/CMakeLists.txt")
        machine = dataclasses.replace(self.machine, workspace=self.machine.workspace / "sub folder")
        (self.repository / "sub folder/bench.cpp").write_text(PROGRAM.replace("COUNT", "500"))
        git(self.repository, "commit", "--quiet", "--all", "--message", "500")
        absolute = {"source": str(self.repository / "sub folder")}
        for given, where in (({"source": "sub folder"}, self.machine), (absolute, self.machine), ({}, machine)):
            self.machine = where
            job = self.run_action(target="bench", layouts="1", **given)
            self.assertEqual(0, job.code, job.log)
            self.assertNotIn("of_500", self.benchmarks_of_base(), "the base is built from the head")

    def test_submodules_have_the_commits_of_their_side(self):
        self.use_stub()
        other = self.folder / "other"
        other.mkdir()
        git(other, "init", "--quiet")
        (other / "value.hpp").write_text("constexpr int value = 1;\n")
        git(other, "add", ".")
        git(other, "commit", "--quiet", "--message", "one")
        git(self.repository, "submodule", "--quiet", "add", f"file://{other}", "third party")
        source = '#include "third party/value.hpp"\n' + PROGRAM.replace('"of_COUNT"', '"of_" + std::to_string(value)')
        (self.repository / "bench.cpp").write_text(source.replace("COUNT", "9"))
        self.change("", twice=False)
        (self.repository / "third party/value.hpp").write_text("constexpr int value = 2;\n")
        git(self.repository / "third party", "commit", "--quiet", "--all", "--message", "two")
        self.change("", twice=False)
        job = self.run_action(target="bench", layouts="1")
        self.assertEqual(0, job.code, job.log)
        self.assertIn("of_1", self.benchmarks_of_base())
        (self.repository / "third party/value.hpp").write_text("constexpr int value = 3;\n")
        job = self.run_action(target="bench", layouts="1", base="HEAD")
        self.assertEqual(0, job.code, job.log)
        self.assertIn("of_2", self.benchmarks_of_base(), "the base has a change that is not committed")
        git(self.repository / "third party", "commit", "--quiet", "--all", "--message", "three")
        job = self.run_action(target="bench", layouts="1", base="HEAD")
        self.assertEqual(0, job.code, job.log)
        self.assertIn("of_2", self.benchmarks_of_base())
        names = subprocess.run([self.built("head/build/bench"), "--benchmark_list_tests"], capture_output=True,
                               text=True, check=True).stdout
        self.assertIn("of_3", names.split(), "the head lacks the submodule's new commit")
        git(self.repository, "commit", "--quiet", "--all", "--message", "three")
        shutil.rmtree(self.repository / "third party")
        git(self.repository, "clone", "--quiet", "--depth=1", f"file://{other}", "third party")  # has only `one`
        job = self.run_action(target="bench", layouts="1")
        self.assertEqual(2, job.code, job.log)
        self.assertIn("fetch-depth: 0", job.log)

    def test_the_exit_codes_that_fail_a_job(self):
        for code, when_slower, when_unproven in ((0, 0, 0), (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 0, 4), (5, 0, 5)):
            for fail_on, expected in (("slower", when_slower), ("unproven", when_unproven)):
                with self.subTest(code=code, fail_on=fail_on):
                    self.use_stub(code)
                    job = self.run_action(base_command="true", head_command="true", fail_on=fail_on)
                    self.assertEqual(expected, job.code, job.log)
                    self.assertEqual({"exit-code": str(code), "verdict": "SLOWER: <a> & b"}, job.outputs)
                    self.assertTrue(job.summary.startswith("```\nreport as screen"), job.summary)

    def test_two_commands_are_compared_without_a_build(self):
        self.use_stub()
        job = self.run_action(base_command="sort a", head_command="sort 'b c'", threshold="7%", tolerate="8%",
                              budget="9s", options="--pairing sequential")
        self.assertEqual(0, job.code, job.log)
        arguments = (self.seen / "arguments").read_text()
        self.assertIn("--threshold 7% --budget 9s", arguments)
        self.assertIn("--tolerate 8%", arguments)
        self.assertNotIn("--blocks", arguments, "loopbench has its own default for commands")
        self.assertTrue(arguments.endswith("--pairing sequential -- sort a sort 'b c'\n"), arguments)

    def test_a_failed_build_fails_the_job_and_says_so_in_the_summary(self):
        self.use_stub()
        (self.repository / "bench.cpp").write_text("#error planted\n")
        git(self.repository, "commit", "--quiet", "--all", "--message", "broken")
        job = self.run_action(target="bench", layouts="1")
        self.assertEqual(1, job.code)
        self.assertIn("planted", job.log)
        self.assertNotIn("git add", job.log)
        self.assertIn("FAILED", job.summary)
        self.assertTrue(job.outputs["verdict"].startswith("FAILED: the build of head failed"), job.outputs)
        self.assertIn("FAILED", (job.artifact / "comparison.txt").read_text())

    def test_wrong_inputs_are_named(self):
        self.use_stub()
        for told, inputs in (("--target", {}), ("--head-command", {"base_command": "true"}),
                             ("both", {"target": "bench", "base_command": "true", "head_command": "true"}),
                             ("--fail-on", {"target": "bench", "fail_on": "always"}),
                             ("--layouts", {"target": "bench", "layouts": "many"}),
                             ("--layouts", {"target": "bench", "layouts": "3"}),
                             ("--blocks", {"target": "bench", "blocks": "x"}),
                             ("--min-time", {"target": "bench", "min_time": "20"}),
                             ("--budget", {"target": "bench", "budget": "10"}),
                             ("--cmake", {"target": "bench", "cmake": "-DA='\n-DB=1"}),
                             ("--options", {"target": "bench", "options": "'"}),
                             ("no CMakeLists.txt; correct --source", {"target": "bench", "source": "nowhere"}),
                             ("not in the project", {"target": "bench", "source": "/"}),
                             ("correct --target", {"target": "benches", "layouts": "1"}),
                             ("is no program", {"target": "library", "layouts": "1"}),
                             ("fetch-depth", {"target": "bench", "base": "v0.1"})):
            with self.subTest(told=told, inputs=inputs):
                if "library" in inputs.values():
                    self.change("add_library(library STATIC bench.cpp)\n", twice=False)
                job = self.run_action(**inputs)
                self.assertEqual(2, job.code, job.log)
                self.assertIn(told, job.log)
                self.assertTrue(job.outputs["verdict"].startswith("FAILED: "), job.outputs)

    def test_a_new_benchmark_program_does_not_fail_the_job(self):
        self.use_stub()
        self.change("add_executable(newer bench.cpp)\ntarget_link_libraries(newer PRIVATE benchmark::benchmark)\n",
                    twice=False)
        job = self.run_action(target="newer", layouts="1")
        self.assertEqual((0, "4"), (job.code, job.outputs["exit-code"]), job.log)
        self.assertIn("the base has no CMake target newer", job.summary)

    def test_the_program_is_the_one_of_the_target(self):
        self.use_stub()
        self.change("add_executable(other bench.cpp)\ntarget_link_libraries(other PRIVATE benchmark::benchmark)\n"
                    "set_target_properties(other PROPERTIES OUTPUT_NAME bench RUNTIME_OUTPUT_DIRECTORY other)\n"
                    "set_target_properties(bench PROPERTIES OUTPUT_NAME renamed\n"
                    "    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_SOURCE_DIR}/bin)\nadd_dependencies(bench other)\n")
        self.assertEqual(0, self.run_action(target="bench", layouts="1").code)
        self.assertTrue((self.seen / "arguments").read_text().rstrip().endswith("head/tree/bin/renamed"))
        self.assertFalse((self.repository / "bin").exists(), "the user's folder was changed")

    def test_the_release_build_of_a_generator_with_several_configurations_is_measured(self):
        self.use_stub()
        self.environment["CMAKE_GENERATOR"] = "Ninja Multi-Config"
        self.assertEqual(0, self.run_action(target="bench", layouts="1").code)
        arguments = (self.seen / "arguments").read_text()
        self.assertTrue(arguments.rstrip().endswith("head/build/Release/bench"), arguments)
        self.assertIn("--blocks 20 --min-time 20ms", arguments, "tests/action/rates.py measures with these")

    def test_the_tool_is_cached_until_its_sources_change(self):
        self.use_stub()
        inputs = {"base_command": "true", "head_command": "true"}
        self.assertFalse(self.run_action(**inputs).cache_hit)
        self.assertTrue(self.run_action(**inputs).cache_hit)
        (self.folder / "action/changed").write_text("")
        self.assertFalse(self.run_action(**inputs).cache_hit)

    def test_the_flags_of_the_project_do_not_reach_the_tool(self):
        self.environment["CXXFLAGS"] = "-march=native"
        write_command(self.folder / "action/.ci/build", '#!/bin/sh\necho "flags: $CXXFLAGS."\nexit 1\n')
        job = self.run_action(base_command="true", head_command="true")
        self.assertEqual(1, job.code)
        self.assertIn("flags: .", job.log)


class GitlabTest(Fixture):
    """Runs the script of gitlab.yml. The repository of loopbench is one with the scripts of .ci, where the build only
    copies the stub."""

    def setUp(self):
        super().setUp()
        self.use_stub()
        shutil.move(self.tool, self.folder / "stub")
        shutil.rmtree(self.folder / "action/build")
        loopbench = self.folder / "action"
        write_command(loopbench / ".ci/build", "#!/bin/sh\nmkdir -p build/tool/bin\n"
                                               "cp $STUB build/tool/bin/loopbench && echo built >>$SEEN/builds\n")
        git(loopbench, "init", "--quiet", "--initial-branch=main")
        git(loopbench, "add", ".")
        git(loopbench, "commit", "--quiet", "--message", "loopbench")
        write_command(self.folder / "bin/apt-get", "#!/bin/sh\n")

    def run_job(self, **variables):
        job = yaml.safe_load((SOURCE / "gitlab.yml").read_text())[".loopbench"]
        given = {name: str(text) for name, text in job["variables"].items()} | variables
        environment = os.environ | self.environment | given | {
            "LOOPBENCH_URL": f"file://{self.folder / 'action'}", "STUB": str(self.folder / "stub"),
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", "\n".join(job["script"])], env=environment,
                              cwd=self.repository, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        self.log = done.stdout
        return done.returncode

    def test_the_base_is_the_common_ancestor_or_the_first_parent_of_merged_results(self):
        ancestor = git(self.repository, "merge-base", "HEAD^1", "HEAD^2")
        of_request = {"CI_MERGE_REQUEST_EVENT_TYPE": "detached", "CI_MERGE_REQUEST_DIFF_BASE_SHA": ancestor}
        self.assertEqual(0, self.run_job(LOOPBENCH_TARGET="bench", LOOPBENCH_LAYOUTS="1", **of_request), self.log)
        self.assertIn("of_100", self.benchmarks_of_base())
        for kind in ("merged_result", "merge_train"):
            of_request["CI_MERGE_REQUEST_EVENT_TYPE"] = kind
            self.assertEqual(0, self.run_job(LOOPBENCH_TARGET="bench", LOOPBENCH_LAYOUTS="1", **of_request), self.log)
            self.assertIn("of_300", self.benchmarks_of_base())

    def test_the_tool_is_built_once_for_each_commit(self):
        commands = {"LOOPBENCH_BASE_COMMAND": "true", "LOOPBENCH_HEAD_COMMAND": "true"}
        for builds, change in ((1, False), (1, False), (2, True)):
            if change:
                git(self.folder / "action", "commit", "--quiet", "--allow-empty", "--message", "changed")
            self.assertEqual(0, self.run_job(**commands), self.log)
            self.assertEqual(builds, len((self.seen / "builds").read_text().splitlines()))

    def test_a_slowdown_fails_the_job(self):
        write_command(self.folder / "stub", STUB.replace("CODE", "3"))
        self.assertEqual(3, self.run_job(LOOPBENCH_BASE_COMMAND="true", LOOPBENCH_HEAD_COMMAND="true"), self.log)

    def test_the_job_with_the_token_runs_no_code_of_the_merge_request(self):
        template = yaml.safe_load((SOURCE / "gitlab.yml").read_text())
        self.assertNotIn("TOKEN", "\n".join(template[".loopbench"]["script"]))
        self.assertEqual("none", template[".loopbench-comment"]["variables"]["GIT_STRATEGY"])


class DocumentationTest(unittest.TestCase):
    """The blocks of docs/gate.md use inputs, variables and paths that exist."""

    def setUp(self):
        self.page = (SOURCE / "docs/gate.md").read_text()
        self.blocks = [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```$", self.page, re.M | re.S)]

    def test_the_actions_and_inputs_exist(self):
        steps_of = [step for block in self.blocks for job in block.get("jobs", {}).values() for step in job["steps"]]
        used = [(step["uses"].split("@")[0].split("/", 2), step.get("with", {})) for step in steps_of
                if step.get("uses", "").startswith("OWNER/")]
        self.assertEqual(2, len(used))
        for (_, _, *folder), given in used:
            action = steps.read_action(SOURCE.joinpath(*folder, "action.yml"))
            self.assertLessEqual(given.keys(), action["inputs"].keys())

    def test_the_variables_for_gitlab_exist(self):
        template = yaml.safe_load((SOURCE / "gitlab.yml").read_text())
        (job,) = (block["speed"] for block in self.blocks if "include" in block)
        options = {f"LOOPBENCH_{name.upper().replace('-', '_')}" for name in
                   steps.read_action(SOURCE / "action.yml")["inputs"]}
        self.assertLessEqual(job["variables"].keys(), template[job["extends"]]["variables"].keys() | options)

    def test_the_table_has_every_input_with_its_default(self):
        inputs = steps.read_action(SOURCE / "action.yml")["inputs"]
        table = self.page[self.page.index("| input |"):].partition("\n\n")[0]
        for name, about in inputs.items():
            (row,) = (line for line in table.splitlines() if f"`{name}`" in line.split("|")[1])
            self.assertEqual(about["default"], row.split("|")[3].strip().strip("`"), row)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    SOURCE, LOOPBENCH, SCRATCH = (pathlib.Path(each).resolve() for each in sys.argv[1:])
    unittest.main(argv=sys.argv[:1])
