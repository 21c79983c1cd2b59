#!/usr/bin/env python3
"""Downloads tests of other projects from Debian's source packages.

usage: fetch.py PACKAGE FOLDER [RELEASE]

PACKAGE is a source package: boost1.81 for Boost's own tests and examples of Asio and Beast and the tests of Process, or
benchmark for the inputs of Google Benchmark's compare.py. RELEASE is a release of Debian such as trixie; without it,
the package comes from the system's own release. Apt downloads the package's archive into FOLDER once. Apt checks the
archive against the distribution's signatures after the download and at each later use. A separate configuration tells
apt the addresses of the sources. Therefore, nothing in the system changes, and no special rights are needed. In the
end, FOLDER/boost/libs or FOLDER/tools/gbench has the files. Debian's patches change none of these files.
"""

import pathlib
import subprocess
import sys

BOOST = [f"*/libs/{each}" for each in ["asio/test", "asio/example", "beast/test", "beast/example", "process/test"]]


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


def source_lines(release):
    targets = run("apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)",
                  "Created-By: Packages")
    found = {tuple(line.split()[1:]) for line in targets.splitlines() if line.startswith("Debian ")}
    if not found:
        raise Failed("apt has no Debian repository; run apt-get update, or check /etc/apt/sources.list")
    if release:  # not the updates of the system's release, such as bookworm-security
        found = {(uri, release, component) for uri, own, component in found if "-" not in own}
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    return "".join(f"deb-src [signed-by={keys}] {' '.join(each)}\n" for each in sorted(found))


def download(package, folder, release, *form):
    """Downloads a source package. `form` has options of `apt-get source`; without any, it also unpacks the source."""
    apt = folder / "apt"
    for each in ["lists/partial", "cache/archives/partial"]:
        (apt / each).mkdir(parents=True, exist_ok=True)
    (apt / "sources.list").write_text(source_lines(release))
    options = [f"-oDir::Etc::SourceList={apt}/sources.list", "-oDir::Etc::SourceParts=/dev/null",
               f"-oDir::State::Lists={apt}/lists", f"-oDir::Cache={apt}/cache", "-oAPT::Sandbox::User=",
               "-oAPT::Update::Error-Mode=any"]
    get = ["apt-get", *options, "source", *form, package]
    try:
        run(*get, cwd=folder)
    except Failed:  # the lists of packages are missing or out of date
        run("apt-get", *options, "update")
        run(*get, cwd=folder)


def unpack(package, archive, folder):
    """Unpacks the tests. The files get the current time, because they are this script's output. The names of the
    archives' top folders differ between versions.
    """
    parts, place = (BOOST, folder / "boost") if package.startswith("boost") else (["*/tools/gbench"], folder)
    place.mkdir(exist_ok=True)
    run("tar", "-xmf", str(archive), "-C", str(place), "--strip-components=1", "--wildcards", *parts)


def main():
    package, folder, release = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), "".join(sys.argv[3:4])
    folder.mkdir(parents=True, exist_ok=True)
    try:
        download(package, folder, release, "--tar-only")
        archives = list(folder.glob(f"{package}_*.orig.tar.*z"))
        if len(archives) != 1:
            raise Failed(f"{folder} has {len(archives)} archives of {package}; expected one. Remove the folder.")
        unpack(package, archives[0], folder)
    except Failed as failed:
        print(f"fetch: cannot get the source package {package}: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
