#!/usr/bin/env python3
"""Checks that the man page renders without a warning. The page must name the license, everything in `--help`, and the
environment variables in the sources. The examples must have known options.

    manual_test.py LOOPBENCH PAGE SOURCE

mandoc and groff render the page; `.ci/install documentation` installs them.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def rendered(page):
    lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
    if lint.returncode != 0 or lint.stdout or lint.stderr:
        sys.exit(f"mandoc warns of the man page:\n{lint.stdout}{lint.stderr}")
    groff = subprocess.run(["man", "--warnings", "--local-file", page], capture_output=True, text=True,
                           env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
    if groff.returncode != 0 or groff.stderr:
        sys.exit(f"groff warns of the man page:\n{groff.stderr}")
    # mandoc prints a bold letter as the letter, a backspace and the letter again.
    return re.sub(".\b", "", output_of("mandoc", "-T", "ascii", page))


def sections(text):
    parts = re.split(r"^(?:   )?([A-Za-z][A-Za-z ]*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def expect_all(names, section, where):
    if not names:
        sys.exit(f"{where}: --help names nothing that this test could look for")
    for name in names:
        if not re.search(rf"^ +(-\w, )?{re.escape(name)}\b", section, flags=re.MULTILINE):
            sys.exit(f"{where}: {name} is not in\n{section}")


def variables_in(source):
    files = [*source.glob("bench/harness/**/*.[ch]pp"), *source.glob("reports/**/*.[ch]pp"),
             source / "asio_compat/include/loopbench/asio/detail/core.hpp"]
    text = "".join(file.read_text() for file in files)
    # The man page need not name LOOPBENCH_MALLOC_FILE and LOOPBENCH_COMMAND, because only the command sets them, for
    # its own programs, and LD_PRELOAD, because the command passes its value unchanged to the loader.
    return set(re.findall(r'(?:getenv|environment_text|user_folder)\("([A-Z_]+)"', text)) - {
        "LOOPBENCH_MALLOC_FILE", "LOOPBENCH_COMMAND", "LD_PRELOAD"}


def check_sections(loopbench, found, source):
    variables = variables_in(source)
    if not {"TMPDIR", "NO_COLOR", "XDG_DATA_HOME", "LOOPBENCH_ASIO"} <= variables:
        sys.exit(f"this test finds only these variables in the sources: {variables}")
    for name in [*variables, "HOME"]:
        if not re.search(rf"\b{name}\b", found.get("ENVIRONMENT", "")):
            sys.exit(f"the section ENVIRONMENT does not name {name}")
    for name in ("report.html", "report.json", "report.csv", "journal.jsonl", "histograms.jsonl", "counts.json",
                 "history.db", "calibration"):
        if name not in found.get("FILES", ""):
            sys.exit(f"the section FILES does not name {name}")
    examples = re.findall(r"^ +loopbench (.+)$", found.get("EXAMPLES", ""), flags=re.MULTILINE)
    if len(examples) < 6:
        sys.exit(f"the section EXAMPLES has fewer than six examples: {examples}")
    for example in examples:
        arguments = shlex.split(example)
        accepted = output_of(loopbench, arguments[0], "--help")
        for option in (word for word in arguments if word.startswith("--") and word != "--"):
            if option not in accepted:
                sys.exit(f"the example `loopbench {example}` uses the unknown option {option}")


def main(loopbench, page, source):
    for reader in ("mandoc", "man"):
        if not shutil.which(reader):
            sys.exit(f"{reader} is not installed; `.ci/install documentation` installs it")
    found = sections(rendered(page))
    of_all = output_of(loopbench, "--help")
    commands = re.findall(r"^  ([a-z]+)  ", of_all, flags=re.MULTILINE)
    expect_all(re.findall(r"^  (?:-\w,)?(--[\w-]+)", of_all, flags=re.MULTILINE), found["DESCRIPTION"], "loopbench")
    expect_all(re.findall(r"^  (\d+) ", of_all, flags=re.MULTILINE), found["EXIT STATUS"], "exit codes")
    check_sections(loopbench, found, pathlib.Path(source))
    if "Boost Software License 1.0" not in found.get("LICENSE", ""):
        sys.exit("the man page has no section LICENSE that names the Boost Software License 1.0")
    while commands:
        command = commands.pop()
        text = output_of(loopbench, *command.split(), "--help")
        if command not in found:
            sys.exit(f"the man page has no section on {command}")
        expect_all(re.findall(r"^  (?:-\w,)?(--[\w-]+)", text, flags=re.MULTILINE), found[command], command)
        commands += [f"{command} {name}" for name in re.findall(r"^  ([a-z]+)  ", text, flags=re.MULTILINE)]


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
