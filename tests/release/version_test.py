#!/usr/bin/env python3
"""Tests the commit that `loopbench --version` states, on small repositories, and the text of a built loopbench.

    version_test.py SOURCE LOOPBENCH
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, LOOPBENCH = map(pathlib.Path, (sys.argv.pop(1), sys.argv.pop(1)) if len(sys.argv) > 2 else sys.exit(__doc__))
SCRIPT = "bench/harness/cli/commit.cmake"


def git(folder, *arguments):
    identity = ("-c", "user.name=test", "-c", "user.email=test@localhost")
    return subprocess.run(["git", "-C", folder, *identity, *arguments], check=True, capture_output=True).stdout


class Commit(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.sources = self.folder / "the sources"
        for name in (".gitattributes", SCRIPT):
            copy = self.sources / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes((SOURCE / name).read_bytes())
        self.output = self.folder / "commit.cpp"

    def commit_sources(self):
        git(self.sources, "init", "--quiet")
        git(self.sources, "add", ".")
        git(self.sources, "commit", "--quiet", "--message", "first")
        return git(self.sources, "rev-parse", "HEAD").decode().strip()

    def commit_of(self, sources, **environment):
        """Returns the commit that the script of the sources writes."""
        subprocess.run(["cmake", "-D", f"SOURCE={sources}", "-D", f"OUTPUT={self.output}", "-P", sources / SCRIPT],
                       check=True, env={**os.environ, **environment})
        return re.search('return "(.*)";', self.output.read_text())[1]

    def extract_archive(self, folder):
        folder.mkdir(parents=True)
        subprocess.run(["tar", "-x", "-C", folder], input=git(self.sources, "archive", "HEAD"), check=True)
        return folder

    def test_it_comes_from_git_and_says_if_the_sources_were_changed(self):
        commit = self.commit_sources()
        self.assertEqual(self.commit_of(self.sources), commit)
        (self.sources / ".gitattributes").write_text("")
        self.assertEqual(self.commit_of(self.sources), f"{commit}, with changes")

    def test_an_archive_keeps_it_even_within_another_repository(self):
        commit = self.commit_sources()
        self.assertEqual(self.commit_of(self.extract_archive(self.folder / "archive")), commit)
        self.assertEqual(self.commit_of(self.extract_archive(self.sources / "within")), commit)

    def test_it_is_unknown_without_git_data_and_never_that_of_another_repository(self):
        self.assertEqual(self.commit_of(self.sources), "unknown")
        git(self.folder, "init", "--quiet")
        git(self.folder, "commit", "--quiet", "--allow-empty", "--message", "another project")
        self.assertEqual(self.commit_of(self.sources), "unknown")
        self.assertEqual(self.commit_of(self.sources, GIT_DIR=str(self.folder / ".git")), "unknown")

    def test_the_same_commit_does_not_touch_the_file(self):
        self.commit_sources()
        self.commit_of(self.sources)
        before = self.output.stat().st_mtime_ns
        self.commit_of(self.sources)
        self.assertEqual(self.output.stat().st_mtime_ns, before)


class Text(unittest.TestCase):
    def test_the_first_line_is_the_version_and_the_others_are_the_build(self):
        lines = subprocess.run([LOOPBENCH, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()
        version = re.search(r"^project\(loopbench VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)
        self.assertEqual(lines[0], f"loopbench {version[1]}")
        facts = dict(line.split(maxsplit=1) for line in lines[1:])
        self.assertEqual(list(facts), ["commit", "compiler", "Boost", "history", "io_uring"])
        self.assertRegex(facts["commit"], r"^([0-9a-f]{40}(, with changes)?|unknown)$")
        self.assertRegex(facts["compiler"], r"^(GNU|Clang) \d+\.\d+.*, C\+\+\d\d$")
        self.assertRegex(facts["Boost"], r"^1\.\d+")


if __name__ == "__main__":
    unittest.main()
