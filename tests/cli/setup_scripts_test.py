#!/usr/bin/env python3
"""Tests .ci/install and .ci/build with fake versions of the programs that they run.

    setup_scripts_test.py SOURCE
"""

import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).absolute() if len(sys.argv) > 1 else sys.exit(__doc__)
sys.path.insert(0, str(SOURCE / "tests/support"))

from fake_programs import Scripts


class Install(Scripts):
    def changes(self):
        """Returns the calls of apt-get that can change something."""
        return [call for call in self.calls("apt-get") if " --simulate " not in call]

    def has_lists(self):
        """Lets the machine have package lists of this hour."""
        self.fake("find", 'echo "$1"')

    def test_install_waits_for_another_package_manager(self):
        self.fake("apt-get", """
[ "$(wc -l < "$0.calls")" -gt 3 ] || { echo "E: Could not get lock /var/lib/apt/lists/lock." >&2; exit 100; }""")
        ran = self.run_script(".ci/install", "layouts")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stderr.count("waiting"), 1, ran.stderr)
        self.assertEqual(len(self.calls("sleep")), 3)
        for call in self.changes():
            self.assertIn("DPkg::Lock::Timeout=", call)
        self.assertRegex(self.calls("apt-get")[-1], " install .* mold$")

    def test_install_shows_the_messages_of_apt_get_if_apt_get_fails(self):
        self.fake("apt-get", "echo 'E: Unable to locate package mold'; exit 100")
        ran = self.run_script(".ci/install", "layouts")
        self.assertEqual(ran.returncode, 100)
        self.assertIn("Unable to locate package mold", ran.stderr)
        self.assertEqual(len(self.calls("apt-get")), 1, "another error is not retried")

    def test_install_shows_the_message_of_npm_if_npm_fails(self):
        self.fake("npm", """
[ "$1" != root ] || { echo /no/where; exit; }
case "$*" in *--silent*) ;; *) echo 'npm ERR! network getaddrinfo ENOTFOUND' >&2 ;; esac
exit 7""")
        ran = self.run_script(".ci/install", "readers")
        self.assertEqual(ran.returncode, 7)
        self.assertIn("ENOTFOUND", ran.stderr)

    def test_install_prints_only_the_names_of_the_packages_that_it_installs(self):
        self.fake("apt-get", "echo noise; echo noise >&2")
        ran = self.run_script(".ci/install", "layouts")
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr),
                         (0, "installing distribution packages: mold\n", ""))

    def test_an_unknown_purpose_is_refused_and_the_known_ones_are_named(self):
        ran = self.run_script(".ci/install", "layouts", "nothing")
        self.assertEqual(ran.returncode, 2)
        for purpose in ("build", "layouts", "clang"):
            self.assertIn(purpose, ran.stderr)
        self.assertEqual(self.calls("apt-get"), [])

    def test_the_first_available_alternative_is_installed(self):
        self.fake("apt-cache", '[[ $2 == libboost1* && $2 != libboost1.88-dev ]] || echo "  Candidate: 1"')
        ran = self.run_script(".ci/install", "build", "upstream")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        installed = self.calls("apt-get")[-1]
        for package in ("libboost1.88-dev", "libboost-context1.88-dev", "g++"):
            self.assertIn(f" {package}", installed)
        self.assertNotIn("1.81", installed)

    def test_a_package_can_have_several_purposes(self):
        self.fake("apt-cache", 'echo "  Candidate: 1"')
        ran = self.run_script(".ci/install", "tool", "gate")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        installed = self.calls("apt-get")[-1].split()
        for package in ("g++", "libfmt-dev", "libbenchmark-dev", "mold"):
            self.assertIn(package, installed)
        for package in ("libuv1-dev", "liburing-dev", "libgtest-dev"):
            self.assertNotIn(package, installed)

    def test_an_installed_alternative_stays_and_decides_the_version_of_other_packages(self):
        self.fake("dpkg-query", '[ "$3" = libboost1.81-dev ] && echo install ok installed')
        self.fake("apt-cache", 'echo "  Candidate: 1"')
        ran = self.run_script(".ci/install", "build", "upstream")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn(" libboost-context1.81-dev", self.calls("apt-get")[-1])
        self.assertNotIn("libboost1.", self.calls("apt-get")[-1])

    def test_nothing_missing_needs_neither_sudo_nor_the_package_lists(self):
        self.fake("dpkg-query", "echo install ok installed")
        self.fake("id", "echo 1000")
        self.fake("sudo", "echo a password is required >&2; exit 1")
        self.fake("npm", f'[ "$1" != root ] || echo {self.folder}/modules')
        self.write("modules/mocha-junit-reporter/package.json", '{\n  "version": "2.2.1",\n')
        ran = self.run_script(".ci/install", "build", "layouts", "style", "readers", "upstream")
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "", ""))
        self.assertEqual((self.calls("apt-get"), self.calls("sudo")), ([], []))

    def test_a_package_that_the_release_never_has_needs_neither_sudo_nor_new_lists(self):
        self.fake("dpkg-query", '[[ "$3" != "?" && "$3" != clang-format-14 ]] && echo install ok installed')
        self.fake("apt-cache", 'echo "  Candidate: (none)"')
        self.fake("apt-get", "echo 'Temporary failure resolving deb.debian.org'; exit 100")
        self.fake("sudo", "exit 1")
        self.use_only("dpkg-query", "apt-cache", "apt-get", "find", "id", "sudo")
        for lists, user in (("echo", 0), ("echo", 1000), ("exit 1", 0), ("exit 1", 1000)):
            with self.subTest(lists=lists, user=user):
                self.fake("find", lists)
                self.fake("id", f"echo {user}")
                if lists == "echo":
                    self.fake("find", 'echo "$1"')
                ran = self.run_script(".ci/install", "layouts", "style")
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn("clang-format-14", ran.stderr)
                if lists == "echo":
                    self.assertEqual((self.calls("apt-get"), self.calls("sudo")), ([], []))

    def test_no_package_is_removed(self):
        self.has_lists()
        self.fake("apt-get", """
for package; do
    [[ "$* $package" != *--simulate*" libboost1.92-dev" ]] ||
        printf 'Remv libboost1.74-dev [1.74]\nRemv libboost-dev [1.74]\n'
done""")
        ran = self.run_script(".ci/install", "build")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for part in ("libboost1.74-dev libboost-dev", "install libboost1.92-dev`", "CMAKE_PREFIX_PATH"):
            self.assertIn(part, ran.stderr)
        self.assertIn(" --no-remove ", self.changes()[-1])
        self.assertIn(" libfmt-dev ", self.changes()[-1])
        self.assertNotIn("libboost", self.changes()[-1])

    def test_the_language_of_the_user_does_not_matter(self):
        self.fake("apt-cache", """
if [ "$LC_ALL" = C ]; then echo "  Candidate: 1"; else echo "  Installationskandidat: 1"; fi""")
        ran = self.run_script("env", "LC_ALL=de_DE.UTF-8", ".ci/install", "build")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn(" libboost1.92-dev ", self.calls("apt-get")[-1])

    def test_a_package_that_the_distribution_lacks_is_named_and_the_others_are_installed(self):
        self.fake("apt-cache", 'echo "  Candidate: (none)"')
        self.use_only("dpkg-query", "apt-cache", "apt-get", "find", "id", "npm")
        ran = self.run_script(".ci/install", "style", "layouts")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stderr, "no package.*mold, clang-format-14.*install them")
        self.assertEqual(self.changes(), ["-o DPkg::Lock::Timeout=10 -qq update"])
        self.fake("apt-cache", '[ "$2" = hyperfine ] || echo "  Candidate: 1"')
        ran = self.run_script(".ci/install", "readers")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stderr, "no package: hyperfine[.]")
        self.assertIn(" gnuplot-nox ", self.changes()[-1])
        self.assertNotIn("hyperfine", self.changes()[-1])

    def test_without_a_known_boost_its_libraries_are_named_and_the_others_are_installed(self):
        self.fake("apt-cache", '[[ "$2" = *boost* ]] || echo "  Candidate: 1"')
        ran = self.run_script(".ci/install", "build", "upstream")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for name in ("boost/asio.hpp", "libboost-context-dev", "libboost-coroutine-dev"):
            self.assertIn(f" {name} (Boost 1.81 to 1.92)", ran.stderr)
        self.assertNotIn("boost", self.changes()[-1])
        self.assertIn(" netbase", self.changes()[-1])

    def test_a_boost_that_is_too_old_does_not_count(self):
        self.fake("apt-cache", '[[ "$2" = *boost* ]] || echo "  Candidate: 1"')
        self.write("usr/include/boost/asio.hpp", "")
        for version, is_named in ((107400, True), (108100, False), (109500, False)):
            with self.subTest(version):
                self.write("usr/include/boost/version.hpp", f"#define BOOST_VERSION {version}\n")
                self.assertEqual("Boost 1.81 to" in self.run_script(".ci/install", "build").stderr, is_named)

    def test_without_sudo_missing_packages_are_named_and_the_build_can_continue(self):
        self.fake("id", "echo 1000")
        self.use_only("dpkg-query", "id", "apt-get")
        ran = self.run_script(".ci/install", "layouts")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stderr, "sudo.*mold.*layouts.*as root")
        self.assertEqual(self.changes(), [])

    def test_a_sudo_that_refuses_is_like_none(self):
        self.fake("id", "echo 1000")
        self.fake("sudo", "echo 'sudo: a password is required' >&2; exit 1")
        self.use_only("dpkg-query", "apt-cache", "apt-get", "find", "id", "sudo")
        for lists in ("exit 1", 'echo "$1"'):
            with self.subTest(lists):
                self.fake("find", lists)
                ran = self.run_script(".ci/install", "layouts")
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertRegex(ran.stderr, "(?s)a password is required.*sudo.*mold.*as root")
                self.assertEqual(self.changes(), [])

    def test_a_user_with_sudo_installs(self):
        self.fake("id", "echo 1000")
        self.fake("sudo", '"$@"')
        ran = self.run_script(".ci/install", "layouts")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(self.changes()[-1], " mold$")
        self.assertIn("apt-get", self.calls("sudo")[-1])

    def test_a_package_manager_that_reads_its_input_hides_no_package(self):
        for name in ("dpkg-query", "npm"):
            self.fake(name, "cat >/dev/null; exit 1")
        ran = self.run_script(".ci/install", "readers", "layouts")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for package in ("mold", "git", "python3-yaml"):
            self.assertIn(f" {package} ", f"{self.changes()[-1]} ")

    def test_npm_gets_root_rights_only_for_a_folder_of_root(self):
        self.has_lists()
        self.fake("id", "echo 1000")
        self.fake("sudo", '"$@"')
        for place, with_sudo in ((f"{self.folder}/new/modules", False), ("/dev/null/modules", True)):
            with self.subTest(place):
                self.fake("npm", f'[ "$1" != root ] || echo {place}')
                ran = self.run_script(".ci/install", "readers")
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn("mocha-junit-reporter@2.2.1", self.calls("npm")[-1])
                self.assertEqual([f"PATH={self.path}" in call for call in self.calls("sudo") if "npm" in call],
                                 [True] * with_sudo)

    def test_a_package_of_npm_with_another_version_is_installed(self):
        self.fake("dpkg-query", "echo install ok installed")
        self.fake("npm", f'[ "$1" != root ] || echo {self.folder}/modules')
        for version, is_enough in (("2.2.1", True), ("2.10.0", True), ("2.2.0", False), ("3.0.0", False)):
            with self.subTest(version):
                self.write("modules/mocha-junit-reporter/package.json",
                           f'{{"name": "mocha-junit-reporter", "version": "{version}"}}')
                ran = self.run_script(".ci/install", "readers")
                self.assertEqual("mocha-junit-reporter" in ran.stdout, not is_enough, ran.stderr)

    def test_without_a_package_manager_missing_programs_are_named_and_the_build_can_continue(self):
        self.fake("mold", "")
        self.fake("python3", '[ "$2" != "import numpy" ]')
        self.use_only("mold", "id", "python3")
        ran = self.run_script(".ci/install", "layouts", "profilers")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stderr, "no known package manager.*: valgrind[.]")
        ran = self.run_script(".ci/install", "build", "readers")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for name in ("chart.min.js", "python:numpy", "npm:mocha-junit-reporter"):
            self.assertIn(name, ran.stderr)
        self.assertNotIn("python:lxml", ran.stderr)

    # For each package manager: the program that knows the installed packages, its call for a package that exists and
    # for one that does not, the words of a lock, and the call that installs.
    MANAGERS = {
        "dnf": ("rpm", '[ "$2" != repoquery ] || [[ $4 = {absent} ]] || echo found',
                "Failed to obtain lock: is locked by 7",
                "--quiet --assumeyes install --setopt=install_weak_deps=False"),
        "zypper": ("rpm", '[[ $3 != search || $6 != {absent} ]] || exit 104', "System management is locked by 7",
                   "--quiet --non-interactive install --no-recommends"),
        "pacman": ("pacman", '[ "$1" != --deptest ] && [[ $2 != --info || $3 != {absent} ]]',
                   "error: failed to init transaction (unable to lock database)", "--sync --noconfirm --needed"),
        "apk": ("apk", '[ "$1" != info ] && {{ [[ $1 != search || $3 = {absent} ]] || echo found; }}',
                "ERROR: Unable to lock database: temporarily unavailable", "add --quiet")}

    def fake_manager(self, manager, absent="''", installing=":"):
        query, code, _, install = self.MANAGERS[manager]
        self.fake(query, "exit 1")
        self.fake(manager, f'if [[ "$*" = "{install} "* ]]; then\n{installing}\nelse {code.format(absent=absent)}\nfi')
        self.has_lists()
        self.use_only(*{manager, query}, "find", "id", "npm", "sleep")

    def test_each_package_manager_gets_its_own_names(self):
        for manager, package in (("dnf", "json-devel"), ("zypper", "nlohmann_json-devel"),
                                 ("pacman", "nlohmann-json"), ("apk", "nlohmann-json")):
            with self.subTest(manager):
                self.fake_manager(manager, absent="*benchmark*")
                (self.folder / "fakes/npm.calls").unlink(missing_ok=True)
                ran = self.run_script(".ci/install", "build")
                self.assertEqual(ran.returncode, 0, ran.stderr)
                installed = self.calls(manager)[-1]
                self.assertTrue(installed.startswith(self.MANAGERS[manager][3] + " "), installed)
                self.assertIn(f" {package} ", installed)
                self.assertNotIn("benchmark", installed)
                self.assertRegex(ran.stderr, "no package: [^.]*benchmark")
                self.assertIn("chart.js", self.calls("npm")[-1])

    def test_each_package_manager_is_waited_for(self):
        for manager, (_, _, lock, install) in self.MANAGERS.items():
            with self.subTest(manager):
                self.fake_manager(manager, installing=f'''
[ "$(grep -c -- "^{install} " "{self.folder}/fakes/{manager}.calls")" -gt 2 ] || {{ echo "{lock}" >&2; exit 7; }}''')
                ran = self.run_script(".ci/install", "layouts")
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertEqual(ran.stderr.count("waiting"), 1, ran.stderr)

    def test_codes_of_zypper_that_mean_installed_are_no_errors(self):
        for code, result in ((102, 0), (103, 0), (106, 0), (107, 0), (104, 104), (4, 4)):
            with self.subTest(code):
                self.fake_manager("zypper", installing=f"exit {code}")
                self.assertEqual(self.run_script(".ci/install", "layouts").returncode, result)

    def test_package_lists_are_left_alone_on_arch_and_updated_on_alpine(self):
        self.fake_manager("pacman", installing="echo 'error: failed retrieving file mold.tar'; exit 1")
        ran = self.run_script(".ci/install", "layouts")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("pacman -Syu", ran.stderr)
        self.assertNotIn("-y", " ".join(self.calls("pacman")))
        self.assertNotIn("--refresh", " ".join(self.calls("pacman")))
        self.fake("find", "")
        ran = self.run_script(".ci/install", "layouts")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("pacman -Syu", ran.stderr)
        self.fake_manager("apk", absent="*")
        self.fake("find", "")
        self.assertEqual(self.run_script(".ci/install", "layouts").returncode, 0)
        self.assertIn("update --quiet", self.calls("apk"))

    def test_the_name_of_the_distribution_decides(self):
        for distribution, manager in (("ID=fedora", "dnf"), ("ID=manjaro\nID_LIKE=arch", "pacman"),
                                      ('ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"', "zypper"),
                                      ("ID=alpine", "apk")):
            with self.subTest(distribution):
                self.write("etc/os-release", distribution + "\n")
                self.fake_manager(manager)
                for other in self.MANAGERS.keys() - {manager}:
                    self.fake(other, "exit 1")
                    (self.folder / "basic" / other).symlink_to(self.folder / "fakes" / other)
                (self.folder / "basic/apt-get").symlink_to(self.folder / "fakes/apt-get")
                ran = self.run_script(".ci/install", "layouts")
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn(f"{self.MANAGERS[manager][3]} mold", self.calls(manager))
                self.assertEqual(self.calls("apt-get"), [])

    def use_only(self, *fakes):
        """Leaves the scripts only these fakes, and the basic programs that every distribution has."""
        folder = self.folder / "basic"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name in ("bash", "awk", "grep", "env", "dirname"):
            (folder / name).symlink_to(shutil.which(name))
        for name in fakes:
            (folder / name).symlink_to(self.folder / "fakes" / name)
        self.path = str(folder)


