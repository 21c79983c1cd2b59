"""Attacks by contenders that misbehave. The report must name the failed contender, and the others must have results."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

from attack import DOCUMENTED, FAILED, GOOD, INCONCLUSIVE, OK, USAGE, Broken, Ended, Skipped, attack

GROUP = "third-party programs"
KNOWS_SLICES = ', "slices": "1"'
INTERLEAVED = "echo/rtt/conns:1"  # this name is not in the catalog, so --pairing can choose its pairing


def expect_failed(place, on_trial, says=(), *words, sheet="", text=None, good_sheet=""):
    place.add_contender("asio-epoll", sheet=good_sheet)
    place.add_contender("culprit", on_trial, sheet, text)
    limit = [] if "--trial-limit" in words else ["--trial-limit", "2s"]
    ended = place.run(*limit, *words, codes=[FAILED], says="culprit")
    place.expect_status("culprit", "failed", says)
    place.expect_status("asio-epoll", "ok")
    return ended


@attack(GROUP)
def contenders_that_do_not_end_fail(place):
    for script in ("sleep 1000", "trap '' TERM INT HUP; sleep 1000; sleep 1000", "exec <&- >&- 2>&-; sleep 1000",
                   "while :; do :; done", "kill -STOP $$; sleep 1000"):
        expect_failed(place, script, "the contender had no result within", "--pairing", "sequential", "--blocks", "1",
                      "--trial-limit", "1s")


@attack(GROUP)
def contenders_that_crash_fail_with_a_reason(place):
    for script, says in (("exit 3", "exit code 3"), ("echo 'no such luck' >&2; exit 1", "no such luck"),
                         ("kill -SEGV $$", "SIGSEGV"), ("kill -KILL $$", "SIGKILL"),
                         ("kill -TERM 0; sleep 1000", "SIGTERM"),
                         ("kill -ALRM $$; sleep 1", "SIGALRM"), ("ulimit -v 1000; exec /bin/ls", "")):
        expect_failed(place, f"[ $(trials) -lt 2 ] && {{ {GOOD}; exit; }}\n{script}", says, "--pairing", "sequential")


@attack(GROUP)
def contenders_that_print_no_result_fail(place):
    scripts = ("", "echo Hello", "printf '{'", "printf '[]'", "printf '{\"benchmarks\": []}'", "printf 'null'",
               "printf '{\"benchmarks\": [7]}'", "printf '\\377\\376\\000'", "printf '\\033[2J\\033]0;owned\\007'",
               "printf '{\"context\": 7, \"benchmarks\": {}}'", "head -c 100000 /dev/urandom",
               "head -c 100000 /dev/zero", "yes '[' | tr -d '\\n' | head -c 1000000",
               "yes '{\"a\":' | tr -d '\\n' | head -c 1000000", """row '"real_time": -1, "cpu_time": 1'""",
               """row '"real_time": 0, "cpu_time": 0'""", """row '"real_time": 1e999, "cpu_time": 1'""",
               """row '"real_time": NaN, "cpu_time": NaN'""", """row '"real_time": "10", "cpu_time": "10"'""",
               """row '"real_time": 10, "time_unit": "fortnight"'""",
               """row '"error_occurred": true, "error_message": "\\u001b[31m</script><script>alert(1)</script>"'""",
               """row '"error_occurred": true, "error_message": 7'""", f"{GOOD}; {GOOD}",
               "cat /dev/urandom >&2 | head -c 0; head -c 3000000 /dev/urandom >&2; exit 9")
    for script in place.some(scripts, 9):
        expect_failed(place, script, (), "--pairing", "sequential", "--blocks", "1")
        page = place.loopbench("report", place / "out/report.json", "--format", "html", codes=[OK]).out
        if b"<script>alert(1)" in page:
            raise Broken("the page runs code that a contender printed")


@attack(GROUP)
def contenders_that_print_endlessly_fail(place):
    for script in ("yes", "yes >&2", "cat /dev/zero"):
        expect_failed(place, script, (), "--pairing", "sequential", "--blocks", "1", "--trial-limit", "5s")


@attack(GROUP)
def a_crash_of_the_aa_copy_fails_the_run(place):
    place.add_contender("loop-epoll")
    aa_copy = 'case "$LOOPBENCH_CONTENDER" in *~) %s;; esac\n' + GOOD
    for script in ("kill -SEGV $$", "exit 7", "sleep 1000", "echo garbage; exit 0"):
        place.add_contender("asio-epoll", aa_copy % script)
        ended = place.run("--pairing", "sequential", "--trial-limit", "1s", codes=[FAILED],
                          says="the A/A copy failed: ")
        if b"passed" in ended.out and b"A/A passed" in ended.out:
            raise Broken("the A/A comparison passed without an A/A copy")


@attack(GROUP)
def orphaned_processes_are_ended(place):
    wait = 'while [ ! -s "$0.pid" ]; do :; done; rm "$0.pid"\n'
    child = "sh -c 'echo $$ > \"$0.pid\"; exec sleep 1000' \"$0\""
    # The runner ends orphaned processes in the contender's own process group without a message.
    place.add_contender("asio-epoll")
    for front in ("", "nohup"):
        place.add_contender("culprit", f"{front} {child} >/dev/null 2>&1 &\n{wait}{GOOD}")
        place.run("--pairing", "sequential", codes=[OK, INCONCLUSIVE])
        place.expect_status("culprit", "ok")
    for front in ("setsid", "env -i setsid", "setsid setsid"):
        expect_failed(place, f"({front} {child} >/dev/null 2>&1 &)\n{wait}{GOOD}",
                      "outside of the contender's process group", "--pairing", "sequential")
    # In interleaved trials, the runner cannot always tell which contender started an orphaned process, so the culprit's
    # status is not checked.
    place.add_contender("asio-epoll", sheet=KNOWS_SLICES)
    for front in ("setsid", "env -i setsid"):
        place.add_contender("culprit", f"{front} {child} >/dev/null 2>&1 &\n{wait}{GOOD}", KNOWS_SLICES)
        place.run("--workload", INTERLEAVED, "--pairing", "interleaved", codes=[OK, FAILED, INCONCLUSIVE])
        place.expect_status("asio-epoll", "ok", workload=INTERLEAVED)
    place.add_contender("culprit", text=f"#!/bin/sh\n{child} >/dev/null 2>&1 &\n{wait}echo yield\n")
    place.loopbench("list", codes=[OK])
    place.loopbench("doctor", codes=DOCUMENTED)


@attack(GROUP)
def a_killed_generator_fails_the_result(place):
    if not (place.binaries / "contenders/loop-epoll").exists():
        raise Skipped("the contender loop-epoll is not built")
    place.install("contenders/loop-epoll")
    place.install("loopbench-generator")
    if len(os.sched_getaffinity(0)) < 2:
        raise Skipped("the client of serve/open_loop needs a core that the contender does not use")
    process = place.start("run", "--contender", "loop-epoll", "--baseline", "loop-epoll", "--workload",
                          "serve/open_loop/rate:20000", "--quick", "--blocks", "1", "-o", place.out,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while process.poll() is None:
        for each, command in place.processes().items():
            if command.split(" ", 1)[0].endswith("/loopbench-generator"):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
        time.sleep(0.01)
    out, err = process.communicate()
    place.judge(Ended(["run"], process.returncode, out, err), codes=[FAILED])
    reasons = [item["reason"] or "" for item in place.report()["results"]]
    if not any("the generator was killed by SIGKILL" in reason for reason in reasons):
        raise Broken(f"no reason says that the generator was killed: {reasons}")


@attack(GROUP)
def forty_processes_are_ended(place):
    place.add_contender("asio-epoll")
    for front in ("", "setsid"):
        place.add_contender("culprit", f"for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do\n"
                                       f"{front} sh -c 'sleep 1000 & exec sleep 1000' >/dev/null 2>&1 &\ndone\n{GOOD}")
        place.run("--pairing", "sequential", "--blocks", "1")
        place.expect_status("asio-epoll", "ok")
        place.expect_nothing_left()


@attack(GROUP)
def contenders_that_are_rebuilt_during_a_run_fail(place):
    change = ('cp "$0" "$0.new"; mv "$0.new" "$0"', 'echo >> "$0"', 'touch -d 2001-01-01 "$0"',
              'chmod +x "$0"; rm "$0"')
    for script in change:
        expect_failed(place, f"[ $(trials) -lt 2 ] || {{ {script}; }}\n{GOOD}", "replaced", "--pairing", "sequential")
    place.add_contender("culprit", f'[ $(trials) -lt 2 ] || chmod -x "$0"\n{GOOD}')
    place.run("--pairing", "sequential", "--blocks", "3", codes=[OK, FAILED, INCONCLUSIVE])
    place.expect_status("asio-epoll", "ok")
    place.add_contender("culprit")
    place.run("--pairing", "sequential", codes=[OK, INCONCLUSIVE])
    with open(place / "bin/contenders/culprit", "a", encoding="ascii") as file:
        file.write("\n")
    place.loopbench("run", "--resume", place.out, codes=[USAGE], says="culprit has changed")


@attack(GROUP)
def strange_names_of_contenders_are_harmless(place):
    place.add_contender("asio-epoll")
    names = ["with blank", "-rf", "--help", "a\nb", "\x1b[31mred",
             "</script><script>alert(1)</script>".replace("/", "\u2044"), "=1+1", "*", "[a-z]", "{}", "$(touch owned)",
             "`touch owned`", "'\"", "a,b;c", "\u202eneerg", "\ufffe", "é" * 127, "x" * 255, "~", "asio-epoll~", "CON",
             "%n%s", "\u00a0", "\\", "report.json", "\U0001f600"]
    for name in place.some(names, 7):
        # With notes, the contender would write a file whose name is the contender's name and `.trials`, which can be
        # too long.
        file = place.add_contender(name, GOOD.replace("10", "11"), notes=False)
        place.loopbench("list", codes=[OK])
        ended = place.run("--blocks", "1", codes=[OK, FAILED, USAGE, INCONCLUSIVE])
        if ended.code != USAGE:
            for each in ("csv", "html", "junit", "markdown", "text", "github"):
                page = place.loopbench("report", place / "out/report.json", "--format", each, codes=[OK])
                if each == "csv" and any(line.startswith(b"=") or b",=" in line for line in page.out.splitlines()):
                    raise Broken(f"a spreadsheet would run the name {name!r} as a formula")
            place.loopbench("run", "--resume", place.out, codes=[OK, FAILED, INCONCLUSIVE])
        file.unlink()
        if (place / "owned").exists() or (place / "bin/owned").exists():
            raise Broken(f"a shell ran the name {name!r}")
    for name in (b"b\xe4r", b"\xff", b"caf\xc3"):
        place.add_contender(name)
        place.run(codes=[USAGE], says="UTF-8")
        pathlib.Path(os.fsdecode(os.path.join(os.fsencode(place / "bin/contenders"), name))).unlink()


@attack(GROUP)
def baselines_with_strange_names_can_be_measured(place):
    """Tests that baselines with strange names can be measured. The A/A copy needs another name of the same length."""
    place.add_contender("loop-epoll")
    for name in ("café", "x", "日本", "\U0001f600", "a~", "~", "with blank", "z" * 254):
        file = place.add_contender(name, notes=False)
        place.run("--baseline", name, codes=[OK, INCONCLUSIVE])
        place.loopbench("run", "--resume", place.out, codes=[OK, INCONCLUSIVE])
        file.unlink()


@attack(GROUP)
def strange_names_of_workloads_are_harmless(place):
    place.add_contender("asio-epoll")
    names = ("../../etc/passwd", "a b", "\\033[31m", "*", "(", ".*", "yield/conns:-1",
             "yield/conns:99999999999999999999", "</script>", "x" * 20000, "\\342\\200\\256x", "%s", "yield/", "/",
             "''", "=1")
    for name in place.some(names, 6):
        place.add_contender("culprit", text=f"""#!/bin/sh
