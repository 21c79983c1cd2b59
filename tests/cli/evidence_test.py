#!/usr/bin/env python3
"""Checks the files in reports/evidence, and that they contain the numbers that the documentation quotes.

    evidence_test.py SOURCE

- reports/evidence must be small, its README.md must have the checksum of each file, and a document must name each
  folder.
- A paragraph, list item or table that links to a file in reports/evidence must quote only numbers from that file. A
  table or code block without a link uses the link of the paragraph before it. Instead of a link, a comment
  `<!-- evidence: FILE... -->` in the line above can name the files. In a text with such a link or comment, `NAME/` also
  refers to a report in near_floor: the file NAME.json.xz, or the entry NAME in steps.json.xz.

A file contains a quoted number if one of its numbers, converted to the unit of the quote, rounds to the quoted number.
For a report there are more conditions. If the table row begins with a workload, the number must belong to this
workload; if the column names a contender, it must belong to this contender. `1.10 [1.09, 1.11]` must be one median with
its interval. If a source is a report, numbers without a unit and without decimals ("100 connections") are only checked
in table rows that begin with a workload.
"""

import collections
import hashlib
import itertools
import json
import lzma
import math
import pathlib
import re
import statistics
import sys

FILES_MAX, BYTES_MAX, FILE_BYTES_MAX = 60, 3_000_000, 256 * 1024
QUOTES_MIN = 850  # if there are fewer quotes, this test probably fails to find them

STEPS = "near_floor/steps.json.xz"
BLOCK = re.compile(r"^```(?:.|\n)*?^```$|(?:^(?!```).*\S.*(?:\n|\Z))+", re.MULTILINE)
MARK = re.compile(r"^<!-- evidence: (.*) -->$", re.MULTILINE)
LINK = re.compile(r"\]\((?:\.\./)*reports/evidence/([^)#]+)\)|`reports/evidence/([^`]+)`")
STEP = re.compile(r"`(\w+)/`")
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
NUMBER = re.compile(r"(?<![\w.:/^-])(?P<digits>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?:\s?(?P<unit>ns|µs|ms|s|%))?"
                    r"(?![\w.]*\w)")
COMMAND_WITH_PATH = re.compile(r'"command": ?\[(?:"[^"]*",\s*)*"(/[^"]*)"')
UNCHECKED = re.compile(r"`[^`]*`|\]\([^)]*\)|95 % (?:confidence|interval)|"
                       r"(?:g\+\+|Boost|Boost\.Asio|Linux|commit) [\w.]+")
INTERVAL = re.compile(r"^ ?(?:\w+ )??\[(-?[\d.]+), (-?[\d.]+)\]")


def documents(source):
    return [*sorted(source.glob("*.md")), *sorted(source.glob("docs/*.md"))]


def text_of(file):
    return (lzma.decompress(file.read_bytes()) if file.suffix == ".xz" else file.read_bytes()).decode()


def rounds_to(value, quoted):
    digits = quoted.replace(",", "")
    decimals = len(digits.partition(".")[2])
    return abs(abs(value) - float(digits)) <= 0.5 * 10**-decimals * (1 + 1e-6)


class Text:
    contenders = workloads = frozenset()

    def __init__(self, text):
        self.numbers = [float(each) for each in re.findall(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)]

    def has(self, digits, unit, *_):
        scales = {"%": (1, 100), "ns": (1,), "µs": (1, 1e-3), "ms": (1, 1e-3, 1e-6), "s": (1, 1e-3, 1e-9)}
        return any(rounds_to(value * scale, digits) for value in self.numbers
                   for scale in scales.get(unit, (1, 1e-6)))  # a number of bytes can be quoted in megabytes


