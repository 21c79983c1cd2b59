#!/usr/bin/env python3
"""Makes contenders that differ from asio-tuned and asio-uring in one option of Boost.Asio.

    asio_options.py CONTENDERS FOLDER [VERSION]

CONTENDERS is the folder of the built contenders. VERSION is a version in LOOPBENCH_BOOSTS, for example 1.92; without
it, the contenders without a version are used. FOLDER gets a script for each option, which sets LOOPBENCH_ASIO_OPTIONS
and is named after the option, for example uring-ring-256. Options that this Boost lacks are left out. Prints the
commands that measure which options help.
"""

import os
import pathlib
import shlex
import subprocess
import sys

OPTIONS = {
    "asio-uring": {
        "ring-256": "reactor.io_uring_ring_size=256",
        "ring-2048": "reactor.io_uring_ring_size=2048",
        "batch-1": "reactor.io_uring_submit_batch_size=1",
        "batch-16": "reactor.io_uring_submit_batch_size=16",
        "rings-2": "reactor.io_uring_ring_count=2",
        "no-iowait": "reactor.io_uring_iowait=0",
        "no-io-locks": "reactor.io_locking=0,reactor.registration_locking=0",
        "no-assume": "scheduler.assume_continuation=0",
        "objects": "reactor.preallocated_io_objects=2048",
        "heap": "timer.heap_reserve=100000",
    },
    "asio-tuned": {
        "reset-edge": "reactor.reset_edge_on_partial_read=1",
        "no-timerfd": "reactor.use_timerfd=0",
        "no-eventfd": "reactor.use_eventfd=0",
        "objects": "reactor.preallocated_io_objects=2048",
        "heap": "timer.heap_reserve=100000",
    },
}
WORKLOADS = {"asio-uring": "echo/rtt/tcp* stream* yield timer/churn* post/cross*",
             "asio-tuned": "echo/rtt/tcp* stream* timer/churn* timer/ladder*"}


def has_options(program, options):
    """Returns True if the contender accepts the options. If it does not, prints the reason."""
    environment = os.environ | {"LOOPBENCH_ASIO_OPTIONS": options, "LOOPBENCH_DESCRIBE": "1"}
    done = subprocess.run([program], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"left out: {done.stderr.strip()}")
    return done.returncode == 0


def make(folder, program, name, options):
    made = folder / name
    made.write_text(f"#!/bin/sh\nLOOPBENCH_ASIO_OPTIONS={options} exec {shlex.quote(str(program))} \"$@\"\n")
    made.chmod(0o755)


def command(contenders, folder, kind, program):
    """Returns the command that compares the scripts with the program. A shell can read it."""
    workloads = [word for each in WORKLOADS[kind].split() for word in ("--workload", each)]
    return shlex.join([f"{contenders.parent}/loopbench", "run", "--contender-dir", str(folder),
                       "--contender", program.name, "--contender", f"{kind.removeprefix('asio-')}-*",
                       "--baseline", program.name, *workloads, "--blocks", "20", "-o", f"{folder}-{kind}"])


def main(contenders, folder, version=""):
    programs = {kind: contenders / (f"{kind}-{version}" if version else kind) for kind in OPTIONS}
    for program in programs.values():
        if not (program.is_file() and os.access(program, os.X_OK)):
            boost = f" with Boost {version} in LOOPBENCH_BOOSTS" if version else ""
            sys.exit(f"{program} is not a contender; build the target `suite`{boost}, and name the folder of its "
                     "contenders, for example build/release/bin/contenders")
    if os.path.lexists(folder):
        sys.exit(f"{folder} exists already; name another folder, or remove this one")
    folder.mkdir(parents=True)
    for kind, program in programs.items():
        for name, text in OPTIONS[kind].items():
            if has_options(program, text):
                make(folder, program, f"{kind.removeprefix('asio-')}-{name}", text)
    for kind, program in programs.items():
        print(command(contenders, folder, kind, program))
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).absolute(), *sys.argv[3:]))
