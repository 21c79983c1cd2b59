#!/usr/bin/env python3
"""Installs the component `tool`, and later the component `contenders`, and uses them from another folder.

    tool.py BUILD SCRATCH

The first installation must be complete without contenders: `compare` measures commands, and what needs contenders says
what to install.
"""

import pathlib
import shutil
import subprocess
import sys

MEASURED = {0, 3, 4, 5}  # the exit codes of a complete comparison
USAGE = 2


def install(build, prefix, component):
    subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--component", component], check=True,
                   stdout=subprocess.DEVNULL)


def run(prefix, *words):
    done = subprocess.run([prefix / "bin/loopbench", *words], cwd=prefix.parent, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def require(condition, text):
    if not condition:
        sys.exit(f"tool.py: {text}")


def require_refusal(prefix, words, *remedies):
    code, output = run(prefix, *words)
    require(code == USAGE, f"exit code {code} of {words}: {output}")
    for remedy in remedies:
        require(remedy in output, f"{words} does not name {remedy}: {output}")


def main(build, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    first, prefix = scratch / "first", scratch / "moved here"
    install(build, first, "tool")
    first.rename(prefix)
    for file in ("share/man/man1/loopbench.1", "share/doc/loopbench/LICENSE", "libexec/loopbench/loopbench-command",
                 "share/bash-completion/completions/loopbench", "share/zsh/site-functions/_loopbench",
                 "share/fish/vendor_completions.d/loopbench.fish",
                 "libexec/loopbench/libloopbench_malloc_counter.so"):
        require((prefix / file).is_file(), f"{file} is not installed")
    require(not (prefix / "libexec/loopbench/contenders").exists(), "the component contains contenders")
    code, output = run(prefix, "compare", "--blocks", "6", "--min-time", "1ms", "-o", scratch / "compared",
                       "--", "true", "sleep 0.01")
    require(code in MEASURED, f"exit code {code}: {output}")
    require("sleep 0.01" in output, output)
    require_refusal(prefix, ["run", "--quick", "-o", scratch / "run"], "make bench", "loopbench-contenders")
    require_refusal(prefix, ["compare", "--client", "echo", "/bin/true", "/bin/true", "-o", scratch / "served", "--",
                             "{port}"], "loopbench-client", "loopbench-contenders")
    install(build, prefix, "contenders")
    code, output = run(prefix, "list")
    require(code == 0 and "asio-epoll" in output and "loop-epoll" in output, f"exit code {code}: {output}")
    require((prefix / "libexec/loopbench/loopbench-client").is_file(), "the client is not installed")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
