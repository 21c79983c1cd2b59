#!/usr/bin/env python3
"""Compares loopbench with Google Benchmark's own compare.py on the inputs of compare.py's unit tests.

usage: compare_py.py LOOPBENCH FOLDER...

Each FOLDER has the folder tools/gbench of one version of Google Benchmark; fetch.py downloads it. Every number that
both `loopbench compare` and the expected values of the unit tests report must be equal: times and CPU times of both
files, and their ratios. The unit tests themselves run with replacements of numpy and scipy, because only their expected
values are read.

compare.py also compares aggregates with single runs of the same name, and other aggregates than the mean. loopbench
reports no number for them; this script lists them.
"""

import copy
import importlib.util
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

NS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
PLACES = 4  # the precision of the expected changes in the unit tests


class Numbers(list):
    def any(self):
        return any(self)


def gmean(rows):
    return Numbers(math.exp(sum(math.log(row[i]) for row in rows) / len(rows)) for i in range(2))


def load(folder):
    numpy, scipy, stats = (types.ModuleType(name) for name in ("numpy", "scipy", "scipy.stats"))
    numpy.array = Numbers
    stats.gmean = gmean
    stats.mannwhitneyu = lambda *_, **__: types.SimpleNamespace(pvalue=1.0)
    sys.modules.update({"numpy": numpy, "scipy": scipy, "scipy.stats": stats})
    spec = importlib.util.spec_from_file_location("report", folder / "tools/gbench/report.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cases(report):
    """Yields the name of each unit test, its two inputs, and the benchmarks that it expects. A unit test that checks no
    times yields the benchmarks that compare.py itself reports."""
    compared = []
    original = report.get_difference_report

    def recorded(first, second, *more, **options):
        compared.append(copy.deepcopy((first, second)))
        return original(first, second, *more, **options)

    report.get_difference_report = recorded
    report.assert_utest = lambda *_: None
    for name, each in vars(report).items():
        if not (isinstance(each, type) and issubclass(each, unittest.TestCase)):
            continue
        for method in ("test_json_diff_report", "test_json_diff_report_output"):
            if not hasattr(each, method):
                continue
            compared.clear()
            expected = []
            report.assert_measurements = lambda _, __, wanted, to=expected: to.append(wanted)
            each.setUpClass()
            each(method).debug()
            yield f"{name}.{method}", compared[0], expected or each.json_diff_report


def asked(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3, 4):
        sys.exit(f"{' '.join(map(str, command))} ended with exit code {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def results(report):
    return {(each["workload"], each["metric"]): each for each in report["results"]}


def rows_named(output, name, unit):
    return [row for row in output["benchmarks"] if row["name"] == name and row.get("time_unit") == unit]


def is_single(row):
    return row.get("run_type", "iteration") != "aggregate"


class Comparison:
    """The two inputs of a unit test, and what loopbench reports about them."""

    def __init__(self, loopbench, inputs, folder):
        self.inputs = inputs
        files = [folder / "old.json", folder / "new.json"]
        for file, output in zip(files, inputs):
            file.write_text(json.dumps(output))
        self.sides = [results(asked(loopbench, "report", file, "--format", "json")) for file in files]
        self.compared = results(asked(loopbench, "compare", *files, "--format", "json"))

    def check(self, expected):
        """Returns the number of equal values, and the measurements that only compare.py reports."""
        equal, others = 0, []
        unit = expected["time_unit"]
        rows = [rows_named(output, expected["name"], unit) for output in self.inputs]
        for index, wanted in enumerate(expected["measurements"]):
            if not all(is_single(side[index]) for side in rows):
                others.append(f"{expected['name']}[{index}]")
                continue
            for metric, field, change in (("time", "real_time", "time"), ("cpu", "cpu_time", "cpu")):
                old, new = (self.value(side, rows[side], index, expected["name"], metric) for side in (0, 1))
                require(math.isclose(old, wanted[field] * NS[unit], rel_tol=1e-12), expected, metric, old)
                require(round(new / old - 1 - wanted[change], PLACES) == 0, expected, metric, new)
                equal += 2
                if [len(side) for side in rows] == [1, 1] or self.all_equal(rows, field):
                    ratio = self.compared[expected["name"], metric]["ratio"]["median"]
                    require(round(1 / ratio - 1 - wanted[change], PLACES) == 0, expected, metric, ratio)
                    equal += 1
        return equal, others

    def value(self, side, rows, index, name, metric):
        single = sum(is_single(row) for row in rows[:index])
        return self.sides[side][name, metric]["samples"][single]

    @staticmethod
    def all_equal(rows, field):
        return all(len({row[field] for row in side}) == 1 for side in rows)


def require(holds, expected, metric, found):
    if not holds:
        sys.exit(f"{expected['name']}: loopbench reports {found} as {metric}, but the unit test expects {expected}")


def main():
    loopbench, folders = sys.argv[1], sys.argv[2:]
    for folder in map(pathlib.Path, folders):
        total, only_theirs = 0, []
        with tempfile.TemporaryDirectory() as temporary:
            for name, inputs, expected in cases(load(folder)):
                if not any(is_single(row) for row in inputs[0]["benchmarks"]):
                    only_theirs.append(f"{name}: only aggregates")
                    continue
                comparison = Comparison(loopbench, inputs, pathlib.Path(temporary))
                for each in expected:
                    if each["name"] == "OVERALL_GEOMEAN":
                        continue
                    equal, others = comparison.check(each)
                    total += equal
                    only_theirs += [f"{name}: {other}" for other in others]
        print(f"{folder}: {total} equal values; only compare.py reports: {', '.join(only_theirs) or 'none'}")
        if total < 100:
            sys.exit("there are fewer than 100 common values, so the inputs were not read")


if __name__ == "__main__":
    main()
