#!/usr/bin/env python3
"""Reads the journals and reports of the evidence with `loopbench report`: evidence.py LOOPBENCH FOLDER [--all]

Packed files (.xz, .tar.xz) are unpacked; of an archive it reads ten files, spread evenly, or with --all every one. Old
measurements must stay readable in every later format. If table.txt is beside a journal.jsonl.xz, it must equal the
output of `report` for that journal, as text or as the screen of a run. The journal must also contain the primary
metrics of its workloads; otherwise the table would be about something else.
"""

import json
import lzma
import pathlib
import subprocess
import sys
import tarfile
import tempfile


def texts_of(file, every):
    """Yields name and text of each JSON document in a file."""
    if file.name.endswith(".tar.xz"):
        with tarfile.open(file) as archive:
            items = [item for item in archive if item.isfile()]
            step = 1 if every else max(1, len(items) // 10)
            for item in items[::step]:
                yield f"{file}:{item.name}", archive.extractfile(item).read()
    elif file.name.endswith(".xz"):
        yield str(file), lzma.decompress(file.read_bytes())
    elif file.suffix in (".json", ".jsonl"):
        yield str(file), file.read_bytes()


def is_record(text):
    """Returns whether the text is a journal, whose first line says so, or a report."""
    for document in (text.partition(b"\n")[0], text):
        try:
            found = json.loads(document)
        except ValueError:
            continue
        return isinstance(found, dict) and str(found.get("schema")).startswith(("loopbench-journal/", "loopbench/"))
    return False


def reported(loopbench, text, wanted):
    """Returns the output of `report` for the text in this format. Raises ValueError with the reason of a failure."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([loopbench, "report", file.name, "--format", wanted], capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(f"exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def is_missing(workload, metric):
    """Returns whether the absence of the metric is a problem. A workload with a given rate needs no capacity."""
    return not ("/rate:" in workload and metric == "capacity")


def problem_of_table(loopbench, text, table):
    if table not in (reported(loopbench, text, wanted) for wanted in ("text", "screen")):
        return "table.txt is not what report prints of it, as text or screen"
    report = json.loads(reported(loopbench, text, "json"))
    cells = {(each["workload"], each["contender"], each["metric"]): each["status"] for each in report["results"]}
    about = {each["name"]: each["headline_metrics"] for each in report["workloads"]}
    for (workload, contender, metric), status in cells.items():
        if metric != "time" or status != "ok":
            continue
        for wanted in about[workload]:
            if (workload, contender, wanted) not in cells and is_missing(workload, wanted):
                return f"{contender} on {workload} has no {wanted}, which the workload is about"
    return None


def problem_of(loopbench, name, text):
    try:
        if len(reported(loopbench, text, "csv").splitlines()) < 2:
            return "there is no result in it"
        table = pathlib.Path(name).with_name("table.txt")
        if name.endswith("/journal.jsonl.xz") and table.exists():
            return problem_of_table(loopbench, text, table.read_text(encoding="utf-8"))
    except ValueError as error:
        return str(error)
    return None


def main(loopbench, folder, every):
    records = [(name, text) for file in sorted(pathlib.Path(folder).rglob("*")) if file.is_file()
               for name, text in texts_of(file, every) if is_record(text)]
    problems = [(name, why) for name, text in records if (why := problem_of(loopbench, name, text))]
    for name, why in problems:
        print(f"{name}: {why}", file=sys.stderr)
    print(f"{len(records) - len(problems)} of {len(records)} journals and reports are good")
    return 1 if problems or not records else 0


if __name__ == "__main__":
    wants_all = sys.argv[3:] == ["--all"]
    if len(sys.argv) != 3 + wants_all:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:3], wants_all))
