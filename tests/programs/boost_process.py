"""Boost.Process's own tests, of its first interface and of version 2, from Debian's source package boost1.81.

Fetches the sources, and compiles all tests that use an io_context, with the definitions of their Jamfiles. The tests
start child processes, wait for their ends (SIGCHLD, pidfd), and read and write their pipes. There is no patch.
Installs Debian's development packages of the Boost libraries below.
"""

import re

import kit

PACKAGE = "boost1.81"
LIBRARIES = ["filesystem", "program-options", "iostreams", "coroutine", "context", "thread", "chrono"]
TESTS = ["async", "async_fut", "async_pipe", "async_system_future", "async_system_stackful",
         "async_system_stackful_except", "async_system_stackless", "bind_stderr", "bind_stdin", "bind_stdout",
         "bind_stdout_stderr", "exit_code", "limit_fd", "on_exit", "on_exit2", "on_exit3", "spawn", "system_test2",
         "v2/process", "v2/shell", "wait"]


def report(done):
    """Returns the numbers of a report of Boost.Test. Raises Failed with the test cases that failed."""
    counts = [re.search(rf"(\d+) {what}s? out of (\d+) passed", done.output) for what in ("test case", "assertion")]
    text = ", ".join(f"{found[1]} of {found[2]} {what}" for found, what in zip(counts, ("cases", "checks")) if found)
    failed = sorted(set(re.findall(r'error: in "([^"]+)"', done.output)))
    if done.code != 0 or failed or not all(counts):
        raise kit.Failed(f"{text or 'no report'}; exit code {done.code}; failed: {', '.join(failed) or 'none'}")
    return text


def run(program):
    program.install(*(f"libboost-{each}1.81-dev" for each in LIBRARIES))
    tests = program.boost(PACKAGE) / "process/test"
    flags = ["-w", "-DBOOST_ASIO_NO_DEPRECATED"]
    libraries = [f"-lboost_{each.replace('-', '_')}" for each in LIBRARIES]
    children = {"": "sparring_partner", "v2/": "target"}
    for folder, child in children.items():
        program.compile(folder + child, tests / f"{folder}{child}.cpp", flags=flags, libraries=libraries)

    def try_test(name, child):
        def passes(way):
            return report(program.run(way, way.folder / name, "--log_level=error", "--report_level=short",
                                      "--color_output=no", "--catch_system_errors=no", "--", way.folder / child,
                                      cwd=way.folder))
        program.check(name, passes)

    for name in TESTS:
        folder = "v2/" if name.startswith("v2/") else ""
        more = [tests / "v2/test_impl.cpp"] if folder else []
        program.compile(name, tests / f"{name}.cpp", *more, libraries=libraries,
                        flags=[*flags, *(["-DBOOST_PROCESS_V2_SEPARATE_COMPILATION=1"] if folder else [])])
        try_test(name, folder + children[folder])