class Build(Scripts):
    BUILT = "for i in {1..119}; do echo \"[$i/119] Building CXX object $i\"; done"

    def setUp(self):
        super().setUp()
        shutil.copy(SOURCE / "Makefile", self.folder)

    def fake_cmake(self, build, configure="echo '-- Configuring done'"):
        self.fake("cmake", f'if [ "$1" = --build ]; then\n{build}\nelse\n{configure}\nfi')

    def test_build_prints_one_line_without_a_terminal(self):
        self.fake_cmake(self.BUILT)
        ran = self.run_script(".ci/build", "headline")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stdout, "building: 1 of 119 steps\n", "no further line within ten seconds")
        self.assertEqual(self.calls("cmake")[-1], "--build --preset release --target headline")
        log = (self.folder / "build/release/build.log").read_text()
        for part in ("Configuring done", "[119/119]"):
            self.assertIn(part, log)

    def test_build_uses_the_given_preset(self):
        self.fake_cmake(self.BUILT)
        self.assertEqual(self.run_script(".ci/build", "--preset", "tool", "tool").returncode, 0)
        self.assertEqual(self.calls("cmake"), ["--preset tool", "--build --preset tool --target tool"])
        self.assertIn("[119/119]", (self.folder / "build/tool/build.log").read_text())

    def test_build_keeps_one_line_up_to_date_on_a_terminal(self):
        self.fake_cmake(self.BUILT)
        ours, theirs = pty.openpty()
        running = subprocess.Popen([".ci/build"], cwd=self.folder, env=self.environment(), stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 65536):
                shown += chunk
        except OSError:
            pass
        os.close(ours)
        self.assertEqual(running.wait(), 0)
        self.assertEqual(shown.count(b"building: "), 119)
        self.assertNotIn(b"\n", shown)

    def test_build_returns_the_exit_code_and_shows_the_error_of_a_failed_build(self):
        self.fake_cmake("echo '[1/9] fine'; echo 'FAILED: x.o'; echo 'x.cpp:1: error: planted'; exit 3")
        ran = self.run_script(".ci/build")
        self.assertEqual(ran.returncode, 3)
        for part in ("error: planted", "build/release/build.log"):
            self.assertIn(part, ran.stderr)
        self.assertNotIn("[1/9] fine", ran.stderr)
        self.assertEqual(self.calls("cmake")[-1], "--build --preset release")

    def test_build_returns_the_exit_code_of_a_failed_configuration(self):
        self.fake_cmake("exit 9", "echo 'CMake Error at CMakeLists.txt:3: planted' >&2; exit 1")
        ran = self.run_script(".ci/build")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("planted", ran.stderr)
        self.assertEqual(len(self.calls("cmake")), 1, "nothing is built")

    def test_build_names_the_remedy_if_the_sources_are_read_only(self):
        self.fake("mkdir", 'echo "mkdir: cannot create directory: Read-only file system" >&2; exit 1')
        ran = self.run_script(".ci/build")
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(len(ran.stderr.splitlines()), 1, ran.stderr)
        for part in (f"{self.folder}/build/release", "Read-only file system", "copy the sources"):
            self.assertIn(part, ran.stderr)

    def test_build_names_the_remedy_if_the_compiler_runs_out_of_memory(self):
        self.fake_cmake("echo 'FAILED: x.o'; echo 'g++: fatal error: Killed signal terminated program cc1plus'; exit 1")
        self.assertIn("LOOPBENCH_TOGETHER=OFF", self.run_script(".ci/build").stderr)

    def test_build_runs_as_many_compilers_as_the_machine_or_the_user_allows(self):
        self.fake_cmake('echo "[1/1] $CMAKE_BUILD_PARALLEL_LEVEL"')
        jobs = self.run_script(".ci/jobs").stdout.strip()
        for environment, wanted in (("-uCMAKE_BUILD_PARALLEL_LEVEL", jobs), ("CMAKE_BUILD_PARALLEL_LEVEL=7", "7")):
            self.run_script("env", environment, ".ci/build")
            self.assertIn(f"[1/1] {wanted}\n", (self.folder / "build/release/build.log").read_text())

    def test_build_shows_what_is_left_out(self):
        line = "left out: contender libuv, because libuv is not installed (Debian: libuv1-dev)"
        self.fake_cmake(self.BUILT, f"echo '-- Found fmt'; echo '-- {line}'")
        ran = self.run_script(".ci/build")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stdout.splitlines()[0], line)
        self.assertNotIn("Found fmt", ran.stdout)

    def test_make_bench_installs_builds_and_measures(self):
        self.fake_cmake(self.BUILT)
        self.fake("dpkg-query", "echo install ok installed")
        loopbench = self.folder / "build/release/bin/loopbench"
        loopbench.parent.mkdir(parents=True)
        loopbench.write_text('#!/bin/sh\necho "measured $*"\n')
        loopbench.chmod(0o755)
        ran = self.run_script("make", "bench")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertTrue(re.fullmatch(r"building: 1 of 119 steps\nmeasured run --quick\n", ran.stdout), ran.stdout)
        self.fake_cmake("exit 3")
        ran = self.run_script("make", "bench")
        self.assertNotEqual(ran.returncode, 0)
        self.assertNotIn("measured", ran.stdout)


    def test_make_install_builds_everything_and_installs_it_below_the_prefix(self):
        self.fake_cmake(self.BUILT, "echo /a/place/bin/loopbench > build/release/install_manifest.txt")
        self.fake("dpkg-query", "echo install ok installed")
        prefix = f"{self.folder}/a place"
        ran = self.run_script("make", "install", f"prefix={prefix}")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.calls("cmake")[-2:], ["--build --preset release --target suite",
                                                    f"--install build/release --prefix {prefix}"])
        self.assertIn(prefix, ran.stdout)
        # An installation by a test replaces install_manifest.txt.
        files = self.folder / re.search(r"listed in (\S+)", ran.stdout)[1]
        self.assertNotEqual(files.name, "install_manifest.txt")
        self.assertIn("/a/place/bin/loopbench", files.read_text())
        ran = self.run_script("make", "install", "prefix=~/.local", "HOME=/home/me")
        self.assertEqual(self.calls("cmake")[-1], "--install build/release --prefix /home/me/.local")
        self.assertIn(" /home/me/.local;", ran.stdout)
        self.fake_cmake("exit 3")
        ran = self.run_script("make", "install")
        self.assertNotEqual(ran.returncode, 0)
        self.assertNotIn("installed below", ran.stdout)


