#!/usr/bin/env python3
"""Builds and tests loopbench with many compilers, and prints a table.

    compilers.py SOURCE FOLDER [--again] [COMPILER...]

Needs root, debootstrap and Debian's archive; a cell takes some minutes on two cores. SOURCE is a clone;
its HEAD is tried. A compiler is for example g++-16 or clang-21; without one, all compilers in COMPILERS are tried. Each
comes from the oldest release that has it. Its programs are linked with the libstdc++ of the release, because the
release's libraries need it, and each older g++ in Debian has its own, older libstdc++.

Each compiler builds the libraries loop/ and asio_compat/ with their tests, and the target headline, as C++20 and as
C++23. The newest compiler of each family that a release has also builds them with further flags. With libc++, only the
two libraries and their tests are built, with a GoogleTest that is built with libc++, too, because the other libraries
of Debian need libstdc++. A cell passes if everything builds and the tests pass.

FOLDER/results.json has the results, also of earlier calls. A cell that it has for the same commit is not repeated, so
the script continues after an interrupt. With --again, cells that failed are repeated. FOLDER/CELL.log has the output.
The exit code is 1 if a cell failed.
"""

import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

from cells import LIMIT_S, Results, Steps, arguments, commit_of, commits, first_with, markdown, prepare
from debian_root import Root, tell, with_own_mounts

SUITES = ("bookworm", "trixie", "testing")
COMPILERS = [f"g++-{version}" for version in range(12, 17)] + [f"clang-{version}" for version in range(16, 23)]
STANDARDS = ("20", "23")
RELEASE = "-O2 -DNDEBUG"
LIBCXX = "-stdlib=libc++"
# A folder in the Debian root that contains only a link to the release's libstdc++.
NEWEST_LIBRARY = "/root/libstdc++"
# The further flags, and the flags of the build type that they replace.
FLAGS = {"-D_GLIBCXX_ASSERTIONS": RELEASE, "-O3 -march=native -flto": "-DNDEBUG", "-fno-plt": RELEASE, LIBCXX: RELEASE}
TESTS = "loop_tests asio_compat_tests asio_program asio_program_swapped"
# The tests of these programs, and those that only compile.
TESTS_RUN = r"^loop\.|^asio_compat\.(asio_compat_tests|a_program_on_|before_|.*refused)"
HEADLINE = "headline"
KEYS = ("compiler", "standard", "flags")


def is_clang(compiler):
    return compiler.startswith("clang-")


def number(compiler):
    return int(compiler.rpartition("-")[2])


def programs(compiler):
    """Returns the compiler, and the programs that make static libraries of objects with -flto."""
    tools = f"llvm-{{}}-{number(compiler)}" if is_clang(compiler) else f"gcc-{{}}-{number(compiler)}"
    return compiler.replace("clang", "clang++"), tools.format("ar"), tools.format("ranlib")


def packages(compiler, flags):
    if not is_clang(compiler):
        return compiler
    version = number(compiler)
    text = f"{compiler} llvm-{version} lld-{version}"
    return f"{text} googletest libc++-{version}-dev libc++abi-{version}-dev" if flags == LIBCXX else text


def plain_cells(compilers):
    """Returns the cells without further flags: compiler, standard and flags."""
    return [(compiler, standard, "") for compiler in compilers for standard in STANDARDS]


def further_cells(results, compilers):
    """Returns the cells with further flags, for the newest compiler of each family that a release has. The plain cells
    are in `results`.
    """
    existing = [each for each in compilers if results.find(compiler=each, standard=STANDARDS[0], flags="")["suite"]]
    for family in (False, True):
        newest = max((each for each in existing if is_clang(each) == family), key=number, default=None)
        for flags in FLAGS if newest else ():
            if flags != LIBCXX or is_clang(newest):
                yield newest, STANDARDS[0], flags


class Roots:
    """A Debian for each release, made when it is first needed."""

    def __init__(self, source, folder, commit):
        self.source, self.folder, self.commit, self.made = source, folder, commit, {}

    def __iter__(self):
        for suite in SUITES:
            if suite not in self.made:
                self.made[suite] = root = Root(self.folder / suite, suite, "git make")
                root.suite = suite
                prepare(self.source, root, self.commit, "build")
            yield self.made[suite]


