"""The common parts of the programs in this folder: sources, builds, commands with a time limit, and results.

Each program is a module with a function run(program). It receives a Program, builds the source, and records checks:

    def run(program):
        program.install("libssl-dev")
        source = program.source("trojan")
        program.cmake(source, "-DENABLE_MYSQL=OFF")
        program.check("prints its version", lambda way: program.run(way, way.folder / "trojan", "--version").output)

A check is a function that receives a Way and returns its result as a text. The results must be equal on all ways, so
they must not contain times. Raise Failed for a wrong result.
"""

import concurrent.futures
import contextlib
import dataclasses
import functools
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
UPSTREAM = HERE.parent / "upstream"
IN_NAMESPACE = UPSTREAM / "in_namespace"  # begins a command that needs fixed ports
sys.path[:0] = [str(UPSTREAM), str(HERE.parent / "support")]

import fetch

BUILDS = ("stock", "swapped")
WAYS = {"stock": "stock", "epoll": "swapped", "io_uring": "swapped"}
LIMIT_S = 300
BUILD_LIMIT_S = 3600
TRIES = 3  # of a test case
AT_ONCE = 4  # test cases


class Unavailable(Exception):
    """A program that cannot be fetched or built."""


class Failed(Exception):
    """A check with a wrong result. The message is the result."""


class Hangs(Failed):
    def __init__(self):
        super().__init__("hangs")


@dataclasses.dataclass(frozen=True)
class Way:
    """Asio's own context (stock), or the swapped build with its loop on epoll or io_uring."""

    name: str
    place: pathlib.Path  # the folder of the program

    @property
    def folder(self):
        return self.place / WAYS[self.name]

    @property
    def swapped(self):
        return WAYS[self.name] == "swapped"

    @property
    def record(self):
        return self.place / "contexts"

    @property
    def environment(self):
        return os.environ | {"LOOPBENCH_ASIO": self.name, "LOOPBENCH_ASIO_CONTEXTS": str(self.record)}

    def loops(self):
        """Returns the loop of each process that has made an io_context of ours since the check began, by its ID."""
        lines = self.record.read_text().splitlines() if self.record.exists() else []
        return {int(line.split()[1]): line.split()[0] for line in lines}

    def proved(self, result):
        """Returns the result, or says that the program ran on another loop than this way's. A swap without an effect
        would otherwise look like a success.
        """
        loops = set(self.loops().values())
        if loops == ({self.name} if self.swapped else set()):
            return result
        return f"ran on {', '.join(sorted(loops)) or 'no loop of ours'}: {result}"


@dataclasses.dataclass(frozen=True)
class Done:
    code: int
    output: str


class Command:
    """A running command, in its own session, with its output in a file."""

    def __init__(self, command, output, **options):
        self.name = pathlib.Path(command[0]).name
        self.output_file = output
        with open(output, "wb") as file:
            self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=file,
                                            stderr=subprocess.STDOUT, start_new_session=True, **options)
        self.pid = self.process.pid

    def output(self):
        return self.output_file.read_text(errors="replace")

    def wait(self, limit_s=LIMIT_S):
        """Returns the exit code, or raises Hangs at the limit."""
        try:
            return self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise Hangs from None

    def prints(self, pattern, limit_s=60):
        """Waits until the output has a match, and returns the match."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            ended = self.process.poll()
            if found := re.search(pattern, self.output()):
                return found
            if ended is not None:
                raise Failed(f"{self.name} ended with {ended}: {last_line(self.output())}")
            time.sleep(0.01)
        raise Hangs

    def stops(self, number=signal.SIGTERM, limit_s=60):
        """Sends a signal, and returns the exit code."""
        self.process.send_signal(number)
        return self.wait(limit_s)

    def end(self):
        """Ends the command with all its processes."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()


def last_line(text):
    return (text.strip().splitlines() or ["no output"])[-1]


def reason_in(text):
    """Returns the first line that names an error, with the next one if it ends with a colon, or the last line."""
    found = re.search(r"^(?:.*\berror\b(?!-)|E: ).*?(?:$|:\n.*$)", text, re.IGNORECASE | re.MULTILINE)
    return " ".join(found[0].split()) if found else last_line(text)


