#!/usr/bin/env python3
"""Runs contenders where the kernel refuses io_uring, and on one CPU.

    ordinary_machines_test.py SOURCE LOOPBENCH
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE, LOOPBENCH = map(pathlib.Path, (sys.argv.pop(1), sys.argv.pop(1)) if len(sys.argv) > 2 else sys.exit(__doc__))
sys.path.insert(0, str(SOURCE / "tests/support"))

from without_io_uring import refuse_io_uring


def use_one_cpu():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


class OrdinaryMachines(unittest.TestCase):
    def run_loopbench(self, prepare, *arguments):
        """Returns the report of one block. `prepare` runs in the process before loopbench."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([LOOPBENCH, "run", "--baseline", "loop-epoll", "--quick", "--blocks", "1",
                                   *arguments, "-o", f"{folder}/out"], preexec_fn=prepare, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return json.loads(pathlib.Path(folder, "out/report.json").read_text())

    def times_of(self, report, workload):
        return {each["contender"]: (each["status"], each["reason"]) for each in report["results"]
                if each["workload"].startswith(workload) and each["contender"] in ("loop-epoll", "loop-uring")}

    def test_without_io_uring_only_its_contenders_are_unsupported(self):
        report = self.run_loopbench(refuse_io_uring, "--contender", "loop-epoll", "--contender", "loop-uring",
                                    "--workload", "yield")
        found = self.times_of(report, "yield")
        self.assertEqual(found["loop-epoll"][0], "ok")
        self.assertEqual(found["loop-uring"][0], "unsupported")
        self.assertIn("seccomp", found["loop-uring"][1])

    def test_on_one_cpu_a_run_ends_and_says_what_it_lacks(self):
        report = self.run_loopbench(use_one_cpu, "--contender", "loop-epoll", "--workload", "yield",
                                    "--workload", "serve/open_loop/rate:20000")
        self.assertEqual(self.times_of(report, "yield")["loop-epoll"][0], "ok")
        status, reason = self.times_of(report, "serve/open_loop")["loop-epoll"]
        self.assertEqual(status, "unsupported")
        self.assertIn("one core", reason)
        self.assertIn("one_core", [each["code"] for each in report["warnings"]])


if __name__ == "__main__":
    unittest.main()
