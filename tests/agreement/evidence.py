#!/usr/bin/env python3
"""Has `loopbench report` read every journal and report of the evidence: evidence.py LOOPBENCH FOLDER

Packed ones (.xz, .tar.xz) are unpacked. What was measured once has to stay readable, whatever the formats become.
"""

import json
import lzma
import pathlib
import subprocess
import sys
import tarfile
import tempfile


def texts_of(file):
    """Name and text of each JSON document in a file."""
    if file.name.endswith(".tar.xz"):
        with tarfile.open(file) as archive:
            for item in archive:
                if item.isfile():
                    yield f"{file}:{item.name}", archive.extractfile(item).read()
    elif file.name.endswith(".xz"):
        yield str(file), lzma.decompress(file.read_bytes())
    elif file.suffix in (".json", ".jsonl"):
        yield str(file), file.read_bytes()


def is_record(text):
    """Whether it is a journal, whose first line says so, or a report."""
    for document in (text.partition(b"\n")[0], text):
        try:
            found = json.loads(document)
        except ValueError:
            continue
        return isinstance(found, dict) and str(found.get("schema")).startswith(("loopbench-journal/", "loopbench/"))
    return False


def problem_of(loopbench, text):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([loopbench, "report", file.name, "--format", "csv"], capture_output=True, text=True)
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr.strip()}"
    return None if len(done.stdout.splitlines()) > 1 else "there is no result in it"


def main(loopbench, folder):
    records = [(name, text) for file in sorted(pathlib.Path(folder).rglob("*")) if file.is_file()
               for name, text in texts_of(file) if is_record(text)]
    problems = [(name, why) for name, text in records if (why := problem_of(loopbench, text))]
    for name, why in problems:
        print(f"{name}: {why}", file=sys.stderr)
    print(f"{len(records) - len(problems)} of {len(records)} journals and reports are read")
    return 1 if problems or not records else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
