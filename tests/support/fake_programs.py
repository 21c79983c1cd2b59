"""A test case that runs a copy of the scripts in .ci with fake versions of the programs that they run."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

import own_git

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


class Scripts(unittest.TestCase):
    def setUp(self):
        of_git = mock.patch.dict(os.environ, own_git.ENVIRONMENT)
        of_git.start()
        self.addCleanup(of_git.stop)
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "fakes").mkdir()
        shutil.copytree(SOURCE / ".ci", self.folder / ".ci")
        self.path = f"{self.folder}/fakes:{os.environ['PATH']}"
        self.use_own_files()
        self.fake("sleep", "")
        self.fake("dpkg-query", "exit 1")
        self.fake("apt-cache", 'echo "  Candidate: 1"')
        self.fake("apt-get", "")
        self.fake("id", "echo 0")
        self.fake("find", "exit 1")
        self.fake("npm", '[ "$1" != root ] || echo /no/where')

    def use_own_files(self):
        """Lets .ci/install read files of the test instead of files of this machine, on which everything can be
        installed. The distribution is a Debian.
        """
        script = self.folder / ".ci/install"
        text = script.read_text()
        for name in ("/etc/os-release", "/usr/include", "/usr/local/include", "/usr/lib", "/usr/share"):
            text = text.replace(f" {name}", f" {self.folder}{name}")
        script.write_text(text)
        table = self.folder / ".ci/packages"
        table.write_text(table.read_text().replace(" /", f" {self.folder}/"))
        self.write("etc/os-release", "ID=debian\n")

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def fake(self, name, code):
        file = self.folder / "fakes" / name
        file.write_text(f'#!/bin/bash\necho "$*" >> "{file}.calls"\n{code}\n')
        file.chmod(0o755)

    def calls(self, name):
        file = self.folder / f"fakes/{name}.calls"
        return file.read_text().splitlines() if file.exists() else []

    def environment(self):
        """Returns the environment without the variables of `make`. `make test` runs this test, and a `make` within a
        `make` prints more lines.
        """
        of_make = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
        inherited = {name: value for name, value in os.environ.items() if name not in of_make}
        return {**inherited, "PATH": self.path, "TERM": "xterm"}

    def run_script(self, *command):
        return subprocess.run(command, cwd=self.folder, env=self.environment(), capture_output=True, text=True)
