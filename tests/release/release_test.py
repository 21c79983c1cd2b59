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
BUILT = """env > "$0.env"
mkdir -p build/include/soci
echo '#define SOCI_LIB_VERSION "4_0_3"' > build/include/soci/version.h
echo ' * Chart.js v3.9.1' > build/include/chart.js
for preset in release tarball; do
    mkdir -p build/$preset/bin
    touch build/$preset/bin/loopbench
    printf '%s\\n' SOCI_INCLUDE_DIR:PATH=build/include LOOPBENCH_CHART_JS:FILEPATH=build/include/chart.js \\
        CMAKE_CXX_COMPILER:FILEPATH=the-compiler 'LOOPBENCH_ALL_BOOSTS:INTERNAL=1.81.0;1.92' \\
        > build/$preset/CMakeCache.txt
done
printf '%s\\n' LOOPBENCH_CONTENDERS:BOOL=OFF LOOPBENCH_STATIC:BOOL=ON >> build/tarball/CMakeCache.txt
"""
MAINTAINER = "A Person <person@example.org>"
SPDX_LICENCES = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "GPL-3.0-or-later", "ISC",
                 "LGPL-2.1-or-later", "MIT", "Unicode-DFS-2015", "blessing"}


class Repository(Scripts):
    def setUp(self):
        super().setUp()
        self.fake("cmake", BUILT)
        self.fake("ctest", "")
        self.fake("cpack", """
case $2 in *tarball*) file=loopbench-1.2.3-linux.tar.gz ;; *) file=loopbench_1.2.3_amd64.deb ;; esac
while [ "$1" != -B ]; do shift; done
echo "$SOURCE_DATE_EPOCH" > "$2/$file"
mkdir -p "$2/_CPack_Packages"
""")
        self.fake("c++", "echo libsimdjson.a")
        self.fake("the-compiler", "echo 12.2.0")
        self.fake("getconf", "echo glibc 2.36")
        self.fake("ldd", "exit 1")
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

    def released(self, version="1.2.3", *more):
        return self.run_script(".ci/release", version, "--maintainer", MAINTAINER, *more)


