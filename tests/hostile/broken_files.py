"""Attacks with files that are cut, mutated or hostile. Mutations replace whole lines, numbers, strings and keys,
because random bytes alone would almost always be refused by the JSON parser.
"""

import json
import os
import re
import shutil
import sqlite3

from attack import (COUNTED, DOCUMENTED, GOOD, INCONCLUSIVE, INTERRUPTED, OBEDIENT, OK, Broken, FAILED, USAGE, attack)

GROUP = "broken files"
FORMATS = ["json", "csv", "markdown", "gbench", "bmf", "openmetrics", "junit", "github", "text", "screen", "html"]

NUMBERS = [b"0", b"-1", b"1e999", b"-1e999", b"1e-320", b"NaN", b"null", b"true", b"9007199254740993",
           b"18446744073709551616", b"-9223372036854775809", b"1" * 400, b"0.1", b"[]", b"{}", b'"7"']
STRINGS = ["", "\0", "\x1b[2J\x1b]0;owned\x07", "</script><script>alert(1)</script>", "=cmd|' /C calc'!A1",
           "\u202eneerg", "]]>", "\n::error::owned", "\ufffe", "../../../etc/passwd", "%s%n", "a" * 70000, "ok",
           "faster", "yield", "\U0001f600", "'; DROP TABLE run; --"]


def cut(random, text):
    return text[:random.randrange(len(text))]


def cut_in_a_line(random, text):
    lines = text.splitlines(keepends=True)
    at = random.randrange(len(lines))
    lines[at] = lines[at][:random.randrange(len(lines[at]) + 1)]
    return b"".join(lines)


def flip(random, text):
    changed = bytearray(text)
    for _ in range(random.randint(1, 8)):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def zero(random, text):
    start = random.randrange(len(text))
    size = min(random.randint(1, 4096), len(text) - start)
    return text[:start] + bytes(size) + text[start + size:]


def insert(random, text):
    at = random.randrange(len(text) + 1)
    return text[:at] + random.randbytes(random.randint(1, 40)) + text[at:]


def drop_lines(random, text):
    return b"".join(line for line in text.splitlines(keepends=True) if random.random() > 0.1)


def repeat_a_line(random, text):
    lines = text.splitlines(keepends=True)
    lines.insert(random.randrange(len(lines) + 1), random.choice(lines))
    return b"".join(lines)


def swap_lines(random, text):
    lines = text.splitlines(keepends=True)
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def replace(random, text, pattern, by):
    found = list(re.finditer(pattern, text))
    for each in sorted(random.sample(found, min(len(found), random.randint(1, 3))), key=lambda match: -match.start()):
        text = text[:each.start()] + by(each) + text[each.end():]
    return text


def another_number(random, text):
    return replace(random, text, rb"(?<=[:\[ ,])-?\d+(\.\d+)?(e[-+]?\d+)?(?=[,\]}\n])",
                   lambda _: random.choice(NUMBERS))


def another_text(random, text):
    return replace(random, text, rb'"[^"\\\n]*"', lambda _: json.dumps(random.choice(STRINGS)).encode())


def another_key(random, text):
    return replace(random, text, rb'"(\w+)":', lambda each: b'"x' + each.group(1) + b'":')


def a_key_twice(random, text):
    return replace(random, text, rb'"\w+": ?[\w"]+,', lambda each: each.group() + each.group())


def nested(random, text):
    deep = random.randint(1, 100000)
    return replace(random, text, rb'"[^"\\\n]*"(?=[,}\]])', lambda _: b"[" * deep + b"]" * random.choice([0, deep]))


def of_another_kind(random, text):
    return random.choice([
        b"", b"\n", b"{}", b"[]", b"null", b"\xff\xfe" + text.decode(errors="replace").encode("utf-16-le"),
        b"\xef\xbb\xbf" + text, text + text, b"\x7fELF" + text, b" " * 100000, text.replace(b"\n", b"\r\n"),
        bytes(5000)])


