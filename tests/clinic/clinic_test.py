#!/usr/bin/env python3
"""Checks how clinic.py judges programs, and that the page, the evidence and the list of known faults agree.

    clinic_test.py SOURCE
"""

import json
import pathlib
import sys
import tempfile
import unittest

import clinic

SOURCE = pathlib.Path(sys.argv.pop(1)).absolute() if len(sys.argv) > 1 else sys.exit(__doc__)


def line_of(script, patience_s=60):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return clinic.line_of([program], {"WAY": "epoll"}, patience_s)


class Programs(unittest.TestCase):
    def test_a_verdict_is_taken_as_it_is(self):
        self.assertEqual(line_of("echo right"), "right")
        self.assertEqual(line_of("echo wrong: $WAY; exit 1"), "wrong: epoll")

    def test_a_crash_is_wrong_and_names_the_signal(self):
        self.assertEqual(line_of("echo right; kill -SEGV $$"), "wrong: ended by SIGSEGV")

    def test_a_hang_is_wrong_and_names_the_time(self):
        self.assertEqual(line_of("exec sleep 600", patience_s=1), "wrong: did not end within 1 s")

    def test_a_program_that_is_missing_is_wrong(self):
        self.assertIn("did not start", clinic.line_of(["/none"], {}))

    def test_a_verdict_that_contradicts_the_exit_code_is_wrong(self):
        self.assertIn("exit code 1", line_of("echo right; exit 1"))
        self.assertIn("exit code 0", line_of("echo wrong: lie"))
        self.assertIn("0 lines", line_of("exit 0"))


class Verdicts(unittest.TestCase):
    def test_one_wrong_run_makes_the_program_wrong(self):
        self.assertEqual(clinic.verdict_of(["right", "wrong: 3 lost", "right"])["text"], "wrong in 1 of 3 runs: 3 lost")

    def test_the_reason_of_a_program_that_is_always_wrong_has_no_count(self):
        self.assertEqual(clinic.verdict_of(["wrong: 3 lost"] * 2)["text"], "wrong: 3 lost")

    def test_the_median_of_the_measured_values_counts(self):
        lines = ["measured: 9 µs (a)", "measured: 1.5 µs (b)", "measured: 2.5 µs (c)"]
        self.assertEqual(clinic.verdict_of(lines)["text"], "2.5 µs (c)")

    def test_a_right_program_is_right(self):
        self.assertEqual(clinic.verdict_of(["right"] * 3)["text"], "right")


class Page(unittest.TestCase):
    def setUp(self):
        self.report = json.loads((SOURCE / "reports/evidence/clinic/clinic.json").read_text())

    def test_each_program_begins_with_its_claim_and_links(self):
        for path in (SOURCE / "tests/clinic").glob("*.cpp"):
            found = clinic.complaint(path.stem)
            self.assertRegex(found["claim"], r"[.?]$", path)
            self.assertTrue(all(link.startswith("https://") for link in found["links"]), path)

    def test_the_page_has_the_tables_of_the_evidence(self):
        page = (SOURCE / "docs/asio-clinic.md").read_text()
        for of_boost in self.report["boosts"]:
            self.assertIn(clinic.heading_of(of_boost, self.report), page)
            self.assertIn(clinic.table_of(of_boost["rows"]), page)

    def test_the_evidence_is_about_the_programs(self):
        for of_boost in self.report["boosts"]:
            for row in of_boost["rows"]:
                self.assertEqual({**row, **clinic.complaint(row["program"])}, row)

    def test_the_known_faults_are_those_of_the_evidence(self):
        listed = set()
        for line in (SOURCE / "tests/clinic/known_faults.txt").read_text().splitlines():
            if not line.startswith("#"):
                program, design = line.partition(":")[0].split()
                listed |= {(program, each) for each in ("epoll", "io_uring") if design in (each, "both")}
        rows = self.report["boosts"][0]["rows"]
        found = {(row["program"], design) for row in rows for design in ("epoll", "io_uring")
                 if row["verdicts"][f"ours on {design}"]["result"] == "wrong"}
        self.assertEqual(listed, found)


if __name__ == "__main__":
    unittest.main()
