#!/usr/bin/env python3
"""Makes the Debian packages loopbench and libloopbench-dev, and checks what Debian's policy asks for. lintian, which
checks more, is part of tests/distributions/packages.py.

    deb.py BUILD SCRATCH ON|OFF

The last argument says if the command history is built. Ends with 77 if a program that cpack runs is missing.
"""

import gzip
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

FIELDS = {"loopbench": {"Section": ("devel",), "Recommends": ("strace",), "Depends": ("libc6",),
                        "Description": ("compares",)},
          "libloopbench-dev": {"Section": ("libdevel",), "Description": ("Asio",),
                               "Depends": ("liburing-dev", "libboost-dev", "libboost1.81-dev")}}
FILES = {"loopbench": ("usr/bin/loopbench", "usr/libexec/loopbench/loopbench-command",
                       "usr/libexec/loopbench/libloopbench_malloc_counter.so", "usr/share/man/man1/loopbench.1.gz",
                       "usr/share/bash-completion/completions/loopbench",
                       "usr/share/zsh/vendor-completions/_loopbench"),
         "libloopbench-dev": ("usr/include/loopbench/asio.hpp", "usr/include/loopbench/loop/loop.hpp",
                              "libloopbench_loop.a", "loopbench-asio-dropin.pc", "loopbench-config.cmake")}


def require(condition, text):
    if not condition:
        sys.exit(f"deb.py: {text}")


def content_of(package, kind):
    data = subprocess.run(["dpkg-deb", f"--{kind}", package], check=True, capture_output=True).stdout
    return tarfile.open(fileobj=io.BytesIO(data))


def check_modes(name, members):
    for each in members:
        mode = each.mode & 0o7777
        in_bin = "/bin/" in each.name or "/libexec/" in each.name
        wanted = (0o755,) if each.isdir() else (0o755, 0o644) if in_bin else (0o644,)
        require(each.issym() or mode in wanted, f"{name}: {each.name} has the mode {mode:o}")
        require(each.uid == 0 and each.gid == 0, f"{name}: {each.name} belongs to {each.uid}:{each.gid}")


def check_compressed(name, data, path):
    content = data.extractfile(data.getmember(path)).read()
    require(content[4:8] == bytes(4), f"{name}: {path} contains a time, so the package cannot be reproduced")
    require(gzip.decompress(content), f"{name}: {path} is empty")


def check(package, name):
    for field, texts in FIELDS[name].items():
        value = subprocess.run(["dpkg-deb", "--field", package, field], check=True, capture_output=True,
                               text=True).stdout
        for text in texts:
            require(text in value, f"{name}: {field} lacks {text}: {value}")
    data = content_of(package, "fsys-tarfile")
    paths = [each.name.removeprefix("./") for each in data.getmembers()]
    for file in FILES[name]:
        require(any(path.endswith(file) for path in paths), f"{name} lacks {file}")
    require(not any(path.endswith("/LICENSE") for path in paths), f"{name} has the license twice")
    check_modes(name, data.getmembers())
    documents = f"./usr/share/doc/{name}"
    check_compressed(name, data, f"{documents}/changelog.gz")
    if name == "loopbench":
        check_compressed(name, data, "./usr/share/man/man1/loopbench.1.gz")
    copyright_text = data.extractfile(data.getmember(f"{documents}/copyright")).read().decode()
    for text in ("Boost Software License", "Chart.js", "kurkle", "CLI11", "nlohmann", "Format: https://"):
        require(text in copyright_text, f"{name}: the file copyright lacks {text}")
    names = [each.name for each in content_of(package, "ctrl-tarfile").getmembers()]
    require("./md5sums" in names, f"{name} has no md5sums: {names}")


def main(build, scratch, has_history):
    missing = [name for name in ("dpkg-shlibdeps", "file") if shutil.which(name) is None]
    if missing:
        print(f"deb.py: skipped, because cpack needs {' and '.join(missing)}; run `.ci/install packages`")
        sys.exit(77)
    if has_history == "ON":
        FIELDS["loopbench"]["Depends"] += ("libsoci-sqlite3",)
    os.umask(0o077)  # does not affect the packages
    shutil.rmtree(scratch, ignore_errors=True)
    done = subprocess.run(["cpack", "--config", build / "CPackConfig.cmake", "-G", "DEB", "-B", scratch, "-D",
                           "CPACK_COMPONENTS_ALL=tool;loop;asio"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    require(done.returncode == 0, f"cpack: exit code {done.returncode}\n{done.stdout}")
    for name in FIELDS:
        packages = list(scratch.glob(f"{name}_*.deb"))
        require(len(packages) == 1, f"cpack made {packages} for {name}\n{done.stdout}")
        check(packages[0], name)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3])
