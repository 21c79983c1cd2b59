#!/usr/bin/env python3
"""Checks how clinic.py judges programs, and that the page, the evidence, the known faults and the sources agree.

    clinic_test.py SOURCE
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import clinic

SOURCE = pathlib.Path(sys.argv.pop(1)).absolute() if len(sys.argv) > 1 else sys.exit(__doc__)
FOLDER = SOURCE / "tests/clinic"


def with_program(script, use):
    """Calls use(path) with the path of a shell script."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return use(program)


def line_of(script, patience_s=60):
    return with_program(script, lambda path: clinic.run_of([path], {"WAY": "epoll"}, patience_s))["line"]


class Programs(unittest.TestCase):
    def test_a_verdict_is_taken_as_it_is(self):
        self.assertEqual(line_of("echo right"), "right")
        self.assertEqual(line_of("echo wrong: $WAY; exit 1"), "wrong: epoll")
        self.assertEqual(line_of("echo hangs: 30 s; exit 1"), "hangs: 30 s")
        self.assertEqual(line_of("echo throws: bad; exit 1"), "throws: bad")
        self.assertEqual(line_of("echo unavailable: io_uring refused; exit 77"), "unavailable: io_uring refused")
        self.assertEqual(line_of("echo 'measured: 1.5 (1 to 2) µs'"), "measured: 1.5 (1 to 2) µs")

    def test_a_crash_names_the_signal_and_what_the_program_wrote_last(self):
        self.assertEqual(line_of("echo right; kill -SEGV $$"), "crashes: SIGSEGV")
        self.assertEqual(line_of("echo '  what():  lost' >&2; kill -ABRT $$"), "crashes: SIGABRT (what():  lost)")

    def test_a_report_of_a_sanitizer_is_a_crash(self):
        script = "echo '==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1' >&2; exit 1"
        self.assertEqual(line_of(script), "crashes: AddressSanitizer: heap-use-after-free")
        script = "echo 'a.hpp:7:1: runtime error: member call on address 0x12ab' >&2; exit 1"
        self.assertEqual(line_of(script), "crashes: UndefinedBehaviorSanitizer: member call on address X")

    def test_a_hang_names_the_time(self):
        self.assertEqual(line_of("exec sleep 600", patience_s=1), "hangs: did not end within 1 s")

    def test_a_program_that_is_missing_fails(self):
        self.assertIn("fails: did not start", clinic.run_of(["/none"], {})["line"])

    def test_a_verdict_that_contradicts_the_exit_code_fails(self):
        self.assertIn("fails: exit code 1", line_of("echo right; exit 1"))
        self.assertIn("fails: exit code 0", line_of("echo wrong: lie"))
        self.assertIn("fails: exit code 0", line_of("exit 0"))

    def test_any_other_output_fails(self):
        for output in ("hello", "right.", "right but slow", "wrong:", "measured: nan µs", "measured: 1",
                       "measured: x µs", "measured: 1e e µs", "right\nright"):
            self.assertIn("fails: exit code 0", line_of(f"printf '%s\\n' '{output}'"), output)

    def test_stderr_is_kept(self):
        run = with_program("echo right; echo note >&2", lambda path: clinic.run_of([path], {}))
        self.assertEqual(run, {"line": "right", "stderr": "note\n"})


class Expectations(unittest.TestCase):
    def code_of(self, line, script):
        return with_program(script, lambda path: subprocess.run(
            [sys.executable, "-B", FOLDER / "expect.py", line, path], capture_output=True, check=False).returncode)

    def test_only_the_expected_line_passes(self):
        self.assertEqual(self.code_of("right", "echo right"), 0)
        self.assertEqual(self.code_of("right", "echo wrong: 3 lost; exit 1"), 1)
        self.assertEqual(self.code_of("right", "echo right; kill -SEGV $$"), 1)
        self.assertEqual(self.code_of("wrong: 3 lost", "echo wrong: 3 lost; exit 1"), 0)
        self.assertEqual(self.code_of("wrong: 3 lost", "echo wrong: 4 lost; exit 1"), 1)
        self.assertEqual(self.code_of("wrong: 3 lost", "echo hangs: 30 s; exit 1"), 1)
        self.assertEqual(self.code_of("wrong: 3 lost...", "echo wrong: 3 lost of 4; exit 1"), 0)
        self.assertEqual(self.code_of("wrong: 3 lost...", "echo wrong: 4 lost of 4; exit 1"), 1)

    def test_an_unavailable_program_is_skipped(self):
        self.assertEqual(self.code_of("right", "echo unavailable: io_uring refused; exit 77"), 77)