MUTATIONS = [cut, cut_in_a_line, flip, zero, insert, drop_lines, repeat_a_line, swap_lines, another_number,
             another_text, another_key, a_key_twice, nested, of_another_kind, another_number, another_text]


def mutated(place, text):
    changed = text
    for _ in range(place.random.choice([1, 1, 1, 2])):
        changed = place.random.choice(MUTATIONS)(place.random, changed) if changed else changed
    return changed


def mutations(place, short, whole):
    return place.mutations if place.mutations is not None else place.count(short, whole)


def prepare(place):
    place.add_contender("asio-epoll", COUNTED)
    place.add_contender("loop-epoll", COUNTED)
    place.loopbench("run", "--blocks", "8", "--min-time", "10ms", "--seed", "3", "-o", place / "whole", codes=[OK])
    return {name: (place / "whole" / name).read_bytes() for name in ("report.json", "journal.jsonl",
                                                                     "histograms.jsonl")}


def refused_by_name(place, file, *words, codes=DOCUMENTED, **more):
    return place.loopbench(*words, codes=codes, says=[os.path.basename(file)], **more)


def check_format(name, ended):
    if ended.code != OK:
        return
    text = ended.out.decode()
    if name in ("json", "gbench", "bmf"):
        json.loads(text)
    if name == "html" and "<script>alert(1)" in text:
        raise Broken("the page runs code from a report")
    if name == "csv" and re.search(r'(^|,)"?[=+@]cmd', text, re.M):
        raise Broken("a spreadsheet would run a text of the report as a formula")
    if name == "github" and re.search(r"^::error::owned", text, re.M):
        raise Broken("a text of the report is a command for GitHub Actions")


@attack(GROUP)
def reports(place):
    whole = prepare(place)["report.json"]
    file, good = place / "mutated.json", place / "whole/report.json"
    for i in range(mutations(place, 80, 4000)):
        file.write_bytes(mutated(place, whole))
        if i % 4 == 0:
            refused_by_name(place, file, "compare", *place.random.choice([(file, good), (good, file), (file, file)]),
                            "--format", place.random.choice(["text", "json", "html"]))
        elif i % 8 == 1:
            refused_by_name(place, file, "check", "--against", place / "new.json", "--update", "--tier", "times", file)
        elif i % 8 == 5:
            refused_by_name(place, file, "history", "add", "--history", place / "h.sqlite", "--commit", "c", file)
        else:
            name = place.random.choice(FORMATS)
            check_format(name, refused_by_name(place, file, "report", file, "--format", name))


@attack(GROUP)
def journals(place):
    whole = prepare(place)["journal.jsonl"]
    shutil.copytree(place / "whole", place / "out")
    file = place / "out/journal.jsonl"
    for i in range(mutations(place, 40, 2500)):
        changed = mutated(place, whole)
        file.write_bytes(changed)
        if i % 2 == 0:
            name = place.random.choice(FORMATS)
            check_format(name, refused_by_name(place, file, "report", file, "--format", name))
            continue
        # A mutated journal can request a run that takes days, so the run is interrupted after 20 seconds.
        place.loopbench("run", "--resume", place / "out", front=["timeout", "-s", "INT", "20"],
                        codes=DOCUMENTED | {124, 130})


@attack(GROUP)
def a_run_can_be_resumed_from_a_truncated_journal(place):
    whole = prepare(place)["journal.jsonl"]
    lines = whole.splitlines(keepends=True)
    file = place / "cut/journal.jsonl"
    step = place.count(997, 31)
    for size in range(len(lines[0]), len(whole), step):
        shutil.rmtree(place / "cut", ignore_errors=True)
        (place / "cut").mkdir()
        file.write_bytes(whole[:size])
        place.loopbench("run", "--resume", place / "cut", codes=[OK])
        kept = whole[:size].rfind(b"\n") + 1
        if not file.read_bytes().startswith(whole[:kept]):
            raise Broken(f"a journal of {size} bytes lost trials")
        if not place.report("cut")["complete"]:
            raise Broken("the resumed run is not complete")


