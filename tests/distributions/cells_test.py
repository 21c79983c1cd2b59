#!/usr/bin/env python3
"""Tests cells.py, boosts.py, compilers.py and packages.py without a Debian root.

    cells_test.py SOURCE
"""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

SOURCE = pathlib.Path(sys.argv.pop(1)).absolute() if len(sys.argv) > 1 else sys.exit(__doc__)
sys.path[:0] = [str(SOURCE / "tests/support"), str(SOURCE / "tests/distributions")]

import boosts
import cells
import compilers
import own_git
import packages
from debian_root import RootFailed

NESTED = """The following tests FAILED:
\t  1 - nested.test (Failed)
Errors while running CTest

1/3 Test #1: loop.a ....   Passed    0.01 sec

The following tests did not run:
\t  3 - style (Skipped)

The following tests FAILED:
\t  2 - loop.b (Failed)
Errors while running CTest
"""


class Folders(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def results(self, *keys, again=False):
        return cells.Results(self.folder / "results", keys, again)


def root_with(*names):
    """Returns a root whose apt-cache policy prints packages with these names."""
    text = "".join(f"{name}:\n  Installed: (none)\n  Candidate: 1\n  Version table:\n" for name in names)
    return types.SimpleNamespace(run=lambda script: text)


class Roots(unittest.TestCase):
    def test_the_first_root_with_the_package_is_found(self):
        old, new = root_with("clang-16"), root_with("g++-16", "clang-16")
        self.assertIs(cells.first_with([old, new], "g++-16"), new)
        self.assertIs(cells.first_with([old, new], "clang-16"), old)
        self.assertIsNone(cells.first_with([old], "g++-16"))
        absent = types.SimpleNamespace(run=lambda script: "g++-16:\n  Installed: (none)\n  Candidate: (none)\n")
        self.assertIsNone(cells.first_with([absent], "g++-16"))


class Kept(Folders):
    def test_a_result_is_repeated_on_another_commit_and_a_failed_one_on_request(self):
        results = self.results("version")
        results.keep({"version": "1.81", "problem": None, "commit": "a"}, {"version": "1.83", "problem": "tests failed",
                                                                           "commit": "a"})
        self.assertTrue(results.has("a", version="1.81"))
        self.assertTrue(results.has("a", version="1.83"))
        self.assertFalse(results.has("b", version="1.81"), "a regression of another commit would be hidden")
        self.assertFalse(results.has("a", version="1.88"))
        again = self.results("version", again=True)
        self.assertTrue(again.has("a", version="1.81"))
        self.assertFalse(again.has("a", version="1.83"))

    def test_results_with_the_same_keys_are_replaced_also_those_of_another_call(self):
        one, other = self.results("suite"), self.results("suite")
        one.keep({"suite": "trixie", "command": "make bench"}, {"suite": "trixie", "command": "make test"})
        other.keep({"suite": "testing", "command": "make test"})
        one.keep({"suite": "trixie", "command": "make"})
        self.assertEqual([(each["suite"], each["command"]) for each in self.results("suite").all],
                         [("testing", "make test"), ("trixie", "make")])


class Sources(Folders):
    """Has a repository `source`, and a root that is a folder."""
    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.dict(os.environ, own_git.ENVIRONMENT))
        self.source, self.root = self.folder / "source", types.SimpleNamespace(folder=self.folder / "a root")
        self.source.mkdir()
        (self.root.folder / "root").mkdir(parents=True)
        own_git.git(self.source, "init", "--quiet")

    def commit(self, name):
        (self.source / name).parent.mkdir(parents=True, exist_ok=True)
        (self.source / name).write_text(name)
        own_git.git(self.source, "add", name)
        own_git.git(self.source, "commit", "--quiet", "--message", name)
        return cells.commit_of(self.source)


class Clones(Sources):
    def test_all_roots_get_the_commit_with_which_the_script_began(self):
        first, second = self.commit("one"), self.commit("two")
        place = cells.clone(self.source, self.root, first)
        self.assertEqual((cells.commit_of(place), (place / "two").exists()), (first, False))
        cells.clone(self.source, self.root, second)
        third = self.commit("three")
        self.assertEqual((cells.commit_of(place), (place / "two").exists()), (second, True))
        cells.clone(self.source, self.root, third)
        self.assertEqual(cells.commit_of(place), third)

    def test_a_failure_of_git_is_shown(self):
        with self.assertRaisesRegex(RootFailed, "git rev-parse: exit code [0-9]+\n.*HEAD"):
            cells.commit_of(self.source)


