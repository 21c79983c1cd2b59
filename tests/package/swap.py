#!/usr/bin/env python3
"""Follows docs/asio-programs.md: from an installed loopbench to a comparison of a program on Boost.Asio with the same
program on the project's loop.

    swap.py SOURCE BUILD COMPILER SCRATCH

The script installs the needed parts first. Then it runs the commands of the document in their order, on the program in
tests/package/asio, with a home folder of its own, whose name has no blank. It makes `loopbench run` few and short
trials, and replaces `ab` by a single request.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DONE_ALREADY = {"make install prefix=$HOME/.local"}
MEASURED = {0, 3, 4, 5}  # the exit codes of a complete comparison

# The fake commands replace the real ones, because their folder comes first in PATH.
COMMANDS = {
    "loopbench": 'case " $* " in *" --client "*) first=$1; shift; exec {home}/.local/bin/loopbench "$first" --blocks 6 '
                 '--min-time 2ms "$@";; esac\nexec {home}/.local/bin/loopbench "$@"',
    "ab": "for url; do :; done\nport=${{url##*:}}\n"
          "exec bash -c \"exec 3<>/dev/tcp/127.0.0.1/${{port%/}}; echo hello >&3; read -r back <&3\"",
    "c++": 'exec "{compiler}" "$@"',
}


PROJECT = """cmake_minimum_required(VERSION 3.25)
project(program C CXX)
find_package(Threads REQUIRED)
add_executable(server server.cpp part.c)
target_link_libraries(server PRIVATE Threads::Threads)
"""


def uses(program, word):
    return word in subprocess.run(["nm", "-C", program], check=True, capture_output=True, text=True).stdout


def shown_commands(document):
    for block in re.findall(r"^```sh\n(.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL):
        yield from block.splitlines()


def write_commands(folder, home, compiler):
    folder.mkdir()
    for name, text in COMMANDS.items():
        (folder / name).write_text("#!/bin/sh\n" + text.format(home=home, compiler=compiler) + "\n")
        (folder / name).chmod(0o755)


def install(build, prefix):
    for component in ("loop", "asio"):
        subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--component", component], check=True,
                       stdout=subprocess.DEVNULL)
    for name, folder in (("loopbench", "bin"), ("loopbench-client", "libexec/loopbench")):
        (prefix / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(build / "bin" / name, prefix / folder)


def main(source, build, compiler, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as home:
        return follow(source, build, compiler, scratch, pathlib.Path(home))


def follow(source, build, compiler, scratch, home):
    install(build, home / ".local")
    write_commands(scratch / "commands", home, compiler)
    program = scratch / "program"
    program.mkdir()
    shutil.copy(source / "tests/package/asio/server.cpp", program)
    (program / "part.c").write_text("int part;\n")
    (program / "CMakeLists.txt").write_text(PROJECT)
    environment = os.environ | {"HOME": str(home), "CXX": compiler}
    shown = list(shown_commands(source / "docs/asio-programs.md"))
    (export,) = (command for command in shown if command.startswith("export "))
    exports = f"{export}; PATH='{scratch}/commands':$PATH; "
    for command in shown:
        # tests/cli/documentation_test.cpp runs these commands, so this test skips them.
        if command in DONE_ALREADY | {export} or command.startswith("loopbench run"):
            continue
        done = subprocess.run(["sh", "-c", exports + command], cwd=program, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode not in (MEASURED if "loopbench compare" in command else {0}):
            sys.exit(f"swap: exit code {done.returncode} of: {command}\n{done.stdout}")
    missing = [path for path in ("loopbench-compare", "on-io_uring", "by-ab")
               if not (program / path / "report.json").exists()]
    if missing:
        sys.exit(f"swap: no report.json in {missing}")
    for name, swapped in (("server", False), ("server-on-loop", True), ("on-loop/server", True)):
        if uses(program / name, "loopbench::loop::") != swapped:
            sys.exit(f"swap: {name} is {'not ' if swapped else ''}on the loop")
    print("swapped and measured")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*(pathlib.Path(each) if number != 2 else each for number, each in enumerate(sys.argv[1:]))))
