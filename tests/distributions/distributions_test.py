#!/usr/bin/env python3
"""Tests distributions.py and debian_root.py without a Debian root.

    distributions_test.py SOURCE
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
from unittest import mock

SOURCE = pathlib.Path(sys.argv.pop(1)).absolute() if len(sys.argv) > 1 else sys.exit(__doc__)
sys.path[:0] = [str(SOURCE / "tests/support"), str(SOURCE / "tests/distributions")]

import debian_root
import distributions
import own_git
from debian_root import MARKER, RootFailed


class Folders(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)


class Roots(Folders):
    def test_only_names_of_releases_are_accepted(self):
        for suite in ("/some/dir", "..", ".", "a/b", "", "-x", "Trixie", "trixie\n"):
            with self.subTest(suite), self.assertRaisesRegex(RootFailed, "not a release"):
                debian_root.check_suite(suite)
        debian_root.check_suite("trixie-backports")

    def test_only_a_root_is_removed(self):
        work = self.folder / "work"
        (work / "src").mkdir(parents=True)
        (self.folder / "link").symlink_to(work)
        for place in (work, self.folder / "link"):
            with self.subTest(place), self.assertRaisesRegex(RootFailed, "remove this one yourself"):
                debian_root.remove_root(place)
        self.assertTrue((work / "src").is_dir())
        (work / MARKER).touch()
        debian_root.remove_root(work)
        self.assertFalse(work.exists())
        debian_root.remove_root(work)

    def test_a_root_that_cannot_be_removed_is_an_error(self):
        (self.folder / MARKER).touch()
        refused = subprocess.CompletedProcess([], 1, "", "rm: busy")
        with mock.patch("subprocess.run", return_value=refused), self.assertRaisesRegex(RootFailed, "rm: busy"):
            debian_root.remove_root(self.folder)

    def test_a_mount_below_a_folder_with_a_space_is_found(self):
        place = self.folder / "a root"
        line = f"36 35 98:0 / {place}/dev rw - tmpfs dev rw\n".replace("a root", r"a\040root")
        self.assertEqual(debian_root.mounted_below(place, line), [f"{place}/dev"])
        self.assertEqual(debian_root.mounted_below(self.folder / "another", line), [])

    def test_the_output_of_a_failed_debootstrap_is_shown(self):
        failed = subprocess.CompletedProcess([], 1, "E: Release signed by unknown key")
        with mock.patch("debian_root.start", return_value=failed), mock.patch("debian_root.tell"), \
                self.assertRaisesRegex(RootFailed, "unknown key"):
            debian_root.Root(self.folder / "roots/trixie", "trixie", "git")
        self.assertTrue((self.folder / "roots/trixie" / MARKER).is_file(), "the next call may remove the folder")

    def test_only_a_missing_file_means_that_the_archive_lacks_the_suite(self):
        def error(code):
            return urllib.error.HTTPError("http://archive", code, "a reason", None, None)
        with mock.patch("urllib.request.urlopen", side_effect=error(404)):
            self.assertFalse(debian_root.has_suite("http://archive", "sid-security"))
        for failure in (error(503), error(403), urllib.error.URLError("no network"), TimeoutError("too late")):
            with self.subTest(failure), mock.patch("urllib.request.urlopen", side_effect=failure), \
                    self.assertRaisesRegex(RootFailed, "http://archive.*sid-security.*(reason|network|late)"):
                debian_root.has_suite("http://archive", "sid-security")

    def test_a_failed_mount_is_shown(self):
        (self.folder / "etc").mkdir()
        (self.folder / "etc/debootstrap_finished").touch()
        failed = subprocess.CompletedProcess([], 32, "mount: permission denied")
        with mock.patch("debian_root.start", return_value=failed), \
                self.assertRaisesRegex(RootFailed, "/proc cannot be mounted.*permission denied"):
            debian_root.Root(self.folder, "trixie", "git")

    def test_the_limit_ends_processes_in_other_sessions(self):
        prefix = debian_root.ALL_END_TOGETHER
        if os.geteuid() != 0:
            prefix = (prefix[0], "--user", "--map-root-user", *prefix[1:])
        if not shutil.which("unshare") or debian_root.start([*prefix, "true"]).returncode:
            self.skipTest("this user cannot create a process namespace")
        begin = time.monotonic()
        done = debian_root.start([*prefix, "sh", "-c", "echo begun; setsid sleep 60 & sleep 60"], limit_s=5)
        self.assertEqual((done.returncode, done.stdout), (124, "begun\n"))
        self.assertLess(time.monotonic() - begin, 30)

    def test_an_interrupt_ends_the_command(self):
        with mock.patch("subprocess.Popen.communicate", side_effect=KeyboardInterrupt), \
                mock.patch("os.killpg", side_effect=os.killpg) as killed, self.assertRaises(KeyboardInterrupt):
            debian_root.start(["sleep", "60"])
        killed.assert_called_once()

    def test_a_user_without_root_rights_gets_the_reason(self):
        with mock.patch("os.geteuid", return_value=1000), self.assertRaisesRegex(SystemExit, "root"):
            debian_root.with_own_mounts()
        with mock.patch("os.geteuid", return_value=0), mock.patch("shutil.which", return_value=None), \
                self.assertRaisesRegex(SystemExit, "debootstrap is missing"):
            debian_root.with_own_mounts()


class FakeRoot:
    """A root whose commands do nothing. `answers` has the results of some."""
    answers = {}

    def __init__(self, folder, suite, packages):
        folder.mkdir(parents=True)
        (folder / MARKER).touch()
        self.folder, self.environment = folder, {}

    def start(self, script, inside="/", limit_s=None):
        code, output = self.answers.get(script.strip().rpartition("\n")[2], (0, ""))
        return subprocess.CompletedProcess(script, code, output)

    def run(self, script):
        return self.start(script).stdout


class Distributions(Folders):
    def setUp(self):
        super().setUp()
        self.source = self.folder / "source"
        shutil.copytree(SOURCE / "tests/distributions", self.source / "tests/distributions")
        self.workflow = self.source / ".github/workflows/distributions.yml"
        self.workflow.parent.mkdir(parents=True)
        shutil.copy(SOURCE / ".github/workflows/distributions.yml", self.workflow)
        self.enterContext(mock.patch.dict(os.environ, own_git.ENVIRONMENT))
        self.git("init", "--quiet")
        self.commit()
        FakeRoot.answers = {}
        self.enterContext(mock.patch("distributions.Root", FakeRoot))
        self.enterContext(mock.patch("distributions.tell"))

    def git(self, *arguments):
        return own_git.git(self.source, *arguments)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "a change")
        return self.git("rev-parse", "HEAD")

    def test_the_tried_commit_is_recorded(self):
        tried = self.git("rev-parse", "HEAD")
        self.workflow.write_text("not committed")
        with mock.patch.object(FakeRoot, "run", side_effect=lambda script: self.commit()):
            results = distributions.try_suite(self.source, self.folder, "trixie")
        self.assertEqual({each["commit"] for each in results}, {tried})
        self.assertEqual([each["command"] for each in results][-2:], ["make bench", "make test"])

    def test_a_failed_root_replaces_the_old_result_and_the_others_are_tried(self):
        def try_suite(source, folder, suite):
            if suite == "trixie":
                raise RootFailed("debootstrap trixie: exit code 1\nE: no network")
            return [self.result(suite=suite)]
        kept = self.folder / "results.json"
        kept.write_text(json.dumps([self.result(suite="trixie"), self.result(suite="bullseye")]))
        with mock.patch("distributions.try_suite", try_suite), mock.patch("builtins.print") as shown:
            self.assertEqual(distributions.main(self.source, self.folder, ["trixie", "testing"]), 1)
        by_suite = {each["suite"]: each for each in json.loads(kept.read_text())}
        self.assertEqual({suite: each["exit_code"] for suite, each in by_suite.items()},
                         {"bullseye": 0, "trixie": 1, "testing": 0})
        self.assertIn("no network", by_suite["trixie"]["reason"])
        self.assertIn("debootstrap trixie", shown.call_args[0][0])

    def test_the_table_names_failed_and_skipped_tests(self):
        results = [self.result(command="make bench"), self.result(skipped=["html.page", "style"]),
                   self.result(suite="testing", exit_code=2, failed=["loop.timers"], skipped=["style"])]
        lines = distributions.table(results).splitlines()
        self.assertRegex(lines[2], r"612 s [|] 612 s, 2 skipped")
        self.assertRegex(lines[3], r"- [|] exit code 2: loop.timers, 1 skipped")
        self.assertIn("html.page, style", lines[5])
        self.assertRegex(lines[6], "testing.*style")

    def result(self, **different):
        return {"suite": "trixie", "command": "make test", "exit_code": 0, "seconds": 612, "failed": [], "skipped": [],
                "debian": "13.1", "versions": {"g++": "14"}, "commit": "0"} | different

    CTEST = """The following tests FAILED:
\t  1 - nested.test (Failed)

17: output of another test
90% tests passed, 2 tests failed out of 20

The following tests did not run:
\t  4 - html.page (Skipped)

The following tests FAILED:
\t 12 - loop.timers/0 (Failed)                 loop
\t113 - gate.noisy_check (Timeout)

Errors while running CTest
"""

    def test_the_last_list_of_ctest_counts(self):
        self.assertEqual(distributions.tests_below("The following tests FAILED", self.CTEST),
                         ["loop.timers/0", "gate.noisy_check"])
        self.assertEqual(distributions.tests_below("The following tests did not run", self.CTEST), ["html.page"])
        self.assertEqual(distributions.tests_below("The following tests FAILED", "100% tests passed"), [])

    def test_a_busy_machine_is_no_failure(self):
        for output, expected in (("make: *** [Makefile:9: bench] Error 5\n", True),
                                 ("make: *** [Makefile:8: bench] Error 1\n", False), ("", False)):
            with self.subTest(output):
                FakeRoot.answers = {"make bench": (2, output)}
                with mock.patch("builtins.print") as shown:
                    code = distributions.main(self.source, self.folder, ["trixie"])
                self.assertEqual(code, 0 if expected else 1)
                self.assertEqual("runs; unreliable" in shown.call_args[0][0], expected)

    def test_an_unknown_version_is_a_dash(self):
        FakeRoot.answers = {distributions.VERSIONS["fmt"]: (1, "dpkg-query: no packages found matching libfmt-dev\n"),
                            distributions.VERSIONS["g++"]: (0, "14.2.0\n")}
        versions = distributions.versions_in(FakeRoot(self.folder / "root", "trixie", ""))
        self.assertEqual((versions["fmt"], versions["g++"]), ("-", "14.2.0"))

    def test_a_wrong_name_changes_nothing(self):
        with self.assertRaisesRegex(RootFailed, "not a release"):
            distributions.main(SOURCE, self.folder / "results", ["trixie", ".."])
        self.assertFalse((self.folder / "results").exists())


if __name__ == "__main__":
    unittest.main()