class Verdicts(unittest.TestCase):
    def verdict(self, *lines):
        found = clinic.verdict_of(lines)
        return found["result"], found["text"]

    def test_a_line_that_all_runs_print_has_no_count(self):
        self.assertEqual(self.verdict("right", "right"), ("right", "right"))
        self.assertEqual(self.verdict("wrong: 3 lost", "wrong: 3 lost"), ("wrong", "wrong: 3 lost"))
        self.assertEqual(self.verdict("unavailable: x"), ("unavailable", "unavailable: x"))

    def test_each_different_line_has_its_number_of_runs_and_the_worst_decides(self):
        self.assertEqual(self.verdict("right", "wrong: 3 lost", "right"),
                         ("wrong", "right (2 of 3 runs); wrong: 3 lost (1 of 3 runs)"))
        self.assertEqual(self.verdict("wrong: 3 lost", "crashes: SIGSEGV", "hangs: 30 s")[0], "crashes")
        self.assertEqual(self.verdict("hangs: 30 s", "wrong: 3 lost")[0], "hangs")

    def test_verdicts_and_measured_values_do_not_mix(self):
        self.assertEqual(self.verdict("right", "measured: 1 µs")[0], "fails")
        self.assertEqual(self.verdict("right", "unavailable: x")[0], "fails")

    def test_measured_values_have_a_median_and_the_range_of_all_runs(self):
        self.assertEqual(self.verdict("measured: 9 µs (a)", "measured: 1.5 µs (a)", "measured: 2.5 µs (a)"),
                         ("measured", "2.5 (1.5 to 9) µs (a)"))
        self.assertEqual(self.verdict("measured: 2 (1.5 to 3) times", "measured: 2.5 (2 to 4) times"),
                         ("measured", "2 (1.5 to 4) times"))
        self.assertEqual(self.verdict("measured: 16 KiB", "measured: 16 KiB"), ("measured", "16 KiB"))


