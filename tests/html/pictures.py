#!/usr/bin/env python3
"""Takes pictures of report.html and of the trends page, so that people can look at them. There are pictures of the
whole page and of its first screen, in light and dark, in a wide and a narrow window, for readers with deuteranopia, and
as a printed document.

usage: pictures.py LOOPBENCH SOURCE_FOLDER OUT_FOLDER [REPORT.json HISTORY.db]

Without a report, the script uses the journal in the repository and a history that is generated from this journal.
docs/report.png and docs/report-dark.png are the first screens at 1280 pixels, with 64 colours (pngquant 64, or
ImageMagick's -colors 64); docs/trends.png is the first screen of the trends page.
"""

import base64
import json
import pathlib
import subprocess
import sys
import tempfile

from browser import Browser

SCREEN_HEIGHT = 960  # with this height, the page of a quick run shows two whole rows of bars


def take(page, file, out, prefix=""):
    def save(name, picture):
        (out / name).write_bytes(base64.b64decode(picture["data"]))
        print(out / name)

    for scheme in ("light", "dark"):
        for width in (1280, 390):
            page.open(file, width=width, scheme=scheme)
            height = page.run("document.documentElement.scrollHeight")
            for name, shown in (("first", SCREEN_HEIGHT), ("whole", height)):
                clip = {"x": 0, "y": 0, "width": width, "height": shown, "scale": 1}
                save(f"{prefix}{scheme}-{width}-{name}.png",
                     page.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True))
            page.call("Emulation.setEmulatedVisionDeficiency", type="deuteranopia")
            save(f"{prefix}{scheme}-{width}-deuteranopia.png", page.call("Page.captureScreenshot"))
            page.call("Emulation.setEmulatedVisionDeficiency", type="none")
            save(f"{prefix}{scheme}-{width}-printed.pdf",
                 page.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True))


def main(loopbench, source, out, given=None):
    sys.path.append(str(source / "tests/support"))
    from history_of_runs import write_history
    from real_report import real_journal
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, Browser() as page:
        folder = pathlib.Path(scratch)
        report = history = given
        if not given:
            report = folder / "journal.jsonl"
            report.write_bytes(real_journal(source))
            as_json = subprocess.run([loopbench, "report", report, "--format", "json"], check=True, capture_output=True)
            history, _ = write_history(folder, loopbench, json.loads(as_json.stdout))
        if not given or given.suffix != ".db":
            subprocess.run([loopbench, "report", report, "--format", "html", "-o", folder / "report.html"], check=True)
            take(page, folder / "report.html", out)
        if not given or given.suffix == ".db":
            subprocess.run([loopbench, "history", "trend", "--history", history, "--format", "html", "-o",
                            folder / "trends.html"], check=True)
            take(page, folder / "trends.html", out, "trends-")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(sys.argv[1], *map(pathlib.Path, sys.argv[2:]))
