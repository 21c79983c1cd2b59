"""Builds a run as large as `loopbench run --full`, from the trials of the journal in the repository, with added noise.
"""

import json
import os.path
import random
import subprocess

BLOCKS = 10
BUCKETS = 180
OTHERWISE_ALIKE = {"workload": "echo/rtt/tcp/conns:100/bytes:64", "contender": "asio-epoll"}


def line_of(value):
    return json.dumps(value, separators=(",", ":"))


def most_alike(name, known, front, otherwise):
    family = [each for each in known if each.split(front)[0] == name.split(front)[0]]
    return max(family, key=lambda each: len(os.path.commonprefix([each, name])), default=otherwise)


def with_noise(metrics, factor, draw):
    return {name: value and value * factor * draw.gauss(1, 0.02) for name, value in metrics.items()}


def histograms_of(trial, metrics, draw):
    """Returns a trial's histograms. The width of a bucket is at most 1/128 of its values."""
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


def write_full_run(folder, loopbench, journal, blocks_with_histograms):
    suite = json.loads(subprocess.run([loopbench, "list", "--json"], check=True, capture_output=True).stdout)
    header, *lines, end = journal.splitlines()
    header, trials = json.loads(header), {}
    for trial in map(json.loads, lines):
        trials.setdefault((trial["workload"], trial["contender"]), []).append(trial)
    plan = header["plan"]
    known_workloads, known_contenders = plan["workloads"], plan["contenders"]
    workloads = [each["name"] for each in suite["workloads"] if not each["name"].startswith("threads/")]
    contenders = [each["name"] for each in suite["contenders"] if set(each["workloads"]) & {*workloads}]
    contenders.append(plan["aa_copy"])
    templates_of = [known_workloads.index(most_alike(each, known_workloads, "/", OTHERWISE_ALIKE["workload"]))
                    for each in workloads]
    plan.update(workloads=workloads, contenders=contenders, blocks=BLOCKS, size="full",
                pairings=[plan["pairings"][i] for i in templates_of], cores=[plan["cores"][i] for i in templates_of])
    header["described"] = [{"contender": each["name"], **each["context"]} for each in suite["contenders"]
                           if each["name"] in contenders]
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
