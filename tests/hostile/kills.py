"""Sends SIGKILL, SIGINT, SIGTERM and SIGHUP at random moments to all commands. A signal must not destroy a finished
trial, and a resume must complete the run.
"""

import json
import shutil
import signal
import subprocess
import time

import attack as attacks
from attack import COUNTED, DOCUMENTED, INCONCLUSIVE, INTERRUPTED, OBEDIENT, OK, UNRELIABLE, Broken

GROUP = "moments"
SIGNALS = [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
FEW, BLOCKS = ["--workload", "yield", "--min-time", "10ms"], ["--blocks", "3"]
CALIBRATE = ["calibrate", "--contender", "obedient", *FEW, "--slowdown", "10", "--tries", "1", "--blocks", "6",
             "--aa-tries", "1", "--aa-blocks", "6"]


class Command:
    def __init__(self, name, words, journals=(), measures=False, real=False, against=None):
        self.name, self.words, self.journals = name, words, journals
        self.measures, self.real, self.against = measures, real, against
        self.usual_s = 0.0


def commands(place):
    report, old = place / "whole/report.json", place / "whole"
    a, b = place / "bin/contenders/asio-epoll", place / "bin/contenders/loop-epoll"
    base, out, real = place / "base.json", place.out, place / "full"
    return [
        Command("run", ["run", *FEW, *BLOCKS, "-o", out], [out], True),
        Command("run --counts", ["run", *FEW, *BLOCKS, "--counts", "-o", out], [out], True),
        Command("run --history", ["run", *FEW, *BLOCKS, "--history", place / "h.sqlite", "-o", out], [out], True),
        Command("compare two builds", ["compare", a, b, *FEW, *BLOCKS, "-o", out], [out], True),
        Command("compare two reports", ["compare", report, report]),
        Command("check", ["check", "--against", base, "--blocks", "6", "--min-time", "10ms", "-o", out],
                [out / "first"], True),
        Command("check of a report", ["check", "--against", base, "--tier", "times", report]),
        Command("check --update",
                ["check", "--against", place / "new.json", "--update", *FEW, "--blocks", "6", "-o", out],
                [out / "first"], True, against=place / "new.json"),
        Command("calibrate", [*CALIBRATE, "-o", out], [out / "equal", out / "slowed"], True),
        Command("calibrate --replay", ["calibrate", "--replay", place / "calibrated", "-o", place / "judged"]),
        Command("report", ["report", report, "--format", "html", "-o", place / "page.html"]),
        Command("report of a journal", ["report", old / "journal.jsonl", "--format", "csv", "-o", place / "table.csv"]),
        Command("history add", ["history", "add", "--history", place / "h.sqlite", "--commit", "c", report]),
        Command("history trend", ["history", "trend", "--history", place / "h.sqlite"]),
        Command("list", ["list"], measures=True),
        Command("doctor", ["doctor"], measures=True),
        Command("explain", ["explain", "yield"]),
        Command("run on real loops",
                ["run", "--contender", "loop-*", "--baseline", "loop-epoll-real", "--min-time", "10ms", "--workload",
                 "echo/rtt/unix/conns:1/bytes:64", "--quick", "--blocks", "2", "-o", real], [real], True, real=True),
        Command("run under a generator",
                ["run", "--contender", "loop-epoll-real", "--baseline", "loop-epoll-real", "--workload",
                 "serve/open_loop/rate:20000", "--quick", "--blocks", "1", "-o", real], [real], True, real=True),
    ]


def prepare(place):
    for name in ("asio-epoll", "loop-epoll"):
        place.add_contender(name, COUNTED)
    place.add_contender("obedient", OBEDIENT)
    place.loopbench("run", *FEW, "--blocks", "8", "-o", place / "whole", codes=[OK])
    place.loopbench("check", "--against", place / "base.json", "--update", "--tier", "times",
                    place / "whole/report.json", codes=[OK])
    place.loopbench("history", "add", "--history", place / "h.sqlite", "--commit", "c", place / "whole/report.json",
                    codes=[OK])
    place.loopbench(*CALIBRATE, "--no-store", "-o", place / "calibrated", codes=[OK])
    real = place.binaries / "contenders/loop-epoll"
    all_of_them = commands(place)
    if real.exists():
        place.install("contenders/loop-epoll")
        (place / "bin/contenders/loop-epoll").rename(place / "bin/contenders/loop-epoll-real")
        place.add_contender("loop-epoll", COUNTED)
        place.install("loopbench-generator")
    else:
        place.skip("the contender loop-epoll is not built: commands over real loops")
        all_of_them = [each for each in all_of_them if not each.real]
    for each in all_of_them:
        # The commands name their contenders, because they would otherwise also run `obedient` and `loop-epoll-real`.
        if not each.real and (each.words[0] == "run" or each.against):
            each.words = [*each.words, "--contender", "*asio-epoll", "--contender", "loop-epoll"]
        started = time.monotonic()
        place.loopbench(*each.words)
        each.usual_s = time.monotonic() - started
    return all_of_them


def whole_lines(folder):
    file = folder / "journal.jsonl"
    if not file.exists():
        return []
    lines = file.read_bytes().split(b"\n")[:-1]
    for line in lines:
        try:
            json.loads(line)
        except ValueError:
            raise Broken(f"a line of {file} is not JSON: {line[:200]!r}") from None
    return lines


def trials_in(lines):
    found = [json.loads(line) for line in lines[1:]]
    return [(each["block"], each["workload"], each["contender"], each["attempt"]) for each in found if "block" in each]


def strike(place, command, number, after_s):
    """Starts the command, and sends it the signal after `after_s` seconds. Returns the exit code (negative if a signal
    ended the command) and the text on standard error.
    """
    process = place.start(*command.words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        process.wait(after_s)
    except subprocess.TimeoutExpired:
        process.send_signal(number)
    try:
        said = process.communicate(timeout=60)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Broken(f"{command.name} has not ended a minute after {number.name}") from None
    return process.returncode, said


def judge_end(command, number, code, said, lines):
    what = f"{command.name}, {number.name}"
    if code >= 0:
        if code not in DOCUMENTED | {INTERRUPTED}:
            raise Broken(f"{what}: exit code {code}: {said.decode(errors='replace')}")
        if code == INTERRUPTED and number == signal.SIGKILL:
            raise Broken(f"{what}: exit code 130, although SIGKILL cannot be caught")
        return
    if code != -number:
        raise Broken(f"{what}: ended by signal {-code}: {said.decode(errors='replace')}")
    # While the command measures, it must catch every signal except SIGKILL. Before and after, a signal can end it.
    if number != signal.SIGKILL and lines and not any(b'"end"' in line for line in lines[1:]):
        raise Broken(f"{what}: the signal ended the command while it measured")


def go_on(place, command, folder, before):
    if not before:
        return
    place.loopbench("run", "--resume", folder, codes=[OK, INCONCLUSIVE, UNRELIABLE, attacks.REGRESSION])
    after = whole_lines(folder)
    if after[:len(before)] != before:
        raise Broken(f"{command.name}: finished trials were lost")
    trials = trials_in(after)
    if len(set(trials)) < len(trials):
        raise Broken(f"{command.name}: a trial ran twice")
    if not json.loads((folder / "report.json").read_text())["complete"]:
        raise Broken(f"{command.name}: the resumed run is not complete")


def one_moment(place, command):
    number = place.random.choice(SIGNALS)
    for folder in {place.out, place / "full", *command.journals}:
        shutil.rmtree(folder, ignore_errors=True)
    if command.against:
        command.against.unlink(missing_ok=True)
    code, said = strike(place, command, number, place.random.uniform(0, 1.1) * command.usual_s)
    place.codes[code] += 1
    begun = [(folder, whole_lines(folder)) for folder in command.journals]
    judge_end(command, number, code, said, next((lines for _, lines in reversed(begun) if lines), []))
    if command.against and command.against.exists() and code == INTERRUPTED:
        raise Broken(f"{command.name} wrote a baseline although it was interrupted")
    for folder, lines in begun:
        go_on(place, command, folder, lines)
    if command.measures:
        place.loopbench("run", "--contender", "asio-epoll", *FEW, "--blocks", "1", "--pairing", "sequential", "-o",
                        place / "next", codes=[OK, INCONCLUSIVE])
    else:
        place.loopbench(*command.words)
    if place.half_files():  # the next write of the same file must remove the temporary file
        place.loopbench(*command.words)
    place.expect_nothing_left()


def register(moments, parts):
    for part in range(parts):
        share = moments * (part + 1) // parts - moments * part // parts

        def run(place, share=share, part=part):
            struck = prepare(place)
            for i in range(share):
                one_moment(place, struck[(i * parts + part) % len(struck)])
        attacks.ATTACKS.append(attacks.Attack(GROUP, f"{share} of them, part {part + 1} of {parts}", run, True))
