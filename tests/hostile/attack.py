"""The common part of all attacks. An attack is a function with a Place as its parameter; @attack registers it.

After every command, these must hold: it did not hang and no unexpected signal ended it; it printed neither control
characters nor internal messages of libraries; and it left no process, temporary file or socket behind.
"""

import collections
import contextlib
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import typing

PLACE = "HOSTILE_PLACE"  # this variable is in the environment of every process that an attack starts
LIMIT_S = 120
END_LIMIT_S = 10  # the time in which the children of a killed command must end

# The exit codes of the command. Only a command that an attack interrupts can end with 130.
OK, FAILED, USAGE, REGRESSION, INCONCLUSIVE, UNRELIABLE, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
DOCUMENTED = frozenset({OK, FAILED, USAGE, REGRESSION, INCONCLUSIVE, UNRELIABLE})

RAW = re.compile(rb"terminate called|what\(\):|std::|filesystem error|json\.exception|basic_string|bad_alloc|"
                 rb"Assertion|AddressSanitizer|runtime error:|iostream error|boost::|vector::_M|\[json")
# The characters that the command must not print: C0 characters except tab and line feed, DEL, C1 characters, and the
# characters that change the direction of text.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Broken(Exception):
    """The error for an expectation that failed."""


class Skipped(Exception):
    """The error for an attack that cannot be tried on this machine. Its text is the reason."""


@dataclasses.dataclass(frozen=True)
class Attack:
    group: str
    name: str
    run: typing.Callable
    short: bool


ATTACKS = []


def attack(group, short=True):
    def register(function):
        ATTACKS.append(Attack(group, function.__name__.replace("_", " "), function, short))
        return function
    return register


@dataclasses.dataclass
class Ended:
    words: list
    code: int
    out: bytes
    err: bytes

    @property
    def said(self):
        return self.err.decode(errors="replace")


# The script of a contender. It uses only shell builtins, because further processes in each trial would take too long.
# `row FIELDS` prints a result, and `trials` prints the number of trials.
CONTENDER = r"""#!/bin/sh
sheet='%(sheet)s'
if [ -n "$LOOPBENCH_DESCRIBE" ]; then
  printf '{"context": {"library": "fake", "library_version": "1"%%s}, "benchmarks": []}\n' "$sheet"; exit
fi
case "$1" in
  --benchmark_list_tests=true) printf 'yield/real_time\necho/rtt/conns:1\n'; exit;;
  *echo*) workload=echo/rtt/conns:1;;
  *) workload=yield/real_time;;
esac
echo trial >> "$0.trials"
row() {
  printf '{"context": {"library": "fake", "library_version": "1"%%s}, "benchmarks": [{"run_name": "%%s", %%s}]}\n' \
    "$sheet" "$workload" "$1"
}
trials() { made=0; while read -r line; do made=$((made + 1)); done < "$0.trials"; echo "$made"; }
%(on_trial)s
"""
GOOD = """row '"real_time": 10, "cpu_time": 10'"""
# The shell code of a trial in which each operation makes one system call.
COUNTED = """
operations=${LOOPBENCH_OPERATIONS:-10}; left=$operations
workload=${workload%%/real_time}/iterations:$operations/real_time
while [ "$left" -gt 0 ]; do kill -0 $$; left=$((left - 1)); done
row "\\"real_time\\": 100000, \\"cpu_time\\": 100000, \\"operations\\": $operations"
"""
# The shell code of a contender that slows itself down as LOOPBENCH_SLOWDOWN requests; `calibrate` sets this variable.
# The noise of its times is 0.1 %.
OBEDIENT = r"""
noise=$(( ($(trials) * 7919) % 10 ))
pct=${LOOPBENCH_SLOWDOWN:-0.00}
pct=${pct#0.}
[ "$pct" = 00 ] || sheet=", \"slowdown\": \"${pct#0} %\""
sheet=", \"contender\": \"obedient\"$sheet"
row "\"real_time\": $((1$pct * 100 + noise)), \"cpu_time\": $((1$pct * 100 + noise)), \"iterations\": 1"
"""


