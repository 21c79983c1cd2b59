#!/usr/bin/env python3
"""Tests the CMake scripts of packages with small projects.

    scripts_test.py SOURCE
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).absolute() if len(sys.argv) > 1 else sys.exit(__doc__)
PROJECT = "cmake_minimum_required(VERSION 3.25)\nproject(loopbench VERSION 1.2.3 LANGUAGES NONE)\n"


class Project(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, name, text=""):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def configure(self, code, sources="."):
        """Configures a project in the folder `sources`. Returns the exit code and the output."""
        self.write(f"{sources}/CMakeLists.txt", PROJECT + code)
        done = subprocess.run(["cmake", "-S", self.folder / sources, "-B", self.folder / sources / "build"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, " ".join(done.stdout.split())


class SourceArchive(Project):
    def test_the_folder_of_the_sources_may_look_like_a_pattern_or_a_folder_of_results(self):
        for place in ("loopbench-main", "c++ (1)/.cache/build/loopbench-x"):
            with self.subTest(place):
                for name in ("loop/a.cpp", ".github/b", "build/c", ".git/d", "loopbench-report/e", "x/__pycache__/f"):
                    self.write(f"{place}/{name}")
                sources = self.folder / place
                code, said = self.configure(f"include({SOURCE}/bench/package/sources.cmake)\ninclude(CPack)\n", place)
                self.assertEqual(code, 0, said)
                build = sources / "build"
                subprocess.run(["cpack", "--config", build / "CPackSourceConfig.cmake", "-B", build], check=True,
                               stdout=subprocess.DEVNULL)
                with tarfile.open(build / "loopbench-1.2.3-source.tar.gz") as archive:
                    files = {each.name.partition("/")[2] for each in archive.getmembers() if each.isfile()}
                self.assertEqual(files, {"CMakeLists.txt", "loop/a.cpp", ".github/b"})


class BuildFolder(Project):
    def test_a_parent_may_build_in_its_own_sources_if_loopbench_has_another_folder(self):
        self.write("loopbench/CMakeLists.txt", (SOURCE / "CMakeLists.txt").read_text())
        for folder, is_refused in (("other", False), ("loopbench", True)):
            with self.subTest(folder):
                self.write("CMakeLists.txt", PROJECT + f"add_subdirectory(loopbench {folder})\n")
                said = subprocess.run(["cmake", "-S", self.folder, "-B", self.folder], check=False, text=True,
                                      capture_output=True).stderr
                self.assertEqual("needs its own folder" in said, is_refused, said)


class Licenses(Project):
    CODE = f"""include(GNUInstallDirs)
set(LOOPBENCH_HAS_HISTORY ON)
include({SOURCE}/bench/package/licenses.cmake)
loopbench_install_licenses(${{CMAKE_SOURCE_DIR}}/share)
"""
    PACKAGES = ("libboost1.90-dev", "libc6-dev", "libcli11-dev", "libfmt-dev", "libjs-chart.js", "libsimdjson-dev",
                "libsoci-dev", "libsqlite3-dev", "libstdc++-14-dev", "libutf8proc-dev", "nlohmann-json3-dev",
                "uuid-dev")
    TEXTS = ("Apache-2.0", "LGPL-2.1")

    def setUp(self):
        super().setUp()
        for package in self.PACKAGES:
            self.write(f"share/doc/{package}/copyright", package)
        for text in self.TEXTS:
            self.write(f"share/common-licenses/{text}", text)

    def test_all_texts_are_installed(self):
        code, said = self.configure(self.CODE)
        self.assertEqual(code, 0, said)
        subprocess.run(["cmake", "--install", self.folder / "build", "--prefix", self.folder / "prefix"], check=True,
                       stdout=subprocess.DEVNULL)
        installed = self.folder / "prefix/share/doc/loopbench/licenses"
        self.assertEqual({each.name: each.read_text() for each in installed.iterdir()},
                         {name: name for name in (*self.PACKAGES, *self.TEXTS)})

    def test_a_missing_text_ends_the_configuration(self):
        for lost in ("doc/libfmt-dev", "common-licenses/LGPL-2.1"):
            with self.subTest(lost):
                (self.folder / "share" / lost).rename(self.folder / "elsewhere")
                code, said = self.configure(self.CODE)
                self.assertNotEqual(code, 0)
                self.assertIn(f": {lost.removeprefix('doc/')}.", said)
                (self.folder / "elsewhere").rename(self.folder / "share" / lost)


class Modes(Project):
    def test_the_umask_does_not_decide_who_can_read_the_files_of_a_package(self):
        group = self.folder / "made/tool"
        self.write("made/tool/usr/bin/loopbench")
        self.write("debian/copyright")
        self.write("debian/loopbench/changelog")
        before = os.umask(0o077)
        self.addCleanup(os.umask, before)
        for script in ("debian_files", "folder_modes"):
            subprocess.run(["cmake", "-D", f"CPACK_TEMPORARY_DIRECTORY={self.folder}/made", "-D",
                            f"CPACK_LOOPBENCH_DEBIAN_FILES={self.folder}/debian", "-P",
                            SOURCE / f"bench/package/{script}.cmake"], check=True)
        modes = {str(each.relative_to(group)): f"{each.stat().st_mode & 0o777:o}"
                 for each in (group / "usr/share/doc").rglob("*")}
        self.assertEqual(modes, {"usr/share/doc/loopbench": "755", "usr/share/doc/loopbench/copyright": "644",
                                 "usr/share/doc/loopbench/changelog.gz": "644"})


class DebianVersion(Project):
    def suffix(self, *release):
        script = self.write("suffix.cmake", f"include({SOURCE}/bench/package/debian_version.cmake)\n"
                            'loopbench_debian_suffix(result "${ID}" "${NUMBER}" "${CODENAME}")\nmessage(${result})\n')
        words = [f"-D{name}={text}" for name, text in zip(("ID", "NUMBER", "CODENAME"), release)]
        done = subprocess.run(["cmake", *words, "-P", script], check=True, capture_output=True, text=True)
        return done.stderr.strip()

    def test_it_names_the_release(self):
        self.assertEqual(self.suffix("debian", "13", "trixie"), "debian13")
        self.assertEqual(self.suffix("ubuntu", "24.04", "noble"), "ubuntu24.04")

    @unittest.skipIf(shutil.which("dpkg") is None, "dpkg is missing")
    def test_a_release_in_development_is_older_than_the_finished_one(self):
        order = [self.suffix("debian", *release) for release in (("13", "trixie"), ("", "forky"), ("14", "forky"),
                                                                 ("", "duke"))]
        for older, newer in zip(order, order[1:]):
            subprocess.run(["dpkg", "--compare-versions", f"1.0.0+{older}", "lt", f"1.0.0+{newer}"], check=True)
        unknown = self.suffix("debian", "", "later")
        subprocess.run(["dpkg", "--compare-versions", f"1.0.0+{unknown}", "lt", "1.0.0+debian16"], check=True)


if __name__ == "__main__":
    unittest.main()