class Report:
    def __init__(self, report):
        self.results = report["results"]
        self.contenders = {each["contender"] for each in self.results}
        self.workloads = {each["workload"] for each in self.results}
        self.references = collections.defaultdict(list)
        for each in self.results:
            if each.get("median") and each["contender"].startswith(("floor-", report["baseline"])):
                self.references[each["workload"], each["metric"]].append(each)

    def triples(self, result, unit):
        if result.get("median") is not None:
            value = [result[key] for key in ("median", "low", "high")]
            if unit in UNITS and result["unit"] == "ns":
                yield [each and each / UNITS[unit] for each in value]
            elif unit == "%" and result["unit"] == "ratio":
                yield [each and 100 * each for each in value]
            elif not unit and result["unit"] != "ns":
                yield value
        for ratio in filter(None, map(result.get, ("ratio", "times_floor", "to_epoll"))):
            value = [ratio[key] for key in ("median", "low", "high")]
            if not unit:
                yield value
                yield [each and 1 / each for each in value]
            elif unit == "%":
                yield [each and 100 * abs(each - 1) for each in value]

    def quotients(self, result):
        """Returns two quotients for each reference (a floor or the baseline): the quotient of the medians, and the
        median of the quotients of all blocks.
        """
        for other in self.references[result["workload"], result["metric"]]:
            if result.get("median"):
                yield result["median"] / other["median"]
            pairs = list(zip(result.get("samples", []), other.get("samples", [])))
            if pairs and all(a and b and a * b > 0 for a, b in pairs):
                yield math.exp(statistics.median(math.log(a / b) for a, b in pairs))

    def has(self, digits, unit, interval=None, workload=None, contenders=None):
        for result in self.results:
            if workload and result["workload"] != workload or contenders and result["contender"] not in contenders:
                continue
            for triple in self.triples(result, unit):
                if interval:
                    if all(value is not None and rounds_to(value, each)
                           for value, each in zip(triple, (digits, *interval))):
                        return True
                elif any(value is not None and rounds_to(value, digits) for value in triple):
                    return True
            if not unit and not interval and any(rounds_to(each, digits) for each in self.quotients(result)):
                return True
        return False


class Evidence:
    def __init__(self, folder):
        self.folder, self.known = folder, {}

    def sources(self, name):
        if name not in self.known:
            text = text_of(self.folder / name)
            content = json.loads(text) if ".json" in name else None
            if not content:
                self.known[name] = {"": Text(text)}
            elif "results" in content:
                self.known[name] = {"": Report(content)}
            elif all(isinstance(each, dict) and "results" in each for each in content.values()):
                self.known[name] = {key: Report(each) for key, each in content.items()}
            else:
                self.known[name] = {"": Text(text)}
        return self.known[name]

    def step(self, name):
        file = f"near_floor/{name}.json.xz"
        if (self.folder / file).exists():
            return self.sources(file).values()
        found = self.sources(STEPS).get(name)
        return [found] if found else []


def blocks_of(text):
    files = []
    for block in BLOCK.findall(text):
        named = [file for mark in MARK.findall(block) for file in mark.split()]
        linked = [one or other for one, other in LINK.findall(block)]
        named += [file for file in linked if "." in file and file != "README.md"]
        if named:
            files = named
        elif not block.lstrip().startswith(("|", "```")):
            files = []
        if files:
            yield block, files


def units_of(block):
    """Returns the parts of a block: a table's rows, a list's items, or a printed screen's contenders. Each part has the
    header's cells, or None outside a table.
    """
    lines = MARK.sub("", block).strip().splitlines()
    if lines and lines[0].startswith("```"):
        text, _, tables = "\n".join(lines[1:-1]).partition("\n\n")
        return [(text, None), *((part, None) for line in tables.splitlines()
                                for part in re.split(r" {2,}(?=(?:loop|asio)-|\(best)", line))]
    if lines and lines[0].startswith("|"):
        header = [cell.strip() for cell in lines[0].strip("|").split("|")]
        return [(line, header) for line in lines[2:]]
    return [(item, None) for item in re.split(r"\n(?=\s*- )", "\n".join(lines))]


def numbers_of(text):
    plain = re.sub(r"\s+", " ", UNCHECKED.sub(" ", text))
    for found in NUMBER.finditer(plain):
        interval = INTERVAL.match(plain[found.end():])
        before = plain[:found.start()]
        if "[" not in before[before.rfind("]") + 1:]:  # a number in an interval belongs to the median
            is_telling = found["unit"] or "." in found["digits"]
            yield found["digits"], found["unit"], interval and interval.groups(), is_telling