class Place:
    def __init__(self, binaries, name, seed, short):
        self.binaries = pathlib.Path(binaries)
        self.short = short
        self.random = random.Random(f"{seed} {name}")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="loopbench-hostile-"))
        self.folder.chmod(0o755)
        self.codes = collections.Counter()
        self.skipped = []
        (self.folder / "bin/contenders").mkdir(parents=True)
        for folder in ("tmp", "state", "home"):
            (self.folder / folder).mkdir()
        # The command is a hard link or a copy and not a symbolic link, because it looks for its contenders next to the
        # real file. This variant of the command ignores other load, which would make a run unreliable (exit code 5) on
        # a busy machine.
        self.install("loopbench_undisturbed", "loopbench")
        self.environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(self.folder / "home"),
                            "TMPDIR": str(self.folder / "tmp"), "XDG_STATE_HOME": str(self.folder / "state"),
                            "LC_ALL": "C.UTF-8", PLACE: str(self.folder)}

    def __truediv__(self, name):
        return self.folder / name

    @property
    def out(self):
        return self.folder / "out"

    def count(self, short, whole):
        return short if self.short else whole

    def some(self, items, most):
        items = list(items)
        return self.random.sample(items, min(most, len(items))) if self.short else items

    def install(self, name, called=None):
        source, target = self.binaries / name, self.folder / "bin" / (called or name)
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)

    def add_contender(self, name, on_trial=GOOD, sheet="", text=None, notes=True):
        """Adds a contender that writes a line into the file NAME.trials in each trial, unless `notes` is false. The
        function `trials` of the contender's script prints the number of these lines.
        """
        file = (self.folder / "bin/contenders").joinpath(os.fsdecode(name))
        text = CONTENDER % {"sheet": sheet, "on_trial": on_trial} if text is None else text
        # A running program cannot be overwritten, so the new script is written to another file, which is then renamed.
        (self.folder / "new").write_text(text if notes else text.replace('echo trial >> "$0.trials"\n', ""))
        (self.folder / "new").chmod(0o755)
        (self.folder / "new").rename(file)
        return file

    def start(self, *words, env=None, front=(), **more):
        command = [*front, str(self.folder / "bin/loopbench"), *map(os.fspath, words)]
        return subprocess.Popen(command, env=self.environment if env is None else env, start_new_session=True,
                                **{"stdin": subprocess.DEVNULL, "cwd": self.folder, **more})

    def call(self, *words, limit_s=LIMIT_S, **more):
        """Runs a command with pipes for its output, because limits on file sizes do not affect pipes."""
        process = self.start(*words, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})
        try:
            out, err = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Broken(f"`{shown(words)}` hangs: it has not ended after {limit_s} s") from None
        return Ended([os.fspath(word) for word in words], process.returncode, out, err)

    def loopbench(self, *words, codes=DOCUMENTED, says=(), mute=False, **more):
        """Runs a command and checks its exit code. If the code is 1 or 2, the message must contain every text in
        `says`, unless the command is `mute`, for example because standard error is closed.
        """
        ended = self.call(*words, **more)
        self.judge(ended, codes, says, mute)
        return ended

    def judge(self, ended, codes=DOCUMENTED, says=(), mute=False):
        self.codes[ended.code] += 1
        what = f"`{shown(ended.words)}`"
        if ended.code < 0:
            raise Broken(f"{what} was ended by {signal.Signals(-ended.code).name}: {ended.said[-2000:]}")
        if ended.code not in set(codes):
            raise Broken(f"{what}: exit code {ended.code}, expected {sorted(codes)}: {ended.said[-2000:]}"
                         f"{ended.out[-500:].decode(errors='replace')}")
        for name, text in (("standard error", ended.err), ("standard output", ended.out)):
            if raw := RAW.search(text):
                raise Broken(f"{what} prints {raw.group()!r} on {name}: {text[-2000:]!r}")
            try:
                decoded = text.decode()
            except UnicodeDecodeError as error:
                raise Broken(f"{what} prints invalid UTF-8 on {name}: {error}") from None
            # The lines of a CSV table end with CRLF, so a carriage return is allowed before a line feed.
            if strange := UNPRINTABLE.search(decoded.replace("\r\n", "\n")):
                raise Broken(f"{what} prints {strange.group()!r} on {name}: "
                             f"{decoded[max(0, strange.start() - 200):strange.end() + 200]!r}")
        if ended.code in (FAILED, USAGE) and not mute:
            if not ended.err.strip() and not ended.out.strip():
                raise Broken(f"{what}: exit code {ended.code} without a message")
            for text in [says] if isinstance(says, (str, os.PathLike)) else says:
                if os.fspath(text) not in ended.said + ended.out.decode():
                    raise Broken(f"{what}: exit code {ended.code}, and the output lacks {os.fspath(text)!r}: "
                                 f"{ended.said}")

    def run(self, *words, **more):
        usual = {"--workload": "yield", "--blocks": "2", "-o": self.out}
        missing = [word for pair in usual.items() if pair[0] not in words for word in pair]
        return self.loopbench("run", *missing, *words, **more)

    def report(self, folder="out"):
        with open(self.folder / folder / "report.json", encoding="utf-8") as file:
            return json.load(file)

    def time_of(self, contender, folder="out", workload="yield"):
        for item in self.report(folder)["results"]:
            if (item["contender"], item["metric"], item["workload"]) == (contender, "time", workload):
                return item
        raise Broken(f"the report has no time for {contender}")

    def expect_status(self, contender, status, says=(), folder="out", workload="yield"):
        item = self.time_of(contender, folder, workload)
        for text in (says,) if isinstance(says, str) else says:
            if text not in (item["reason"] or ""):
                raise Broken(f"{contender}: the reason {item['reason']!r} lacks {text!r}")
        if item["status"] != status:
            raise Broken(f"{contender} is {item['status']} ({item['reason']}), expected {status}")

    def skip(self, why):
        self.skipped.append(why)

    def processes(self):
        mark, folder, found = f"{PLACE}={self.folder}".encode(), str(self.folder).encode(), {}
        for each in os.listdir("/proc"):
            if not each.isdigit() or int(each) == os.getpid():
                continue
            with contextlib.suppress(OSError):
                with open(f"/proc/{each}/cmdline", "rb") as file:
                    command = file.read()
                with open(f"/proc/{each}/environ", "rb") as file:
                    if folder in command or mark in file.read().split(b"\0"):
                        found[int(each)] = command.replace(b"\0", b" ").decode(errors="replace").strip()
        return found

    def expect_nothing_left(self):
        until = time.monotonic() + END_LIMIT_S
        while left := self.processes():
            if time.monotonic() > until:
                for process in left:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)
                raise Broken(f"processes still run: {left}")
            time.sleep(0.01)
        with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
            if sockets := [line.split()[-1] for line in file if str(self.folder) in line]:
                raise Broken(f"sockets remain: {sockets}")
        if files := [each.name for each in (self.folder / "tmp").glob(".loopbench-*")]:
            raise Broken(f"temporary files remain: {files}")
        if files := self.half_files():
            raise Broken(f"incomplete files remain: {files}")

    def half_files(self):
        return [os.path.join(folder, each) for folder, _, names in os.walk(self.folder) for each in names
                if re.fullmatch(r".+\.\d+-\d+\.tmp", each) or each == "probe"]

    def remove(self):
        for folder, names, _ in os.walk(self.folder):
            for each in names:
                with contextlib.suppress(OSError):
                    path = os.path.join(folder, each)
                    if stat.S_ISDIR(os.lstat(path).st_mode):
                        os.chmod(path, 0o755)
        shutil.rmtree(self.folder, ignore_errors=True)


def shown(words):
    return " ".join(ascii(os.fspath(word))[1:-1] for word in words)


def without_rights():
    """Returns the beginning of a command line that drops root's rights, because tests in CI often run as root. Returns
    an empty list for other users.
    """
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        raise Skipped("root can access everything, and setpriv is not installed")
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
