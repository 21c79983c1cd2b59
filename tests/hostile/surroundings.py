"""Attacks through a command's surroundings: environment variables, signals, descriptors, limits, the command line, the
terminal, and other runs.
"""

import os
import pty
import re
import select
import shutil
import subprocess

from attack import COUNTED, DOCUMENTED, FAILED, GOOD, INCONCLUSIVE, OBEDIENT, OK, Broken, Skipped, attack

GROUP = "surroundings"


@attack(GROUP)
def variables(place):
    place.add_contender("asio-epoll")
    usual = place.environment
    mark = {key: value for key, value in usual.items() if key.startswith("HOSTILE")}
    long = "x" * 100000
    environments = ({}, {"PATH": ""}, {"PATH": "/nowhere"}, {"TMPDIR": ""}, {"TMPDIR": "tmp"}, {"HOME": ""},
                    {"HOME": "relative", "XDG_STATE_HOME": ""}, {"XDG_STATE_HOME": "/nowhere/at/all"},
                    {"XDG_STATE_HOME": "\x1b[31m"}, {"LC_ALL": "tr_TR.UTF-8"}, {"LANG": "nonsense", "LC_ALL": "xx"},
                    {"COLUMNS": "-1"}, {"COLUMNS": "999999999999999999999"}, {"LINES": "0"}, {"NO_COLOR": "1"},
                    {"TERM": "dumb"}, {"TERM": "\x1b[31m"}, {"USER": long}, {"A=B": "C"}, {"": "empty"},
                    {"SHELL": "/bin/false"}, {"TZ": "nonsense/nowhere"}, {"PYTHONPATH": "/nowhere"})
    for environment in place.some(environments, 7):
        # execve() accepts names with an equals sign, but Python refuses them, so they are left out here.
        pairs = {key: value for key, value in environment.items() if key and "=" not in key}
        place.run(env={"TMPDIR": usual["TMPDIR"], **mark, **pairs}, codes=[OK, INCONCLUSIVE])
        place.loopbench("doctor", env={**mark, **pairs})
        place.loopbench("list", env={**mark, **pairs}, codes=[OK])
    place.run(env=mark, front=["env", "-i", *[f"{key}={value}" for key, value in mark.items()]],
              codes=[OK, INCONCLUSIVE])
    for folder in ("/nowhere/at/all", "/dev/null", "/proc", str(place / "bin/loopbench"), "x" * 5000):
        place.run(env={**usual, "TMPDIR": folder}, codes=[FAILED], says="TMPDIR")


@attack(GROUP)
def variables_of_the_suite_do_not_reach_a_contender(place):
    """Tests that variables of the suite that remain in a user's shell do not distort a contender's trials."""
    names = ("DESCRIBE", "HISTOGRAM_FILE", "MALLOC_FILE", "OPERATIONS", "PADDING", "RECORD", "SIZE", "SLICES",
             "SLOWDOWN")
    checks = "\n".join(f'case "$LOOPBENCH_{name}" in *planted*) echo "LOOPBENCH_{name} leaked" >&2; exit 9;; esac'
                       for name in names)
    text = place.add_contender("asio-epoll").read_text()
    place.add_contender("asio-epoll", text=text.replace("#!/bin/sh\n", f"#!/bin/sh\n{checks}\n", 1))
    hostile = {f"LOOPBENCH_{name}": "planted" for name in names}
    for words in (["--pairing", "sequential"], ["--pairing", "concurrent"], ["--counts"], ["--quick"]):
        place.run(*words, env={**place.environment, **hostile}, codes=[OK, INCONCLUSIVE])
        place.expect_status("asio-epoll", "ok")
    place.loopbench("list", env={**place.environment, **hostile}, codes=[OK])
    place.loopbench("doctor", env={**place.environment, **hostile})


@attack(GROUP)
def runs_work_if_the_caller_ignores_signals(place):
    place.add_contender("asio-epoll")
    for names in ("CHLD", "PIPE", "INT TERM HUP", "USR1 USR2 ALRM CHLD PIPE XFSZ INT TERM HUP QUIT"):
        front = ["/bin/sh", "-c", f"trap '' {names}; exec \"$@\"", "sh"]
        place.run(front=front, codes=[OK, INCONCLUSIVE])
        place.loopbench("doctor", front=front)
    if not shutil.which("env") or subprocess.run(["env", "--block-signal=CHLD", "true"],
                                                 capture_output=True).returncode:
        place.skip("env cannot block signals here")
        return
    place.run(front=["env", "--block-signal"], codes=[OK, INCONCLUSIVE])


