"""A Debian in a folder, for scripts that try loopbench on other releases. Needs root and debootstrap."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

MIRROR = "http://deb.debian.org/debian"
MARKER = ".loopbench_root"  # is in each root from the start; only folders with this file are deleted


class RootFailed(SystemExit):
    """A root cannot be made, or a command in it failed. Without a handler, ends the script with the message."""


def tell(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def with_own_mounts():
    """Starts this script again in a mount namespace of its own, so that all mounts end with the script. Ends the script
    if it has no root rights, or if debootstrap is missing.
    """
    if os.geteuid() != 0:
        sys.exit(f"{sys.argv[0]} needs root rights to mount file systems; start it as root")
    if not shutil.which("debootstrap"):
        sys.exit("debootstrap is missing; install it, for example with `apt-get install debootstrap`")
    if os.environ.get("LOOPBENCH_OWN_MOUNTS") != str(os.getpid()):  # exec(2) keeps the process ID
        os.execvpe("unshare", ["unshare", "--mount", sys.executable, *sys.argv],
                   os.environ | {"LOOPBENCH_OWN_MOUNTS": str(os.getpid())})
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that start() ends its command


def check_suite(suite):
    """Raises RootFailed if the name cannot be that of a release. A path would name a folder of the user."""
    if not re.fullmatch(r"[a-z][a-z0-9-]*", suite):
        raise RootFailed(f"'{suite}' is not a release of Debian; expected a name such as bookworm or testing")


def mounted_below(folder, mountinfo):
    """Returns the folders below `folder` on which something is mounted, by the text of /proc/self/mountinfo."""
    places = (re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), line.split()[4])
              for line in mountinfo.splitlines())
    return [place for place in places if pathlib.Path(place).is_relative_to(folder.resolve())]


def remove_root(folder):
    """Removes the folder of a root. Raises RootFailed if the folder is not a root, or if something is mounted below it,
    because its files would be deleted, too.
    """
    if not os.path.lexists(folder):
        return
    is_root = (folder / MARKER).is_file() or (folder / "etc/debootstrap_finished").is_file()
    if folder.is_symlink() or not folder.is_dir() or (any(folder.iterdir()) and not is_root):
        raise RootFailed(f"{folder} exists, and no script has made it as the root of a Debian (it has no file "
                         f"{MARKER}); name another folder, or remove this one yourself")
    for place in mounted_below(folder, pathlib.Path("/proc/self/mountinfo").read_text()):
        raise RootFailed(f"{place} is mounted below {folder}; unmount it, and start the script again")
    done = subprocess.run(["rm", "-rf", "--one-file-system", folder], check=False, capture_output=True, text=True)
    if folder.exists():
        raise RootFailed(f"{folder} cannot be removed: {done.stderr.strip()}")


# All processes of a command that begins with this end with it, also those that have left its process group.
ALL_END_TOGETHER = ("unshare", "--pid", "--fork", "--kill-child")


def start(command, limit_s=None, environment=None):
    """Runs the command and returns its CompletedProcess, with all output in `stdout`. Kills it after the limit (the
    exit code is then 124, as that of timeout(1)), and if this script is interrupted.
    """
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", start_new_session=True) as child:
        try:
            output, code = child.communicate(timeout=limit_s)[0], child.returncode
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            output, code = child.communicate()[0], 124
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, code, output)


def has_suite(archive, suite):
    """Returns true if the archive has the suite. Some releases have no security updates, for example sid. Raises
    RootFailed if the archive cannot be asked.
    """
    try:
        urllib.request.urlopen(urllib.request.Request(f"{archive}/dists/{suite}/InRelease", method="HEAD"), timeout=30)
        return True
    except OSError as error:  # also HTTPError, URLError and TimeoutError
        if isinstance(error, urllib.error.HTTPError) and error.code == 404:
            return False
        raise RootFailed(f"{archive} does not say if it has {suite}: {error}") from error


class Root:
    """A Debian in a folder, with the file systems of the kernel. Call with_own_mounts() first.

    `suite` is a release, for example "bookworm", or "testing". `sources` are further lines for sources.list. A mirror
    whose lists have expired is accepted, because only the packages of that day are needed. Raises RootFailed.
    """

    def __init__(self, folder, suite, packages, sources=()):
        check_suite(suite)
        self.folder = folder
        self.environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                            "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
                            **{name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}}
        if not (folder / "etc/debootstrap_finished").is_file():
            self._create(suite)
        # A proxy can need certificates of its own. npm trusts only those of Node.js and those that this variable names.
        if certificates := os.environ.get("NODE_EXTRA_CA_CERTS"):
            shutil.copy(certificates, folder / "etc/further-certificates.crt")
            self.environment["NODE_EXTRA_CA_CERTS"] = "/etc/further-certificates.crt"
        for each in ("proc", "sys", "dev"):
            done = start(["mount", "--rbind", "--make-rslave", f"/{each}", folder / each])
            if done.returncode:
                raise RootFailed(f"/{each} cannot be mounted in {folder}: {done.stdout.strip()}")
        self._choose_sources(suite, sources)
        self.run(f"apt-get update -qq\napt-get install -y -qq --no-install-recommends {packages}")

    def _create(self, suite):
        remove_root(self.folder)
        tell(f"creating a Debian {suite}")
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / MARKER).touch()
        done = start(["debootstrap", "--variant=minbase", "--include=ca-certificates", suite, self.folder, MIRROR])
        if done.returncode:
            raise RootFailed(f"debootstrap {suite}: exit code {done.returncode}\n{done.stdout}")
        (self.folder / "etc/debootstrap_finished").touch()

    def _choose_sources(self, suite, further):
        updates = [f"deb {archive} {name} main"
                   for archive, name in ((MIRROR, f"{suite}-updates"), (f"{MIRROR}-security", f"{suite}-security"))
                   if has_suite(archive, name)]
        lines = [f"deb {MIRROR} {suite} main", *updates, *further, ""]
        (self.folder / "etc/apt/sources.list").write_text("\n".join(lines))
        (self.folder / "etc/apt/apt.conf.d/90stale").write_text('Acquire::Check-Valid-Until "false";\n')

    def start(self, script, inside="/", limit_s=None):
        """Runs the script in the root, as start() does. Its processes see only each other."""
        command = [*ALL_END_TOGETHER, f"--mount-proc={self.folder}/proc",
                   "chroot", self.folder, "/bin/sh", "-ec", f'cd "{inside}"\n{script}']
        return start(command, limit_s, self.environment)

    def run(self, script, inside="/"):
        """Returns the output of the script. Raises RootFailed if the script fails."""
        done = self.start(script, inside)
        if done.returncode:
            raise RootFailed(f"{script}: exit code {done.returncode}\n{done.stdout}")
        return done.stdout
