#!/usr/bin/env python3
"""Tests programs.py with small programs of its own: exit codes, time limits, kept results. Needs no network."""

import contextlib
import fcntl
import io
import json
import os
import pathlib
import sys
import tempfile
import threading
import unittest

import kit
import programs

# Records the loop as a swapped program does, on the ways that are swapped.
ON_LOOP = '[ "$LOOPBENCH_ASIO" = stock ] || echo "$LOOPBENCH_ASIO" $$ >>"$LOOPBENCH_ASIO_CONTEXTS"; '
LONG_S = 6000  # longer than CTest waits


def check(script, name="works", limit_s=kit.LIMIT_S):
    """Returns a statement of a module: a check that runs a shell script."""
    return f"program.check({name!r}, lambda way: program.run(way, 'sh', '-c', {script!r}, limit_s={limit_s}).output)"


class Runs(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        for each in ("build", "place", "commands"):
            (self.folder / each).mkdir()
        (self.folder / "build/CMakeCache.txt").touch()
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = f"{self.folder}/commands:{path}"

    def module(self, name, *statements):
        lines = ["import kit, pathlib", "def run(program):", *(f"    {each}" for each in statements)]
        (self.folder / f"place/{name}.py").write_text("\n".join(lines) + "\n")
        self.addCleanup(sys.modules.pop, name, None)

    def command(self, name, script):
        file = self.folder / "commands" / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def run_programs(self, *names):
        """Returns the exit code, and what the script has printed."""
        before = list(sys.path)
        with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(said):
            try:
                code = programs.main([str(self.folder / "build"), str(self.folder / "out"), *names],
                                     self.folder / "place")
            except SystemExit as ended:
                code = ended.code
        sys.path[:] = before
        return code, said.getvalue()

    def kept(self):
        return json.loads((self.folder / "out/results.json").read_text())

    def test_equal_results_end_with_0_and_are_kept(self):
        self.module("one", "program.version = '1.2'", check(ON_LOOP + "echo 5 of 5"))
        code, said = self.run_programs()
        self.assertEqual(code, 0, said)
        self.assertIn("one 1.2\n  equal  works: 5 of 5\n", said)
        self.assertEqual((self.folder / "out/results.txt").read_text(), said[said.index("Linux "):])
        self.assertEqual(self.kept()["one"]["checks"][0]["io_uring"], "5 of 5")

    def test_a_result_that_differs_from_stock_ends_with_1(self):
        self.module("one", check(ON_LOOP + '[ "$LOOPBENCH_ASIO" = io_uring ] && echo 4 of 5 || echo 5 of 5'),
                    check(ON_LOOP, name="another"))
        code, said = self.run_programs()
        self.assertEqual(code, 1, said)
        self.assertIn("  DIFFERS  works\n    Asio's own context: 5 of 5\n    on epoll: 5 of 5\n"
                      "    on io_uring: 4 of 5\n  equal  another", said)

    def test_a_command_that_hangs_is_a_result_and_is_ended_with_its_children(self):
        lock = self.folder / "lock"
        hang = f'[ "$LOOPBENCH_ASIO" != epoll ] || {{ exec 9>{lock}; flock 9; sleep {LONG_S} & wait; }}'
        self.module("one", check(ON_LOOP + hang, limit_s=1))
        code, said = self.run_programs()
        self.assertEqual(code, 1, said)
        self.assertEqual(self.kept()["one"]["checks"][0]["epoll"], "hangs")
        with open(lock) as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # waits for the end of the child

    def test_a_swap_without_effect_is_a_difference(self):
        self.module("one", check("echo 5 of 5"))
        code, said = self.run_programs()
        self.assertEqual(code, 1, said)
        self.assertEqual(self.kept()["one"]["checks"][0]["epoll"], "ran on no loop of ours: 5 of 5")

    def test_a_program_on_the_other_loop_is_a_difference(self):
        self.module("one", check('echo epoll $$ >>"$LOOPBENCH_ASIO_CONTEXTS"; echo 5 of 5'))
        code, said = self.run_programs()
        self.assertEqual(code, 1, said)
        found = self.kept()["one"]["checks"][0]
        self.assertEqual((found["stock"], found["epoll"], found["io_uring"]),
                         ("ran on epoll: 5 of 5", "5 of 5", "ran on epoll: 5 of 5"))

    def test_a_check_that_fails_on_all_ways_ends_with_2(self):
        self.module("one", check(ON_LOOP, name="good"), "def fail(way):",
                    f"    program.run(way, 'sh', '-c', {ON_LOOP!r})", "    raise kit.Failed('0 of 5')",
                    "program.check('works', fail)")
        code, said = self.run_programs()
        self.assertEqual(code, 2, said)
        self.assertIn("  FAILS  works: 0 of 5\n", said)

    def test_a_package_that_is_missing_is_not_available_and_the_others_run(self):
        self.command("apt-get", "echo E: there is no archive; exit 100")
        self.command("dpkg-query", "printf 'install ok installed'")
        self.module("one", "program.source('lost')", check("echo not reached"))
        self.module("two", check(ON_LOOP))
        code, said = self.run_programs()
        self.assertEqual(code, 2, said)
        self.assertIn("NOT TRIED  cannot fetch the source package lost: E: there is no archive\n", said)
        self.assertEqual([len(each["checks"]) for each in self.kept().values()], [0, 1])

    def test_an_archive_without_patches_is_unpacked_and_names_the_version(self):
        self.command("apt-get", 'case "$*" in indextargets*) echo Debian http://none bookworm main;; '
                     "*) mkdir top && echo 5 of 5 >top/file && tar -czf one_1.2.orig.tar.gz top;; esac")
        self.module("one", "source = program.source('one', patched=False)",
                    f"program.check('works', lambda way: program.run(way, 'sh', '-c', {ON_LOOP!r} + 'cat file', "
                    "cwd=source).output)")
        code, said = self.run_programs()
        self.assertEqual(code, 0, said)
        self.assertIn("one 1.2\n  equal  works: 5 of 5\n", said)

    def test_a_package_that_cannot_be_installed_is_named(self):
        self.command("apt-get", "echo E: Unable to locate package none; exit 100")
        self.command("dpkg-query", "exit 1")
        self.module("one", "program.install('none')")
        code, said = self.run_programs()
        self.assertEqual(code, 2, said)
        self.assertIn("NOT TRIED  cannot install none: E: Unable to locate package none\n", said)

    def test_a_build_that_fails_says_its_first_error(self):
        self.module("one", "program.build('make it', 'sh', '-c', 'echo a.cpp:1: error: bad; echo ended; exit 1')")
        code, said = self.run_programs()
        self.assertEqual(code, 2, said)
        self.assertIn("NOT TRIED  cannot make it: a.cpp:1: error: bad\n", said)

    def test_the_error_of_cmake_continues_on_the_next_line(self):
        text = "-- Found it\nCMake Error at CMakeLists.txt:3 (find_package):\n  Could not find it\n  Call stack\n"
        self.assertEqual(kit.reason_in(text), "CMake Error at CMakeLists.txt:3 (find_package): Could not find it")
        self.assertEqual(kit.reason_in("one\ntwo\n"), "two")

    def test_an_option_with_the_word_error_is_no_error(self):
        text = "apt-get -oAPT::Update::Error-Mode=any source x\nErr:1 x\nE: Failed to fetch x.tar  404  Not Found\n"
        self.assertEqual(kit.reason_in(text), "E: Failed to fetch x.tar 404 Not Found")

    def test_a_replacement_that_does_not_apply_is_named(self):
        (self.folder / "a.cpp").write_text("old old")
        self.module("one", f"file = pathlib.Path({str(self.folder / 'a.cpp')!r})",
                    "program.replace(file, 'old', 'new')", "program.replace(file, 'old', 'new')",
                    "program.replace(file, 'gone', 'there')")
        code, said = self.run_programs()
        self.assertEqual(code, 2, said)
        self.assertEqual((self.folder / "a.cpp").read_text(), "new new")
        self.assertIn("a.cpp does not contain 'gone'", said)

    def test_a_server_that_ends_early_fails_with_its_last_line(self):
        server = ON_LOOP + '[ "$LOOPBENCH_ASIO" = epoll ] || { echo port 7; exec sleep 600; }; echo refused; exit 3'
        self.module("one", "def serve(way):", f"    with program.started(way, 'sh', '-c', {server!r}) as server:",
                    "        port = server.prints(r'port (\\d+)')[1]",
                    "        return f'{port}, ends with {server.stops()}'", "program.check('serves', serve)")
        code, said = self.run_programs()
        self.assertEqual(code, 1, said)
        found = self.kept()["one"]["checks"][0]
        self.assertEqual((found["stock"], found["epoll"]), ("7, ends with -15", "sh ended with 3: refused"))

    def test_the_results_of_other_programs_are_kept(self):
        self.module("one", check(ON_LOOP + "echo first"))
        self.module("two", check(ON_LOOP + "echo second"))
        self.assertEqual(self.run_programs("one")[0], 0)
        code, said = self.run_programs("two")
        self.assertEqual(code, 0, said)
        self.assertIn("works: first", said)
        self.assertIn("works: second", said)

    def test_an_unknown_program_is_refused(self):
        self.module("one", check(ON_LOOP))
        code, said = self.run_programs("other")
        self.assertEqual(code, 2)
        self.assertIn("unknown program: other; the programs are one", said)


class CountPassed(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.program = kit.Program("one", pathlib.Path(temporary.name), swap=None, save=None)
        self.tries = []

    def try_case(self, case):
        self.tries.append(case)
        if case == "hangs":
            raise kit.Hangs
        if case == "late" and self.tries.count(case) < kit.TRIES or case == "wrong":
            raise kit.Failed("ends with 1")

    def count(self, *cases):
        """Returns the result, and what the script has printed."""
        with contextlib.redirect_stdout(io.StringIO()) as said:
            try:
                result = self.program.count_passed(cases, self.try_case)
            except kit.Failed as failed:
                result = f"failed: {failed}"
        return result, said.getvalue()

    def test_a_case_counts_if_its_last_try_passes_and_the_script_prints_the_failed_tries(self):
        result, said = self.count("good", "late")
        self.assertEqual(result, "2 of 2 test cases")
        self.assertEqual(sorted(self.tries), ["good", *["late"] * kit.TRIES])
        self.assertEqual(said.count("late ends with 1"), kit.TRIES - 1)

    def test_cases_that_fail_or_hang_are_named_and_a_hang_is_not_tried_again(self):
        self.assertEqual(self.count("hangs", "wrong", "good")[0],
                         "failed: 1 of 3 test cases; hangs hangs; wrong ends with 1")
        self.assertEqual([self.tries.count(each) for each in ("hangs", "wrong", "good")], [1, kit.TRIES, 1])

    def test_several_cases_run_at_once(self):
        all_begun = threading.Barrier(kit.AT_ONCE)  # each case waits for the others
        self.assertEqual(self.program.count_passed(range(kit.AT_ONCE), lambda _: all_begun.wait(LONG_S)),
                         f"{kit.AT_ONCE} of {kit.AT_ONCE} test cases")

    def test_a_program_without_cases_fails(self):
        self.assertEqual(self.count()[0], "failed: 0 of 0 test cases")


if __name__ == "__main__":
    unittest.main()
