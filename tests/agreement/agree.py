#!/usr/bin/env python3
"""Compares the suite's numbers with tools that know nothing of it, and with themselves.

usage: agree.py BIN CHECK...      BIN is the folder of `loopbench`, with `contenders/` in it

  cpu       a contender's CPU time against /usr/bin/time, by slope: within two of its ticks (10 ms)
  timer     the lateness of floor-sleep on timer/periodic against cyclictest, same timer slack: within 20 % at p50
  http      round trips per second of a small HTTP responder, by the suite's generator (closed loop) against wrk, both
            with 16 connections: within 10 %
  doubling  twice the work takes twice the time, on every throughput workload of asio-epoll and loop-epoll:
            t(2N)/t(N) within [1.9, 2.1]

Needs a quiet machine, hence no part of the usual tests; exit code 0 when all agree, 1 when one does not, 2 when a tool
is missing.
"""

import json
import os
import re
import statistics
import subprocess
import sys


def run(program, workload, operations, front=(), size="smoke"):
    """The contender's row for the workload, and what it (and the program in front of it) said on standard error."""
    environment = dict(os.environ, LOOPBENCH_SIZE=size, LOOPBENCH_OPERATIONS=str(operations))
    command = [*front, program, f"--benchmark_filter=^{workload}(/(iterations|manual).*)?$", "--benchmark_format=json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout)["benchmarks"]
    if not rows:
        raise SystemExit(f"{program} has no workload {workload}")
    if rows[0].get("error_occurred"):
        raise SystemExit(f"{program} {workload}: {rows[0]['error_message']}")
    return rows[0], done.stderr


def ns_per_operation(row):
    return row["real_time"] * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[row["time_unit"]]


def cpu(contenders):
    """CPU that the contender says its timed section took, and CPU of the process: both grow by the same."""
    def both(operations):
        front = ["/usr/bin/time", "-f", "CPU %U %S"]
        row, errors = run(f"{contenders}/asio-epoll", "yield", operations, front)
        user, system = map(float, re.search(r"CPU (\S+) (\S+)", errors).groups())
        return row["cpu"] * row["operations"] / 1e9, user + system
    small, large = both(4_000_000), both(16_000_000)
    ours, theirs = large[0] - small[0], large[1] - small[1]
    print(f"cpu: ours {ours:.3f} s, /usr/bin/time {theirs:.3f} s")
    return abs(ours - theirs) <= 0.02


def timer(contenders):
    """Medians of alternating runs, since the machine drifts."""
    def ours():
        return run(f"{contenders}/floor-sleep", "timer/periodic", 2000)[0]["late_p50"] / 1e3
    def cyclictest():
        command = ["cyclictest", "--default-system", "--policy=other", "-q", "-t1", "-i1000", "-l2000", "-h2000"]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        histogram = [(int(us), int(count)) for us, count in re.findall(r"^(\d{6}) (\d+)", out, re.M)]
        half, seen = sum(count for _, count in histogram) / 2, 0
        for us, count in histogram:
            seen += count
            if seen >= half:
                return us + 0.5
        raise SystemExit("cyclictest printed no histogram")
    pairs = [(ours(), cyclictest()) for _ in range(5)]
    mine, theirs = (statistics.median(column) for column in zip(*pairs))
    print(f"timer: floor-sleep {mine:.1f} us, cyclictest {theirs:.1f} us")
    return abs(mine - theirs) <= 0.2 * theirs


def http(contenders):
    """Medians of alternating runs. The responder does some work for each request, so that it is what is measured."""
    programs = os.path.dirname(contenders)
    responder = subprocess.Popen(["taskset", "-c", "0", f"{programs}/http_responder"], stdout=subprocess.PIPE, text=True)
    try:
        port = responder.stdout.readline().strip()
        def ours():
            command = ["taskset", "-c", "1", f"{programs}/loopbench-generator", f"--port={port}", "--http",
                       "--requests=1", "--capacity-seconds=2"]
            result = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            if result["failure"]:
                raise SystemExit(f"the generator failed: {result['failure']}")
            return result["capacity"]
        def wrk():
            command = ["taskset", "-c", "1", "wrk", "-t1", "-c16", "-d2s", f"http://127.0.0.1:{port}/"]
            out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            if "Socket errors" in out or "Non-2xx" in out:
                raise SystemExit(f"wrk had errors: {out}")
            return float(re.search(r"Requests/sec:\s+(\S+)", out).group(1))
        pairs = [(ours(), wrk()) for _ in range(5)]
    finally:
        responder.kill()
    mine, theirs = (statistics.median(column) for column in zip(*pairs))
    print(f"http: generator {mine:.0f}/s, wrk {theirs:.0f}/s")
    return abs(mine - theirs) <= 0.1 * theirs


def throughput_workloads(program):
    """Names and a number of operations that takes some 50 ms."""
    environment = dict(os.environ, LOOPBENCH_SIZE="smoke")
    out = subprocess.run([program, "--benchmark_format=json", "--benchmark_min_time=0.02"], env=environment,
                         capture_output=True, text=True, check=True).stdout
    for row in json.loads(out)["benchmarks"]:
        if "items_per_second" in row:
            name = re.sub(r"(/iterations:\d+)?/manual_time$", "", row["name"])
            yield name, max(int(50e6 / ns_per_operation(row)), int(row["operations"]))


def doubling(contenders):
    agree = True
    for contender in ("asio-epoll", "loop-epoll"):
        program = f"{contenders}/{contender}"
        for name, count in throughput_workloads(program):
            def total(operations):
                # Workloads that work in batches do somewhat more than they are told, and divide by what they did.
                return ns_per_operation(run(program, name, operations)[0]) * operations
            ratio = statistics.median(total(2 * count) / total(count) for _ in range(7))
            good = 1.9 <= ratio <= 2.1
            agree = agree and good
            print(f"doubling: {contender} {name}: {ratio:.3f}{'' if good else '  OUTSIDE OF [1.9, 2.1]'}", flush=True)
    return agree


def main(arguments):
    checks = {"cpu": cpu, "timer": timer, "http": http, "doubling": doubling}
    if len(arguments) < 2 or any(name not in checks for name in arguments[1:]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return 0 if all([checks[name](f"{arguments[0]}/contenders") for name in arguments[1:]]) else 1
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(error.cmd)} failed: {error.stderr or error.stdout}", file=sys.stderr)
        return 2
    except FileNotFoundError as error:
        print(f"{error.filename} is not there; apt-get install time rt-tests wrk util-linux", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
