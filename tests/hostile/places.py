"""Attacks with files that are not regular, with folders that disappear, and with full disks."""

import contextlib
import os
import shutil
import socket
import subprocess

from attack import COUNTED, FAILED, GOOD, INCONCLUSIVE, OK, USAGE, Broken, Skipped, without_rights, attack

GROUP = "places"


def pipe(path):
    os.mkfifo(path)


def dangling_link(path):
    path.symlink_to(path.parent / "nothing is here")


def link_into_nowhere(path):
    path.symlink_to("/nowhere/at/all")


def link_to_itself(path):
    path.symlink_to(path)


def empty_folder(path):
    path.mkdir()


def full_folder(path):
    path.mkdir()
    (path / "file").write_text("mine")


def link_to_a_folder(path):
    folder = path.parent / f"{path.name}.folder"
    folder.mkdir(exist_ok=True)
    path.symlink_to(folder)


def link_to_a_pipe(path):
    os.mkfifo(f"{path}.pipe")
    path.symlink_to(f"{path}.pipe")


def full_device(path):
    path.symlink_to("/dev/full")


def nothing_device(path):
    path.symlink_to("/dev/null")


def unix_socket(path):
    here = os.open(path.parent, os.O_RDONLY)  # the folder's path might be too long for a socket address
    try:
        with socket.socket(socket.AF_UNIX) as ours:
            ours.bind(f"/proc/self/fd/{here}/{path.name}")
    finally:
        os.close(here)


def huge_file(path):
    with open(path, "wb") as file:
        file.truncate(1 << 42)


def kernel_file(path):
    path.symlink_to("/proc/self/mem")


OUTPUTS = [pipe, dangling_link, link_into_nowhere, link_to_itself, empty_folder, full_folder, link_to_a_folder,
           link_to_a_pipe, full_device, nothing_device, unix_socket]
INPUTS = [pipe, link_into_nowhere, link_to_itself, empty_folder, full_folder, link_to_a_pipe, full_device,
          nothing_device, unix_socket, huge_file, kernel_file]