class Release(Repository):
    def expect_refusal(self, *words):
        ran = self.released()
        self.assertEqual(ran.returncode, 1, ran.stdout)
        for word in words:
            self.assertIn(word, ran.stderr)
        self.assertEqual(self.calls("cmake"), [])

    def test_it_builds_tests_and_packages_the_commit_and_publishes_nothing(self):
        ran = self.released()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        made = self.folder / "build/release-1.2.3"
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

    def test_all_parts_are_built_for_the_maintainer_in_a_clean_environment(self):
        changed = ("CXX=other", "BOOST_ROOT=/other", "CMAKE_PREFIX_PATH=/other", "CPATH=/other")
        ran = self.run_script("env", *changed, ".ci/release", "1.2.3", "--maintainer", MAINTAINER)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        configure, build = self.calls("cmake")
        self.assertIn("-DLOOPBENCH_ALL=ON", configure)
        self.assertIn(f"-DLOOPBENCH_MAINTAINER={MAINTAINER}", configure)
        self.assertRegex(build, r"--parallel \d+$")
        lines = (self.folder / "fakes/cmake.env").read_text().splitlines()
        self.assertFalse(set(changed) & set(lines))

    def test_a_maintainer_without_an_address_is_refused(self):
        ran = self.run_script(".ci/release", "1.2.3", "--maintainer", "A Person")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("NAME <ADDRESS>", ran.stderr)

    def test_the_static_archive_is_part_of_it_if_simdjson_is_an_archive(self):
        self.assertIn("left out: the static archive", self.released().stdout)
        self.fake("c++", "echo /usr/lib/libsimdjson.a")
        ran = self.released()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("left out", ran.stdout)
        made = self.folder / "build/release-1.2.3"
        self.assertTrue((made / "loopbench-1.2.3-linux.tar.gz").is_file())
        document = json.loads((made / "loopbench-1.2.3-tarball.spdx.json").read_text())
        names = {each["name"] for each in document["packages"]}
        self.assertLessEqual({"fmt", "SOCI", "SQLite", "Boost"}, names)
        self.assertFalse({"libuv", "libevent", "liburing", "Google Benchmark"} & names)
        self.assertNotIn("DEPENDS_ON", {each["relationshipType"] for each in document["relationships"]})

    def test_other_packages_of_the_user_stay(self):
        self.write("build/packages/loopbench.tar.gz", "of the user")
        self.assertEqual(self.released().returncode, 0)
        self.assertEqual((self.folder / "build/packages/loopbench.tar.gz").read_text(), "of the user")

    def test_links_in_the_notes_lead_to_the_tag(self):
        links = "[page](docs/gate.md#a), [readme](README.md), [web](https://example.org), [here](#x)"
        (self.folder / "CHANGELOG.md").write_text(CHANGELOG.replace("one change", links))
        self.commit()
        for url in ("git@example.org:me/loopbench.git", "https://user@example.org/me/loopbench"):
            with self.subTest(url):
                self.git("config", "remote.origin.url", url)
                self.assertEqual(self.released().returncode, 0)
                base = "https://example.org/me/loopbench/blob/v1.2.3"
                self.assertEqual((self.folder / "build/release-notes.md").read_text(),
                                 f"- [page]({base}/docs/gate.md#a), [readme]({base}/README.md), "
                                 "[web](https://example.org), [here](#x)\n")

    def test_the_checksums_are_those_of_all_files(self):
        self.assertEqual(self.released().returncode, 0)
        made = self.folder / "build/release-1.2.3"
        sums = dict(reversed(line.split("  ")) for line in (made / "SHA256SUMS").read_text().splitlines())
        self.assertEqual(set(sums), {each.name for each in made.iterdir()} - {"SHA256SUMS"})
        for name, checksum in sums.items():
            self.assertEqual(hashlib.sha256((made / name).read_bytes()).hexdigest(), checksum)

    def test_the_source_archive_has_all_sources_below_one_folder(self):
        self.assertEqual(self.released().returncode, 0)
        listed = subprocess.run(["tar", "-tzf", self.folder / "build/release-1.2.3/loopbench-1.2.3-source.tar.gz"],
                                check=True, capture_output=True, text=True).stdout.split()
        self.assertIn("loopbench-1.2.3/CMakeLists.txt", listed)
        self.assertEqual({name.split("/")[0] for name in listed}, {"loopbench-1.2.3"})

    def test_two_releases_of_one_commit_are_the_same(self):
        files = []
        for _ in range(2):
            self.assertEqual(self.released().returncode, 0)
            files.append((self.folder / "build/release-1.2.3/SHA256SUMS").read_text())
        self.assertEqual(*files)

    def test_a_step_that_fails_is_named_and_ends_the_release(self):
        self.fake("ctest", "echo 'planted failure'; exit 8")
        ran = self.released()
        self.assertEqual(ran.returncode, 1)
        for part in ("cannot test", "exit code 8", "planted failure", "build/release.log"):
            self.assertIn(part, ran.stderr)
        self.assertEqual(self.calls("cpack"), [])

    def test_a_cpack_that_makes_nothing_ends_the_release(self):
        self.fake("cpack", "")
        ran = self.released()
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
        ran = self.released()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads((self.folder / "build/release-1.2.3/loopbench-1.2.3.spdx.json").read_text())

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
        self.assertEqual(related["SPDXRef-loopbench", "SPDXRef-Chart.js"], "CONTAINS")

    def test_the_versions_are_those_of_the_build(self):
        versions = {each["name"]: each["versionInfo"] for each in self.document()["packages"]}
        for name, version in (("loopbench", "1.2.3"), ("SOCI", "4.0.3"), ("Chart.js", "3.9.1"), ("fmt", "9.9"),
                              ("libstdc++", "12.2.0"), ("glibc", "2.36")):
            self.assertEqual(versions[name], version)

    def test_all_versions_of_boost_are_in_it(self):
        versions = [each["versionInfo"] for each in self.document()["packages"] if each["name"] == "Boost"]
        self.assertEqual(versions, ["1.81.0", "1.92"])

    def test_musl_stands_for_glibc_if_programs_need_it(self):
        self.fake("getconf", "exit 1")
        self.fake("ldd", "printf 'musl libc (x86_64)\\nVersion 1.2.5\\n' >&2; exit 1")
        self.fake("readelf", "echo ' 0x1 (NEEDED) Shared library: [libc.musl-x86_64.so.1]'")
        versions = {each["name"]: each["versionInfo"] for each in self.document()["packages"]}
        self.assertEqual(versions["musl"], "1.2.5")
        self.assertNotIn("glibc", versions)

    def test_clang_names_the_release_of_its_library(self):
        self.fake("the-compiler", '[ "$1" != -dumpfullversion ] && echo "#define _GLIBCXX_RELEASE 14"')
        versions = {each["name"]: each["versionInfo"] for each in self.document()["packages"]}
        self.assertEqual(versions["libstdc++"], "14")

    def test_documents_of_other_builds_have_another_name(self):
        first = self.document()["documentNamespace"]
        self.assertEqual(self.document()["documentNamespace"], first)
        self.fake("getconf", "echo glibc 2.41")
        self.assertNotEqual(self.document()["documentNamespace"], first)

    def test_a_build_without_programs_is_refused(self):
        self.fake("cmake", BUILT + "rm build/release/bin/loopbench\n")
        self.assertIn("contains no program", self.released().stderr)

    def test_a_library_that_the_table_lacks_is_named(self):
        self.fake("readelf", "echo ' 0x1 (NEEDED) Shared library: [libplanted.so.7]'")
        ran = self.released()
        self.assertEqual(ran.returncode, 1)
        self.assertIn("libplanted.so.7", ran.stderr)

    def test_a_library_that_was_left_out_is_not_in_it(self):
        self.fake("pkg-config", '[ "$2" != libuv ] && echo 9.9')
        self.assertNotIn("libuv", [each["name"] for each in self.document()["packages"]])
        self.fake("readelf", "echo ' 0x1 (NEEDED) Shared library: [libuv.so.1]'")
        self.assertIn("libuv", self.released().stderr)


if __name__ == "__main__":
    os.environ.pop("SOURCE_DATE_EPOCH", None)
    unittest.main()
