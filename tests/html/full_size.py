#!/usr/bin/env python3
"""A run as large as that of `loopbench run --full`: all workloads, all contenders, ten blocks, histograms. It is made
of the journal in the repository: each cell has the trials of one that is alike, with noise of its own.

usage: full_size.py LOOPBENCH SOURCE_FOLDER

Shows what its page comes to: bytes, how long `loopbench report` takes, with the histograms and without, and how long a
browser takes from opening it until it is drawn.
"""

import json
import os.path
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

BLOCKS = 10
BUCKETS = 180  # of the histogram of one trial, on average
OTHERWISE_ALIKE = {"workload": "echo/rtt/tcp/conns:100/bytes:64", "contender": "asio-epoll"}


def line_of(value):
    return json.dumps(value, separators=(",", ":"))


def most_alike(name, known, front, otherwise):
    """Of those with the same front the one with the longest common beginning."""
    family = [each for each in known if each.split(front)[0] == name.split(front)[0]]
    return max(family, key=lambda each: len(os.path.commonprefix([each, name])), default=otherwise)


def with_noise(metrics, factor, draw):
    return {name: value and value * factor * draw.gauss(1, 0.02) for name, value in metrics.items()}


def histograms_of(trial, metrics, draw):
    """Of latency or lateness, in buckets of 1/256 of their value."""
    for metric in ("latency", "late"):
        if metrics.get(f"{metric}_p50") is None:
            continue
        counts = {}
        for _ in range(2 * BUCKETS):
            exact = max(int(abs(metrics[f"{metric}_p50"]) * draw.lognormvariate(0, 0.3)), 1)
            size = 1 << max(exact.bit_length() - 8, 0)
            counts[exact // size * size, exact // size * size + size - 1] = 1 + draw.getrandbits(8)
        buckets = [[lowest, highest, count] for (lowest, highest), count in sorted(counts.items())]
        return [{"workload": trial["workload"], "metric": metric, "unit": "ns", "count": sum(counts.values()),
                 "min": buckets[0][0], "max": buckets[-1][1], "mean": metrics[f"{metric}_p50"], "buckets": buckets}]
    return []


def write_full_run(folder, loopbench, journal, blocks_with_histograms=BLOCKS):
    """Leaves journal.jsonl, histograms.jsonl and report.json in the folder."""
    suite = json.loads(subprocess.run([loopbench, "list", "--json"], check=True, capture_output=True).stdout)
    header, *lines, end = journal.splitlines()
    header, trials = json.loads(header), {}
    for trial in map(json.loads, lines):
        trials.setdefault((trial["workload"], trial["contender"]), []).append(trial)
    plan = header["plan"]
    known_workloads, known_contenders = plan["workloads"], plan["contenders"]
    contenders = [each["name"] for each in suite["contenders"]] + [plan["twin"]]
    workloads = [each["name"] for each in suite["workloads"]]
    templates_of = [known_workloads.index(most_alike(each, known_workloads, "/", OTHERWISE_ALIKE["workload"]))
                    for each in workloads]
    plan.update(workloads=workloads, contenders=contenders, blocks=BLOCKS, size="real",
                ways=[plan["ways"][i] for i in templates_of], cores=[plan["cores"][i] for i in templates_of])
    header["described"] = [{"contender": each["name"], **each["context"]} for each in suite["contenders"]]
    header["executables"] = [dict(header["executables"][0]) for _ in contenders]
    with (folder / "journal.jsonl").open("w") as into, (folder / "histograms.jsonl").open("w") as beside:
        print(line_of(header), file=into)
        print(line_of({"schema": "loopbench-histograms/1"}), file=beside)
        for workload in plan["workloads"]:
            alike = most_alike(workload, known_workloads, "/", OTHERWISE_ALIKE["workload"])
            for contender in contenders:
                who = most_alike(contender, known_contenders, "-", OTHERWISE_ALIKE["contender"])
                draw = random.Random(f"{workload} {contender}")
                factor = draw.lognormvariate(0, 0.3)
                templates = trials[alike, who]
                for block in range(BLOCKS if templates[0]["status"] == "ok" else 1):
                    metrics = with_noise(templates[block]["metrics"], factor, draw)
                    trial = {**templates[block], "block": block, "attempt": 0, "workload": workload,
                             "contender": contender, "metrics": metrics, "context": {}}
                    print(line_of(trial), file=into)
                    found = histograms_of(trial, metrics, draw) if block < blocks_with_histograms else []
                    if found:
                        where = {key: trial[key] for key in ("block", "attempt", "workload", "contender")}
                        print(line_of({**where, "histograms": found}), file=beside)
        print(end.decode(), file=into)
    subprocess.run([loopbench, "report", folder / "journal.jsonl", "--format", "json", "-o", folder / "report.json"],
                   check=True)


def cpu_of(browser):
    """Of the thread that draws the page, in seconds."""
    metrics = {each["name"]: each["value"] for each in browser.call("Performance.getMetrics")["metrics"]}
    return metrics["TaskDuration"]


def main(loopbench, source):
    sys.path.append(str(source / "tests/support"))
    from browser import Browser
    from real_report import real_journal
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        write_full_run(folder, loopbench, real_journal(source))
        for file in ("report.json", "journal.jsonl", "histograms.jsonl"):
            print(f"{file:20} {(folder / file).stat().st_size / 1e6:6.2f} MB")
        alone, page = folder / "alone", folder / "report.html"
        alone.mkdir()
        (alone / "report.json").write_bytes((folder / "report.json").read_bytes())
        for name, source_of_page in (("without histograms", alone), ("report.html", folder)):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([loopbench, "report", source_of_page / "report.json", "--format", "html", "-o", page],
                           check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(f"{name:20} {page.stat().st_size / 1e6:6.2f} MB, by `loopbench report` in "
                  f"{after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.2f} s of CPU")
        for width in (1280, 390):
            with Browser() as browser:
                browser.call("Performance.enable", timeDomain="threadTicks")
                browser.open(page, width=width)
                # The second frame after the page is loaded is drawn when the first one is on the screen.
                drawn_ms = browser.run("""new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
                    done(performance.now()))))""")
                print(f"{f'drawn at {width} px':20} {drawn_ms / 1000:6.2f} s after it was opened, "
                      f"{cpu_of(browser):.2f} s of CPU")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