def clear(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@attack(GROUP)
def outputs_of_run(place):
    place.add_contender("asio-epoll", COUNTED)
    for name in ("journal.jsonl", "report.json", "report.csv", "report.html", "histograms.jsonl", "counts.json"):
        for kind in place.some(OUTPUTS, 3):
            clear(place.out)
            place.out.mkdir()
            kind(place.out / name)
            # The run can fail because it needs the file. It succeeds if it can write the file, or does not need it:
            # counts.json is only needed with --counts.
            place.run(codes=[OK, FAILED], says=name, limit_s=30)
            if kind is full_folder and name != "journal.jsonl" and not (place.out / name / "file").exists():
                raise Broken(f"the folder {name} was emptied")


@attack(GROUP)
def outputs_of_other_commands(place):
    place.add_contender("asio-epoll", COUNTED)
    place.add_contender("loop-epoll", COUNTED)
    place.loopbench("run", "--blocks", "6", "-o", place / "whole", codes=[OK])
    report, target = place / "whole/report.json", place / "target"
    commands = [["report", report, "--format", "html", "-o", target],
                ["check", "--against", target, "--update", "--tier", "times", report],
                ["history", "add", "--history", target, "--commit", "c", report],
                ["run", "--workload", "yield", "--blocks", "1", "-o", target],
                ["compare", place / "bin/contenders/asio-epoll", place / "bin/contenders/loop-epoll", "--workload",
                 "yield", "--blocks", "1", "-o", target],
                ["check", "--against", place / "new.json", "--update", "--tier", "times", "--workload", "yield",
                 "--blocks", "1", "-o", target]]
    for words in commands:
        for kind in place.some(OUTPUTS, 3):
            (place / "new.json").unlink(missing_ok=True)
            clear(target)
            clear(place / "target.folder")
            clear(place / "target.pipe")
            clear(place / "nothing is here")
            kind(target)
            place.loopbench(*words, says="target", limit_s=30)
            if kind is full_folder and (target / "file").read_text() != "mine":
                raise Broken(f"{words[0]} changed a file of another user")


@attack(GROUP)
def inputs(place):
    place.add_contender("asio-epoll", COUNTED)
    place.add_contender("loop-epoll", COUNTED)
    place.loopbench("run", "--blocks", "6", "-o", place / "whole", codes=[OK])
    report, odd = place / "whole/report.json", place / "odd"
    (place / "resumed").mkdir()
    (place / "bisected").mkdir()
    (place / "replayed/equal").mkdir(parents=True)
    (place / "beside").mkdir()
    for name in ("report.json", "journal.jsonl"):
        shutil.copy(place / "whole" / name, place / "beside")
    cases = [(odd, ["report", odd, "--format", "csv"]), (odd, ["compare", odd, report]),
             (odd, ["check", "--against", odd, report]), (odd, ["check", "--against", odd]),
             (odd, ["history", "add", "--history", place / "h.sqlite", odd]),
             (odd, ["history", "list", "--history", odd]),
             (place / "resumed/journal.jsonl", ["run", "--resume", place / "resumed"]),
             (place / "bisected/steps.jsonl", ["bisect", "--resume", place / "bisected"]),
             (place / "replayed/equal/journal.jsonl", ["calibrate", "--replay", place / "replayed"]),
             (place / "beside/histograms.jsonl", ["report", place / "beside/report.json", "--format", "hgrm"])]
    for file, words in cases:
        # The short form leaves out the endless device, because a command reads a gigabyte from the device before it
        # refuses it.
        for kind in place.some([kind for kind in INPUTS if not place.short or kind is not full_device], 4):
            clear(file)
            clear(file.with_name(file.name + ".pipe"))
            kind(file)
            place.loopbench(*words, codes=[FAILED, USAGE], says=file.name, limit_s=30)
        clear(file)
    for words in (["report", "/dev/zero", "--format", "csv"], ["check", "--against", "/dev/zero", report]):
        if not place.short:
            place.loopbench(*words, codes=[FAILED, USAGE], says="/dev/zero")


@attack(GROUP)
def a_calibration_that_is_not_a_file_is_reported(place):
    place.add_contender("asio-epoll")
    stored = place / "state/loopbench/calibration.json"
    stored.parent.mkdir(parents=True)
    for kind in INPUTS:
        clear(stored)
        clear(stored.with_name("calibration.json.pipe"))
        kind(stored)
        ended = place.run("--pairing", "sequential", codes=[OK, INCONCLUSIVE], limit_s=30)
        # A dangling link counts as a missing calibration, which needs no message.
        if kind is not link_into_nowhere and "calibration.json" not in ended.said:
            raise Broken(f"no message about a calibration that is a {kind.__name__}: {ended.said}")


@contextlib.contextmanager
def small_file_system(path, kilobytes):
    path.mkdir(exist_ok=True)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", path], capture_output=True,
                             text=True)
    if mounted.returncode != 0:
        raise Skipped(f"a small file system cannot be mounted: {mounted.stderr.strip() or mounted.returncode}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", path], check=True)


@attack(GROUP)
def a_run_on_a_full_disk_leaves_only_complete_files(place):
    """Runs on disks of increasing sizes: from too small for a journal to large enough for all files. A file that has
    its final name must be complete.
    """
    place.add_contender("asio-epoll", COUNTED)
    place.add_contender("loop-epoll", COUNTED)
    small = place / "small"
    for kilobytes in range(4, place.count(260, 800), place.count(64, 8)):
        with small_file_system(small, kilobytes):
            ended = place.run("-o", small / "out", "--blocks", "6", codes=[OK, FAILED], says="small/out")
            for name in ("report.json", "report.csv"):
                if (small / "out" / name).exists():
                    place.loopbench("report", small / "out/report.json", "--format", "csv", codes=[OK])
                elif ended.code == OK:
                    raise Broken(f"exit code 0 on {kilobytes} KiB, but {name} does not exist")
            if ended.code == OK:
                continue
            # After a failure on the small disk, the run must be resumable on a larger disk.
            shutil.copytree(small / "out", place / "kept", dirs_exist_ok=True)
        if (place / "kept/journal.jsonl").exists():
            place.loopbench("run", "--resume", place / "kept", codes=[OK])
        clear(place / "kept")


@attack(GROUP)
def a_full_temporary_folder_causes_no_count_of_zero(place):
    """Tests that a tracer's log that is incomplete, because the disk is full, gives no count."""
    place.add_contender("asio-epoll", COUNTED)
    small = place / "small"
    for kilobytes in (4, 16) if place.short else (4, 8, 12, 16, 24, 32, 64):
        with small_file_system(small, kilobytes):
            ended = place.run("--counts", env={**place.environment, "TMPDIR": str(small)}, codes=[OK, FAILED])
            for item in place.report()["results"] if ended.code == OK else []:
                if item["metric"] == "syscalls" and item["median"] == 0:
                    raise Broken("a tracer on a full file system counted no system calls")
            if left := os.listdir(small):
                raise Broken(f"files remain in the temporary folder: {left}")


