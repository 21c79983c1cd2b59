#!/usr/bin/env python3
"""Runs .ci/release on a small repository, with fake versions of the programs that it runs, and checks its files.

    release_test.py SOURCE
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).absolute() if len(sys.argv) > 1 else sys.exit(__doc__)
sys.path.insert(0, str(SOURCE / "tests/support"))

from fake_programs import Scripts

CHANGELOG = "# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2026-01-02\n\n- one change\n\n## 1.2.2 - 2026-01-01\n\n- old\n"
# What the fake cmake leaves in the build folder: what .ci/sbom reads.
BUILT = """mkdir -p build/release/bin build/include/boost build/include/soci
echo '#define BOOST_LIB_VERSION "1_81"' > build/include/boost/version.hpp
echo '#define SOCI_LIB_VERSION "4_0_3"' > build/include/soci/version.h
echo ' * Chart.js v3.9.1' > build/include/chart.js
touch build/release/bin/loopbench
for each in Boost_INCLUDE_DIR:PATH= SOCI_INCLUDE_DIR:PATH= LOOPBENCH_CHART_JS:FILEPATH=; do
    case $each in *CHART*) each=${each}build/include/chart.js ;; *) each=${each}build/include ;; esac
    echo "$each"
done > build/release/CMakeCache.txt
"""
SPDX_LICENCES = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "GPL-3.0-or-later", "ISC",
                 "LGPL-2.1-or-later", "MIT", "Unicode-DFS-2015", "blessing"}


class Repository(Scripts):
    def setUp(self):
        super().setUp()
        self.fake("cmake", BUILT)
        self.fake("ctest", "")
        self.fake("cpack", """
