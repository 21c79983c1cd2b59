#!/usr/bin/env python3
"""Tests the option LOOPBENCH_BOOSTS: which folders CMake accepts.

    boosts_test.py SOURCE
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(boosts LANGUAGES NONE)
include({source}/asio_ref/boosts.cmake)
loopbench_find_boosts()
foreach(version IN LISTS LOOPBENCH_BOOST_VERSIONS)
    get_property(headers GLOBAL PROPERTY LOOPBENCH_BOOST_HEADERS_${{version}})
    message("Boost ${{version}} ${{LOOPBENCH_BOOST_NUMBER_${{version}}}} ${{headers}}")
endforeach()
"""


class Boosts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "CMakeLists.txt").write_text(PROJECT.format(source=SOURCE))

    def boost(self, name, number, below=""):
        """Makes the two headers by which a Boost is recognised. Returns the folder."""
        headers = self.folder / name / below / "boost"
        headers.mkdir(parents=True)
        (headers / "asio.hpp").touch()
        (headers / "version.hpp").write_text(f"//  BOOST_VERSION % 100 is the patch\n#define BOOST_VERSION {number}\n")
        return str(self.folder / name)

    def configure(self, *folders):
        done = subprocess.run(["cmake", "-S", self.folder, "-B", self.folder / "build",
                               f"-DLOOPBENCH_BOOSTS={';'.join(folders)}"], capture_output=True, text=True, check=False)
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    def test_headers_are_found_in_the_folder_and_in_its_include_folder(self):
        code, said = self.configure(self.boost("a", 108301), self.boost("b", 109200, "include"))
        self.assertEqual(code, 0, said)
        self.assertIn(f"Boost 1.83 108301 {self.folder}/a ", said)
        self.assertIn(f"Boost 1.92 109200 {self.folder}/b/include", said)

    def test_a_relative_folder_is_below_the_sources_and_may_have_blanks(self):
        self.boost("a boost", 108301)
        code, said = self.configure("a boost")
        self.assertEqual(code, 0, said)
        self.assertIn(f"Boost 1.83 108301 {self.folder}/a boost", said)

    def test_no_folder_is_the_default(self):
        code, said = self.configure()
        self.assertEqual(code, 0, said)
        self.assertNotIn("Boost 1.", said)

    def test_a_folder_without_asio_is_refused(self):
        code, said = self.configure(str(self.folder / "none"))
        self.assertNotEqual(code, 0)
        self.assertIn("none contains neither boost/asio.hpp nor", said)

    def test_a_version_that_does_not_compile_is_refused(self):
        code, said = self.configure(self.boost("old", 107400))
        self.assertNotEqual(code, 0)
        self.assertIn("107400", said)

    def test_two_folders_with_one_version_are_refused(self):
        code, said = self.configure(self.boost("a", 109000), self.boost("b", 109001))
        self.assertNotEqual(code, 0)
        self.assertIn("two folders have Boost 1.90", said)


if __name__ == "__main__":
    SOURCE = sys.argv.pop()
    unittest.main()
