#!/usr/bin/env python3
"""Tests the header of asio_compat/ with many versions of Boost, and prints a table.

    boosts.py SOURCE FOLDER [--again] [VERSION...]

Needs root, debootstrap and Debian's archive; a version takes about half an hour on two cores. SOURCE is a clone; its
HEAD is tried. The versions are those in SUITES unless others are named. Each version gets a Debian in which no other
Boost is installed, because a second one could hide that a header is missing.

There are three parts for each version. The part `own` runs tests/asio_compat. The part `upstream` runs the quick
selection of tests/upstream, from the source package of that Boost. The part `echo` builds Boost's own example of an
echo server, on Asio's own context and with our header, on epoll and on io_uring, and compares 1000 echoes of each.

FOLDER/results.json has the results, also of earlier calls. A part that it has for the same commit is not repeated, so
the script continues after an interrupt. With --again, parts that failed are repeated. FOLDER/VERSION-PART.log has the
output. The exit code is 1 if a part failed.
"""

import contextlib
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

from cells import Results, Steps, arguments, commit_of, commits, markdown, prepare
from debian_root import Root, tell, with_own_mounts
from streams import receive

# The release of Debian that has the version. Versions that are not listed are searched for in testing.
SUITES = {"1.81": "bookworm", "1.83": "trixie", "1.88": "trixie", "1.90": "testing", "1.92": "testing"}
BUILD = "/root/build"
PREFIX = "/root/prefix"
EXAMPLE = f"{BUILD}/tests/upstream/boost/libs/asio/example/cpp11/echo/async_tcp_echo_server.cpp"
OWN_TESTS = "tests/asio_compat/all"  # the targets of this folder
DESIGNS = ("epoll", "io_uring")
# The servers, with the options of the compiler.
STOCK, STOCK_URING, SWAPPED = f"{BUILD}/echo_stock", f"{BUILD}/echo_stock_uring", f"{BUILD}/echo_swapped"
SERVERS = {STOCK: "", STOCK_URING: "-DBOOST_ASIO_HAS_IO_URING -DBOOST_ASIO_DISABLE_EPOLL -luring",
           SWAPPED: "$(pkg-config --cflags --libs loopbench-asio-dropin)"}
ECHOES = 1000
LARGEST_ECHO = 1024  # the size of the example's buffer
PATIENCE_S = 30


class Failed(Exception):
    pass


def prepared(source, folder, version, commit):
    """Returns a root with this Boost and no other."""
    root = Root(folder / f"boost-{version}", SUITES.get(version, "testing"), f"git make libboost{version}-dev")
    prepare(source, root, commit, "build upstream")
    installed = root.run("dpkg-query -W -f '${db:Status-Status} ${Package}\\n' 'libboost*-dev'").splitlines()
    names = [name for state, name in (line.split() for line in installed) if state == "installed"]
    others = [name for name in names if re.findall(r"\d+\.\d+", name) not in ([], [version])]
    if others:
        sys.exit(f"boost-{version} also has {' '.join(others)}; remove them, so that no header comes from them")
    return root


def configure(steps):
    steps.run("configure", f"cmake -S . -B {BUILD} -G Ninja -DCMAKE_BUILD_TYPE=Release -DLOOPBENCH_UPSTREAM=quick "
                           "-DCMAKE_CXX_FLAGS_RELEASE='-O2 -DNDEBUG'")


def own(_, steps):
    configure(steps)
    steps.run("build", f"cmake --build {BUILD} --target {OWN_TESTS}")
    return {"all": steps.test("tests", BUILD, r"-R '^asio_compat\.'")}


def upstream(_, steps):
    configure(steps)
    steps.test("tests", BUILD, r"-R '^upstream\.(is_built|asio/|examples/|has_no|tripwire)'")
    return {each: len(re.findall(rf" upstream\.\S+\.{each} \.+ +Passed ", steps.output)) for each in DESIGNS}


def start(root, program, design, port, stderr=subprocess.DEVNULL):
    """Starts a server. `design` is the value of LOOPBENCH_ASIO, which Asio's own context ignores."""
    return subprocess.Popen(["chroot", root.folder, program, str(port)], stdout=subprocess.DEVNULL,
                            stderr=stderr, text=True, env=root.environment | {"LOOPBENCH_ASIO": design})


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def connect(server, port):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if server.poll() is not None:
            raise Failed(f"the server ended with exit code {server.returncode}")
        with contextlib.suppress(ConnectionRefusedError):
            return socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        time.sleep(0.02)
    raise Failed("the server does not listen")


