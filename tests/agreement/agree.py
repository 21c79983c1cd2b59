#!/usr/bin/env python3
"""Compares the suite's numbers with those of independent tools, and with each other.

usage: agree.py BIN CHECK...      BIN is the folder that contains `loopbench` and `contenders/`

  syscalls     compares the system calls per operation of `loopbench run --counts` with a separate `strace -f -c` of the
               same work; limit: 1 %. This check is deterministic and belongs to the usual tests
  cpu          compares how much a contender's CPU time grows from one run to a longer run with the growth that
               /usr/bin/time shows; limit: two ticks of /usr/bin/time (10 ms each), one for each run
  timer        compares the lateness (p50) of floor-sleep on timer/periodic with cyclictest at the same timer slack;
               limit: 20 %
  http         compares the round trips per second of a small HTTP responder, as measured by the suite's generator
               (closed loop) and by wrk, both with 16 connections; limit: 10 %
  doubling     checks that twice the work takes twice the time, on every throughput workload of asio-epoll and
               loop-epoll: the median of t(2N)/t(N) by `loopbench run --checks` must be in [1.9, 2.1]
  open         checks that serve/open_loop gives a valid result at every load, with latencies and a capacity
  independent  compares the time of an operation with a program without any code of the suite; limit: 15 %

All checks except the first need a quiet machine. The script prints a row for each comparison. The exit code is 0 if all
comparisons agree, 1 if one does not agree, 2 if a program fails, and 77 if a tool is missing.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

MISSING_TOOL = 77
TOOLS = {"syscalls": ["strace"], "cpu": ["/usr/bin/time"], "timer": ["cyclictest"], "http": ["wrk", "taskset"],
         "doubling": [], "open": [], "independent": []}
PACKAGES = "strace time rt-tests wrk util-linux"
INDEPENDENT = {  # name in the independent program: (contender, workload) of the suite
    "yield": ("asio-epoll", "yield"),
    "gather": ("asio-epoll", "gather/yield/children:1000"),
    "asio-echo": ("asio-epoll", "echo/rtt/tcp/conns:1/bytes:64"),
    "blocking-echo": ("floor-blocking", "echo/rtt/tcp/conns:1/bytes:64"),
}


class Disagreements:
    def __init__(self):
        self.count = 0

    def row(self, check, what, ours, theirs, bound, agrees):
        self.count += not agrees
        print(f"{check:<11} {what:<52} {ours:>18} {theirs:>24}   {bound:<22} {'agrees' if agrees else 'DISAGREES'}",
              flush=True)


def run(program, workload, operations=None, front=(), size="small"):
    """Returns the contender's row for the workload, and the standard error. The command line begins with `front`."""
    environment = dict(os.environ, LOOPBENCH_SIZE=size)
    if operations:
        environment["LOOPBENCH_OPERATIONS"] = str(operations)
    command = [*front, program, f"--benchmark_filter=^{workload}(/(iterations|manual).*)?$", "--benchmark_format=json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout)["benchmarks"]
    if not rows:
        raise SystemExit(f"{program} has no workload {workload}")
    return rows[0], done.stderr


def proved(row):
    if row.get("error_occurred"):
        raise SystemExit(f"{row['name']}: {row['error_message']}")
    return row


def ns_per_operation(row):
    return row["real_time"] * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[row["time_unit"]]


def in_turn(ours, theirs, rounds=5):
    """Calls ours() and theirs() alternately, because the machine's speed drifts. Returns the median of each function,
    and the median of the ratios of the pairs.
    """
    pairs = [(ours(), theirs()) for _ in range(rounds)]
    return *map(statistics.median, zip(*pairs)), statistics.median(mine / other for mine, other in pairs)


def built(programs, name):
    if not os.access(f"{programs}/{name}", os.X_OK):
        print(f"{name} is not built: cmake --build --preset release -t agreement_programs", file=sys.stderr)
        sys.exit(2)
    return f"{programs}/{name}"


def syscalls(programs, table):
    cells = [("asio-epoll", "echo/rtt/tcp/conns:1/bytes:64"), ("loop-epoll", "accept/churn"),
             ("floor-blocking", "echo/rtt/tcp/conns:1/bytes:64")]
    with tempfile.TemporaryDirectory(prefix="loopbench-agree-") as folder:
        for contender, workload in cells:
            command = [f"{programs}/loopbench", "run", "--quick", "--blocks", "1", "--counts", "--contender", contender,
                       "--workload", workload, "--baseline", contender, "-o", f"{folder}/out"]
            subprocess.run(command, capture_output=True, text=True, check=True)
            with open(f"{folder}/out/report.json", encoding="utf-8") as file:
                report = json.load(file)
            counted = [each["median"] for each in report["results"]
                       if each["metric"] == "syscalls" and each["contender"] == contender]
            if not counted:
                said = "; ".join(each["message"] for each in report["warnings"])
                table.row("syscalls", f"{contender} {workload}", "none", said, "within 1 %", False)
                continue
            [ours] = counted

            def calls(operations):
                summary = f"{folder}/strace"
                front = ["strace", "-f", "-c", "-U", "calls,name", "-o", summary]
                proved(run(f"{programs}/contenders/{contender}", workload, operations, front)[0])
                with open(summary, encoding="utf-8") as file:
                    return int(re.search(r"^\s*(\d+)\s+total$", file.read(), re.M).group(1))
            theirs = (calls(1000) - calls(500)) / 500
            table.row("syscalls", f"{contender} {workload}", f"{ours:.3f} /op", f"strace -c {theirs:.3f} /op",
                      "within 1 %", abs(ours - theirs) <= 0.01 * theirs)


def cpu(programs, table):
    """Runs a contender twice, the second time with 12 million more operations. The CPU time that the contender reports
    must grow by as much as the CPU time of its process.
    """
    def both(operations):
        front = ["/usr/bin/time", "-f", "CPU %U %S"]
        row, errors = run(f"{programs}/contenders/asio-epoll", "yield", operations, front)
        user, system = map(float, re.search(r"CPU (\S+) (\S+)", errors).groups())
        return proved(row)["cpu"] * row["operations"] / 1e9, user + system
    small, large = both(4_000_000), both(16_000_000)
    ours, theirs = large[0] - small[0], large[1] - small[1]
    table.row("cpu", "asio-epoll yield, 12 million more", f"{ours:.3f} s", f"/usr/bin/time {theirs:.3f} s",
              "within 20 ms", abs(ours - theirs) <= 0.0201)


def timer(programs, table):
    def ours():
        return proved(run(f"{programs}/contenders/floor-sleep", "timer/periodic", 2000)[0])["late_p50"] / 1e3

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
    mine, theirs, _ = in_turn(ours, cyclictest)
    table.row("timer", "floor-sleep timer/periodic, lateness p50", f"{mine:.1f} us", f"cyclictest {theirs:.1f} us",
              "within 20 %", abs(mine - theirs) <= 0.2 * theirs)


def http(programs, table):
    """Compares the generator with wrk. The responder works for 20 us per request, so that it is the bottleneck."""
    command = ["taskset", "-c", "0", built(programs, "http_responder")]
    responder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
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
        mine, theirs, _ = in_turn(ours, wrk)
    finally:
        responder.kill()
        responder.wait()
    table.row("http", "loopbench-generator, 16 connections", f"{mine:.0f} /s", f"wrk {theirs:.0f} /s", "within 10 %",
              abs(mine - theirs) <= 0.1 * theirs)


def doubling(programs, table):
    with tempfile.TemporaryDirectory(prefix="loopbench-agree-") as folder:
        command = [f"{programs}/loopbench", "run", "--quick", "--blocks", "1", "--budget", "10min", "--checks",
                   "--workload", "*", "--contender", "asio-epoll", "--contender", "loop-epoll", "-o", folder]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        with open(f"{folder}/report.json", encoding="utf-8") as file:
            results = json.load(file)["results"]
    cells = {}
    for each in results:
        cells.setdefault((each["contender"], each["workload"]), {})[each["metric"]] = each
    for (contender, workload), metrics in cells.items():
        if metrics["time"]["status"] == "unsupported":
            print(f"doubling    {contender} {workload}: unsupported: {metrics['time']['reason']}")
        elif metrics["time"]["status"] == "failed" or "throughput" in metrics:
            ratio = metrics.get("doubling")
            ours = f"{ratio['median']:.2f} [{ratio['low']:.2f}, {ratio['high']:.2f}]" if ratio else "none"
            table.row("doubling", f"{contender} {workload}", ours, "2", "median in [1.9, 2.1]",
                      ratio is not None and 1.9 <= ratio["median"] <= 2.1)


def open_loop(programs, table):
    """Checks serve/open_loop on one contender, which is enough, because the check concerns only the generator."""
    for offered in ("load:25", "load:50", "load:75", "load:90", "rate:20000"):
        row, _ = run(f"{programs}/contenders/asio-epoll", f"serve/open_loop/{offered}", 20_000, size="full")
        if row.get("error_occurred"):
            table.row("open", f"asio-epoll, {offered}", "none", row["error_message"], "valid", False)
            continue
        number = int(offered.split(":")[1])
        expected = 1e9 / (row["capacity"] * number / 100 if "capacity" in row else number)
        table.row("open", f"asio-epoll, {offered}, p99 {row['latency_p99'] / 1e3:.0f} us",
                  f"{ns_per_operation(row) / 1e3:.1f} us/op", f"schedule {expected / 1e3:.1f} us/op", "within 5 %",
                  abs(ns_per_operation(row) - expected) <= 0.05 * expected)


def independent(programs, table):
    alone = built(programs, "independent")
    for work, (contender, workload) in INDEPENDENT.items():
        def ours():
            return ns_per_operation(proved(run(f"{programs}/contenders/{contender}", workload, size="full")[0]))

        def theirs():
            return float(subprocess.run([alone, work], check=True, capture_output=True, text=True).stdout)
        mine, others, ratio = in_turn(ours, theirs, rounds=7)
        table.row("independent", f"{contender} {workload}", f"{mine:.1f} ns", f"alone {others:.1f} ns, {ratio:.3f}",
                  "within 15 %", abs(ratio - 1) <= 0.15)


CHECKS = {"syscalls": syscalls, "cpu": cpu, "timer": timer, "http": http, "doubling": doubling, "open": open_loop,
          "independent": independent}


def main(arguments):
    if len(arguments) < 2 or any(name not in CHECKS for name in arguments[1:]):
        print(__doc__, file=sys.stderr)
        return 2
    if missing := [tool for name in arguments[1:] for tool in TOOLS[name] if shutil.which(tool) is None]:
        print(f"not installed: {', '.join(missing)}; apt-get install {PACKAGES}", file=sys.stderr)
        return MISSING_TOOL
    table = Disagreements()
    try:
        for name in arguments[1:]:
            CHECKS[name](os.path.abspath(arguments[0]), table)
    except subprocess.CalledProcessError as error:
        said = error.stderr or error.stdout or f"exit code {error.returncode}"
        print(f"{' '.join(error.cmd)} failed: {said}", file=sys.stderr)
        return 2
    return 1 if table.count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