class Swap:
    """The flags for a swapped build, from an installed loopbench, as docs/asio-programs.md describes."""

    def __init__(self, build, prefix):
        self.build, self.prefix = build, prefix

    @functools.cached_property
    def environment(self):
        """Installs loopbench once, and returns the environment in which pkg-config finds it."""
        shutil.rmtree(self.prefix, ignore_errors=True)
        for component in ("loop", "asio"):
            done = subprocess.run(["cmake", "--install", self.build, "--prefix", self.prefix, "--component", component],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0:
                raise Unavailable(f"cannot install {component} from {self.build}: {last_line(done.stdout)} Run "
                                  f"cmake --build {self.build} --target loopbench_loop")
        path = ":".join(str(self.prefix / each / "pkgconfig") for each in ("lib", "lib64"))
        return os.environ | {"PKG_CONFIG_PATH": path}

    def asked(self, *options):
        found = subprocess.run(["pkg-config", *options, "loopbench-asio-dropin"], check=True, text=True,
                               stdout=subprocess.PIPE, env=self.environment)
        return found.stdout.split()


class Program:
    """A program of another project: its sources, its builds and its checks."""

    def __init__(self, name, folder, swap, save):
        self.name, self.folder, self.swap, self.save = name, folder, swap, save
        self.version = None
        self.checks = []
        self.numbers = itertools.count(1)
        self.ways = [Way(way, folder) for way in WAYS]
        (folder / "output").mkdir(parents=True, exist_ok=True)

    def tell(self, text):
        print(f"{time.strftime('%H:%M:%S')} {self.name}: {text}", flush=True)

    def install(self, *packages):
        """Installs the packages that are missing. Needs root if there are any."""
        missing = [each for each in packages if not is_installed(each)]
        if missing:
            self.build(f"install {' '.join(missing)}", "apt-get", "install", "-y", "--no-install-recommends", *missing)

    def source(self, package, patched=True):
        """Fetches a source package, and returns its folder. Applies Debian's patches, or fetches only the archive of
        the other project. An archive that is in the folder `source` already is not downloaded again; apt checks it.
        """
        if patched:
            self.install("dpkg-dev")
        place = self.folder / "source"
        place.mkdir(exist_ok=True)
        self.tell(f"fetch the source package {package}")
        try:
            fetch.download(package, place, "", *([] if patched else ["--tar-only"]))
        except fetch.Failed as failed:
            raise Unavailable(f"cannot fetch the source package {package}: {reason_in(str(failed))}") from failed
        if patched:
            (description,) = place.glob(f"{package}_*.dsc")
            self.version = re.search(r"^Version: (.+)$", description.read_text(), re.MULTILINE)[1]
            (source,) = (each for each in place.glob(f"{package}-*") if each.is_dir())
            return source
        (archive,) = place.glob(f"{package}_*.orig.tar.*z*")
        self.version = archive.name.removeprefix(f"{package}_").partition(".orig.tar.")[0]
        source = place / f"{package}-{self.version}"
        if not source.exists():
            source.mkdir()
            fetch.run("tar", "-xf", str(archive), "-C", str(source), "--strip-components=1")
        return source

    def boost(self, package):
        """Fetches a source package of Boost, and unpacks the tests and examples that fetch.py names. Returns the folder
        `libs`.
        """
        place = self.folder / "source"
        place.mkdir(exist_ok=True)
        self.tell(f"fetch the source package {package}")
        try:
            fetch.download(package, place, "", "--tar-only")
            (archive,) = place.glob(f"{package}_*.orig.tar.*z")
            fetch.unpack(package, archive, place)
        except fetch.Failed as failed:
            raise Unavailable(f"cannot fetch the source package {package}: {failed}") from failed
        self.version = re.search(r"_(.+)\.orig\.", archive.name)[1]
        return place / "boost/libs"

    def replace(self, file, old, new):
        """Replaces a text in a source file, unless that is done already."""
        text = file.read_text()
        if new in text:
            return
        if old not in text:
            raise Unavailable(f"{file} does not contain {old!r}; adapt the replacement to version {self.version}")
        file.write_text(text.replace(old, new))

    def build(self, what, *command, cwd=None):
        """Runs a command that prepares a build."""
        self.tell(what)
        running = Command(command, self.next_output(), cwd=cwd)
        try:
            code = running.wait(BUILD_LIMIT_S)
        except Hangs:
            raise Unavailable(f"cannot {what}: it takes more than {BUILD_LIMIT_S} s") from None
        finally:
            running.end()
        if code != 0:
            raise Unavailable(f"cannot {what}: {reason_in(running.output())}")

    def cmake(self, source, *options, targets=()):
        """Builds a CMake project as it is in the folder `stock`, and swapped in the folder `swapped`."""
        self.install("cmake", "pkg-config")
        for build in BUILDS:
            folder = self.folder / build
            swap = [f"-DCMAKE_PROJECT_INCLUDE={''.join(self.swap.asked('--variable=cmake_file'))}"]
            self.build(f"configure the {build} build", "cmake", "-S", source, "-B", folder, *options,
                       *(swap if build == "swapped" else []))
            self.build(f"make the {build} build", "cmake", "--build", folder, "--parallel", "2",
                       *(["--target", *targets] if targets else []))

    def compile(self, name, *sources, flags=(), libraries=()):
        """Compiles a program as stock/NAME and swapped/NAME, both at once."""
        self.install("pkg-config")

        def compile_one(build):
            output = self.folder / build / name
            output.parent.mkdir(parents=True, exist_ok=True)
            swap = self.swap.asked("--cflags", "--libs") if build == "swapped" else []
            self.build(f"compile {build}/{name}", os.environ.get("CXX", "c++"), "-std=c++20", *flags, *sources,
                       "-o", output, "-pthread", *libraries, *swap)

        with concurrent.futures.ThreadPoolExecutor(len(BUILDS)) as pool:
            list(pool.map(compile_one, BUILDS))

    @contextlib.contextmanager
    def started(self, way, *command, cwd=None):
        """Starts a command, and ends it at the end of the context."""
        running = Command(command, self.next_output(), cwd=cwd, env=way.environment)
        try:
            yield running
        finally:
            running.end()

    def run(self, way, *command, limit_s=LIMIT_S, cwd=None):
        """Runs a command to its end. Raises Hangs at the limit."""
        with self.started(way, *command, cwd=cwd) as running:
            return Done(running.wait(limit_s), running.output())

    def check(self, name, function):
        """Runs `function(way)` for each way, and keeps the results."""
        results = {"check": name, "fails_on_stock": False}
        for way in self.ways:
            way.record.unlink(missing_ok=True)
            try:
                result = str(function(way))
            except (Failed, OSError) as failed:
                result = "hangs" if isinstance(failed, TimeoutError) else str(failed)
                results["fails_on_stock"] |= not way.swapped
            results[way.name] = way.proved(" ".join(result.split()))
            self.tell(f"{name}: {way.name}: {results[way.name]}")
        self.checks.append(results)
        self.save(self)

    def count_passed(self, cases, try_case):
        """Calls `try_case(case)` for each test case, several at once, and returns how many have passed. The function
        raises Failed for a case that fails. Such a case is tried again, unless it hangs, because some test cases depend
        on the speed of the machine. If a case fails each time, raises Failed with the count and the failures.
        """
        def failure_of(case):
            for tries_left in reversed(range(TRIES)):
                try:
                    try_case(case)
                    return None
                except Failed as failed:
                    failure = f"{case} {failed}"
                    self.tell(failure)
                    if not tries_left or isinstance(failed, Hangs):
                        return failure

        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            failures = list(filter(None, pool.map(failure_of, cases)))
        result = f"{len(cases) - len(failures)} of {len(cases)} test cases"
        if failures or not cases:
            raise Failed("; ".join([result, *failures]))
        return result

    def next_output(self):
        return self.folder / "output" / str(next(self.numbers))


def is_installed(package):
    found = subprocess.run(["dpkg-query", "-W", "-f=${Status}", package], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True)
    return found.stdout.startswith("install ok installed")