@attack(GROUP)
def descriptors(place):
    place.add_contender("asio-epoll", COUNTED)
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-", "</dev/full", "2>/dev/full"):
        place.run(front=["/bin/sh", "-c", f'exec "$@" {closed}', "sh"], codes=[OK, FAILED, INCONCLUSIVE],
                  mute="2>" in closed)
        if not place.report()["complete"]:
            raise Broken("a run without its standard streams is not complete")
    for words in (["list"], ["--help"], ["doctor"], ["explain", "yield"],
                  ["report", place / "out/report.json", "--format", "csv"]):
        place.loopbench(*words, front=["/bin/sh", "-c", 'exec "$@" > /dev/full', "sh"], codes=[FAILED],
                        says="standard output")
        # If the whole output fits into the pipe before the reader closes it, the command succeeds; otherwise it fails.
        place.loopbench(*words, front=["/bin/bash", "-c", 'set -o pipefail; "$@" | true', "sh"], codes=[OK, FAILED])
    for limit in (5, 8, 12, 20):
        place.run(front=["/bin/sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh"], codes=[OK, FAILED, INCONCLUSIVE])
    place.run(front=["/bin/bash", "-c", 'for i in {10..110}; do eval "exec $i</dev/null"; done; exec "$@"', "sh"],
              codes=[OK, INCONCLUSIVE])


@attack(GROUP)
def contenders_inherit_no_descriptors_of_the_suite(place):
    """Tests that contenders inherit no descriptors: a contender's child process could keep an inherited journal or lock
    open.
    """
    place.add_contender("asio-epoll",
                        'for each in /proc/$$/fd/*; do echo "$(readlink "$each")" >> "$0.open"; done\n' + GOOD)
    for way in ("sequential", "concurrent"):
        place.run("--pairing", way, codes=[OK, INCONCLUSIVE])
    seen = (place / "bin/contenders/asio-epoll.open").read_text()
    for name in (str(place.out), "journal", ".loopbench-", "eventfd", "pidfd"):
        if name in seen:
            raise Broken(f"a contender inherited {name}: {seen}")


@attack(GROUP)
def limits(place):
    place.add_contender("asio-epoll")
    for limit in ("-v 30000", "-v 60000", "-v 100000", "-s 256", "-t 1", "-f 0", "-c 0", "-l 0"):
        # With too little memory, the dynamic loader cannot load the command, and exits with 127.
        place.run(front=["/bin/sh", "-c", f'ulimit {limit}; exec "$@"', "sh"],
                  codes=[OK, FAILED, INCONCLUSIVE, *([127] if "-v" in limit else [])])


@attack(GROUP)
def words(place):
    place.add_contender("asio-epoll")
    strange = ["", " ", "-", "--", "---", "=", "--=", "-o", "\x1b[31m", "\u202e", "%s%n", "x" * 100000, "*", "[", "\\",
               "'", '"', "1e999", "nan", "-1", "0x10", "9" * 50, "/", "..", "run", "--help", "--version", "\n", "@file",
               "é"]
    options = ["--blocks", "--budget", "--seed", "--workload", "--contender", "--baseline", "--precision",
               "--threshold", "--slice", "--pairing", "--pin", "--trial-limit", "--min-time", "--contender-dir", "-o",
               "--resume", "--history", "--program", "--run", "--metric"]
    commands = ["run", "compare", "check", "calibrate", "list", "doctor", "report", "history", "explain", "complete",
                "bisect"]
    for _ in range(place.count(50, 1500)):
        line = [place.random.choice(commands + strange)]
        for _ in range(place.random.randint(0, 4)):
            line.append(place.random.choice(strange if place.random.random() < 0.6 else options))
        if line[0] in ("calibrate", "doctor") and len(line) == 1:
            continue  # valid, but takes too long
        place.loopbench(*line, front=["timeout", "-s", "INT", "15"], codes=DOCUMENTED | {124, 130}, cwd=place / "home")
    for raw in (b"\xff\xfe", b"\xc3", b"b\xe4r"):
        for line in (["run", "--workload", raw], ["run", "-o", place / "home" / os.fsdecode(raw)], ["explain", raw],
                     [raw], ["report", raw, "--format", "csv"], ["compare", raw, raw], ["check", "--against", raw]):
            place.loopbench(*[os.fsdecode(word) for word in line])