@attack(GROUP)
def removed_folders_are_reported(place):
    for what in ("$LOOPBENCH_OUT", "$TMPDIR", '$(dirname "$0")', "$LOOPBENCH_CWD", '"$0"'):
        shutil.rmtree(place / "bin/contenders", ignore_errors=True)
        (place / "bin/contenders").mkdir()
        (place / "cwd").mkdir(exist_ok=True)
        place.add_contender("asio-epoll", f"[ $(trials) -lt 2 ] || rm -rf {what}\n{GOOD}")
        environment = {**place.environment, "LOOPBENCH_OUT": str(place.out), "LOOPBENCH_CWD": str(place / "cwd")}
        place.run(env=environment, cwd=place / "cwd", codes=[OK, FAILED])
    (place / "bin/contenders").mkdir(exist_ok=True)
    place.add_contender("asio-epoll")
    shutil.rmtree(place / "tmp")
    place.run(codes=[FAILED], says=[place / "tmp", "TMPDIR"])
    (place / "tmp").mkdir()
    (place / "gone").mkdir()
    place.loopbench("list", front=["/bin/sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh"], cwd=place / "gone")
    (place / "gone").mkdir()
    place.loopbench("run", "--workload", "yield", "--blocks", "1", codes=[FAILED], says="loopbench-report",
                    front=["/bin/sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh"], cwd=place / "gone")


@attack(GROUP)
def a_broken_histogram_file_fails_only_its_contender(place):
    place.add_contender("asio-epoll")
    for what in ('rm -rf "$TMPDIR"', 'chmod 0 "$TMPDIR"', 'rm -rf "$TMPDIR"; ln -s /nowhere "$TMPDIR"',
                 'mkfifo "$LOOPBENCH_HISTOGRAM_FILE"', 'mkdir -p "$LOOPBENCH_HISTOGRAM_FILE/x"',
                 *(f'ln -s {target} "$LOOPBENCH_HISTOGRAM_FILE"' for target in ("/nowhere", "/dev/zero", '"$0"')),
                 'truncate -s 100G "$LOOPBENCH_HISTOGRAM_FILE"', 'echo "{}" > "$LOOPBENCH_HISTOGRAM_FILE"'):
        place.add_contender("culprit", f"{what}\n{GOOD}")
        place.run(codes=[OK, FAILED], limit_s=30)
        place.expect_status("asio-epoll", "ok")


@attack(GROUP)
def folders_without_write_permission(place):
    front = without_rights()
    # The contender runs as another user, who cannot create the file `.trials`, so it must not use this file.
    place.add_contender("asio-epoll", notes=False)
    open_to_all = place / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    (place / "tmp").chmod(0o777)
    closed = open_to_all / "closed"
    closed.mkdir()
    (closed / "report.json").write_text("mine")
    closed.chmod(0o555)
    place.run("-o", closed, front=front, codes=[FAILED], says=closed)
    place.run("-o", closed / "deeper", front=front, codes=[FAILED], says=closed / "deeper")
    place.run("-o", open_to_all / "new", front=front, codes=[OK, INCONCLUSIVE])
    report = open_to_all / "new/report.json"
    place.loopbench("report", report, "--format", "csv", "-o", closed / "x.csv", front=front, codes=[FAILED],
                    says="x.csv")
    place.loopbench("check", "--against", closed / "b.json", "--update", "--tier", "times", report, front=front,
                    codes=[FAILED, INCONCLUSIVE], says="b.json")
    place.loopbench("history", "add", "--history", closed / "h.sqlite", report, front=front, codes=[FAILED, USAGE],
                    says="h.sqlite")
    place.run("-o", open_to_all / "other", front=front, codes=[FAILED], says=closed,
              env={**place.environment, "TMPDIR": str(closed)})
    secret = open_to_all / "secret.json"
    secret.write_text("{}")
    secret.chmod(0)
    if os.geteuid() == 0:  # root owns the unreadable file, and `front` runs the command as another user
        place.loopbench("report", secret, "--format", "csv", front=front, codes=[USAGE, FAILED], says="secret.json")
    if (closed / "report.json").read_text() != "mine":
        raise Broken("a file in an inaccessible folder was changed")
    closed.chmod(0o755)