@attack(GROUP)
def baselines(place):
    prepare(place)
    base, report = place / "base.json", place / "whole/report.json"
    place.loopbench("check", "--against", base, "--update", "--tier", "times", report, codes=[OK])
    whole = json.loads(base.read_text())
    whole["counts"] = [{"workload": "yield", "contender": who, "metric": metric, "per_op": 2.0}
                       for who in ("asio-epoll", "loop-epoll") for metric in ("syscalls", "allocations")]
    whole = json.dumps(whole, indent=1).encode()
    for i in range(mutations(place, 40, 2000)):
        base.write_bytes(mutated(place, whole))
        before = base.read_bytes()
        if i % 4 == 3:
            refused_by_name(place, base, "check", "--against", base, "--update", "--tier", "times", report)
            continue
        refused_by_name(place, base, "check", "--against", base, "--format",
                        place.random.choice(["text", "json", "markdown", "junit", "github"]), report)
        if base.read_bytes() != before:
            raise Broken("check without --update changed the baseline")


@attack(GROUP)
def calibrations(place):
    """Tests that every run succeeds although the stored calibration is mutated, and that `calibrate --replay` ends with
    a documented exit code for mutated journals.
    """
    place.add_contender("asio-epoll", OBEDIENT)
    words = ["calibrate", "--workload", "yield", "--slowdown", "3", "--slowdown", "10", "--tries", "2", "--blocks", "6",
             "--aa-tries", "2", "--aa-blocks", "6", "--seed", "1"]
    place.loopbench(*words, "-o", place / "calibrated", codes=[OK])
    stored = next((place / "state/loopbench").iterdir())
    whole = stored.read_bytes()
    for _ in range(mutations(place, 10, 500)):
        stored.write_bytes(mutated(place, whole))
        place.loopbench("run", "--workload", "yield", "--blocks", "1", "-o", place.out, codes=[OK, INCONCLUSIVE])
    journals = {name: (place / "calibrated" / name / "journal.jsonl").read_bytes() for name in ("equal", "slowed")}
    for _ in range(mutations(place, 12, 1000)):
        for name, text in journals.items():
            file = place / "replayed" / name / "journal.jsonl"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(mutated(place, text) if place.random.random() < 0.6 else text)
        place.loopbench("calibrate", "--replay", place / "replayed", "--no-store", "-o", place / "judged",
                        # 130: the end of the journal is missing, as after an interrupt.
                        codes=DOCUMENTED | {INTERRUPTED})


@attack(GROUP)
def histograms(place):
    side = json.dumps({"schema": "loopbench-histogram-file/1", "histograms": [
        {"workload": "yield", "metric": metric, "unit": "ns", "mean": 15.5, "max": 40,
         "buckets": [[10, 19, 7], [20, 40, 2]]} for metric in ("latency", "late")]})
    place.add_contender("asio-epoll", f"echo '{side}' > \"$LOOPBENCH_HISTOGRAM_FILE\"\n{GOOD}")
    place.loopbench("run", "--pairing", "sequential", "--blocks", "6", "--workload", "yield", "-o", place.out,
                    codes=[OK])
    file = place / "out/histograms.jsonl"
    whole = file.read_bytes()
    if not whole:
        raise Broken("the run has no histograms")
    for i in range(mutations(place, 24, 1500)):
        file.write_bytes(mutated(place, whole))
        if i % 10 == 9:
            place.loopbench("run", "--resume", place.out, codes=[OK, FAILED, USAGE])
            continue
        name = ["hgrm", "html"][i % 2]
        refused_by_name(place, file, "report", place / "out/report.json", "--format", name,
                        codes=[OK] if name == "html" else [OK, USAGE])


