#!/usr/bin/env python3
"""Downloads Boost's own tests and examples of Asio and Beast from Debian's source package.

usage: fetch.py PACKAGE FOLDER

PACKAGE is a source package such as boost1.81. Apt downloads its archive into FOLDER once. Apt checks the archive
against the distribution's signatures after the download and at each later use. A separate configuration tells apt the
addresses of the sources. Therefore, nothing in the system changes, and no special rights are needed. In the end,
FOLDER/boost/libs contains the tests and examples. Debian's patches change none of these files.
"""

import pathlib
import subprocess
import sys

FOLDERS = ["asio/test", "asio/example", "beast/test", "beast/example"]


class Failed(Exception):
    pass


def run(*command, cwd=None):
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout


def source_lines():
    targets = run("apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)",
                  "Created-By: Packages")
    found = {tuple(line.split()[1:]) for line in targets.splitlines() if line.startswith("Debian ")}
    if not found:
        raise Failed("apt has no Debian repository; run apt-get update, or check /etc/apt/sources.list")
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    return "".join(f"deb-src [signed-by={keys}] {' '.join(each)}\n" for each in sorted(found))


def download(package, folder):
    apt = folder / "apt"
    for each in ["lists/partial", "cache/archives/partial"]:
        (apt / each).mkdir(parents=True, exist_ok=True)
    (apt / "sources.list").write_text(source_lines())
    options = [f"-oDir::Etc::SourceList={apt}/sources.list", "-oDir::Etc::SourceParts=/dev/null",
               f"-oDir::State::Lists={apt}/lists", f"-oDir::Cache={apt}/cache", "-oAPT::Sandbox::User=",
               "-oAPT::Update::Error-Mode=any"]
    get = ["apt-get", *options, "source", "--download-only", package]
    try:
        run(*get, cwd=folder)
    except Failed:  # the lists of packages are missing or out of date
        run("apt-get", *options, "update")
        run(*get, cwd=folder)


def unpack(archive, folder):
    """Unpacks the tests and examples. The files get the current time, because they are this script's output."""
    run("tar", "-xJmf", str(archive), "-C", str(folder), *[f"boost/libs/{each}" for each in FOLDERS])


def main():
    package, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        download(package, folder)
        archives = list(folder.glob(f"{package}_*.orig.tar.xz"))
        if len(archives) != 1:
            raise Failed(f"{folder} has {len(archives)} archives of {package}; expected one. Remove the folder.")
        unpack(archives[0], folder)
    except Failed as failed:
        print(f"fetch: cannot get the source package {package}: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
