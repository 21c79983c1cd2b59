#!/usr/bin/env python3
"""Checks the project's style: the format, the line breaks of comments, plain words, and that every source file is used.

usage: style.py SOURCE_FOLDER [CLANG_FORMAT]

Prints each problem as FILE:LINE: PROBLEM, and exits with 1 if there is a problem. Checks the format only with
CLANG_FORMAT, and exits with 77 if this program does not exist.
"""

import pathlib
import re
import subprocess
import sys

import words

COLUMNS_MAX = {".hpp": 110, ".cpp": 110}  # as in .clang-format
OTHER_COLUMNS_MAX = 120

CODE = {".hpp", ".cpp"}
TEXT = CODE | {".py", ".cmake", ".txt", ".sh"}


def tracked_files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            check=True, capture_output=True, text=True).stdout
    return [root / name for name in listed.split("\0") if name and (root / name).is_file()]


def too_long(path, lines):
    for number, line in enumerate(lines, 1):
        columns_max = COLUMNS_MAX.get(path.suffix, OTHER_COLUMNS_MAX)
        # Only the comments of C++ files are checked here, because clang-format checks the width of the code.
        if len(line) > columns_max and "://" not in line and \
                (path.suffix not in CODE or line.lstrip().startswith("//")):
            yield number, f"{len(line)} columns, {columns_max} are allowed"
        if line != line.rstrip():
            yield number, "blanks at the end of a line"


def torn_comments(lines):
    """Finds short lines inside comments. Such lines remain if an editor breaks a line that is too long."""
    pattern = re.compile(r"^(\s*)(///|//) {1,3}(\S.*)$")  # more than three blanks mark a formula or an example
    for number, (line, following) in enumerate(zip(lines, lines[1:]), 1):
        this, next_one = pattern.match(line), pattern.match(following)
        if not this or not next_one or this.group(1, 2) != next_one.group(1, 2):
            continue
        text, rest = this.group(3), next_one.group(3)
        if len(text.split()) <= 3 and text[0].islower() and not rest.startswith(("- ", "|")):
            yield number, "a short line in the middle of a comment; rewrap the paragraph"


def openings(path, lines):
    if path.suffix in CODE and not lines[0].startswith("//") and not path.with_suffix(".hpp").exists():
        yield 1, "a file must begin with a comment that states its purpose"
    if path.suffix == ".hpp":
        directives = [line for line in lines if line.startswith("#")]
        if not directives or directives[0] != "#pragma once":
            yield 1, "the first directive of a header must be #pragma once"


def unnamed_files(root, files, texts):
    cmake = "\n".join(text for path, text in texts.items() if path.suffix in (".cmake", ".txt"))
    code = "\n".join(texts.values())
    included = set(re.findall(r'#include ["<](?:[^">]*/)?([\w.-]+)[">]', code))
    included |= set(re.findall(r"[\w.-]+\.hpp", cmake))
    for path in files:
        if path.suffix == ".cpp" and not re.search(rf"\b{path.stem}\b", cmake):
            yield path, 1, "no CMakeLists.txt names this file"
        if path.suffix == ".hpp" and path.name not in included:
            yield path, 1, "no file includes this header"


def unplain_words(root, files):
    for path in files:
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for complaint in words.complaints(path.relative_to(root).as_posix(), text):
            yield path, *complaint


def ill_formatted(files, clang_format):
    if clang_format.endswith("-NOTFOUND"):
        print("style: clang-format-14 is missing, so the format was not checked; install it with .ci/install style")
        sys.exit(77)
    run = subprocess.run([clang_format, "--dry-run", *[str(path) for path in files if path.suffix in CODE]],
                         capture_output=True, text=True)
    seen = set()
    for found in re.finditer(r"^(.+?):(\d+):\d+: warning: code should be clang-formatted", run.stderr, re.M):
        if found.group(1) not in seen:
            seen.add(found.group(1))
            yield pathlib.Path(found.group(1)), int(found.group(2)), "clang-format would format this differently"
    if run.returncode != 0 and not seen:
        sys.exit(f"style: {clang_format} failed: {run.stderr.strip()}")


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    tracked = tracked_files(root)
    files = [path for path in tracked
             if path.suffix in TEXT and not {"golden", "evidence"} & set(path.parts)]  # they contain program output
    if not any(path.suffix in CODE for path in files):
        sys.exit(f"style: no source in {root}; is it a clone of the repository?")
    texts = {path: path.read_text() for path in files}
    complaints = []
    for path in files:
        lines = texts[path].splitlines() or [""]
        checks = [too_long(path, lines), openings(path, lines)]
        if path.suffix in CODE:
            checks.append(torn_comments(lines))
        complaints += [(path, *complaint) for check in checks for complaint in check]
    complaints += unnamed_files(root, files, texts)
    complaints += unplain_words(root, tracked)
    if len(sys.argv) > 2:
        complaints += ill_formatted(files, sys.argv[2])
    for path, number, what in sorted(complaints):
        print(f"{path.relative_to(root)}:{number}: {what}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