while [ "$1" != -B ]; do shift; done
echo "$SOURCE_DATE_EPOCH" > "$2/loopbench_1.2.3_amd64.deb"
mkdir "$2/_CPack_Packages"
""")
        self.fake("readelf", "echo ' 0x1 (NEEDED) Shared library: [libfmt.so.9]'")
        self.fake("pkg-config", "echo 9.9")
        (self.folder / "CMakeLists.txt").write_text("project(loopbench VERSION 1.2.3 LANGUAGES CXX)\n")
        (self.folder / "CHANGELOG.md").write_text(CHANGELOG)
        (self.folder / ".gitignore").write_text("/build/\n/fakes/\n")
        self.git("init", "--quiet")
        self.commit()

    def git(self, *arguments):
        identity = ("-c", "user.name=test", "-c", "user.email=test@localhost")
        return subprocess.run(["git", "-C", self.folder, *identity, *arguments], check=True, capture_output=True,
                              text=True).stdout.strip()

    def commit(self):
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "a change", "--date", "2026-01-02T03:04:05Z")

    def released(self, *arguments):
        return self.run_script(".ci/release", *arguments)


class Release(Repository):
    def expect_refusal(self, *words):
        ran = self.released("1.2.3")
        self.assertEqual(ran.returncode, 1, ran.stdout)
        for word in words:
            self.assertIn(word, ran.stderr)
        self.assertEqual(self.calls("cmake"), [])

    def test_it_builds_tests_and_packages_the_commit_and_publishes_nothing(self):
        ran = self.released("1.2.3")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        made = self.folder / "build/packages"
        self.assertEqual({each.name for each in made.iterdir()},
                         {"loopbench_1.2.3_amd64.deb", "loopbench-1.2.3-source.tar.gz", "loopbench-1.2.3.spdx.json",
                          "SHA256SUMS"})
        self.assertEqual((made / "loopbench_1.2.3_amd64.deb").read_text().strip(),
                         self.git("log", "-1", "--format=%ct"), "the date of the build is that of the commit")
        self.assertEqual([call.split()[0] for call in self.calls("cmake")], ["--fresh", "--build"])
        self.assertEqual(self.calls("ctest"), ["--preset release"])
        self.assertEqual(self.git("tag", "--list"), "")
        self.assertIn(f"v1.2.3 {self.git('rev-parse', 'HEAD')}", ran.stdout)
        self.assertEqual((self.folder / "build/release-notes.md").read_text(), "- one change\n")

    def test_the_checksums_are_those_of_all_files(self):
        self.assertEqual(self.released("1.2.3").returncode, 0)
        made = self.folder / "build/packages"
        sums = dict(reversed(line.split("  ")) for line in (made / "SHA256SUMS").read_text().splitlines())
        self.assertEqual(set(sums), {each.name for each in made.iterdir()} - {"SHA256SUMS"})
        for name, checksum in sums.items():
            self.assertEqual(hashlib.sha256((made / name).read_bytes()).hexdigest(), checksum)

    def test_the_source_archive_has_all_sources_below_one_folder(self):
        self.assertEqual(self.released("1.2.3").returncode, 0)
        listed = subprocess.run(["tar", "-tzf", self.folder / "build/packages/loopbench-1.2.3-source.tar.gz"],
                                check=True, capture_output=True, text=True).stdout.split()
        self.assertIn("loopbench-1.2.3/CMakeLists.txt", listed)
        self.assertEqual({name.split("/")[0] for name in listed}, {"loopbench-1.2.3"})

    def test_two_releases_of_one_commit_are_the_same(self):
        files = []
        for _ in range(2):
            self.assertEqual(self.released("1.2.3").returncode, 0)
            files.append((self.folder / "build/packages/SHA256SUMS").read_text())
        self.assertEqual(*files)

    def test_a_step_that_fails_is_named_and_ends_the_release(self):
        self.fake("ctest", "echo 'planted failure'; exit 8")
        ran = self.released("1.2.3")
        self.assertEqual(ran.returncode, 1)
        for part in ("cannot test", "exit code 8", "planted failure", "build/release.log"):
            self.assertIn(part, ran.stderr)
        self.assertEqual(self.calls("cpack"), [])

    def test_a_cpack_that_makes_nothing_ends_the_release(self):
        self.fake("cpack", "")
        ran = self.released("1.2.3")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("cpack made no package", ran.stderr)

    def test_another_version_than_the_project_has_is_refused(self):
        ran = self.released("1.2.4")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("1.2.3", ran.stderr)

    def test_uncommitted_and_new_files_are_refused(self):
        (self.folder / "new file").write_text("")
        self.expect_refusal("not clean", "new file")

    def test_a_changelog_without_the_version_is_refused(self):
        (self.folder / "CHANGELOG.md").write_text(CHANGELOG.replace("1.2.3", "1.2.1"))
        self.commit()
        self.expect_refusal("CHANGELOG.md", "1.2.3")

    def test_changes_that_are_still_unreleased_are_refused(self):
        (self.folder / "CHANGELOG.md").write_text(CHANGELOG.replace("Unreleased\n", "Unreleased\n\n- late\n"))
        self.commit()
        self.expect_refusal("Unreleased")

    def test_a_version_that_is_tagged_elsewhere_is_refused(self):
        self.git("tag", "v1.2.3")
        (self.folder / "late").write_text("")
        self.commit()
        self.expect_refusal("v1.2.3", "another commit")

    def test_a_dry_run_checks_and_starts_nothing(self):
        ran = self.released("1.2.3", "--dry-run")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("cpack --config build/release/CPackConfig.cmake", ran.stdout)
        self.assertFalse((self.folder / "build").exists())
        self.assertEqual(self.released("9.9.9", "--dry-run").returncode, 1)


class Sbom(Repository):
    def document(self):
        ran = self.released("1.2.3")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads((self.folder / "build/packages/loopbench-1.2.3.spdx.json").read_text())

    def test_it_has_all_fields_that_spdx_requires(self):
        made = self.document()
        self.assertEqual((made["spdxVersion"], made["dataLicense"], made["SPDXID"]),
                         ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"))
        self.assertRegex(made["documentNamespace"], r"^https://[^#\s]+$")
        self.assertRegex(made["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        for creator in made["creationInfo"]["creators"]:
            self.assertRegex(creator, "^(Tool|Person|Organization): .")
        names = [each["SPDXID"] for each in made["packages"]]
        self.assertEqual(len(names), len(set(names)))
        for each in made["packages"]:
            self.assertRegex(each["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            self.assertRegex(each["supplier"], "^(NOASSERTION$|(Person|Organization): .)")
            self.assertTrue(each["name"] and each["versionInfo"] and each["downloadLocation"])
            self.assertFalse(each["filesAnalyzed"], "otherwise SPDX requires a verification code")
            licences = set(re.split(" AND | OR ", re.sub(" WITH GCC-exception-3.1", "", each["licenseDeclared"])))
            self.assertLessEqual(licences, SPDX_LICENCES)

    def test_every_library_has_a_relationship_to_loopbench(self):
        made = self.document()
        related = {(each["spdxElementId"], each["relatedSpdxElement"]): each["relationshipType"]
                   for each in made["relationships"]}
        self.assertEqual(related.pop(("SPDXRef-DOCUMENT", "SPDXRef-loopbench")), "DESCRIBES")
        self.assertEqual({one for one, _ in related}, {"SPDXRef-loopbench"})
        self.assertEqual({other for _, other in related},
                         {each["SPDXID"] for each in made["packages"]} - {"SPDXRef-loopbench"})
        self.assertEqual(related["SPDXRef-loopbench", "SPDXRef-fmt"], "DYNAMIC_LINK")
        self.assertEqual(related["SPDXRef-loopbench", "SPDXRef-Boost"], "STATIC_LINK")

    def test_the_versions_are_those_of_the_build(self):
        versions = {each["name"]: each["versionInfo"] for each in self.document()["packages"]}
        for name, version in (("loopbench", "1.2.3"), ("Boost", "1.81"), ("SOCI", "4.0.3"), ("Chart.js", "3.9.1"),
                              ("fmt", "9.9")):
            self.assertEqual(versions[name], version)

    def test_a_library_that_the_table_lacks_is_named(self):
        self.fake("readelf", "echo ' 0x1 (NEEDED) Shared library: [libplanted.so.7]'")
        ran = self.released("1.2.3")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("libplanted.so.7", ran.stderr)

    def test_a_library_that_was_left_out_is_not_in_it(self):
        self.fake("pkg-config", '[ "$2" != libuv ] && echo 9.9')
        self.assertNotIn("libuv", [each["name"] for each in self.document()["packages"]])
        self.fake("readelf", "echo ' 0x1 (NEEDED) Shared library: [libuv.so.1]'")
        self.assertIn("libuv", self.released("1.2.3").stderr)


if __name__ == "__main__":
    os.environ.pop("SOURCE_DATE_EPOCH", None)
    unittest.main()