def configuration(compiler, standard, flags, build):
    """Returns the script that configures the build folder, and with libc++ also builds GoogleTest."""
    program, ar, ranlib = programs(compiler)
    options = [f"-DCMAKE_CXX_COMPILER={program}", f"-DCMAKE_CXX_STANDARD={standard}", "-DCMAKE_BUILD_TYPE=Release",
               f"-DCMAKE_AR=/usr/bin/{ar}", f"-DCMAKE_RANLIB=/usr/bin/{ranlib}", f"-DCMAKE_CXX_FLAGS='{flags}'",
               f"-DCMAKE_CXX_FLAGS_RELEASE='{FLAGS.get(flags, RELEASE)}'"]
    if is_clang(compiler) and "-flto" in flags:
        options += [f"-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld-{number(compiler)}", "-DLOOPBENCH_MOLD=NOTFOUND"]
    lead = ""
    if not is_clang(compiler):
        lead = f"mkdir -p {NEWEST_LIBRARY}; ln -sf /usr/lib/*/libstdc++.so.6 {NEWEST_LIBRARY}/libstdc++.so\n"
        options += [f"-DCMAKE_{kind}_LINKER_FLAGS=-L{NEWEST_LIBRARY}" for kind in ("EXE", "SHARED")]
    text = " ".join(options)
    if flags != LIBCXX:
        return f"{lead}cmake -S . -B {build} -G Ninja {text}"
    prefix = f"{build}/googletest"
    return (f"cmake -S /usr/src/googletest -B {prefix}/build -G Ninja {text} -DCMAKE_INSTALL_PREFIX={prefix}\n"
            f"cmake --build {prefix}/build --target install\n"
            f"cmake -S . -B {build} -G Ninja {text} -DCMAKE_PREFIX_PATH={prefix}")


def try_cell(root, folder, compiler, standard, flags):
    """Builds and tests one cell. Returns its results."""
    name = "_".join(re.sub(r"[^\w+]+", "-", each).strip("-") for each in (compiler, f"c++{standard}", flags) if each)
    build = f"/root/cells/{name}"
    start = time.monotonic()
    steps = Steps(root, folder / f"{name}.log")
    steps.run("install", f"apt-get install -y -qq --no-install-recommends {packages(compiler, flags)}")
    steps.run("configure", configuration(compiler, standard, flags, build))
    steps.warnings = 0  # those of the packages
    headline = "" if flags == LIBCXX else HEADLINE
    steps.run("build", f"cmake --build {build} --target {TESTS} {headline}")
    warnings = steps.warnings
    passed = steps.test("tests", build, f"-j2 -R '{TESTS_RUN}'")
    if headline:
        steps.run("list", f"{build}/bin/loopbench list")
    root.start(f"rm -rf {build}", "/", LIMIT_S)
    version = root.start(f"{programs(compiler)[0]} --version | head -1").stdout.strip()
    return {"compiler": compiler, "version": version, "suite": root.suite, "standard": standard, "flags": flags,
            "passed": passed, "warnings": warnings, "problem": steps.failed,
            "seconds": round(time.monotonic() - start)}


def text_of(result):
    if result is None:
        return "-"
    warnings = f", {result['warnings']} warnings" if result["warnings"] else ""
    return (result["problem"] or f"{result['passed']} tests passed") + warnings


def table(results):
    columns = list(dict.fromkeys((each["standard"], each["flags"]) for each in results.all if each["suite"]))
    heads = ["compiler", "Debian", "commit", *(f"C++{standard}" + (f", `{flags}`" if flags else "")
                                     for standard, flags in columns)]
    rows = []
    for compiler in dict.fromkeys(each["compiler"] for each in results.all):
        of_compiler = [each for each in results.all if each["compiler"] == compiler]
        first = of_compiler[0]
        cells = [text_of(results.find(compiler=compiler, standard=standard, flags=flags))
                 for standard, flags in columns]
        rows.append([first["version"] or f"{compiler}: in no release", first["suite"] or "-",
                     commits(of_compiler), *cells])
    return markdown(heads, rows)


def try_cells(results, roots, cells):
    for compiler, standard, flags in cells:
        if results.has(roots.commit, compiler=compiler, standard=standard, flags=flags):
            continue
        root = first_with(roots, compiler)
        if root:
            result = try_cell(root, roots.folder, compiler, standard, flags)
        else:
            result = {"compiler": compiler, "version": None, "suite": None, "standard": standard, "flags": flags,
                      "passed": 0, "warnings": 0, "problem": "no release has this compiler", "seconds": 0}
        results.keep(result | {"commit": roots.commit})
        tell(f"{compiler} C++{standard} {flags}: {text_of(result)}")


def main(source, folder, compilers, again):
    results, roots = Results(folder, KEYS, again), Roots(source, folder, commit_of(source))
    try_cells(results, roots, plain_cells(compilers))
    try_cells(results, roots, further_cells(results, compilers))
    print(table(results))
    tried = [each for each in results.all if each["compiler"] in compilers and each["commit"] == roots.commit]
    return 1 if any(each["problem"] and each["suite"] for each in tried) else 0


if __name__ == "__main__":
    chosen = arguments(sys.argv, __doc__, COMPILERS)
    with_own_mounts()
    sys.exit(main(*chosen))
