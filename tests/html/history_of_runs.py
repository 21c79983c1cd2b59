"""Builds a history of sixty runs from one measured run, with 1 % of noise and the changes in STEPS."""

import datetime
import hashlib
import json
import math
import random
import subprocess

RUNS = 60
OTHER_MACHINE = 38  # the number of the first run on the other machine
STEPS = [  # contender, workload, metric, first changed run, factor
    ("loop-uring", "yield", "time", 24, 1.06),
    ("loop-uring", "post/chain", "time", 24, 1.045),
    ("loop-epoll", "echo/rtt/tcp/conns:100/bytes:64", "time", 50, 0.93),
]
CONTENDERS = ("asio-epoll", "loop-epoll", "loop-uring")
WORKLOADS = 8


def smaller(report):
    names = [step[1] for step in STEPS] + [each["name"] for each in report["workloads"]]
    workloads = list(dict.fromkeys(names))[:WORKLOADS]
    report = json.loads(json.dumps(report))
    report["contenders"] = [each for each in report["contenders"] if each["name"] in CONTENDERS]
    report["workloads"] = [each for each in report["workloads"] if each["name"] in workloads]
    report["results"] = [each for each in report["results"]
                         if each["contender"] in CONTENDERS and each["workload"] in workloads]
    report["aa"]["found"] = "reliable"
    return report


def scale(numbers, factor, keys=("median", "low", "high")):
    for key in keys:
        if numbers[key] is not None:
            numbers[key] *= factor


def run_of(report, number, draw):
    run = json.loads(json.dumps(report))
    run["seed"] = number
    run["environment"]["date"] = f"{datetime.date(2026, 9, 1) + datetime.timedelta(number)}T03:04:05Z"
    if number >= OTHER_MACHINE:
        run["environment"].update(cpu_model="Another processor", cores=8, kernel="Linux 6.12.41 x86_64")
    for each in run["results"]:
        if each["deterministic"] or each["median"] is None:
            continue
        factor = math.exp(draw.gauss(0, 0.01))
        for contender, workload, metric, start, times in STEPS:
            is_of_step = (each["contender"], each["workload"], each["metric"]) == (contender, workload, metric)
            if is_of_step and number >= start:
                factor *= times
        if number >= OTHER_MACHINE and each["contender"] != run["baseline"]:
            factor *= 0.9
        scale(each, factor)
        each["samples"] = [sample and sample * factor for sample in each["samples"]]
        if each["ratio"]:
            scale(each["ratio"], factor if each["direction"] == "larger" else 1 / factor)
    return run


def commit_of(number):
    return hashlib.sha1(f"run {number}".encode()).hexdigest()


def write_history(folder, loopbench, report, runs=RUNS):
    place, report, draw, made = folder / "history.db", smaller(report), random.Random(1), []
    for number in range(runs):
        made.append(run_of(report, number, draw))
        (folder / "run.json").write_text(json.dumps(made[-1]))
        subprocess.run([loopbench, "history", "add", "--history", place, "--commit", commit_of(number), "--clean",
                        folder / "run.json"], check=True, capture_output=True)
    return place, made