@attack(GROUP)
def histories(place):
    prepare(place)
    first, file = place / "first.sqlite", place / "h.sqlite"
    for commit in ("a", "b", "c"):
        report = json.loads((place / "whole/report.json").read_text())
        report["seed"] = ord(commit)
        (place / "r.json").write_text(json.dumps(report))
        place.loopbench("history", "add", "--history", first, "--commit", commit, place / "r.json", codes=[OK])
    with sqlite3.connect(first) as base:
        base.execute("pragma wal_checkpoint(truncate)")
    whole = first.read_bytes()
    commands = [("list",), ("list", "--json"), ("trend",), ("changes",), ("export",), ("show", "1"),
                ("add", place / "r.json"), ("prune", "--keep", "1")]
    for _ in range(mutations(place, 24, 1000)):
        for leftover in place.folder.glob("h.sqlite*"):
            leftover.unlink()
        file.write_bytes(mutated(place, whole))
        name, *rest = place.random.choice(commands)
        refused_by_name(place, file, "history", name, "--history", file, *rest)


@attack(GROUP)
def listings_and_results_of_google_benchmark(place):
    listing = b"yield/real_time\necho/rtt/conns:1\n"
    result = json.dumps({"context": {"library_version": "1", "date": "2026"}, "benchmarks": [
        {"name": "yield/real_time", "run_name": "yield/real_time", "run_type": "iteration", "iterations": 7,
         "real_time": 10.5, "cpu_time": 10.0, "time_unit": "ns", "operations": 7, "items_per_second": 5}]}, indent=1)
    place.add_contender("asio-epoll")
    place.add_contender("loop-epoll", text=f"""#!/bin/sh
case "$1" in --benchmark_list_tests=true) cat '{place.folder}/listing';; *) cat '{place.folder}/result';; esac
""")
    for _ in range(mutations(place, 20, 1500)):
        listed, printed = listing, result.encode()
        if place.random.random() < 0.3:
            listed = mutated(place, listed)
        else:
            printed = mutated(place, printed)
        (place / "listing").write_bytes(listed)
        (place / "result").write_bytes(printed)
        place.loopbench("run", "--workload", "yield", "--blocks", "1", "--contender", "*", "--trial-limit", "5s", "-o",
                        place.out)
        if (place / "out/report.json").exists():
            place.expect_status("asio-epoll", "ok")


@attack(GROUP)
def histogram_files(place):
    whole = json.dumps({"schema": "loopbench-histogram-file/1", "histograms": [
        {"workload": "yield", "metric": "latency", "unit": "ns", "mean": 15.5, "max": 40, "buckets": [[10, 40, 7]]}]})
    place.add_contender("asio-epoll")
    place.add_contender("loop-epoll", f"cat '{place.folder}/side' > \"$LOOPBENCH_HISTOGRAM_FILE\"\n{GOOD}")
    for _ in range(mutations(place, 10, 800)):
        (place / "side").write_bytes(mutated(place, whole.encode()))
        place.loopbench("run", "--pairing", "sequential", "--workload", "yield", "--blocks", "1", "-o", place.out,
                        codes=[OK, FAILED])
        place.expect_status("asio-epoll", "ok")


@attack(GROUP)
def hostile_texts_of_a_report_are_harmless_in_every_format(place):
    prepare(place)
    whole = json.loads((place / "whole/report.json").read_text())
    file = place / "hostile.json"

    def poisoned(value, text, key=""):
        if isinstance(value, dict):
            return {name: poisoned(item, text, name) for name, item in value.items()}
        if isinstance(value, list):
            return [poisoned(item, text, key) for item in value]
        known = key in ("schema", "direction", "status", "verdict", "unit", "metric", "pairing", "baseline",
                        "contender", "name", "to", "workload", "correction", "size", "date")
        return value + text if isinstance(value, str) and not known else value
    for text in STRINGS:
        if len(text) > 1000 or text == "\0":
            continue
        broken = poisoned(whole, text)
        named = json.dumps(broken).replace("loop-epoll", json.dumps("loop" + text)[1:-1])
        for content in (json.dumps(broken), named):
            file.write_text(content)
            for name in place.some(FORMATS, 3):
                check_format(name, refused_by_name(place, file, "report", file, "--format", name, codes=[OK, USAGE]))
