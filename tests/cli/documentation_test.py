#!/usr/bin/env python3
"""Checks the contents of the documents in the top folder and in docs/.

    documentation_test.py SOURCE LOOPBENCH

Each code block must be part of a file that a test compiles or runs. Every link must have a target. No two sections of a
document have the same heading. Each `--workload` of a command must select a workload. The exit codes must be those of
`loopbench --help`. The glossary must be in alphabetical order. The table in docs/formats.md must list the format
numbers of the code. documentation_test.cpp checks that the commands work, and evidence_test.py checks the numbers.
"""

import fnmatch
import pathlib
import json
import re
import subprocess
import sys

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NO_CODE = {"", "sh", "yaml"}  # output, commands, and CI jobs, which tests/action checks
OF_AN_EXAMPLE = {"answer"}
COMPILED_OR_RUN = ["tests/package", "loop"]


def documents(source):
    return [*sorted(source.glob("*.md")), *sorted(source.glob("docs/*.md")),
            source / "loop/README.md", source / "asio_compat/README.md"]


def is_part_of(block, text):
    lines = iter(line.strip() for line in text.splitlines())
    wanted = [line.partition("   #")[0].strip() for line in block.splitlines()]
    return all(any(line == each for line in lines) for each in wanted if each)


def code_of_its_own(document, source):
    files = [path.read_text() for folder in COMPILED_OR_RUN for path in (source / folder).rglob("*")
             if path.suffix in (".cpp", ".hpp", ".txt", ".cmake", ".py")]
    for language, block in FENCE.findall(document.read_text()):
        if language not in NO_CODE and not any(is_part_of(block, text) for text in files):
            yield f"no file in {', '.join(COMPILED_OR_RUN)} contains this {language} block:\n{block}"


def anchors(document):
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", document.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def repeated_headings(document):
    headings = re.findall(r"^## .+$", FENCE.sub("", document.read_text()), re.MULTILINE)
    for heading in sorted({each for each in headings if headings.count(each) > 1}):
        yield f"two sections have the heading \"{heading}\""


def dead_links(document):
    for link in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", document.read_text())):
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        if "://" in link:
            continue
        if not target.exists():
            yield f"the target of {link} does not exist"
        elif anchor and anchor not in anchors(target):
            yield f"{link}: the heading does not exist"


def workloads_of(loopbench):
    listed = subprocess.run([loopbench, "list", "--json"], check=True, capture_output=True, text=True).stdout
    return [each["name"] for each in json.loads(listed)["workloads"]]


def unknown_workloads(document, workloads):
    for command in re.findall(r"loopbench run((?:[^`\n]|\\\n)*)", document.read_text()):
        for glob in re.findall(r"--workload '?([^\s'`]+)", command):
            if glob not in OF_AN_EXAMPLE and not fnmatch.filter(workloads, glob + "*"):
                yield f"--workload {glob} selects no workload"


def wrong_exit_codes(source, loopbench):
    text = subprocess.run([loopbench, "--help"], check=True, capture_output=True, text=True).stdout
    wanted = text[text.index("Exit codes:"):].strip()
    if not any(block.strip() == wanted for _, block in FENCE.findall((source / "docs/gate.md").read_text())):
        yield f"these exit codes of --help are missing:\n{wanted}"


def stale_glossary(source, loopbench):
    terms = re.findall(r"^\| (?!term |---)(.+?) \| ", (source / "docs/glossary.md").read_text(), re.MULTILINE)
    if terms != sorted(terms, key=str.lower):
        yield "the terms are not in alphabetical order"
    known = "".join((source / name).read_text()
                    for name in ("reports/model/report.schema.json", "docs/bring-your-own-loop.md"))
    for command in ("run", "check", "explain", "history trend"):
        known += subprocess.run([loopbench, *command.split(), "--help"], check=True, capture_output=True,
                                text=True).stdout
    for term in terms:
        for spelling in re.findall(r"`([^`]+)`", term):
            if not re.search(rf"(?<![\w-]){re.escape(spelling)}(?![\w-])", known):
                yield f"{term}: no option, field or variable is spelled {spelling}"


def stale_formats(source):
    name = r"loopbench-\w+/\d+"
    in_code = set(re.findall(f'"({name})"', (source / "reports/base/file_formats.hpp").read_text()))
    in_table = set(re.findall(rf"^\| `({name})` \|", (source / "docs/formats.md").read_text(), re.MULTILINE))
    for each in sorted(in_code ^ in_table):
        yield f"{each} is missing in " + ("the table" if each in in_code else "reports/base/file_formats.hpp")


def main(source, loopbench):
    source = pathlib.Path(source)
    complaints = [(source / "docs/gate.md", what) for what in wrong_exit_codes(source, loopbench)]
    complaints += [(source / "docs/glossary.md", what) for what in stale_glossary(source, loopbench)]
    complaints += [(source / "docs/formats.md", what) for what in stale_formats(source)]
    workloads = workloads_of(loopbench)
    for document in documents(source):
        complaints += [(document, what) for what in unknown_workloads(document, workloads)]
        complaints += [(document, what) for what in (*code_of_its_own(document, source), *dead_links(document),
                                                     *repeated_headings(document))]
    for document, what in complaints:
        print(f"{document.relative_to(source)}: {what}")
    return 1 if complaints else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
