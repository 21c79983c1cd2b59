"""What a contender in Python needs beside its workloads: trials with proofs, Google Benchmark's flags and its JSON.

The counterpart of bench/workloads/trial.hpp and bench/contenders/contender_main.cpp. Not a contender: it is no
executable, so nobody takes it for one.
"""

import argparse
import collections
import dataclasses
import json
import os
import platform
import re
import resource
import sys
import time
import typing


class Unproved(Exception):
    """The work was not done, or not as it was meant."""


class Unsupported(Exception):
    """This contender cannot run the workload here."""


class Trial:
    """One workload run once; the counterpart of bench/workloads/trial.hpp."""

    def __init__(self, smoke, operations, recording=True, slowdown=0):
        self.smoke = smoke
        self.operations = operations
        self.done = operations
        self.recording = recording  # of latencies: without, the clock is not read for them
        self.slowdown = slowdown  # the share by which the timed section is made longer, at its end
        self.latency_ns = []
        self.late_ns = []
        self.reported = {}  # further metrics by name
        self.proofs = 0

    def begin(self):
        self.before = self._usage()

    def end(self):
        if self.slowdown:
            now = time.monotonic_ns()
            until = now + (now - self.before[0]) * self.slowdown
            while time.monotonic_ns() < until:
                pass
        self.cost = [after - before for after, before in zip(self._usage(), self.before)]

    @staticmethod
    def _usage():
        used = resource.getrusage(resource.RUSAGE_SELF)
        return (time.monotonic_ns(), time.process_time_ns(), used.ru_utime * 1e9, used.ru_stime * 1e9, used.ru_nvcsw)

    def prove(self, what, expected, actual):
        self.proofs += 1
        if actual != expected:
            raise Unproved(f"{what}: expected {expected}, got {actual}")

    def record_lateness(self, deadline_ns):
        self.late_ns.append(time.monotonic_ns() - deadline_ns)

    def histograms(self, workload):
        """As bench/contenders/side_file.hpp has them, with a bucket for each value."""
        return [{"workload": workload, "metric": metric, "unit": "ns", "count": len(values), "min": min(values),
                 "max": max(values), "mean": sum(values) / len(values),
                 "buckets": [[value, value, count] for value, count in sorted(collections.Counter(values).items())]}
                for metric, values in (("latency", self.latency_ns), ("late", self.late_ns)) if values]

    def counters(self, early_limit_ns):
        early = sum(late < 0 for late in self.late_ns)
        if early and -min(self.late_ns) > early_limit_ns:
            raise Unproved(
                f"{early} of {len(self.late_ns)} timers fired early, the earliest by {-min(self.late_ns)} ns")
        if not self.proofs:
            raise Unproved("the workload proved nothing")
        wall, cpu, user, system, switches = self.cost
        found = {
            "cpu": cpu / self.done,
            "cpu_user": user / self.done,
            "cpu_system": system / self.done,
            "spin": cpu / wall,
            "wakeups": switches / (wall / 1e9),
            "operations": self.done,
            "rss_peak": resident_peak_bytes(),
        } | self.reported
        if self.latency_ns:
            ranks = {"p50": 50, "p90": 90, "p99": 99, "p999": 99.9, "max": 100}
            found |= {f"latency_{name}": percentile(self.latency_ns, rank) for name, rank in ranks.items()}
        if self.late_ns:
            ranks = {"p50": 50, "p99": 99, "max": 100}
            found |= {f"late_{name}": percentile(self.late_ns, rank) for name, rank in ranks.items()}
            found["early"] = early
        return found


