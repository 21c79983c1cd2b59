#!/usr/bin/env python3
"""Tests that the language of the user changes no number, with locales that write 1,5 or have two kinds of the letter i.

    locale_test.py LOOPBENCH REPORT

Exits with 77 if the locales cannot be made (Debian: the package locales).
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LOOPBENCH, REPORT = map(pathlib.Path, (sys.argv.pop(1), sys.argv.pop(1)) if len(sys.argv) > 2 else sys.exit(__doc__))
LOCALES = ("de_DE", "tr_TR")
FORMATS = ("json", "csv", "gbench", "bmf", "openmetrics", "junit", "github", "markdown", "html", "text", "screen")
FOLDER = tempfile.TemporaryDirectory()


def make_locales():
    for name in LOCALES:
        try:
            done = subprocess.run(["localedef", "-i", name, "-f", "UTF-8", f"{FOLDER.name}/{name}.UTF-8"],
                                  capture_output=True, text=True, check=False)
        except OSError as error:
            return str(error)
        if done.returncode > 1:  # 1 means warnings
            return done.stderr
    return None


def output_of(locale, *command):
    environment = {**os.environ, "LC_ALL": locale, "LOCPATH": FOLDER.name, "LANGUAGE": locale.partition(".")[0]}
    return subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, check=False)


class AnyLocale(unittest.TestCase):
    def expect_the_same(self, *arguments):
        expected = output_of("C.UTF-8", LOOPBENCH, *arguments)
        for locale in LOCALES:
            found = output_of(f"{locale}.UTF-8", LOOPBENCH, *arguments)
            self.assertEqual((found.returncode, found.stdout, found.stderr),
                             (expected.returncode, expected.stdout, expected.stderr), (locale, arguments))
        return expected

    def test_the_locales_write_a_comma(self):
        self.assertEqual(output_of("de_DE.UTF-8", "printf", "%.1f", "1,5").stdout, "1,5")

    def test_every_format_has_the_same_numbers(self):
        for form in FORMATS:
            with self.subTest(form):
                self.assertNotEqual(self.expect_the_same("report", REPORT, "--format", form).stdout, "")

    def test_numbers_on_the_command_line_have_a_point(self):
        self.expect_the_same("compare", REPORT, REPORT, "--threshold", "2.5%", "--format", "json")
        refused = self.expect_the_same("compare", REPORT, REPORT, "--threshold", "2,5%")
        self.assertEqual(refused.returncode, 2)


if __name__ == "__main__":
    if problem := make_locales():
        print(f"the locales cannot be made: {problem.strip()}")
        sys.exit(77)
    unittest.main()
