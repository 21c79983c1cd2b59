"""The parts that all Python contenders need. The C++ counterparts are bench/suite/workloads/trial/trial.hpp and
contender_main.cpp. This file must not be executable, because loopbench treats an executable file as a contender."""

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


STARTED_NS = time.monotonic_ns()


class Unproved(Exception):
    """An exception for a workload that did not do its work, or did it wrong."""


class Unsupported(Exception):
    """An exception for a workload that this contender cannot run on this machine."""


def usage():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return (time.monotonic_ns(), time.process_time_ns(), used.ru_utime * 1e9, used.ru_stime * 1e9, used.ru_nvcsw)


def run_delay_ns():
    """Returns the time for which this thread has waited for a CPU, or 0 if the kernel does not report it (see
    recording/usage.hpp)."""
    try:
        with open("/proc/thread-self/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1])
    except (OSError, IndexError):
        return 0


def prolong(began_ns, share, delay_ns=0):
    """Keeps the CPU busy for `share` times the time since `began_ns`. `delay_ns`, the time for which this thread waited
    for a CPU, is subtracted from the time since `began_ns`."""
    until = time.thread_time_ns() + (time.monotonic_ns() - began_ns - delay_ns) * share
    while time.thread_time_ns() < until:
        pass


class Slices:
    """The slices of the timed section (protocol: bench/suite/workloads/trial/slices.hpp)."""

    def __init__(self, inlet, outlet, untimed_us, timed_us, slowdown):
        self.inlet, self.outlet = inlet, outlet
        self.part_ns = (untimed_us * 1000, timed_us * 1000)
        self.slowdown = slowdown
        self.operation_ns = 0  # time of an operation in the last chunk; 0 if unknown
        self.operations = 0
        self.cost = [0] * len(usage())
        self.ended = False

    def begin(self, step, fewest):
        self.step, self.fewest = step, fewest
        os.write(self.outlet, b"ready\n")
        self._wait()

    def next(self, done, left_operations):
        """Registers that `done` operations were made since the last call. Returns the number of operations to make
        until the next call, or 0 if the section must end. A timed part that has begun is completed, even if it needs
        more than `left_operations` (None: no limit)."""
        if self.ended:
            return 0
        now = time.monotonic_ns()
        self.part_operations += done
        if done:
            self.operation_ns = (now - self.chunk_began) / done
        self.chunk_began = now
        left = self.part_ns[self.is_timing] - (now - self.part_began)
        if left <= 0 and self.part_operations >= self.step * self.fewest[self.is_timing]:
            if self.is_timing:
                self._finish()
                self._wait()
                if self.ended:
                    return 0
            else:
                self.untimed = (self.part_operations, now - self.part_began)
                self._begin_part(True)
            left = self.part_ns[self.is_timing]
        must_complete = self.is_timing and self.part_operations > 0
        if left_operations == 0 and not must_complete:
            return 0
        chunk = self._size_of_chunk(done, left)
        return chunk if must_complete or left_operations is None else min(chunk, left_operations)

    def _size_of_chunk(self, done, left):
        least = max(self.step, self.step * self.fewest[self.is_timing] - self.part_operations)
        if not self.operation_ns or left <= 0:
            return least
        fit = min(left / self.operation_ns, 16 * max(done, self.step))
        return max(-int(-fit // self.step) * self.step, least)

    def end(self):
        self.ended = True

    def _wait(self):
        self.ended = os.read(self.inlet, 1) != b"t"
        self.untimed = (0, 0)
        self._begin_part(not self.ended and self.part_ns[False] == 0)

    def _begin_part(self, timed):
        self.is_timing = timed
        self.part_operations = 0
        self.before = usage()
        self.chunk_began = self.part_began = time.monotonic_ns()

    def _finish(self):
        if self.slowdown:
            prolong(self.before[0], self.slowdown)
        cost = [after - before for after, before in zip(usage(), self.before)]
        self.cost = [all_ + one for all_, one in zip(self.cost, cost)]
        self.operations += self.part_operations
        os.write(self.outlet, "{} {} {} {}\n".format(self.part_operations, cost[0], *self.untimed).encode())
        self.is_timing = False


class Trial:
    def __init__(self, small, operations, recording=True, slowdown=0, slices=None):
        self.small = small
        self.operations = operations  # 0: the trial continues until the harness ends it
        self.done = operations
        self.recording = recording
        self.slowdown = slowdown
        self.slices = Slices(*slices, slowdown) if slices else None
        self.step = 1
        self.given = self.chunk = 0
        self.latency_ns = []
        self.late_ns = []
        self.reported = {}
        self.proofs = 0

    def begin(self, step=1, fewest=(1, 1)):
        """Begins the timed section. Each part of a slice consists of whole steps of `step` operations: at least
        fewest[0] steps in an untimed part, and at least fewest[1] steps in a timed part."""
        self.step = step
        if self.slices:
            self.slices.begin(step, fewest)
            return
        self.delay_ns = run_delay_ns() if self.slowdown else 0
        self.before = usage()

    def end(self):
        if self.slices:
            self.slices.end()
            self.cost = self.slices.cost
            return
        if self.slowdown:
            prolong(self.before[0], self.slowdown, run_delay_ns() - self.delay_ns)
        self.cost = [after - before for after, before in zip(usage(), self.before)]

    def next(self):
        """Returns the number of operations to make until the next call, or 0 if the section must end. All earlier
        operations must have ended. Interleaved contenders wait here for their slice."""
        left = max(0, -(-(self.operations - self.given) // self.step) * self.step) if self.operations else None
        self.chunk = self.slices.next(self.chunk, left) if self.slices else left
        self.given += self.chunk
        self.done = self.given
        return self.chunk

    def timed(self):
        return self.slices.operations if self.slices else self.done

    def record_latency(self, start_ns):
        """Records a latency, unless the current part of the slice is untimed. Returns the end of the latency, which can
        be the start of the next one."""
        end_ns = time.monotonic_ns()
        if not self.slices or self.slices.is_timing:
            self.latency_ns.append(end_ns - start_ns)
        return end_ns

    def prove(self, what, expected, actual):
        self.proofs += 1
        if actual != expected:
            raise Unproved(f"{what}: expected {expected}, got {actual}")

    def prove_lasted(self, what, least_ns, actual_ns):
        self.proofs += 1
        if actual_ns < least_ns:
            raise Unproved(f"{what} took {actual_ns} ns; expected at least {least_ns} ns")

    def record_lateness(self, deadline_ns):
        self.late_ns.append(time.monotonic_ns() - deadline_ns)

    def histograms(self, workload):
        """Returns the histograms in the format of process/histogram_file.hpp. Each value has its own bucket."""
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
            raise Unproved("the workload checked none of its work")
        if not self.timed():
            raise Unproved("the trial ended before its first timed part was complete" if self.slices else
                           "the workload did not do any operation")
        wall, cpu, user, system, switches = self.cost
        found = {
            "cpu": cpu / self.timed(),
            "cpu_user": user / self.timed(),
            "cpu_system": system / self.timed(),
            "spin": cpu / wall,
            "wakeups": switches / (wall / 1e9),
            "operations": self.done,
            "timed_operations": self.timed(),
            "timed_wall": wall,
            "timed_cpu": cpu,
            "clock_age": time.monotonic_ns() - STARTED_NS,
            "rss_peak": resident_peak_bytes(),
        } | self.reported
        if self.latency_ns:
            found |= {"latencies": len(self.latency_ns), "latency_mean": sum(self.latency_ns) / len(self.latency_ns)}
            ranks = {"p50": 50, "p90": 90, "p99": 99, "p999": 99.9, "max": 100}
            found |= {f"latency_{name}": percentile(self.latency_ns, rank) for name, rank in ranks.items()}
        if self.late_ns:
            ranks = {"p50": 50, "p99": 99, "max": 100}
            found |= {f"late_{name}": percentile(self.late_ns, rank) for name, rank in ranks.items()}
            found |= {"early": early, "timers": len(self.late_ns)}
        return found


def resident_peak_bytes():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def percentile(values, rank):
    ordered = sorted(values)
    return ordered[max(0, -int(-len(ordered) * rank // 100) - 1)]


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    function: typing.Callable  # an async function that receives a Trial
    sizes: tuple | None = None  # numbers of operations (small, full); None: the workload is calibrated
    rate: bool = True
    open_files: int = 100

    def full_name(self):
        return f"{self.name}/manual_time" if self.sizes is None else f"{self.name}/iterations:1/manual_time"


@dataclasses.dataclass(frozen=True)
class Contender:
    name: str
    description: str
    workloads: list
    run_loop: typing.Callable
    about: typing.Callable
    connection: typing.Callable  # an async function that returns "socket_options" and "driver"
    early_limit_ns: int = 0  # the time by which a timer can fire early without failing the trial

    def run_once(self, workload, small, operations, slices=None):
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if workload.open_files > limit:
            raise Unsupported(
                f"the workload needs {workload.open_files} open files, and the limit is {limit}; "
                "raise the limit with `ulimit -n`")
        trial = Trial(small, operations, recording_is_on(), slowdown_setting(), slices)
        self.run_loop(workload.function(trial))
        return trial

    def calibrated(self, workload, small, min_time_s):
        operations = 1
        while True:
            trial = self.run_once(workload, small, operations)
            wall_s = trial.cost[0] / 1e9
            if wall_s >= min_time_s:
                return trial
            factor = min(10.0, 1.4 * min_time_s / max(wall_s, 1e-9))
            operations = max(operations + 1, int(trial.done * factor))

    def result_of(self, workload, small, min_time_s):
        slices = slices_setting()
        if fixed := operations_setting():
            trial = self.run_once(workload, small, fixed, slices)
        elif slices:
            if workload.sizes is None:
                self.calibrated(workload, small, 0.001)  # brings heap and caches into their steady state
            trial = self.run_once(workload, small, 0, slices)
        elif workload.sizes is None:
            trial = self.calibrated(workload, small, min_time_s)
        else:
            trial = self.run_once(workload, small, workload.sizes[0 if small else 1], slices)
        counters = trial.counters(self.early_limit_ns)
        time_ns = trial.cost[0] / trial.timed()
        result = {"iterations": 1 if workload.sizes or fixed or trial.slices else trial.done, "real_time": time_ns,
                  "cpu_time": counters["cpu"], "time_unit": "ns"} | counters
        return trial, result | ({"items_per_second": 1e9 / time_ns} if workload.rate else {})

    def row_of(self, workload, small, min_time_s, histograms):
        name = workload.full_name()
        row = {"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
               "threads": 1}
        try:
            trial, result = self.result_of(workload, small, min_time_s)
            histograms += trial.histograms(workload.name)
            return row | result
        except Unsupported as error:
            message = f"unsupported: {error}"
        except Unproved as error:
            message = f"proof: {error}"
        except (OSError, EOFError) as error:
            message = f"{type(error).__name__}: {error}"
        return row | {"error_occurred": True, "error_message": message}

    def context(self, small):
        debug = hasattr(sys, "gettotalrefcount")  # only a debug build of CPython has this function
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
            "slices": "1",
            "files": files_beside_the_script(),
            "size": "small" if small else "full",
        } | ({"slowdown": f"{100 * slowdown_setting():g} %"} if slowdown_setting() else {}) | self.about()

    def described(self, small):
        try:
            return self.context(small) | self.run_loop(self.connection())
        except (Unsupported, OSError) as error:
            return self.context(small) | {"socket_options": f"none: {error}"}

    def chosen_by(self, pattern):
        if pattern in ("", "all"):
            return self.workloads
        wanted = re.compile(pattern.removeprefix("-"))
        return [each for each in self.workloads
                if bool(wanted.search(each.full_name())) != pattern.startswith("-")]

    def main(self):
        flags = parsed_flags(self)
        small = size_is_small()
        chosen = self.chosen_by(flags.benchmark_filter)
        if os.environ.get("LOOPBENCH_DESCRIBE") == "1":
            print(json.dumps({"context": self.described(small), "benchmarks": []}, indent=1))
        elif flags.benchmark_list_tests:
            print("\n".join(each.full_name() for each in chosen))
        else:
            raise_open_files_limit()
            histograms = []
            rows = [self.row_of(each, small, flags.benchmark_min_time, histograms) for each in chosen]
            if histogram_file := os.environ.get("LOOPBENCH_HISTOGRAM_FILE"):
                with open(histogram_file, "w", encoding="utf-8") as out:
                    json.dump({"schema": "loopbench-histogram-file/1", "contender": self.name,
                               "histograms": histograms}, out)
            publish({"context": self.context(small), "benchmarks": rows}, flags)


def files_beside_the_script():
    """Returns the files, besides the contender's script, that must not change during a run: this file and the
    interpreter."""
    folder = os.path.dirname(os.path.realpath(sys.argv[0]))
    return [os.path.relpath(os.path.realpath(__file__), folder), os.path.realpath(sys.executable)]


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


def one_of(variable, usual, other):
    text = os.environ.get(variable) or usual
    if text not in (usual, other):
        print(f'{variable} is "{text}": set it to {other} or {usual}, or unset it.', file=sys.stderr)
        sys.exit(2)
    return text


def size_is_small():
    return one_of("LOOPBENCH_SIZE", "full", "small") == "small"


def recording_is_on():
    return one_of("LOOPBENCH_RECORD", "on", "off") == "on"


def slowdown_setting():
    text = os.environ.get("LOOPBENCH_SLOWDOWN") or "0"
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        print(f'LOOPBENCH_SLOWDOWN is "{text}": set it to a share of the time from 0 to 1, or unset it.',
              file=sys.stderr)
        sys.exit(2)
    return share


def slices_setting():
    text = os.environ.get("LOOPBENCH_SLICES", "")
    if not text:
        return None
    numbers = text.split(",")
    if len(numbers) != 4 or not all(number.isdecimal() for number in numbers) or int(numbers[3]) == 0:
        print(f'LOOPBENCH_SLICES is "{text}"; expected IN,OUT,UNTIMED,TIMED: two descriptors and two times in '
              "microseconds. Only loopbench sets this variable; unset it.", file=sys.stderr)
        sys.exit(2)
    return [int(number) for number in numbers]


def operations_setting():
    text = os.environ.get("LOOPBENCH_OPERATIONS", "")
    if text and (not text.isdecimal() or not 0 < int(text) <= 10**12):
        print(f'LOOPBENCH_OPERATIONS is "{text}": set it to a number of operations from 1 to {10**12}, or unset it.',
              file=sys.stderr)
        sys.exit(2)
    return int(text) if text else None


def parsed_flags(contender):
    parser = argparse.ArgumentParser(prog=contender.name, description=contender.description, allow_abbrev=False)
    truth = {"nargs": "?", "const": True, "default": False, "type": lambda text: text in ("true", "1", "yes")}
    parser.add_argument("--benchmark_list_tests", **truth)
    parser.add_argument("--benchmark_filter", default="", metavar="REGEX")
    parser.add_argument("--benchmark_format", default="console", choices=("console", "json"))
    parser.add_argument("--benchmark_min_time", default=0.5, type=lambda text: float(text.removesuffix("s")))
    parser.add_argument("--benchmark_out", metavar="FILE", help="also writes the JSON to this file")
    parser.add_argument("--benchmark_out_format", default="json", choices=("json",))
    return parser.parse_args()
