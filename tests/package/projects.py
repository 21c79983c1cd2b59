#!/usr/bin/env python3
"""Builds unchanged CMake projects on the loop with CMAKE_PROJECT_INCLUDE: projects with several languages, kinds of
targets and subprojects. Exactly the parts with objects of C++ must be on the loop.

    projects.py PREFIX GENERATOR C_COMPILER CXX_COMPILER SCRATCH
"""

import os
import pathlib
import shutil
import subprocess
import sys

from swap import uses

PROJECTS = pathlib.Path(__file__).resolve().parent / "projects"
ON_LOOP = {"mixed": ("both", "c_of_static", "c_of_objects", "libshared.so", "sub/in_sub", "again/in_sub_again",
                     "late"),
           "no_language": ("part/of_part",), "only_c": ()}
OF_C_ALONE = {"mixed": ("early_c", "late_c", "c_of_shared"), "no_language": (), "only_c": ("only_c",)}
TO_RUN = {"mixed": ("both", "cxx_of_outside", "c_of_static", "c_of_objects", "c_of_shared", "early_c", "late_c",
                    "sub/in_sub", "again/in_sub_again", "late"),
          "no_language": ("part/of_part",), "only_c": ("only_c",)}


def run(command, environment):
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


class Builds:
    def __init__(self, prefix, generator, scratch, environment):
        (include,) = prefix.rglob("loopbench-asio-dropin.cmake")
        self.options = ["-G", generator, f"-DCMAKE_PROJECT_INCLUDE={include}"]
        self.scratch = scratch
        self.environment = environment

    def configure(self, project, folder, *more, **environment):
        return run(["cmake", "-S", PROJECTS / project, "-B", self.scratch / folder, *self.options, *more],
                   self.environment | environment)

    def build(self, project, **environment):
        for code, output in (self.configure(project, project, **environment),
                             run(["cmake", "--build", self.scratch / project], self.environment)):
            if code != 0:
                sys.exit(f"projects: {project} does not build (exit code {code}):\n{output}")
        for program in TO_RUN[project]:
            code, output = run([self.scratch / project / program], self.environment)
            if code != 0:
                sys.exit(f"projects: {project}/{program} ends with {code}: {output}")
        for program in ON_LOOP[project]:
            if not uses(self.scratch / project / program, "loopbench::loop::"):
                sys.exit(f"projects: {project}/{program} is not on the loop")
        for program in OF_C_ALONE[project]:
            needed = run(["readelf", "-d", self.scratch / project / program], self.environment)[1]
            if "NEEDED" not in needed or "libstdc++" in needed or "libc++" in needed:
                sys.exit(f"projects: {project}/{program} needs a library of C++, or needs none at all:\n{needed}")
            if uses(self.scratch / project / program, "loopbench"):
                sys.exit(f"projects: {project}/{program}, a program of C, contains parts of the loop")


def main(prefix, generator, c_compiler, cxx_compiler, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    builds = Builds(pathlib.Path(prefix), generator, pathlib.Path(scratch),
                    os.environ | {"CC": c_compiler, "CXX": cxx_compiler})
    builds.build("mixed")
    builds.build("no_language")
    builds.build("only_c", CXX="/there/is/no/compiler")  # it must not be asked for
    code, output = builds.configure("no_language", "late", "-DLATE=ON")
    text = " ".join(output.split())
    if code == 0 or "project(no_language) enables neither C nor CXX" not in text:
        sys.exit(f"projects: a project that enables C++ late is not refused (exit code {code}):\n{output}")
    code, output = builds.configure("no_language", "twice", "-DTWICE=ON")
    if code != 0:
        sys.exit(f"projects: a second project() in one folder is refused (exit code {code}):\n{output}")


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
