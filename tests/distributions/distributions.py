#!/usr/bin/env python3
"""Runs the two commands of README.md in fresh Debian releases, and prints a table.

    distributions.py SOURCE FOLDER [SUITE...]

Needs root, debootstrap, PyYAML and Debian's archive; takes about half an hour for each release. SOURCE is a clone; its
HEAD is tried. The suites are bookworm (12), trixie (13) and testing unless others are named. Each suite gets a new
root, FOLDER/roots/SUITE. FOLDER/results.json has the results of all suites, also of earlier calls; FOLDER/SUITE.log has
the output. The exit code is 1 if a command failed; a measurement on a busy machine (exit code 5) has not failed.
.ci/run does not run this script, because it needs much time.
"""

import json
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import workflow
from cells import LIMIT_S, PLACE, Results, clone, commit_of, commits, markdown, tests_below
from debian_root import Root, RootFailed, check_suite, remove_root, tell, with_own_mounts

# The suites, and their images in the workflow.
SUITES = {"bookworm": "debian:12", "trixie": "debian:13", "testing": "debian:testing"}
VERSIONS = {"g++": "g++ -dumpfullversion", "cmake": "cmake --version | sed -n '1s/.* //p'",
            "Boost": "sed -n 's/.*BOOST_LIB_VERSION \"\\(.*\\)\"/\\1/p' /usr/include/boost/version.hpp",
            **{name: f"dpkg-query -W -f '${{Version}}' {package}" for name, package in
               (("fmt", "libfmt-dev"), ("simdjson", "libsimdjson-dev"), ("liburing", "liburing-dev"))}}


def versions_in(root):
    done = {name: root.start(script) for name, script in VERSIONS.items()}
    return {name: each.stdout.strip() if each.returncode == 0 else "-" for name, each in done.items()}


def is_unreliable(done):
    """Returns true if only the machine was too busy for a reliable result: a measurement ended with exit code 5. make
    changes this code to 2, and prints the original.
    """
    errors = re.findall(r"^make: \*\*\* .*\bError (\d+)$", done.stdout, re.MULTILINE)
    return done.returncode == 5 or (done.returncode == 2 and errors == ["5"])


def try_suite(source, folder, suite):
    place = folder / "roots" / suite
    remove_root(place)
    root = Root(place, suite, "")
    root.environment["GITHUB_WORKSPACE"] = PLACE
    commit = commit_of(source)
    sources = clone(source, root, commit)
    results = []
    with open(folder / f"{suite}.log", "w") as log:
        for step in workflow.steps_for(sources / workflow.DISTRIBUTIONS, SUITES[suite]):
            if "run" not in step:  # the clone replaces the step that checks out the sources
                continue
            start = time.monotonic()
            done = root.start(step["run"], PLACE, LIMIT_S)
            log.write(f"$ {step['run']}\n{done.stdout}\n")
            results.append({"suite": suite, "command": step["name"], "exit_code": done.returncode,
                            "unreliable": is_unreliable(done), "seconds": round(time.monotonic() - start),
                            "failed": tests_below("The following tests FAILED", done.stdout),
                            "skipped": tests_below("The following tests did not run", done.stdout)})
            tell(json.dumps(results[-1]))
    versions = versions_in(root)
    release = root.run("cat /etc/debian_version").strip()
    return [each | {"debian": release, "versions": versions, "commit": commit} for each in results]


def main(source, folder, suites):
    for suite in suites:
        check_suite(suite)
    results = Results(folder, ("suite",))
    for suite in dict.fromkeys(suites):
        try:
            tried = try_suite(source, folder, suite)
        except RootFailed as failure:
            tell(str(failure))
            tried = [{"suite": suite, "exit_code": 1, "reason": str(failure)}]
        results.keep(*tried)
    print(table(results.all))
    return 1 if any(each["exit_code"] and not each.get("unreliable") and each["suite"] in suites
                    for each in results.all) else 0


def table(results):
    """Returns a Markdown table: one row for each release."""
    commands = list(dict.fromkeys(each["command"] for each in results
                                  if each.get("command", "").startswith("make")))
    notes, rows = [], []
    for suite in dict.fromkeys(each["suite"] for each in results):
        of_suite = {each.get("command"): each for each in results if each["suite"] == suite}
        first = next(iter(of_suite.values()))
        if "reason" in first:
            rows.append([suite, f"the root failed: {first['reason'].splitlines()[0]}", "-", *["-"] * len(commands)])
            continue
        cells = []
        for command in commands:
            each = of_suite.get(command)
            cells.append(cell(each) if each else "-")
            if each and each["skipped"]:
                notes.append(f"{suite}, `{command}`, skipped: {', '.join(each['skipped'])}.")
        versions = ", ".join(f"{name} {version}" for name, version in first["versions"].items())
        rows.append([f"{first['debian']} ({suite})", versions, commits(of_suite.values()), *cells])
    heads = ["Debian", "versions", "commit", *(f"`{command}`" for command in commands)]
    return "\n".join([markdown(heads, rows), *["", *notes] * bool(notes)])


def cell(result):
    skipped = f", {len(result['skipped'])} skipped (names below the table)" if result["skipped"] else ""
    text = f"{result['seconds']} s"
    if result.get("unreliable"):
        text = "runs; unreliable, because the machine was busy"
    elif result["exit_code"]:
        text = f"exit code {result['exit_code']}: {', '.join(result['failed']) or 'see the log'}"
    return text + skipped


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with_own_mounts()
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:] or SUITES))
