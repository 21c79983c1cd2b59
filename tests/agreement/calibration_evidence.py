#!/usr/bin/env python3
"""Makes and checks the evidence that verdicts are right when the truth is known (reports/evidence/calibration).

    calibration_evidence.py make  LOOPBENCH FOLDER [options of `loopbench calibrate`]
    calibration_evidence.py check LOOPBENCH FOLDER

`make` measures, and needs a quiet machine; `check` unpacks the journals, judges them again, and compares. Both exit
with 1 if one of these conditions fails: at least 300 A/A comparisons, of which at most 1 % are called different; at
least 40 tries of at most 60 s for each slowdown, none of them called faster; 95 % of the slowdowns of 3 % and 99 % of
those of 5 % called slower.
"""

import json
import lzma
import pathlib
import shutil
import subprocess
import sys
import tempfile

RUNS = ("equal", "slowed")
KEPT_METRICS = ("time", "cpu")
KEPT_CONTEXT = ("contender", "slowdown")
SIZES = ("--tries", "--blocks", "--aa-tries", "--aa-blocks")


def slim(line):
    """Returns a line of a journal, reduced to the data that the rates depend on."""
    if "metrics" in line:
        line["metrics"] = {name: value for name, value in line["metrics"].items() if name in KEPT_METRICS}
        line["context"] = {name: value for name, value in line["context"].items() if name in KEPT_CONTEXT}
        line.pop("usage", None)
    for item in line.get("executables", []):
        item["path"] = pathlib.Path(item["path"]).name
    if "command" in line:
        line["command"][0] = "loopbench"
        line["command"][line["command"].index("-o") + 1] = "calibration"
    return line


def pack(journal, target):
    lines = [json.dumps(slim(json.loads(line)), separators=(",", ":")) for line in journal.read_text().splitlines()]
    target.write_bytes(lzma.compress(("\n".join(lines) + "\n").encode(), preset=9 | lzma.PRESET_EXTREME))


def judged_again(loopbench, folder, sizes):
    """Returns the table and the rates that the packed journals lead to."""
    with tempfile.TemporaryDirectory() as scratch:
        for run in RUNS:
            (pathlib.Path(scratch) / run).mkdir()
            journal = lzma.decompress((folder / f"{run}.jsonl.xz").read_bytes())
            (pathlib.Path(scratch) / run / "journal.jsonl").write_bytes(journal)
        command = [loopbench, "calibrate", "--replay", scratch, "-o", scratch, *sizes]
        table = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        return table, json.loads((pathlib.Path(scratch) / "calibration.json").read_text())["calibration"]


def sizes_in(options):
    return [word for i, word in enumerate(options) if word in SIZES or (i > 0 and options[i - 1] in SIZES)]


def make(loopbench, folder, options):
    with tempfile.TemporaryDirectory() as scratch:
        command = [loopbench, "calibrate", "--no-store", "-o", scratch, *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        folder.mkdir(parents=True, exist_ok=True)
        for run in RUNS:
            pack(pathlib.Path(scratch) / run / "journal.jsonl", folder / f"{run}.jsonl.xz")
        shutil.copy(pathlib.Path(scratch) / "calibration.json", folder / "calibration.json")
    table, _ = judged_again(loopbench, folder, sizes_in(options))
    (folder / "table.txt").write_text(table)
    (folder / "sizes.json").write_text(json.dumps(sizes_in(options)) + "\n")


def problems_of(rates):
    aa = rates["aa"]
    if aa["tries"] < 300:
        yield f"only {aa['tries']} A/A comparisons"
    if aa["different"] > aa["tries"] / 100:
        yield f"{aa['different']} of {aa['tries']} A/A comparisons were called different"
    if rates["try_s"] > 60:
        yield f"a try takes {rates['try_s']:.0f} s"
    wanted = {3: 0.95, 5: 0.99}
    for rate in rates["slowdowns"]:
        pct, tries, slower = rate["slowdown_pct"], rate["measured"], rate["measured_slower"]
        if rate["faster"] > 0 and pct > 0:
            yield f"{pct} % slower was called faster"
        if pct in wanted and (tries < 40 or slower < wanted[pct] * tries):
            yield f"{pct} % was found in {slower} of {tries} tries"
    missing = set(wanted) - {rate["slowdown_pct"] for rate in rates["slowdowns"]}
    if missing:
        yield f"there are no tries of {missing} %"


def check(loopbench, folder):
    table, rates = judged_again(loopbench, folder, json.loads((folder / "sizes.json").read_text()))
    print(table)
    if table != (folder / "table.txt").read_text():
        yield "the journals give another table than table.txt"
    if rates != json.loads((folder / "calibration.json").read_text())["calibration"]:
        yield "the journals give other rates than calibration.json"
    yield from problems_of(rates)


def main(words):
    if len(words) < 4 or words[1] not in ("make", "check"):
        sys.exit(__doc__)
    loopbench, folder = words[2], pathlib.Path(words[3])
    if words[1] == "make":
        make(loopbench, folder, words[4:])
    problems = list(check(loopbench, folder))
    for problem in problems:
        print(f"calibration_evidence: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