class Tests(Folders):
    def steps(self, code, output):
        root = types.SimpleNamespace(start=lambda *_: subprocess.CompletedProcess([], code, output))
        return cells.Steps(root, self.folder / "log")

    def test_a_test_within_a_test_is_not_named(self):
        steps = self.steps(8, NESTED)
        self.assertEqual(steps.test("tests", "build", ""), 1)
        self.assertEqual(steps.failed, "tests failed: loop.b")
        self.assertEqual(cells.tests_below("The following tests did not run", NESTED), ["style"])

    def test_no_step_runs_after_a_failed_one(self):
        steps = self.steps(2, "a.cpp:1: warning: unused\n")
        self.assertFalse(steps.run("build", "ninja"))
        self.assertEqual((steps.test("tests", "build", ""), steps.warnings), (0, 1))
        self.assertEqual(steps.failed, "build failed: exit code 2")


class Arguments(unittest.TestCase):
    def test_the_option_can_stand_anywhere(self):
        self.assertEqual(cells.arguments(["a.py", "/s", "--again", "/f", "1.81", "1.81"], "usage", ["1.92"]),
                         (pathlib.Path("/s"), pathlib.Path("/f"), ["1.81"], True))
        self.assertEqual(cells.arguments(["a.py", "/s", "/f"], "usage", ["1.92"])[2:], (["1.92"], False))
        for wrong in (["a.py", "/s"], ["a.py", "/s", "/f", "--agian"]):
            with self.subTest(wrong), self.assertRaisesRegex(SystemExit, "usage"):
                cells.arguments(wrong, "usage", [])


class Compilers(Folders):
    def cell(self, compiler, suite="testing", **different):
        problem = None if suite else "no release has this compiler"
        return {"compiler": compiler, "version": compiler if suite else None, "suite": suite, "standard": "20",
                "flags": "", "passed": 7, "warnings": 0, "problem": problem, "seconds": 1,
                "commit": "0123456789a"} | different

    def test_the_further_flags_are_tried_with_the_newest_compiler_that_exists(self):
        results = self.results(*compilers.KEYS)
        results.keep(self.cell("clang-19"), self.cell("clang-22", None), self.cell("g++-9"), self.cell("g++-14"))
        further = list(compilers.further_cells(results, ["clang-19", "clang-22", "g++-9", "g++-14"]))
        self.assertEqual({flags for compiler, _, flags in further if compiler == "clang-19"}, set(compilers.FLAGS))
        self.assertEqual({flags for compiler, _, flags in further if compiler == "g++-14"},
                         set(compilers.FLAGS) - {compilers.LIBCXX})
        self.assertEqual({compiler for compiler, _, _ in further}, {"clang-19", "g++-14"})

    def test_cells_of_an_older_commit_are_repeated_and_their_failures_do_not_count(self):
        self.results(*compilers.KEYS).keep(*(self.cell("g++-12", flags=flags, problem="build failed", commit="old")
                                             for flags in ("-fno-plt", "-f-of-an-older-script")))
        with mock.patch("compilers.commit_of", return_value="new"), mock.patch("compilers.tell"), \
                mock.patch("compilers.first_with", lambda _, compiler: compiler == "g++-12"), \
                mock.patch("compilers.try_cell", lambda _, __, compiler, standard, flags:
                           self.cell(compiler, standard=standard, flags=flags)), \
                contextlib.redirect_stdout(None):
            self.assertEqual(compilers.main(self.folder, self.folder / "results", ["g++-12", "g++-99"], False), 0)
        kept = {(each["compiler"], each["standard"], each["flags"]): each["commit"]
                for each in self.results(*compilers.KEYS).all}
        self.assertEqual(kept.pop(("g++-12", "20", "-f-of-an-older-script")), "old")
        self.assertEqual(set(kept.values()), {"new"})
        self.assertIn(("g++-12", "20", "-fno-plt"), kept)
        self.assertNotIn(("g++-99", "20", "-fno-plt"), kept)

    def test_the_configuration_uses_the_tools_of_the_compiler(self):
        text = compilers.configuration("clang-21", "23", "-O3 -march=native -flto", "/b")
        for part in ("CMAKE_CXX_COMPILER=clang++-21", "CXX_STANDARD=23", "/usr/bin/llvm-ar-21", "fuse-ld=lld-21",
                     "'-O3 -march=native -flto'"):
            self.assertIn(part, text)
        text = compilers.configuration("g++-14", "20", "", "/b")
        self.assertIn("gcc-ranlib-14", text)
        self.assertIn(f"-DCMAKE_EXE_LINKER_FLAGS=-L{compilers.NEWEST_LIBRARY}", text)
        text = compilers.configuration("clang-21", "20", compilers.LIBCXX, "/b")
        self.assertIn("CMAKE_PREFIX_PATH=/b/googletest", text)

    def test_the_table_names_commits_and_failures(self):
        results = self.results(*compilers.KEYS)
        results.keep(self.cell("g++-14", warnings=2), self.cell("g++-14", standard="23", problem="build failed"),
                     self.cell("clang-99", None))
        lines = compilers.table(results).splitlines()
        self.assertEqual(lines[2], "| g++-14 | testing | 012345678 | 7 tests passed, 2 warnings | build failed |")
        self.assertIn("clang-99: in no release", lines[3])