case "$1" in --benchmark_list_tests=true) printf '{name}\\n'; exit;; esac
[ -z "$LOOPBENCH_DESCRIBE" ] || {{ echo '{{"context": {{}}, "benchmarks": []}}'; exit; }}
printf '{{"benchmarks": [{{"name": "{name}", "real_time": 1, "cpu_time": 1}}]}}'
""")
        place.loopbench("list", codes=[OK])
        place.loopbench("run", "--contender", "culprit", "--baseline", "culprit", "--workload", "*", "--blocks", "1",
                        "-o", place / "strange", codes=[OK, FAILED, USAGE, INCONCLUSIVE])


@attack(GROUP)
def strange_contexts_are_harmless(place):
    place.add_contender("asio-epoll")
    for sheet in (', "compiler": "\\u001b[31mRED", "flags": "\\u202eneerg"', ', "library": 7', ', "files": "/dev/zero"',
                  ', "files": ["../../../../../../etc/passwd", 7, null]', ', "files": {}', ', "slices": 7',
                  ', "slices": []', ', "executable": "/x", "host_name": "mine"', ', "library": "' + "x" * 100000 + '"',
                  ', "x": ' + "[" * 5000 + "]" * 5000, ', "build_type": "</script><script>alert(1)</script>"'):
        place.add_contender("culprit", sheet=sheet)
        place.run(codes=[OK, FAILED, USAGE, INCONCLUSIVE])
        if b"mine" in (place / "out/journal.jsonl").read_bytes():
            raise Broken("a journal contains the host name")
        page = place.loopbench("report", place / "out/report.json", "--format", "html", codes=[OK]).out
        if b"<script>alert(1)" in page:
            raise Broken("the page runs code from a contender's context")


@attack(GROUP)
def very_long_descriptions_do_not_break_the_journal(place):
    """Tests descriptions that are too long for a line of a journal. `run` must refuse the contender, or write a journal
    that can be resumed.
    """
    place.add_contender("asio-epoll")
    for mebibytes in (1, 17):
        place.add_contender("culprit", text=f"""#!/bin/sh
