#!/usr/bin/env python3
"""Tests the installed completion scripts in their shells.

    completion_test.py bash|zsh|fish LOOPBENCH SHARE

SHARE is the installed share/ folder. For bash and zsh, the test types keys on a pseudo-terminal; fish has a command
that prints its completions.
"""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

SILENCE_MAX_S = 30
COMPLETED = {
    "loopbench expl": "loopbench explain",
    "loopbench run --prec": "loopbench run --precision",
    "loopbench run --contender loop-rou": "loopbench run --contender loop-round-robin",
    "loopbench run --workload echo/rtt/tcp/conns:1000/bytes:6": "loopbench run --workload "
                                                                "echo/rtt/tcp/conns:1000/bytes:64",
    "loopbench check --tier ti": "loopbench check --tier times",
    "loopbench report x --format mark": "loopbench report x --format markdown",
    "loopbench report x --format=mark": "loopbench report x --format=markdown",
    "loopbench report only-f": "loopbench report only-file.json",
}
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source {share}/bash-completion/completions/loopbench"),
    "zsh": (["zsh", "-f", "-i"], "fpath=({share}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -D -u; "
                                 "bindkey -e"),
}
LINE_BEGIN, TAB = "\x01", "\t"


class Terminal:
    def __init__(self, command, environment):
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
        self.seen = ""

    def type(self, keys):
        os.write(self.descriptor, keys.encode())

    def wait_for(self, line):
        begin, last = len(self.seen), time.monotonic()
        while not re.search(rf"\n{re.escape(line)} *\r", self.seen[begin:]):
            if not select.select([self.descriptor], [], [], 1)[0]:
                if time.monotonic() - last > SILENCE_MAX_S:
                    sys.exit(f"the shell did not print the line `{line}`:\n{self.seen[begin:]}")
                continue
            last = time.monotonic()
            self.seen += os.read(self.descriptor, 65536).decode(errors="replace")

    def end(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def type_at(shell, share, environment):
    command, first = SHELLS[shell]
    terminal = Terminal(command, environment)
    try:
        terminal.type(f"{first.format(share=share)}; echo re''ady\n")
        terminal.wait_for("ready")
        for typed, wanted in COMPLETED.items():
            # Puts `echo GOT` before the completed line, so that the shell prints the line instead of executing it.
            terminal.type(f"{typed}{TAB}{LINE_BEGIN}echo GOT \n")
            terminal.wait_for(f"GOT {wanted}")
    finally:
        terminal.end()


def ask_fish(share, environment):
    for typed, wanted in COMPLETED.items():
        script = f"source {share}/fish/vendor_completions.d/loopbench.fish; complete -C '{typed}'"
        offered = subprocess.run(["fish", "--no-config", "-c", script], env=environment, check=True, text=True,
                                 capture_output=True).stdout
        words = [line.split("\t")[0] for line in offered.splitlines()]
        if words != [wanted.split(" ")[-1]]:
            sys.exit(f"fish offers {words} after `{typed}`, not {wanted}")


def main(shell, loopbench, share):
    if not shutil.which(shell):
        sys.exit(f"{shell} is not installed; `.ci/install documentation` installs it")
    loopbench, share = os.path.abspath(loopbench), os.path.abspath(share)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("only-file.json", "w", encoding="ascii"):
            pass
        environment = {"PATH": f"{os.path.dirname(loopbench)}:{os.environ['PATH']}", "HOME": folder, "TERM": "dumb",
                       "LC_ALL": "C.UTF-8"}
        if shell == "fish":
            ask_fish(share, environment)
        else:
            type_at(shell, share, environment)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
