#!/usr/bin/env python3
"""Tests bench/suite/choices/asio_options.py with programs that stand in for contenders.

    asio_options_script_test.py SOURCE
"""

import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).absolute() if len(sys.argv) > 1 else sys.exit(__doc__)
SCRIPT = SOURCE / "bench/suite/choices/asio_options.py"
# Knows one option, and prints the options with which a script starts it.
CONTENDER = """#!/bin/sh
[ -z "$LOOPBENCH_DESCRIBE" ] || [ "$LOOPBENCH_ASIO_OPTIONS" = timer.heap_reserve=100000 ] || exit 2
echo "$LOOPBENCH_ASIO_OPTIONS $*"
"""


class Options(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="it's a folder ")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.contenders, self.made = self.folder / "contenders", self.folder / "made"
        self.contenders.mkdir()
        for name in ("asio-uring", "asio-tuned"):
            (self.contenders / name).write_text(CONTENDER)
            (self.contenders / name).chmod(0o755)

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, "-B", SCRIPT, *arguments], capture_output=True, text=True)

    def test_the_accepted_options_become_scripts_and_commands_that_a_shell_can_read(self):
        ran = self.run_script(self.contenders, self.made)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual({each.name for each in self.made.iterdir()}, {"uring-heap", "tuned-heap"})
        started = subprocess.run([self.made / "uring-heap", "a b"], check=True, capture_output=True, text=True)
        self.assertEqual(started.stdout, "timer.heap_reserve=100000 a b\n")
        commands = [shlex.split(line) for line in ran.stdout.splitlines() if "left out" not in line]
        self.assertEqual([words[0] for words in commands], [f"{self.folder}/loopbench"] * 2)
        for words, kind in zip(commands, ("asio-uring", "asio-tuned")):
            self.assertEqual(words[words.index("--contender-dir") + 1], str(self.made))
            self.assertEqual(words[-1], f"{self.made}-{kind}")

    def test_a_folder_that_exists_is_refused(self):
        self.made.mkdir()
        self.expect_refusal(self.contenders, "exists already", "another folder")

    def test_a_folder_without_contenders_is_refused(self):
        self.expect_refusal(self.folder, "asio-uring", "target `suite`")
        self.expect_refusal(self.contenders, "asio-uring-1.92", "LOOPBENCH_BOOSTS", version=["1.92"])
        self.assertFalse(self.made.exists())

    def expect_refusal(self, contenders, *words, version=()):
        ran = self.run_script(contenders, self.made, *version)
        self.assertEqual(ran.returncode, 1)
        self.assertNotIn("Traceback", ran.stderr)
        for word in words:
            self.assertIn(word, ran.stderr)


if __name__ == "__main__":
    unittest.main()