case "$1" in --benchmark_list_tests=true) echo yield; exit;; esac
printf '{{"context": {{"x": "'; head -c {mebibytes}M /dev/zero | tr '\\0' x
printf '"}}, "benchmarks": [{{"name": "yield", "real_time": 1, "cpu_time": 1}}]}}'
""")
        ended = place.run("--blocks", "1", codes=[OK, FAILED, USAGE, INCONCLUSIVE])
        if ended.code != USAGE:
            place.loopbench("run", "--resume", place.out, codes=[OK, FAILED, INCONCLUSIVE])


@attack(GROUP)
def contenders_that_break_the_protocol_for_slices_fail(place):
    begin = 'turns=$LOOPBENCH_SLICES; end=${turns%%,*}\n'
    for script, fails in (("echo garbage >&$end; " + GOOD, True), ("echo ready >&$end; exit 0", True),
                          ("printf 'ready\\n0 0\\n' >&$end; " + GOOD, True),
                          ("printf 'ready\\n-5 99999999999999999999\\n' >&$end; " + GOOD, True),
                          ("head -c 100000 /dev/zero >&$end; " + GOOD, True),
                          ('eval "exec $end>&-"; ' + GOOD, False), ("yes 'ready' >&$end; " + GOOD, True)):
        place.add_contender("asio-epoll", sheet=KNOWS_SLICES)
        # dash only supports descriptors of one digit, so bash runs the script.
        body = place.add_contender("culprit", begin + script, KNOWS_SLICES)
        body.write_text(body.read_text().replace("#!/bin/sh", "#!/bin/bash", 1))
        place.run("--workload", INTERLEAVED, "--pairing", "interleaved", "--trial-limit", "2s",
                  codes=[FAILED] if fails else [OK, FAILED, INCONCLUSIVE])
        if fails:
            place.expect_status("culprit", "failed", workload=INTERLEAVED)
        place.expect_status("asio-epoll", "ok", workload=INTERLEAVED)


@attack(GROUP, short=False)
def a_contender_that_never_ends_its_slice_fails(place):
    body = place.add_contender("culprit", 'end=${LOOPBENCH_SLICES%%,*}; echo ready >&$end; sleep 1000', KNOWS_SLICES)
    body.write_text(body.read_text().replace("#!/bin/sh", "#!/bin/bash", 1))
    place.add_contender("asio-epoll", sheet=KNOWS_SLICES)
    place.run("--workload", INTERLEAVED, "--pairing", "interleaved", "--blocks", "1", codes=[FAILED], says="culprit")
    place.expect_status("asio-epoll", "ok", workload=INTERLEAVED)


@attack(GROUP, short=False)
def a_contender_that_lists_no_workloads_fails(place):
    place.add_contender("asio-epoll")
    place.add_contender("culprit", text="#!/bin/sh\nsleep 1000\n")
    place.run(codes=[FAILED], says="culprit")
    place.expect_status("culprit", "failed", "cannot list the contender's workloads")


@attack(GROUP)
def contenders_that_cannot_be_started_do_not_disturb_others(place):
    place.add_contender("asio-epoll")
    for text in ("\x7fELF not really", "", "#!/no/such/interpreter\n", "#!" + "x" * 5000 + "\n", "no shebang\n"):
        place.add_contender("culprit", text=text)
        place.run(codes=[OK, FAILED, INCONCLUSIVE], says="culprit")
        place.expect_status("asio-epoll", "ok")
    (place / "bin/contenders/culprit").chmod(0o644)
    place.run("--contender", "culprit", codes=[USAGE], says="culprit")
    (place / "bin/contenders/culprit").unlink()
    (place / "bin/contenders/culprit").symlink_to("/nowhere/at/all")
    (place / "bin/contenders/loop").symlink_to("loop")
    (place / "bin/contenders/folder").mkdir()
    os.mkfifo(place / "bin/contenders/pipe", 0o755)
    place.run(codes=[OK, INCONCLUSIVE])
