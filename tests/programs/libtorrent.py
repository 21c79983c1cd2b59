"""Tests of libtorrent (the library of qBittorrent), from Debian's source package libtorrent-rasterbar.

Builds the library with its assertions, and the five of its tests that use Asio most, with CMake: sessions; transfers
between two sessions over TCP, also through SOCKS5 and HTTP proxies, and over uTP; HTTP and UDP trackers; and HTTP and
HTTPS requests, also through proxies. test_ssl is left out, because its certificates have expired. The servers and
proxies are Python scripts of libtorrent. Each test case is a process in a network namespace of its own. A case passes
if one of three tries passes, because some have short time limits, and http_peers fails on any context if its tracker
answers too early.

libtorrent needs no change for the loop, although its handlers have blocks of memory that are just large enough for
Asio's own operations, which the compiler checks. CMake compiles several sources as one, which halves the time of the
build; for that, a macro must end with its file, and a system's type must be named in full.

Needs root for the network namespaces, or user namespaces. Installs libssl-dev and Boost's headers.
"""

import functools
import re

import kit

PACKAGE = "libtorrent-rasterbar"
TESTS = ["test_session", "test_transfer", "test_utp", "test_tracker", "test_http_connection"]
CASE_LIMIT_S = 120


def run(program):
    program.install("libboost1.81-dev", "libssl-dev", "python3", "iproute2")
    source = program.source(PACKAGE)
    program.replace(source / "src/puff.cpp", "    return err;\n}\n", "    return err;\n}\n#undef local\n")
    program.replace(source / "src/copy_file.cpp", "\tstruct stat in_stat;", "\tstruct ::stat in_stat;")
    program.cmake(source, "-DBUILD_SHARED_LIBS=OFF", "-Dbuild_tests=ON", "-DCMAKE_BUILD_TYPE=None",
                  "-DCMAKE_CXX_FLAGS=-w", "-Ddeveloper-options=ON", "-Dasserts=on", "-DCMAKE_UNITY_BUILD=ON",
                  "-DCMAKE_UNITY_BUILD_BATCH_SIZE=12",
                  f"-DCMAKE_PROJECT_libtorrent_INCLUDE={kit.HERE / 'libtorrent.cmake'}", targets=TESTS)
    for each in TESTS:
        program.check(each, functools.partial(passed, program, each))


def passed(program, test, way):
    folder = way.folder / "test"
    listed = program.run(way, folder / test, "--list").output
    names = re.findall(r"^ - (.+\.cpp\.(\w+))$", listed, re.MULTILINE)
    full_name = {name: full for full, name in names}

    def try_case(name):
        full = full_name[name]
        done = program.run(way, kit.IN_NAMESPACE, folder / test, full, limit_s=CASE_LIMIT_S, cwd=folder)
        if done.code != 0 or not re.search(rf"\[{re.escape(full)} *\] \*\*\*PASS\*\*\*", done.output):
            raise kit.Failed(f"ends with {done.code}")

    return program.count_passed(full_name, try_case)
