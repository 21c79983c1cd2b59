"""Attacks by fake tracers that write wrong records. A wrong record must give no count: the gate must be inconclusive
(exit code 4), and the command must write no number into a baseline file.
"""

import json
import shutil

from attack import COUNTED, FAILED, INCONCLUSIVE, OK, Broken, Skipped, attack

GROUP = "tracers"

LIES = {"cut": 'truncate -s 4096 "$record"', "cut in a line": 'truncate -s -7 "$record"', "empty": ': > "$record"',
        "gone": 'rm "$record"', "of zeros": 'head -c 9999 /dev/zero > "$record"',
        "garbage": 'head -c 9999 /dev/urandom > "$record"', "a pipe": 'rm "$record"; mkfifo "$record"',
        "a folder": 'rm "$record"; mkdir "$record"', "a dangling link": 'ln -sf /nowhere "$record"',
        "an endless device": 'ln -sf /dev/zero "$record"',
        "without its end": 'grep -v exit_group "$record" > "$record.x"; '
        'mv "$record.x" "$record"',
        "without calls": 'grep exit_group "$record" > "$record.x"; mv "$record.x" "$record"',
        "the same each time": '[ -e "$here/kept" ] || cp "$record" "$here/kept"; cp "$here/kept" "$record"',
        "with a lost half": 'sed -i "2,200d; s/^.*read.*$/<... read resumed>) = 1/" "$record"'}


def put_tracer(place, name, lie, front=""):
    """Puts a fake tracer into a folder that comes first in PATH. The fake runs `front`, then the real tracer, and then
    `lie`.
    """
    file = place / "tracers" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"""#!/bin/sh
here='{place.folder}'
PATH='{place.environment["PATH"]}'
for word; do [ "$before" = -o ] && record=$word && break; before=$word; done
{front}
{name} "$@"; code=$?
{lie}
exit $code
""")
    file.chmod(0o755)


def traced_place(place):
    if not shutil.which("strace"):
        raise Skipped("strace is not installed")
    place.add_contender("asio-epoll", COUNTED)
    put_tracer(place, "perf", "", "exit 1")  # otherwise loopbench would use perf instead of strace
    baseline = place / "counts.json"
    environment = {**place.environment, "PATH": f"{place / 'tracers'}:{place.environment['PATH']}"}
    ended = place.loopbench("check", "--against", baseline, "--update", "--tier", "counts", "--workload", "yield", "-o",
                            place / "honest", env=environment, codes=[OK, INCONCLUSIVE])
    if ended.code != OK:
        raise Skipped(f"strace cannot trace here: {ended.said.strip()}")
    return baseline, environment


@attack(GROUP)
def wrong_records_of_strace_make_the_gate_inconclusive(place):
    baseline, environment = traced_place(place)
    written = baseline.read_bytes()
    place.loopbench("check", "--against", baseline, env=environment, codes=[OK])
    for name, lie in place.some(LIES.items(), 5):
        (place / "kept").unlink(missing_ok=True)
        put_tracer(place, "strace", lie)
        place.loopbench("check", "--against", baseline, env=environment, codes=[INCONCLUSIVE])
        place.loopbench("check", "--against", baseline, "--update", "--workload", "yield", env=environment,
                        codes=[INCONCLUSIVE])
        if baseline.read_bytes() != written:
            raise Broken(f"a wrong record ({name}) changed the baseline")
        place.loopbench("check", "--against", place / "new.json", "--update", "--tier", "counts", "--workload", "yield",
                        env=environment)
        if (place / "new.json").exists():
            lines = json.loads((place / "new.json").read_text())["counts"]
            if any(item["metric"] in ("syscalls", "waits") for item in lines):
                raise Broken(f"counts from a wrong record ({name}) were written: {lines}")
            (place / "new.json").unlink()


@attack(GROUP)
def wrong_records_of_perf_are_no_regression(place):
    baseline, environment = traced_place(place)
    for text in ("read 10 0 1.0", " sh (1), 20 events, 100.0%\\n   read 10 0 1.0", "LOST 17 events!", "", "\\000\\377"):
        put_tracer(place, "perf", "", f"""printf '{text}\\n' > "$record"
while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done; shift; exec "$@" """)
        place.loopbench("check", "--against", baseline, env=environment, codes=[OK, INCONCLUSIVE])
        # The fake tracer writes the same record for any number of operations. The difference between two counts is
        # therefore zero, but the report must not contain zero calls per operation.
        place.run("--counts", env=environment, codes=[OK, FAILED, INCONCLUSIVE])
        for item in place.report()["results"]:
            if item["metric"] == "syscalls" and item["median"] == 0:
                raise Broken("a constant record produced counts of zero in the report")


@attack(GROUP)
def failing_tracers_make_the_gate_inconclusive(place):
    baseline, environment = traced_place(place)
    for front in ("exit 1", "kill -SEGV $$", "echo garbage; exit 0", 'echo "strace: owned\033[31m" >&2; exit 1'):
        put_tracer(place, "strace", "", front)
        place.loopbench("check", "--against", baseline, env=environment, codes=[INCONCLUSIVE])
        place.run("--counts", env=environment, codes=[OK, FAILED, INCONCLUSIVE])
    place.loopbench("check", "--against", baseline, env={**environment, "PATH": "/nowhere"},
                    codes=[INCONCLUSIVE, FAILED])


@attack(GROUP, short=False)
def tracers_that_do_not_end_are_stopped_at_the_trial_limit(place):
    baseline, environment = traced_place(place)
    put_tracer(place, "strace", "", "sleep 1000")
    place.loopbench("check", "--against", baseline, "--trial-limit", "1s", env=environment, codes=[INCONCLUSIVE])