def quotes_in(unit, header, sources):
    cells = [cell.strip() for cell in unit.strip().strip("|").split("|")] if header else [unit]
    all_workloads = set().union(*(source.workloads for source in sources))
    all_contenders = set().union(*(source.contenders for source in sources))
    workload = cells[0] if cells[0] in all_workloads else None
    row_contenders = {unit.strip().partition(" ")[0]} & all_contenders
    if row_contenders:  # a row of the screen; a sentence can name further contenders
        row_contenders = {name for name in all_contenders if re.search(rf"(?<![\w-]){name}(?![\w-])", unit)}
    for column, cell in enumerate(cells):
        contenders = row_contenders
        if workload:
            contenders = {header[column]} & all_contenders or {name for name in all_contenders if name in cell}
        numbers = list(numbers_of(cell))
        others = {measure for _, measure, _, _ in numbers}
        for digits, measure, interval, is_telling in numbers:
            if not (is_telling or workload or all(isinstance(source, Text) for source in sources)):
                continue
            measures = {measure} if measure else others | {None}  # both numbers of "14.8 and 12.8 µs" are in µs
            quote = digits + (f" {measure}" if measure else "") + (f" [{', '.join(interval)}]" if interval else "")
            yield quote, any(source.has(digits, each, interval, workload, contenders)
                             for source in sources for each in measures)


def checked_quotes(document, evidence):
    for block, files in blocks_of(document.read_text()):
        missing = [file for file in files if not (evidence.folder / file).is_file()]
        if missing:
            yield "", f"{', '.join(missing)} is not a file in reports/evidence"
            continue
        steps = list(evidence.sources(STEPS).values()) if STEPS in files else []
        others = [source for file in files if file != STEPS for source in evidence.sources(file).values()]
        for unit, header in units_of(block):
            named = [source for name in STEP.findall(unit) for source in evidence.step(name)]
            for quote, is_supported in quotes_in(unit, header, others + (named or steps)):
                where = f"{', '.join(files)}: {' '.join(unit.split())[:100]}"
                yield quote, None if is_supported else f"{quote} is not in {where}"


def wrong_files(folder, names_in_documents):
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    sizes = {name: (folder / name).stat().st_size for name in files}
    if len(files) > FILES_MAX or sum(sizes.values()) > BYTES_MAX:
        yield f"{len(files)} files with {sum(sizes.values())} bytes; {FILES_MAX} files and {BYTES_MAX} are allowed"
    for name, size in sizes.items():
        if size > FILE_BYTES_MAX:
            yield f"{name} has {size} bytes; {FILE_BYTES_MAX} are allowed"
        if path := COMMAND_WITH_PATH.search(text_of(folder / name)):
            yield f"{name} has a command with the path {path[1]}; write a relative path instead, for example out"
    known = dict(reversed(line.split("  ", 1)) for line in
                 re.findall(r"^[0-9a-f]{64}  \S+$", (folder / "README.md").read_text(), re.MULTILINE))
    now = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in files if name != "README.md"}
    for name in sorted(known.keys() | now.keys()):
        if known.get(name) != now.get(name):
            yield f"README.md has a wrong checksum of {name} ({now.get(name, 'no such file')})"
    for name in sorted({name.partition("/")[0] for name in now} - names_in_documents):
        yield f"no document refers to {name}; remove it"


def main(source):
    source = pathlib.Path(source)
    evidence = Evidence(source / "reports/evidence")
    pages = [*documents(source), source / "tests/mutants/README.md"]
    texts = [page.read_text() for page in pages]
    named = {name.partition("/")[0] for name in itertools.chain.from_iterable(
        (*(mark.split()[0] for mark in MARK.findall(text)), *re.findall(r"reports/evidence/([\w/.-]+)", text))
        for text in texts)}
    complaints = [f"reports/evidence: {what}" for what in wrong_files(evidence.folder, named)]
    quotes = [(page, what) for page in documents(source) for _, what in checked_quotes(page, evidence)]
    complaints += [f"{page.relative_to(source)}: {what}" for page, what in quotes if what]
    if len(quotes) < QUOTES_MIN:
        complaints.append(f"only {len(quotes)} numbers name a file in reports/evidence; at least {QUOTES_MIN} should")
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
