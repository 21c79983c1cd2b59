"""Runs a contender once, at the small size, on every workload that it lists. Each result must have a number, or be
unsupported for a reason that is allowed for this contender and workload. The test leaves out workloads with a million
timers, which take as long as all other workloads together. Workloads with 100,000 timers test the same code.

    every_cell.py CONTENDER
"""

import json
import os
import re
import subprocess
import sys

# Triples of patterns for contender, workload and reason. An unsupported workload is allowed if all three match.
ALLOWED = [
    (r".*", r"(threads/)?serve/.*", r"the client of this workload needs a core that the contender does not use, .*"),
    (r".*", r"(threads/)?serve/.*", r"(the contender was not measured at this load|invalid): "
     r"(the generator was the bottleneck, |the server does not sustain ).*"),
    (r".*", r".*", r"the workload needs \d+ open files, and the limit is \d+.*"),
    (r".*", r"(echo/mostly_idle|idle/sockets)/.*", r"the silent connections cannot be opened: .*"),
    (r"(asio|asio-on|loop|floor|(asio|loop)-(shared|each|reuseport))-uring(-1\.\d+)?", r".*", r".*io_uring.*"),
    (r".*", r"threads/.*",
     r"the workload needs \d+ cores for its threads, and this process can use only \d+ cores?; .*"),
    (r"asio-nothreads", r"post/cross_thread/.*",
     r"this contender's io_context has no locks, so only one thread can use it"),
    (r"asio-select|loop-(tick|layered|scheduler|asyncio)", r".*(conns|idle):1\d*000\b.*",
     r"select .*\b1024\b.*"),
    (r"loop-tick",
     r"timer/(periodic|churn/.*|under_load|ladder/us:10{1,4})|gather/(ready|yield|sleep|echo|tree)/.*|yield|spawn"
     r"|(post|echo|serve|stream|accept|fanout|pipe|mixed)/.*", r".*\b100 ms\b.*"),
    (r"loop-scheduler", r"timer/under_load", r".*\btimers\b.*\bready\b.*"),
    (r"floor-.*", r".*", r".*\bfloor\b.*|.*\bsystem calls?\b.*"),
    (r"floor-(mutex|stealing)-queue", r"threads/.*", r"the contender's adapter lacks (arm|serve)\(\), .*"),
]

CHOSEN = "--benchmark_filter=-timers:1000000"


def listed(program):
    done = subprocess.run([program, "--benchmark_list_tests=true", CHOSEN], capture_output=True, text=True, check=True)
    return done.stdout.split()


def rows(program):
    environment = os.environ | {"LOOPBENCH_SIZE": "small"}
    command = [program, "--benchmark_format=json", "--benchmark_min_time=0.001", CHOSEN]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["benchmarks"]


def wrong_with(contender, row):
    """Returns the problem with a result, or None."""
    if not row.get("error_occurred"):
        number = row.get("real_time")
        return None if isinstance(number, (int, float)) and number > 0 else f"has no number: {number}"
    message = row["error_message"]
    if not message.startswith("unsupported: "):
        return message
    workload = row["name"].removesuffix("/iterations:1/manual_time").removesuffix("/manual_time")
    reason = message.removeprefix("unsupported: ")
    for patterns in ALLOWED:
        if all(re.fullmatch(pattern, text) for pattern, text in zip(patterns, (contender, workload, reason))):
            return None
    return f"must not be unsupported for this reason: {reason}"


def main(program):
    contender = os.path.basename(program)
    expected, cells = listed(program), rows(program)
    faults = {row["name"]: fault for row in cells if (fault := wrong_with(contender, row))}
    faults |= {name: "is listed but has no result" for name in set(expected) - {row["name"] for row in cells}}
    for name, fault in faults.items():
        print(f"{contender}, {name}: {fault}")
    numbers = sum(not row.get("error_occurred") for row in cells)
    print(f"{contender}: {numbers} of {len(cells)} results have a number")
    return 1 if faults or not cells else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
