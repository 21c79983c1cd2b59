#!/usr/bin/env python3
"""Installs everything as `make install` does, and checks that the target `suite` builds all installed files.

    whole.py BUILD PREFIX
"""

import pathlib
import re
import shutil
import subprocess
import sys


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def installed_files(build):
    """Returns the files of the build folder that the installation scripts name, relative to the folder. Does not search
    the folder for the scripts, because other tests have build folders of their own below it.
    """
    scripts, texts = [build / "cmake_install.cmake"], []
    for script in scripts:
        texts.append(script.read_text())
        scripts += map(pathlib.Path, re.findall(r'^ *include\("(.+/cmake_install\.cmake)"\)', texts[-1], re.MULTILINE))
    return set(re.findall(rf'"{re.escape(str(build))}/([^"$]+)"', "".join(texts)))


def main(build, prefix):
    of_ninja = {line.partition(":")[0] for line in output_of("ninja", "-C", build, "-t", "targets", "all").splitlines()}
    built = installed_files(build) & of_ninja
    words = set(output_of("ninja", "-C", build, "-t", "commands", "suite").split())
    if lacking := {file for file in built if not words & {file, f"{build}/{file}", pathlib.Path(file).name}}:
        return f"the target suite does not build {', '.join(sorted(lacking))}, which is installed"
    if "bin/loopbench" not in built:
        return "bin/loopbench is not installed"
    shutil.rmtree(prefix, ignore_errors=True)
    output_of("cmake", "--install", build, "--prefix", prefix)
    listed = output_of(prefix / "bin/loopbench", "list")
    for contender in ("loop-epoll", "asio-epoll"):
        if contender not in listed:
            return f"the installed loopbench does not list {contender}"
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))
