#!/usr/bin/env python3
"""Configures a build on a machine without the optional libraries. The build must say what it leaves out, and must fail
with LOOPBENCH_ALL.

    left_out.py SOURCE COMPILER SCRATCH
"""

import pathlib
import shutil
import subprocess
import sys

# Stands in for pkg-config, and finds neither libuv nor libevent.
PKG_CONFIG = """#!/bin/sh
case "$*" in *libuv* | *libevent*) exit 1 ;; esac
exec pkg-config "$@"
"""
NO_SOCI = ("-DSOCI_INCLUDE_DIR=",)  # the library without its headers is not enough
LEFT_OUT = {"contender libuv": "libuv1-dev", "contender libevent": "libevent-dev", "history": "libsoci-dev"}


def configure(source, compiler, scratch, *more):
    command = ["cmake", "-S", source, "-B", scratch / "build", f"-DCMAKE_CXX_COMPILER={compiler}",
               f"-DPKG_CONFIG_EXECUTABLE={scratch / 'pkg-config'}", "-DLOOPBENCH_TESTS=OFF", *NO_SOCI, *more]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, " ".join(done.stdout.split())


def texts_of(build):
    """Returns the texts of the files that say how the command is compiled and packaged."""
    names = ("build.ninja", "flags.make", "CPackConfig.cmake")
    return "".join(file.read_text() for name in names for file in build.rglob(name))


def main(source, compiler, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    (scratch / "pkg-config").write_text(PKG_CONFIG)
    (scratch / "pkg-config").chmod(0o755)
    code, output = configure(source, compiler, scratch)
    if code != 0:
        sys.exit(f"left_out: exit code {code}\n{output}")
    for part, package in LEFT_OUT.items():
        lines = [each for each in output.split("-- ") if each.startswith("left out: ") and part in each]
        if len(lines) != 1 or package not in lines[0]:
            sys.exit(f"left_out: {part} and {package} must be named once: {lines}")
    for word in ("with SOCI", "libsoci"):
        if word in texts_of(scratch / "build"):
            sys.exit(f"left_out: the build without history says {word}")
    code, output = configure(source, compiler, scratch, "-DLOOPBENCH_ALL=ON")
    if code == 0 or "left out" not in output:
        sys.exit(f"left_out: LOOPBENCH_ALL=ON accepts missing libraries: {output}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]))
