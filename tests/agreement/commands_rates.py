#!/usr/bin/env python3
"""Measures how often `loopbench compare -- A B` and hyperfine are wrong about two commands on a core of changing speed.

    commands_rates.py LOOPBENCH CORE EQUAL_TRIES SLOWER_TRIES FOLDER

The commands compute for some 30 ms. In the tries of equals, both do the same work; in the other tries, the second one
does 3 % more. In both, a neighbour uses the same core at random times of 0.2 to 4 seconds. Each tool gets 20 seconds
per try, one after the other, with the first tool changing. To save time, half of the tries leave out hyperfine.
FOLDER/tries.csv gets a line for each try, in which the columns of a tool that was left out are empty, and the rates are
printed. Tries that are already in FOLDER count, so that an interrupted measurement can be continued. The tools'
verdicts:

- loopbench: its verdict about the time of the second command, at a threshold of 1 %.
- hyperfine_summary: what its summary suggests: "1.03 ± 0.02 times faster" is a difference, because 0.03 exceeds 0.02.
- hyperfine_welch: Welch's t-test at 5 %, like the script welch_ttest.py of hyperfine. With some hundred runs, its
  statistic is normally distributed.
"""

import collections
import csv
import json
import math
import os
import pathlib
import random
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

from error_rates import upper_bound

BUDGET_S = 20
ORDERS = (("loopbench", "hyperfine"), ("loopbench",), ("hyperfine", "loopbench"), ("loopbench",))
SLOWER = 1.03
ROUNDS = 1_200_000
SHORTEST_S, LONGEST_S = 0.2, 4
NEIGHBOUR = f"""
import os, random, time
parent = os.getppid()
while os.getppid() == parent:
    until = time.monotonic() + random.uniform({SHORTEST_S}, {LONGEST_S})
    while time.monotonic() < until: pass
    time.sleep(random.uniform({SHORTEST_S}, {LONGEST_S}))
"""


def command(rounds):
    return f"awk 'BEGIN{{for(i=0;i<{rounds};i++)s+=i}}'"


def verdict_of_loopbench(loopbench, first, second, folder):
    output = folder / "compare"
    shutil.rmtree(output, ignore_errors=True)
    command_line = [loopbench, "compare", "--budget", f"{BUDGET_S}s", "--blocks", "500", "--threshold", "1%",
                    "-o", output, "--", first, second]
    done = subprocess.run(command_line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode in (1, 2, 130):
        sys.exit(f"loopbench: {done.stderr}")
    report = json.loads((output / "report.json").read_text())
    result = next((item for item in report["results"] if item["metric"] == "time" and item.get("verdict")), None)
    if result is None:
        return "undecided", None
    reliable = done.returncode != 5
    return result["verdict"] if reliable else "unreliable", result["ratio"]["median"] if result.get("ratio") else None


def times_of_hyperfine(first, second, folder):
    runs = max(10, round(BUDGET_S / 2 / time_of(first)))
    command_line = ["hyperfine", "--shell=none", "--warmup", "1", "--runs", str(runs), "--style", "none",
                    "--export-json", folder / "hyperfine.json", first, second]
    subprocess.run(command_line, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [result["times"] for result in json.loads((folder / "hyperfine.json").read_text())["results"]]


def time_of(text):
    start = time.monotonic()
    for _ in range(5):
        subprocess.run(shlex.split(text), check=True)
    return (time.monotonic() - start) / 5


def sign(difference):
    return "slower" if difference > 0 else "faster"


def verdicts_of_hyperfine(first, second):
    means = statistics.mean(first), statistics.mean(second)
    ratio = max(means) / min(means)
    spread = ratio * math.hypot(statistics.stdev(first) / means[0], statistics.stdev(second) / means[1])
    summary = sign(means[1] - means[0]) if ratio - 1 > spread else "equal"
    error = math.sqrt(sum(statistics.variance(times) / len(times) for times in (first, second)))
    p = math.erfc(abs(means[1] - means[0]) / error / math.sqrt(2))
    return summary, sign(means[1] - means[0]) if p < 0.05 else "equal", means[1] / means[0]


def one_try(loopbench, slower, folder, tools):
    first, second = command(ROUNDS), command(round(ROUNDS * (SLOWER if slower else 1)))
    row = {"second": "slower" if slower else "equal"}
    for tool in tools:
        if tool == "loopbench":
            row["loopbench"], row["loopbench_ratio"] = verdict_of_loopbench(loopbench, first, second, folder)
        else:
            times = times_of_hyperfine(first, second, folder)
            row["hyperfine_summary"], row["hyperfine_welch"], row["hyperfine_ratio"] = verdicts_of_hyperfine(*times)
    return row


def print_rates(rows):
    print(f"tries of {BUDGET_S} s; the second command has {100 * (SLOWER - 1):.0f} % more work, or is equal; the "
          f"neighbour computes and sleeps for {SHORTEST_S} to {LONGEST_S} s")
    for kind in ("equal", "slower"):
        tries = [row for row in rows if row["second"] == kind]
        for tool in ("loopbench", "hyperfine_summary", "hyperfine_welch"):
            verdicts = collections.Counter(row[tool] for row in tries if row.get(tool))
            different = verdicts["slower"] + verdicts["faster"]
            bound = f" (with 95 % confidence, at most {100 * upper_bound(different, verdicts.total()):.1f} % are)"
            print(f"second command {kind}, {tool}: {different} of {verdicts.total()} called different"
                  f"{bound if kind == 'equal' else ''}; {dict(sorted(verdicts.items()))}")


def earlier_tries(file):
    if not file.exists():
        return []
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def count(rows, kind):
    return sum(row["second"] == kind for row in rows)


def main(loopbench, core, equal, slower, folder):
    os.sched_setaffinity(0, {core})
    folder.mkdir(parents=True, exist_ok=True)
    rows = earlier_tries(folder / "tries.csv")
    kinds = [False] * max(0, equal - count(rows, "equal")) + [True] * max(0, slower - count(rows, "slower"))
    random.shuffle(kinds)
    order = ["second", "loopbench", "hyperfine_summary", "hyperfine_welch", "loopbench_ratio", "hyperfine_ratio"]
    neighbour = subprocess.Popen([sys.executable, "-c", NEIGHBOUR])
    try:
        with (folder / "tries.csv").open("a", newline="") as file:
            writer = csv.DictWriter(file, order)
            if file.tell() == 0:
                writer.writeheader()
            for i, kind in enumerate(kinds):
                rows.append(one_try(loopbench, kind, folder, ORDERS[i % len(ORDERS)]))
                writer.writerow(rows[-1])
                file.flush()
                print(f"try {len(rows)} of {equal + slower}: {rows[-1]}", flush=True)
    finally:
        neighbour.send_signal(signal.SIGKILL)
        neighbour.wait()
    print_rates(rows)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]), *map(int, sys.argv[2:5]), pathlib.Path(sys.argv[5]).resolve())
