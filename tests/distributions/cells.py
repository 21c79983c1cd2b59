"""Tables whose cells take minutes, for the scripts in this folder: results that are kept, builds and their warnings."""

import json
import pathlib
import re
import subprocess

PLACE = "/root/loopbench"
# A step gets this time. It is several times as long as on two cores.
LIMIT_S = 3 * 3600


class Results:
    """The results in FOLDER/results.json. A result is a dictionary, and `keys` are the entries that identify it."""

    def __init__(self, folder, keys):
        folder.mkdir(parents=True, exist_ok=True)
        self.file, self.keys = folder / "results.json", keys
        self.all = json.loads(self.file.read_text()) if self.file.exists() else []

    def find(self, **wanted):
        return next((each for each in self.all if all(each[key] == wanted[key] for key in self.keys)), None)

    def has(self, commit, **wanted):
        """Returns True if there is a result that need not be repeated. One that failed on another commit is."""
        found = self.find(**wanted)
        return found is not None and (not found["problem"] or found["commit"] == commit)

    def keep(self, result):
        """Adds the result, or replaces the one for the same keys. Writes the file."""
        self.all = [each for each in self.all if any(each[key] != result[key] for key in self.keys)] + [result]
        scratch = self.file.with_suffix(".new")
        scratch.write_text(json.dumps(self.all, indent=1) + "\n")
        scratch.replace(self.file)


def commit_of(source):
    return subprocess.run(["git", "-C", source, "rev-parse", "HEAD"], check=True, capture_output=True,
                          text=True).stdout.strip()


def clone(source, root):
    """Makes a clone of `source` in the root, with the same HEAD. Files that are equal keep their time."""
    place = root.folder / PLACE.lstrip("/")
    if place.exists():
        subprocess.run(["git", "-C", place, "fetch", "--quiet", source, "HEAD"], check=True)
        subprocess.run(["git", "-C", place, "reset", "--quiet", "--hard", "FETCH_HEAD"], check=True)
    else:
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", source, place], check=True)
    root.run("git config --global --replace-all safe.directory '*'")


def first_with(roots, package):
    """Returns the first root whose archive has the package, or None. `roots` makes each root when it is needed."""
    for root in roots:
        if re.search(r"Candidate: [^(\s]", root.run(f"apt-cache policy {package}")):
            return root
    return None


class Steps:
    """Runs steps in a root. Their output goes to a log. After a step that fails, no further step runs."""

    def __init__(self, root, log):
        self.root, self.log, self.failed, self.warnings, self.output = root, log, None, 0, ""
        log.write_text("")

    def run(self, name, script, inside=PLACE):
        """Returns True if the step succeeds."""
        if self.failed:
            return False
        done = self.root.start(script, inside, LIMIT_S)
        with open(self.log, "a") as log:
            log.write(f"$ {script}\n{done.stdout}\n")
        self.output = done.stdout
        self.warnings += len(re.findall(r"\bwarning: ", done.stdout))
        if done.returncode:
            self.failed = f"{name} failed: exit code {done.returncode}"
        return not done.returncode

    def test(self, name, build, options):
        """Runs tests of a build folder. Returns the number of tests that passed."""
        if self.failed:
            return 0
        self.run(name, f"ctest --test-dir {build} --output-on-failure --no-tests=error --timeout 600 {options}")
        failed = re.findall(r"^\s+\d+ - (\S+) \((?!Skipped|Disabled)", self.output.partition("tests FAILED:")[2],
                            re.MULTILINE)
        if failed:
            self.failed = f"{name} failed: {', '.join(failed)}"
        return len(re.findall(r"^\s*\d+/\d+ Test .* Passed ", self.output, re.MULTILINE))


def markdown(heads, rows):
    """Returns a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def arguments(argv, usage, default):
    """Returns SOURCE, FOLDER and the list of further arguments. `default` replaces an empty list."""
    if len(argv) < 3:
        raise SystemExit(usage)
    return pathlib.Path(argv[1]).resolve(), pathlib.Path(argv[2]).resolve(), list(dict.fromkeys(argv[3:])) or default
