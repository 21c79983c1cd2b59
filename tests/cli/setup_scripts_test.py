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
    def setUp(self):
        super().setUp()
        self.fake("dpkg-query", "exit 1")
        self.fake("id", "echo 0")
        self.fake("find", "exit 1")
        self.fake("npm", '[ "$1" != root ] || echo /no/where')
        self.fake("apt-get", "")

    def test_install_waits_for_another_package_manager(self):
        self.fake("apt-get", """
[ "$(wc -l < "$0.calls")" -gt 3 ] || { echo "E: Could not get lock /var/lib/apt/lists/lock." >&2; exit 100; }""")
        ran = self.run_script(".ci/install", "layouts")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stderr.count("waiting"), 1, ran.stderr)
        self.assertEqual(len(self.calls("sleep")), 3)
        for call in self.calls("apt-get"):
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
        self.fake("apt-cache", '[ "$2" = libboost1.88-dev ] && version=1.88.0; echo "  Candidate: ${version-(none)}"')
        ran = self.run_script(".ci/install", "build", "upstream")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        installed = self.calls("apt-get")[-1]
        for package in ("libboost1.88-dev", "libboost-context1.88-dev", "g++"):
            self.assertIn(f" {package}", installed)
        self.assertNotIn("1.81", installed)

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
        (self.folder / "modules/mocha-junit-reporter").mkdir(parents=True)
        ran = self.run_script(".ci/install", "build", "layouts", "style", "readers", "upstream")
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "", ""))
        self.assertEqual((self.calls("apt-get"), self.calls("sudo")), ([], []))

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
        self.assertRegex(ran.stderr, "no package.*clang-format-14")
        self.assertRegex(self.calls("apt-get")[-1], " mold$")

    def test_without_a_known_boost_its_libraries_are_named_and_the_others_are_installed(self):
        self.fake("apt-cache", 'echo "  Candidate: (none)"')
        ran = self.run_script(".ci/install", "upstream")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("libboost-context", ran.stderr)
        self.assertNotIn("boost", self.calls("apt-get")[-1])
        self.assertIn(" netbase", self.calls("apt-get")[-1])

    def test_without_sudo_missing_packages_are_named_and_the_build_can_continue(self):
        self.fake("id", "echo 1000")
        self.use_only("dpkg-query", "id", "apt-get")
        ran = self.run_script(".ci/install", "layouts")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stderr, "mold.*sudo")
        self.assertEqual(self.calls("apt-get"), [])

    def test_without_a_package_manager_missing_programs_are_named_and_the_build_can_continue(self):
        self.fake("mold", "")
        self.use_only("mold", "id")
        ran = self.run_script(".ci/install", "layouts", "profilers")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stderr, "missing: valgrind.*package manager")

    def test_each_package_manager_gets_its_own_names(self):
        for manager, query, package in (("dnf", "rpm", "json-devel"), ("zypper", "rpm", "nlohmann_json-devel"),
                                        ("pacman", "pacman", "nlohmann-json"), ("apk", "apk", "nlohmann-json")):
            with self.subTest(manager):
                self.fake(manager, '[[ "$*" != *--deptest* && "$1" != info ]]')
                if query != manager:
                    self.fake(query, "exit 1")
                self.use_only(*{manager, query}, "id", "npm")
                ran = self.run_script(".ci/install", "build")
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn(f" {package} ", self.calls(manager)[-1])
                self.assertIn("chart.js", self.calls("npm")[-1])

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
        self.fake_cmake(self.BUILT)
        self.fake("dpkg-query", "echo install ok installed")
        prefix = f"{self.folder}/a place"
        ran = self.run_script("make", "install", f"prefix={prefix}")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.calls("cmake")[-2:], ["--build --preset release --target suite",
                                                    f"--install build/release --prefix {prefix}"])
        self.assertIn(prefix, ran.stdout)
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
