#!/usr/bin/env python3
"""Pictures of report.html, to be looked at: the whole page and its first screen in light and dark, on a wide and on a
narrow window, and as it is printed.

usage: pictures.py LOOPBENCH SOURCE_FOLDER OUT_FOLDER [REPORT.json]

Without a report it is that of the journal in the repository. docs/report.png and docs/report-dark.png are the first
screens at 1280 pixels.
"""

import base64
import pathlib
import subprocess
import sys
import tempfile

from browser import Browser

SCREEN_HEIGHT = 900


def main(loopbench, source, out, report=None):
    sys.path.append(str(source / "tests/support"))
    from real_report import real_journal
    out.mkdir(parents=True, exist_ok=True)

    def save(name, picture):
        (out / name).write_bytes(base64.b64decode(picture["data"]))
        print(out / name)

    with tempfile.TemporaryDirectory() as scratch, Browser() as page:
        folder = pathlib.Path(scratch)
        if not report:
            report = folder / "journal.jsonl"
            report.write_bytes(real_journal(source))
        subprocess.run([loopbench, "report", report, "--format", "html", "-o", folder / "report.html"], check=True)
        for scheme in ("light", "dark"):
            for width in (1280, 390):
                page.open(folder / "report.html", width=width, scheme=scheme)
                height = page.run("document.documentElement.scrollHeight")
                for name, shown in (("first", SCREEN_HEIGHT), ("whole", height)):
                    clip = {"x": 0, "y": 0, "width": width, "height": shown, "scale": 1}
                    save(f"{scheme}-{width}-{name}.png",
                         page.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True))
                save(f"{scheme}-{width}-printed.pdf",
                     page.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True))


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(sys.argv[1], *map(pathlib.Path, sys.argv[2:]))
