"""The shared code of the page tests, NAME_test.py LOOPBENCH SOURCE_FOLDER [unittest's options]."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from browser import Browser

LOOPBENCH, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.append(str(SOURCE / "tests/support"))
from real_report import real_journal

ALL_DRAWN = """
new Promise((resolve) => {
  const look = () => (due.length ? setTimeout(look, 10) : resolve(true));
  setTimeout(look, 10);
})
"""

DRAWN = """
[...document.querySelectorAll("canvas")].map((canvas) => {
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let drawn = 0;
  for (let i = 3; i < data.length; i += 4) drawn += data[i] !== 0;
  const chart = Chart.getChart(canvas);
  return {drawn, points: chart.data.datasets.reduce((sum, set, i) => sum + chart.getDatasetMeta(i).data.length, 0),
    title: canvas.closest("figure").querySelector("h3").textContent};
})
"""

UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "%": 0.01,
         "k": 1e3, "M": 1e6, "G": 1e9, "": 1, "×": 1}


def shown_number(text):
    found = re.fullmatch(r"(-?[\d,]+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\D*)", text.strip().rstrip("▲▼=?\u2009 "))
    if not found:
        raise ValueError(text)
    digits, unit = found[1].replace(",", ""), found[2].removesuffix("/op").removesuffix("/s").strip()
    mantissa, _, exponent = digits.partition("e")
    last_digit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return float(digits) * UNITS[unit], 0.5001 * last_digit * UNITS[unit]


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.browser = cls.enterClassContext(Browser())
        cls.journal = cls.folder / "journal.jsonl"
        cls.journal.write_bytes(real_journal(SOURCE))
        cls.report = json.loads(subprocess.run([LOOPBENCH, "report", cls.journal, "--format", "json"], check=True,
                                               capture_output=True).stdout)

    def open(self, page=None, **how):
        page = page or self.page
        self.browser.open(page, **how)
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.requests(), [page.resolve().as_uri()])

    def run_when_drawn(self, script):
        self.browser.run(ALL_DRAWN)
        return self.browser.run(script)

    def texts(self, selector):
        return self.browser.run(f"[...document.querySelectorAll('{selector}')].map((each) => each.textContent)")

    def expect_drawn(self, at_least):
        charts = self.run_when_drawn(DRAWN)
        self.assertGreaterEqual(len(charts), at_least)
        for chart in charts:
            self.assertGreater(chart["points"], 1, chart)
            self.assertGreater(chart["drawn"], 2000, chart)

    def expect_drawn_in_light_dark_and_print(self, at_least):
        for scheme in ("light", "dark"):
            self.open(scheme=scheme)
            self.assertEqual(self.browser.run("document.documentElement.dataset.theme"), scheme)
            self.expect_drawn(at_least)
        self.browser.run("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.browser.run("document.documentElement.dataset.theme"), "light")
        self.expect_drawn(at_least)

    def expect_nothing_wider_than_the_window(self, page=None):
        for width in (1280, 390):
            self.open(page, width=width)
            self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), width)

    def expect_text_alone(self, page, title):
        self.expect_nothing_wider_than_the_window(page)
        self.assertEqual(self.browser.run("document.title"), title)
        self.assertEqual(self.browser.run("document.querySelectorAll('script').length"), 3)
        self.assertEqual(self.browser.run("document.querySelectorAll('img, iframe, object').length"), 0)


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
