"""A Debian in a folder, for scripts that try loopbench on other releases. Needs root and debootstrap."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

MIRROR = "http://deb.debian.org/debian"


def tell(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def with_own_mounts():
    """Starts this script again in a mount namespace of its own, so that all mounts end with the script."""
    if os.environ.get("LOOPBENCH_OWN_MOUNTS") != str(os.getpid()):  # exec(2) keeps the process ID
        os.execvpe("unshare", ["unshare", "--mount", sys.executable, *sys.argv],
                   os.environ | {"LOOPBENCH_OWN_MOUNTS": str(os.getpid())})


def remove_root(folder):
    """Removes the folder. Ends this process if something is mounted below it, because that would be removed, too."""
    mounted = [line.split()[4] for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
    for place in mounted:
        if pathlib.Path(place).is_relative_to(folder.resolve()):
            sys.exit(f"{place} is mounted below {folder}; unmount it, and start the script again")
    shutil.rmtree(folder, ignore_errors=True)


class Root:
    """A Debian in a folder, with the file systems of the kernel. Call with_own_mounts() first.

    `suite` is a release, for example "bookworm", or "testing". `sources` are further lines for sources.list. A mirror
    whose lists have expired is accepted, because only the packages of that day are needed.
    """

    def __init__(self, folder, suite, packages, sources=()):
        self.folder = folder
        complete = folder / "etc/debootstrap_finished"
        if not complete.is_file():
            remove_root(folder)
            tell(f"creating a Debian {suite}")
            subprocess.run(["debootstrap", "--variant=minbase", "--include=ca-certificates", suite, folder, MIRROR],
                           check=True, stdout=subprocess.DEVNULL)
            complete.touch()
        for each in ("proc", "sys", "dev", "dev/pts", "dev/shm"):
            subprocess.run(["mount", "--bind", f"/{each}", folder / each], check=True)
        (folder / "etc/apt/sources.list").write_text("\n".join([f"deb {MIRROR} {suite} main", *sources, ""]))
        (folder / "etc/apt/apt.conf.d/90stale").write_text('Acquire::Check-Valid-Until "false";\n')
        self.environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                            "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        self.run(f"apt-get update -qq\napt-get install -y -qq --no-install-recommends {packages}")

    def start(self, script, inside="/", limit_s=None):
        """Runs the script and returns its CompletedProcess, with all output in `stdout`. Kills it after the limit; the
        exit code is then 124, as that of timeout(1).
        """
        command = ["chroot", self.folder, "/bin/sh", "-ec", f'cd "{inside}"\n{script}']
        with subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", start_new_session=True) as child:
            try:
                output = child.communicate(timeout=limit_s)[0]
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                return subprocess.CompletedProcess(command, 124, child.communicate()[0])
        return subprocess.CompletedProcess(command, child.returncode, output)

    def run(self, script, inside="/"):
        """Returns the output of the script. Ends this process if the script fails."""
        done = self.start(script, inside)
        if done.returncode:
            sys.exit(f"{script}: exit code {done.returncode}\n{done.stdout}")
        return done.stdout