class Boosts(Folders):
    def test_the_table_has_versions_in_order_and_their_commits(self):
        results = self.results("version", "part")
        results.keep(*({"version": version, "part": part, "counts": {"all": 3}, "problem": problem, "commit": commit}
                       for version, part, problem, commit in (("1.100", "own", None, "b"), ("1.92", "own", None, "a"),
                                                              ("1.92", "echo", "echo 3 differs", "b"))))
        lines = boosts.table(results).splitlines()
        self.assertRegex(lines[2], r"^\| 1\.92 \| testing \| a, b \| 3 \| - \| - \| echo 3 differs ")
        self.assertRegex(lines[3], r"^\| 1\.100 \| testing \| b \| 3 \|")

    def test_only_an_error_about_the_variable_proves_the_header(self):
        for error, expected in (("what(): LOOPBENCH_ASIO is 'none'", True), ("bind: Address already in use", False)):
            def start(*_, error=error):
                return subprocess.Popen(["sh", "-c", f'echo "{error}" >&2; exit 1'], stderr=subprocess.PIPE, text=True)
            with self.subTest(error), mock.patch("boosts.start", start):
                self.assertIs(boosts.refuses_wrong_design(None), expected)


class Packages(Sources):
    def test_the_sources_and_programs_are_those_of_the_commit(self):
        self.root.run = lambda script, inside: subprocess.run(
            script.replace(" /", f" '{self.root.folder}'/"), shell=True, check=True, cwd=f"{self.root.folder}{inside}")
        first = self.commit("tests/package/asio/server.cpp")
        self.commit("tests/package/asio/later.cpp")
        sources = packages.put_sources(self.source, self.root, first)
        self.assertEqual([each.name for each in sources.rglob("*.cpp")], ["server.cpp"])
        packages.put_programs(self.source, self.root, first)
        made = self.root.folder / packages.PROGRAMS.lstrip("/")
        self.assertEqual({each.name for each in made.iterdir()}, {"server.cpp", "sums.cpp"})

    def test_a_failed_root_does_not_end_the_other_names(self):
        def try_name(source, folder, name, log):
            if name == "tarball":
                raise RootFailed("no network")
            return [{"name": name, "suite": "trixie", "check": "history", "passed": True, "seconds": 3, "commit": "a"}]
        with mock.patch("packages.try_name", try_name), mock.patch("packages.tell") as told, \
                mock.patch("builtins.print") as shown:
            self.assertEqual(packages.main(self.source, self.folder / "results", ["tarball", "deb:trixie"]), 1)
        self.assertIn("no network", told.call_args[0][0])
        self.assertIn("history", shown.call_args[0][0])

    def test_the_files_of_the_package_manager_are_left_out(self):
        for name in ("usr/bin/loopbench", "var/lib/dpkg/status", "var/lib/loopbench/left", "proc/1"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).touch()
        found = packages.files_in(self.folder)
        self.assertLess({"usr/bin/loopbench", "var/lib/loopbench/left"}, found)
        self.assertFalse(found & {"var/lib/dpkg/status", "proc/1"})

    def test_wrong_names_are_refused(self):
        for name in ("tarbal", "rpm:fedora", "deb:", "deb:../x", "try:", "try:try:tarball"):
            with self.subTest(name), self.assertRaisesRegex(RootFailed, "unknown"):
                packages.main(self.folder, self.folder / "results", ["tarball", name])
        self.assertFalse((self.folder / "results").exists())
        for name in (*packages.NAMES, "try:deb:testing", "try:tarball"):
            packages.check_name(name)

    def test_packages_that_were_not_made_cannot_be_tried(self):
        with self.assertRaisesRegex(RootFailed, "no packages"):
            packages.try_name(self.folder, self.folder, "try:tarball", None)

    def test_the_commands_of_the_page_are_found(self):
        for heading in ("Debian packages", "An archive for other distributions"):
            self.assertTrue(any("cpack" in command or "cmake" in command
                                for command in packages.commands_below(SOURCE, heading)))

    def test_the_table_names_commits_and_failures(self):
        keys = ("name", "suite", "check", "passed", "seconds", "commit")
        checks = [("deb:trixie", "trixie", "history", True, 3, "a"), ("tarball", "testing", "unpack", False, 1, "b")]
        self.assertEqual(packages.table([dict(zip(keys, each)) for each in checks]).splitlines()[2:],
                         ["| commit | a | b |", "| history | 3 s | - |", "| unpack | - | **failed** |"])


if __name__ == "__main__":
    unittest.main()
