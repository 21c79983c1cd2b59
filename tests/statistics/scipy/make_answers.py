#!/usr/bin/env python3
"""Writes random data and SciPy's results for this data to answers.json. scipy_test.cpp compares these
results with the results of this project.

Run with Debian's python3-scipy (1.10.1): ./make_answers.py > answers.json
"""

import json

import numpy
import scipy.stats
import scipy.stats.mstats

random = numpy.random.default_rng(20261121)


def samples_of(kind, count):
    values = {
        "normal": lambda: random.normal(0.01, 0.04, count),
        "skewed": lambda: random.lognormal(-3.5, 0.8, count) - 0.03,
        "heavy": lambda: random.standard_t(2, count) * 0.02,
        "bimodal": lambda: numpy.where(random.random(count) < 0.7, 0.0, 0.08) + random.normal(0, 0.01, count),
        "ties": lambda: random.integers(-3, 4, count) / 100,
    }[kind]()
    return [round(float(value), 5) for value in values]


def interval_of(data, level=0.95):
    low, high = scipy.stats.mstats.median_cihs(data, alpha=1 - level)
    return {"low": float(low), "high": float(high)}


def median_answers(data):
    above, threshold = sum(value > 0.01 for value in data), 0.01
    return {
        "median": float(numpy.median(data)),
        **interval_of(data),
        "threshold": threshold,
        "above": above,
        "p_above": scipy.stats.binomtest(above, len(data), 0.5, alternative="greater").pvalue,
    }


def two_sample_answers(first, second):
    small, ties = max(len(first), len(second)) <= 20, len(set(first + second)) < len(first + second)
    method = "exact" if small and not ties else "asymptotic"
    return {"first": first, "second": second,
            "p": float(scipy.stats.mannwhitneyu(first, second, method=method).pvalue)}


medians = []
for kind, count in [("normal", 6), ("normal", 7), ("skewed", 10), ("heavy", 20), ("ties", 12), ("bimodal", 31)]:
    data = samples_of(kind, count)
    medians.append({"kind": kind, "data": data, **median_answers(data)})
for kind, count in [("normal", 50), ("skewed", 51), ("heavy", 64), ("bimodal", 80)]:
    samples_of(kind, count)  # advances the random numbers, so that the data below stays the same
two_samples = [two_sample_answers(samples_of(a, m), samples_of(b, n))
               for a, m, b, n in [("normal", 5, "skewed", 4), ("heavy", 9, "normal", 12), ("skewed", 20, "skewed", 20),
                                  ("ties", 15, "ties", 12), ("bimodal", 40, "normal", 33)]]
power = []
for count, critical in [(7, 7), (10, 9), (40, 27), (100, 61)]:
    share = float(scipy.stats.beta.ppf(0.8, critical, count - critical + 1))
    power.append({"pairs": count, "critical": critical, "share": share,
                  "power": float(scipy.stats.binom.sf(critical - 1, count, share))})
answers = {"scipy": scipy.__version__, "medians": medians, "two_samples": two_samples, "power": power}
print(json.dumps(answers, separators=(",", ":")).replace(",{", ",\n{").replace("[{", "[\n{"))