def resident_peak_bytes():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def percentile(values, rank):
    """The smallest value that at least `rank` percent of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -int(-len(ordered) * rank // 100) - 1)]


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    function: typing.Callable  # async, is given a Trial
    sizes: tuple | None = None  # operations (smoke, real); None: as many as fill the time
    rate: bool = True  # operations per second say something
    open_files: int = 100

    def full_name(self):
        """With the suffixes that Google Benchmark adds."""
        return f"{self.name}/manual_time" if self.sizes is None else f"{self.name}/iterations:1/manual_time"


@dataclasses.dataclass(frozen=True)
class Contender:
    name: str
    description: str
    workloads: list
    run_loop: typing.Callable  # runs a coroutine to its end in a fresh loop; raises Unsupported
    about: typing.Callable  # gives what the context says beside the process: library, library_version, ...
    connection: typing.Callable  # async, gives "socket_options" and "driver"
    early_limit_ns: int = 0  # by how much a timer may be early, which is then counted and no failure

    def run_once(self, workload, smoke, operations):
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if workload.open_files > limit:
            raise Unsupported(
                f"needs {workload.open_files} open files and the limit is {limit}: raise it with ulimit -n")
        trial = Trial(smoke, operations, recording_is_on(), slowdown_told())
        self.run_loop(workload.function(trial))
        return trial

    def calibrated(self, workload, smoke, min_time_s):
        """As Google Benchmark does it: more operations until they take the time."""
        operations = 1
        while True:
            trial = self.run_once(workload, smoke, operations)
            wall_s = trial.cost[0] / 1e9
            if wall_s >= min_time_s:
                return trial
            factor = min(10.0, 1.4 * min_time_s / max(wall_s, 1e-9))
            operations = max(operations + 1, int(trial.done * factor))

    def result_of(self, workload, smoke, min_time_s):
        if told := operations_told():
            trial = self.run_once(workload, smoke, told)
        elif workload.sizes is None:
            trial = self.calibrated(workload, smoke, min_time_s)
        else:
            trial = self.run_once(workload, smoke, workload.sizes[0 if smoke else 1])
        counters = trial.counters(self.early_limit_ns)
        time_ns = trial.cost[0] / trial.done
        result = {"iterations": 1 if workload.sizes or told else trial.done, "real_time": time_ns,
                  "cpu_time": counters["cpu"], "time_unit": "ns"} | counters
        return trial, result | ({"items_per_second": 1e9 / time_ns} if workload.rate else {})

    def row_of(self, workload, smoke, min_time_s, histograms):
        name = workload.full_name()
        row = {"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
               "threads": 1}
        try:
            trial, result = self.result_of(workload, smoke, min_time_s)
            histograms += trial.histograms(workload.name)
            return row | result
        except Unsupported as error:
            message = f"unsupported: {error}"
        except Unproved as error:
            message = f"proof: {error}"
        except (OSError, EOFError) as error:
            message = f"{type(error).__name__}: {error}"
        return row | {"error_occurred": True, "error_message": message}

    def context(self, smoke):
        """What C++ contenders say of themselves, as far as an interpreter has it."""
        debug = hasattr(sys, "gettotalrefcount")  # only a debug build of CPython counts references in total
        clock = time.get_clock_info("monotonic")
        with open("/proc/self/timerslack_ns", encoding="ascii") as slack:
            timer_slack = slack.read().strip()
        return {
            "contender": self.name,
            "compiler": f"{platform.python_implementation()} {platform.python_version()}",
            "compiler_flags": "none: interpreted",
            "build_type": "Debug" if debug else "none: interpreted",
            "allocator": f"{os.environ.get('PYTHONMALLOC', 'pymalloc')} on {' '.join(platform.libc_ver())} malloc",
            "clock": f"{clock.implementation.partition('(')[2].rstrip(')')}, {clock.resolution * 1e9:.0f} ns",
            "timer_slack_ns": timer_slack,
            "size": "smoke" if smoke else "real",
        } | ({"slowdown": f"{100 * slowdown_told():g} %"} if slowdown_told() else {}) | self.about()

    def described(self, smoke):
        try:
            return self.context(smoke) | self.run_loop(self.connection())
        except (Unsupported, OSError) as error:
            return self.context(smoke) | {"socket_options": f"none: {error}"}

    def chosen_by(self, pattern):
        if pattern in ("", "all"):
            return self.workloads
        wanted = re.compile(pattern.removeprefix("-"))
        return [each for each in self.workloads
                if bool(wanted.search(each.full_name())) != pattern.startswith("-")]

    def main(self):
        """Does what the flags say; exits with 2 when they, or the environment, are wrong."""
        flags = parsed_flags(self)
        smoke = size_is_smoke()
        chosen = self.chosen_by(flags.benchmark_filter)
        if os.environ.get("LOOPBENCH_DESCRIBE") == "1":
            print(json.dumps({"context": self.described(smoke), "benchmarks": []}, indent=1))
        elif flags.benchmark_list_tests:
            print("\n".join(each.full_name() for each in chosen))
        else:
            raise_open_files_limit()
            histograms = []
            rows = [self.row_of(each, smoke, flags.benchmark_min_time, histograms) for each in chosen]
            if side_file := os.environ.get("LOOPBENCH_SIDE_FILE"):
                with open(side_file, "w", encoding="utf-8") as out:
                    json.dump({"schema": "loopbench-side/1", "contender": self.name, "histograms": histograms}, out)
            publish({"context": self.context(smoke), "benchmarks": rows}, flags)


def publish(output, flags):
    if flags.benchmark_out:
        with open(flags.benchmark_out, "w", encoding="utf-8") as out:
            json.dump(output, out, indent=1)
    if flags.benchmark_format == "json":
        print(json.dumps(output, indent=1))
        return
    for row in output["benchmarks"]:
        outcome = row.get("error_message") or f"{row['real_time']:>16,.1f} ns  {row['iterations']:>10}"
        print(f"{row['name']:<56} {outcome}")


def raise_open_files_limit():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def one_of(variable, usual, other, what):
    text = os.environ.get(variable) or usual
    if text not in (usual, other):
        print(f'{variable} is "{text}", which is {what}: set it to {other} or {usual}, or unset it.', file=sys.stderr)
        sys.exit(2)
    return text


def size_is_smoke():
    return one_of("LOOPBENCH_SIZE", "real", "smoke", "no size") == "smoke"


def recording_is_on():
    return one_of("LOOPBENCH_RECORD", "on", "off", "neither") == "on"


def slowdown_told():
    text = os.environ.get("LOOPBENCH_SLOWDOWN") or "0"
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        print(f'LOOPBENCH_SLOWDOWN is "{text}", which is no share of the time: set it to a number from 0 to 1, or '
              "unset it.", file=sys.stderr)
        sys.exit(2)
    return share


def operations_told():
    """How many operations every workload does, once; None: as many as its size or the time says."""
    text = os.environ.get("LOOPBENCH_OPERATIONS", "")
    if text and (not text.isdecimal() or not 0 < int(text) <= 10**12):
        print(f'LOOPBENCH_OPERATIONS is "{text}", which is no number of operations: set it to a number from 1 to '
              f"{10**12}, or unset it.", file=sys.stderr)
        sys.exit(2)
    return int(text) if text else None


def parsed_flags(contender):
    parser = argparse.ArgumentParser(prog=contender.name, description=contender.description, allow_abbrev=False)
    truth = {"nargs": "?", "const": True, "default": False, "type": lambda text: text in ("true", "1", "yes")}
    parser.add_argument("--benchmark_list_tests", **truth)
    parser.add_argument("--benchmark_filter", default="", metavar="REGEX")
    parser.add_argument("--benchmark_format", default="console", choices=("console", "json"))
    parser.add_argument("--benchmark_min_time", default=0.5, type=lambda text: float(text.removesuffix("s")))
    parser.add_argument("--benchmark_out", metavar="FILE", help="writes the JSON there as well")
    parser.add_argument("--benchmark_out_format", default="json", choices=("json",))
    return parser.parse_args()
