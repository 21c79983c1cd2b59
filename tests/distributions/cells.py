"""Parts of the scripts in this folder: results that are kept, clones, builds with their tests and warnings, tables."""

import json
import pathlib
import re
import subprocess

from debian_root import RootFailed

PLACE = "/root/loopbench"
# A step gets this time. It is several times as long as on two cores.
LIMIT_S = 3 * 3600


class Results:
    """The results in FOLDER/results.json. A result is a dictionary, and `keys` are the entries that identify it. With
    `again`, results with a problem are repeated.
    """

    def __init__(self, folder, keys, again=False):
        folder.mkdir(parents=True, exist_ok=True)
        self.file, self.keys, self.again = folder / "results.json", keys, again
        self.all = self._read()

    def _read(self):
        return json.loads(self.file.read_text()) if self.file.exists() else []

    def _key(self, result):
        return [result[key] for key in self.keys]

    def find(self, **wanted):
        return next((each for each in self.all if self._key(each) == self._key(wanted)), None)

    def has(self, commit, **wanted):
        """Returns True if there is a result of this commit, so that it need not be repeated."""
        found = self.find(**wanted)
        return found is not None and found["commit"] == commit and not (self.again and found["problem"])

    def keep(self, *results):
        """Adds the results, or replaces those for the same keys. Writes the file."""
        replaced = [self._key(each) for each in results]
        # Another call can have written results since.
        self.all = [each for each in self._read() if self._key(each) not in replaced] + [*results]
        scratch = self.file.with_suffix(".new")
        scratch.write_text(json.dumps(self.all, indent=1) + "\n")
        scratch.replace(self.file)


def git(folder, *arguments):
    """Returns the output of git. Raises RootFailed if git fails."""
    done = subprocess.run(["git", "-C", folder, *arguments], check=False, capture_output=True, text=True)
    if done.returncode:
        raise RootFailed(f"git {arguments[0]}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout.strip()


def commit_of(source):
    return git(source, "rev-parse", "HEAD")


def clone(source, root, commit):
    """Makes a clone of `source` in the root, with this commit as HEAD. The user can have made further commits since.
    Files that are equal keep their time. Returns the folder.
    """
    place = root.folder / PLACE.lstrip("/")
    if not place.exists():
        git(source, "clone", "--quiet", "--no-hardlinks", source, place)
    git(place, "fetch", "--quiet", source, commit)
    git(place, "reset", "--quiet", "--hard", commit)
    return place


def prepare(source, root, commit, purposes):
    """Makes a clone in the root, and installs the packages for the purposes of .ci/install."""
    clone(source, root, commit)
    root.run("git config --global --replace-all safe.directory '*'")
    root.run(f".ci/install {purposes}", PLACE)


def first_with(roots, package):
    """Returns the first root whose archive has the package, or None. `roots` makes each root when it is needed."""
    # apt reads a name that no package has as a regular expression: g++-16 then stands for clang-16, too.
    found = re.compile(rf"^{re.escape(package)}:\n.*\n  Candidate: [^(\s]", re.MULTILINE)
    for root in roots:
        if found.search(root.run(f"apt-cache policy {package}")):
            return root
    return None


def tests_below(heading, output):
    """Returns the names of the tests that CTest lists below the last of these headings. Earlier ones can be in the
    output of a test that runs CTest.
    """
    listed = output.rpartition(f"{heading}:\n")[2].partition("\n\n")[0] if f"{heading}:\n" in output else ""
    return re.findall(r"^\s+\d+ - (\S+)", listed, re.MULTILINE)


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
        if failed := tests_below("The following tests FAILED", self.output):
            self.failed = f"{name} failed: {', '.join(failed)}"
        return len(re.findall(r"^\s*\d+/\d+ Test .* Passed ", self.output, re.MULTILINE))


def commits(results):
    """Returns the text for a column of a table: the commits of these results, shortened."""
    return ", ".join(dict.fromkeys(each.get("commit", "")[:9] for each in results)) or "-"


def markdown(heads, rows):
    """Returns a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def arguments(argv, usage, default):
    """Returns SOURCE, FOLDER, the list of further arguments, and whether `--again` is among them. `default` replaces an
    empty list.
    """
    words = list(dict.fromkeys(each for each in argv[1:] if each != "--again"))
    if len(words) < 2 or any(each.startswith("-") for each in words):
        raise SystemExit(usage)
    return pathlib.Path(words[0]).resolve(), pathlib.Path(words[1]).resolve(), words[2:] or default, "--again" in argv