def echoes(root, program, design):
    """Returns the number of equal echoes on four connections in turn."""
    port = free_port()
    with contextlib.ExitStack() as ends:
        server = ends.enter_context(start(root, program, design, port))
        ends.callback(server.kill)
        connections = [ends.enter_context(connect(server, port)) for _ in range(4)]
        sizes = random.Random(design)
        for i in range(ECHOES):
            sent = os.urandom(sizes.randint(1, LARGEST_ECHO))
            connection = connections[i % len(connections)]
            connection.sendall(sent)
            if receive(connection, len(sent)) != sent:
                raise Failed(f"echo {i + 1} differs")
    return ECHOES


def refuses_wrong_design(root):
    """Returns True if LOOPBENCH_ASIO=none is an error of the server. Then our header is really in it."""
    with start(root, SWAPPED, "none", free_port(), subprocess.PIPE) as server:
        try:
            return "LOOPBENCH_ASIO" in server.communicate(timeout=PATIENCE_S)[1]
        except subprocess.TimeoutExpired:
            server.kill()
            return False


def echo(root, steps):
    configure(steps)
    steps.run("build", f"cmake --build {BUILD} --target loopbench_loop\nrm -rf {PREFIX}\n"
                       + "\n".join(f"cmake --install {BUILD} --prefix {PREFIX} --component {each}"
                                   for each in ("loop", "asio")))
    paths = f"export PKG_CONFIG_PATH={PREFIX}/lib/pkgconfig:{PREFIX}/lib/$(g++ -print-multiarch)/pkgconfig"
    for program, options in SERVERS.items():
        steps.run("compile", f"{paths}\ng++ -std=c++20 -O2 -w {EXAMPLE} -o {program} -pthread {options}")
    counts = {}
    if steps.failed:
        return counts
    for name, program, design in (("Asio, epoll", STOCK, ""), ("Asio, io_uring", STOCK_URING, ""),
                                  *((f"header, {each}", SWAPPED, each) for each in DESIGNS)):
        try:
            counts[name] = echoes(root, program, design)
        except (Failed, OSError) as failed:
            steps.failed = f"{name}: {failed}"
    if not refuses_wrong_design(root):
        steps.failed = "the swapped server ignores LOOPBENCH_ASIO"
    return counts


PARTS = {"own": own, "upstream": upstream, "echo": echo}


def table(results):
    columns = {"own tests": ("own", "all")} | {f"upstream, {each}": ("upstream", each) for each in DESIGNS} | {
        f"echoes: {each}": ("echo", each)
        for each in ("Asio, epoll", "Asio, io_uring", *(f"header, {design}" for design in DESIGNS))}
    rows = []
    for version in sorted({each["version"] for each in results.all}, key=lambda text: [*map(int, text.split("."))]):
        row = [version, SUITES.get(version, "testing"),
               commits(each for each in results.all if each["version"] == version)]
        for part, count in columns.values():
            result = results.find(version=version, part=part)
            row.append("-" if not result else result["problem"] or str(result["counts"][count]))
        rows.append(row)
    return markdown(["Boost", "Debian", "commit", *columns], rows)


def main(source, folder, versions, again):
    results, commit = Results(folder, ("version", "part"), again), commit_of(source)
    for version in versions:
        missing = [part for part in PARTS if not results.has(commit, version=version, part=part)]
        root = prepared(source, folder, version, commit) if missing else None
        for part in missing:
            begin = time.monotonic()
            steps = Steps(root, folder / f"{version}-{part}.log")
            counts = PARTS[part](root, steps)
            result = {"version": version, "part": part, "counts": counts, "warnings": steps.warnings,
                      "problem": steps.failed, "seconds": round(time.monotonic() - begin), "commit": commit}
            results.keep(result)
            tell(f"Boost {version}, {part}: {steps.failed or counts}")
    print(table(results))
    return 1 if any(each["problem"] for each in results.all if each["version"] in versions) else 0


if __name__ == "__main__":
    chosen = arguments(sys.argv, __doc__, list(SUITES))
    with_own_mounts()
    sys.exit(main(*chosen))