class Jobs(Scripts):
    """.ci/jobs on machines in folders. It prints one job more than CPUs, and at most one for 1,600 MiB."""

    def jobs(self, cpus=8, available_gib=100, groups="0::/\n", **files):
        """`files` are files below /sys/fs/cgroup, with their content."""
        root = self.folder / "machine"
        shutil.rmtree(root, ignore_errors=True)
        contents = {"proc/meminfo": f"MemTotal: 1 kB\nMemAvailable: {int(available_gib * 2**20)} kB\n",
                    "proc/self/cgroup": groups, **{f"sys/fs/cgroup/{name}": text for name, text in files.items()}}
        for name, text in contents.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        self.fake("nproc", f"echo {cpus}")
        ran = self.run_script("env", f"ROOT={root}", ".ci/jobs")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        return int(ran.stdout)

    def test_cpus_decide_if_there_is_enough_memory(self):
        self.assertEqual([self.jobs(cpus) for cpus in (1, 2, 16)], [2, 3, 17])

    def test_available_memory_limits_them(self):
        self.assertEqual([self.jobs(available_gib=gib) for gib in (0.5, 1.7, 3.3, 7)], [1, 1, 2, 4])

    def test_the_smallest_memory_limit_of_a_control_group_and_its_parents_counts(self):
        inner = {"groups": "0::/a/b\n", "a/b/memory.max": "max\n"}
        self.assertEqual(self.jobs(**inner), 9)
        self.assertEqual(self.jobs(**inner, **{"a/memory.max": f"{4 * 2**30}\n"}), 2)
        self.assertEqual(self.jobs(**{"memory.max": f"{4 * 2**30}\n"}), 2)
        self.assertEqual(self.jobs(groups="4:memory:/a\n", **{"memory/a/memory.limit_in_bytes": f"{4 * 2**30}\n"}), 2)
        self.assertEqual(self.jobs(groups="4:memory:/elsewhere\n", **{"memory/memory.limit_in_bytes": "1\n"}), 1)

    def test_the_smallest_cpu_quota_counts_and_is_rounded_up(self):
        self.assertEqual(self.jobs(groups="0::/a\n", **{"a/cpu.max": "max 100000\n", "cpu.max": "150000 100000\n"}), 3)
        old = {"cpu/a/cpu.cfs_quota_us": "50000\n", "cpu/a/cpu.cfs_period_us": "100000\n"}
        self.assertEqual(self.jobs(groups="2:cpu,cpuacct:/a\n", **old), 2)
        unlimited = {"cpu/a/cpu.cfs_quota_us": "-1\n", "cpu/a/cpu.cfs_period_us": "100000\n"}
        self.assertEqual(self.jobs(groups="2:cpu:/a\n", **unlimited), 9)

    def test_a_machine_without_control_groups_has_no_limits(self):
        self.fake("nproc", "echo 4")
        (self.folder / "empty").mkdir()
        self.assertEqual(self.run_script("env", f"ROOT={self.folder}/empty", ".ci/jobs").stdout, "5\n")


if __name__ == "__main__":
    unittest.main()