class Builds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name)
        self.build = self.project / "build"

    def configure(self, *programs):
        names = ", ".join(f'\\"{each}\\"' for each in programs)
        targets = "\n".join(f"add_custom_target(clinic_{each} COMMAND ${{CMAKE_COMMAND}} -E touch {each})"
                            for each in programs)
        (self.project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(programs NONE)\n"
            f'file(WRITE ${{PROJECT_BINARY_DIR}}/bin/clinic/build.json "{{\\"programs\\": [{names}]}}")\n{targets}\n')
        subprocess.run(["cmake", "-S", self.project, "-B", self.build], check=True, stdout=subprocess.DEVNULL)

    def test_only_the_programs_that_match_are_built(self):
        self.configure("blocked_strand", "iowait", "blocked_old_strand")
        clinic.build_programs(self.build, "blocked_*")
        self.assertEqual({each for each in clinic.programs_of(self.build) if (self.build / each).exists()},
                         {"blocked_strand", "blocked_old_strand"})

    def test_a_name_without_a_program_is_refused(self):
        self.configure("iowait")
        with (self.build / "CMakeCache.txt").open("a") as cache:
            cache.write("CMAKE_BUILD_TYPE:STRING=Release\n")
        ran = subprocess.run([sys.executable, "-B", FOLDER / "clinic.py", self.build, "--only", "io_wait"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("the programs are iowait", ran.stderr)


class Boosts(unittest.TestCase):
    def test_the_version_is_that_of_the_headers(self):
        with tempfile.TemporaryDirectory() as name:
            headers = pathlib.Path(name) / "include/boost"
            headers.mkdir(parents=True)
            with self.assertRaisesRegex(FileNotFoundError, "contains no Boost"):
                clinic.version_of(pathlib.Path(name))
            (headers / "asio.hpp").touch()
            (headers / "version.hpp").write_text("#define BOOST_VERSION 107800\n")
            self.assertEqual(clinic.version_of(pathlib.Path(name)), (headers.parent.resolve(), (1, 78, 0)))

    def test_the_supported_versions_are_those_of_the_header(self):
        text = (SOURCE / "loop/package/loopbench-boost.cmake").read_text()
        for name, version in (("oldest", clinic.OLDEST), ("newest", clinic.NEWEST)):
            self.assertIn(f"set(loopbench_{name}_boost {version[0]}.{version[1]})", text)


class Page(unittest.TestCase):
    def setUp(self):
        self.report = json.loads((SOURCE / "reports/evidence/clinic/clinic.json").read_text())
        self.page = (SOURCE / "docs/asio-clinic.md").read_text()
        self.programs = {path.stem for path in FOLDER.glob("*.cpp")}

    def test_each_program_begins_with_its_claim_and_links(self):
        for program in self.programs:
            found = clinic.described(program)
            self.assertRegex(found["claim"], r"[.?]$", program)
            self.assertTrue(all(link.startswith("https://") for link in found["links"]), program)

    def test_each_program_is_built(self):
        lists = re.findall(r"^set\(clinic_(?:deciding|measuring)\s+([^)]*)\)", (FOLDER / "programs.cmake").read_text(),
                           re.M)
        self.assertEqual({name for each in lists for name in each.split()}, self.programs)

    def test_the_page_has_the_tables_of_the_evidence(self):
        for of_boost in self.report["boosts"]:
            self.assertIn(clinic.heading_of(of_boost, self.report), self.page)
            self.assertIn(clinic.table_of(of_boost), self.page)

    def test_the_evidence_is_about_the_code_of_all_programs(self):
        for of_boost in self.report["boosts"]:
            self.assertEqual({row["program"] for row in of_boost["rows"]}, self.programs)
            for row in of_boost["rows"]:
                changed = f"{row['program']}.cpp has changed; run clinic.py again"
                self.assertEqual({**row, **clinic.described(row["program"])}, row, changed)

    def test_the_page_says_why_a_program_is_always_right(self):
        """A mutant or the page must say when the program was seen to fail."""
        mutants = "".join(path.read_text() for path in (SOURCE / "tests/mutants").glob("clinic-*.mutant"))
        for row in self.report["boosts"][0]["rows"]:
            if all(way["result"] == "right" for way in row["verdicts"].values()):
                self.assertIn(f"| `{row['program']}` |", self.page)
                has_mutant = f"Program: clinic/swapped/{row['program']}\n" in mutants
                line = next(each for each in self.page.splitlines() if each.startswith(f"| `{row['program']}` |"))
                self.assertEqual("mutant" in line, has_mutant, line)

    def test_the_known_faults_are_those_of_the_evidence(self):
        listed = {}
        for line in (FOLDER / "known_faults.txt").read_text().splitlines():
            if not line.startswith("#"):
                program, design, _, expected, _ = line.split(" | ")
                listed |= {(program, each): expected for each in ("epoll", "io_uring") if design in (each, "both")}
        by_chance = re.search(r"clinic_by_chance ([^)]*)\)", (FOLDER / "programs.cmake").read_text())[1].split()
        rows = self.report["boosts"][0]["rows"]
        found = {(row["program"], design): row["verdicts"][f"ours on {design}"]["text"]
                 for row in rows if row["program"] not in by_chance for design in ("epoll", "io_uring")
                 if row["verdicts"][f"ours on {design}"]["result"] not in ("right", "measured", "unavailable")}
        self.assertEqual(listed.keys(), found.keys())
        for key, line in found.items():
            self.assertTrue(clinic.is_expected(line, listed[key]), f"{key}: {line}")


if __name__ == "__main__":
    unittest.main()