def on_a_terminal(place, environment, *words):
    ours, theirs = pty.openpty()
    with open(ours, "rb", buffering=0) as reader:
        process = place.start(*words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        written = b""
        while True:
            if not select.select([reader], [], [], 60)[0]:
                process.kill()
                raise Broken("the command hangs on a terminal")
            try:
                part = reader.read(65536)
            except OSError:
                part = b""
            if not part:
                break
            written += part
        place.codes[process.wait()] += 1
        return written


@attack(GROUP)
def terminals(place):
    place.add_contender("asio-epoll", sheet=', "compiler": "\\u001b]0;owned\\u0007\\u009b31m\\u202e"')
    run = ["run", "--workload", "yield", "--blocks", "6", "-o", str(place.out)]
    for name in ("dumb", "", "xterm-256color", "unknown"):
        environment = {**place.environment, "TERM": name}
        for words in (run, ["run", "--resume", str(place.out), "--verbose"], ["doctor"], ["list"]):
            written = on_a_terminal(place, environment, *words)
            if name in ("dumb", "") and b"\x1b" in written:
                raise Broken(f"escape sequences on a terminal with TERM={name or 'unset'!r}: {written[:500]!r}")
            if b"\x1b]0;owned" in written or b"\x9b31m" in written or "\u202e".encode() in written:
                raise Broken(f"a contender sends escape sequences to the terminal: {written[:500]!r}")
    if b"\x1b[3" in on_a_terminal(place, {**place.environment, "TERM": "xterm", "NO_COLOR": "1"}, *run):
        raise Broken("the output has colour although NO_COLOR is set")


@attack(GROUP)
def without_proc(place):
    place.add_contender("asio-epoll")
    inside = 'mount -t tmpfs none /proc && exec "$@"'
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0:
        raise Skipped("no mount namespaces here")
    for words in (["list"], ["doctor"], ["run", "-o", place.out]):
        place.loopbench(*words, front=["unshare", "-rm", "/bin/sh", "-c", inside, "sh"], codes=[FAILED],
                        says="mount /proc")


@attack(GROUP)
def concurrent_runs_do_not_remove_each_others_files(place):
    """Tests that concurrent runs do not remove each other's files as if these were left by killed runs."""
    place.add_contender("asio-epoll")
    running = [place.start("run", "--workload", "yield", "--blocks", "3", "-o", place / f"out{i}",
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for i in range(10)]
    for i, process in enumerate(running):
        said = process.communicate(timeout=100)[1]
        place.codes[process.returncode] += 1
        if process.returncode not in (OK, INCONCLUSIVE):
            raise Broken(f"one of ten concurrent runs ended with {process.returncode}: {said.decode(errors='replace')}")
        place.expect_status("asio-epoll", "ok", folder=f"out{i}")


@attack(GROUP)
def a_resumed_run_of_a_calibration_slows_down_the_trials_that_the_calibration_planned(place):
    place.add_contender("asio-epoll", OBEDIENT)
    words = ["calibrate", "--workload", "yield", "--slowdown", "10", "--tries", "2", "--blocks", "6", "--aa-tries", "2",
             "--aa-blocks", "6"]
    sizes = words[words.index("--tries"):]
    first = place.loopbench(*words, "--no-store", "--seed", "1", "-o", place / "calibrated", codes=[OK]).out
    journal = place / "calibrated/slowed/journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:len(lines) // 2]))
    place.loopbench("run", "--resume", place / "calibrated/slowed", codes=[OK, INCONCLUSIVE, 3, 5])
    again = place.loopbench("calibrate", "--replay", place / "calibrated", *sizes, "--no-store", "-o", place / "judged",
                            codes=[OK]).out
    if not all(re.search(rb"10 % slower +2 of 2", said) for said in (first, again)):
        raise Broken(f"the resumed run slows down other trials: {first!r} {again!r}")
