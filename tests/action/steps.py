"""Runs the steps of a composite GitHub Action as a runner does: in order, with the values of their expressions, and
with the files for outputs and for the summary. Replaces the actions of GitHub by functions on local folders."""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess

import yaml

EVEN_AFTER_A_FAILURE = "${{ !cancelled() }}"
UNLESS = re.compile(r"(.+) != 'true'")


@dataclasses.dataclass
class Machine:
    """Where the steps run: in the folder `root` as the root of the file system ("/" for this machine). `action`,
    `workspace` and `files` are folders as the steps see them. `kept` is the folder of caches and artifacts."""

    root: pathlib.Path
    action: pathlib.PurePosixPath
    workspace: pathlib.PurePosixPath
    files: pathlib.PurePosixPath
    kept: pathlib.Path
    environment: dict

    def outside(self, path):
        return self.root / pathlib.PurePosixPath(self.workspace / path).relative_to("/")

    def command(self, words, environment):
        if self.root == pathlib.Path("/"):
            return {"args": words, "cwd": self.workspace, "env": os.environ | environment}
        shell = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', self.workspace, *words]
        return {"args": ["chroot", self.root, *map(str, shell)], "env": environment}


@dataclasses.dataclass
class Job:
    """A finished job: `code` is the exit code of the first step that failed, or 0."""

    code: int = 0
    log: str = ""
    summary: str = ""
    outputs: dict = dataclasses.field(default_factory=dict)
    cache_hit: bool = False
    artifact: pathlib.Path | None = None


def read_action(file):
    return yaml.safe_load(file.read_text())


def evaluated(text, values):
    """Replaces the expressions of a text. An output that no step wrote is empty, as on GitHub. Any other unknown
    expression is an error of the action."""
    def value(found):
        return values.get(found[1], "") if found[1].startswith("steps.") else values[found[1]]
    return re.sub(r"\$\{\{ *(.+?) *\}\}", value, str(text))


def restore_cache(machine, given, job):
    saved = machine.kept / "cache" / given["key"]
    job.cache_hit = saved.is_dir()
    if job.cache_hit:
        shutil.copytree(saved, machine.outside(given["path"]), dirs_exist_ok=True)
    return {"cache-hit": "true" if job.cache_hit else ""}


def save_cache(machine, given, _):
    shutil.copytree(machine.outside(given["path"]), machine.kept / "cache" / given["key"], dirs_exist_ok=True)


def keep_artifact(machine, given, job):
    job.artifact = machine.kept / "artifacts" / given["name"]
    shutil.rmtree(job.artifact, ignore_errors=True)
    job.artifact.mkdir(parents=True)
    for line in given["path"].split():
        found = machine.outside(line)
        if found.is_dir():
            shutil.copytree(found, job.artifact / found.name)
        elif found.is_file():
            shutil.copy(found, job.artifact)


OF_GITHUB = {"actions/cache/restore": restore_cache, "actions/cache/save": save_cache,
             "actions/upload-artifact": keep_artifact}


def run_script(step, machine, environment, job):
    done = subprocess.run(**machine.command(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                                            environment),
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    job.log += f"== {step['name']}\n{done.stdout}"
    return done.returncode


def is_run(condition, job, values):
    if condition == EVEN_AFTER_A_FAILURE:
        return True
    unless = UNLESS.fullmatch(condition or "")
    return not job.code and not (unless and values.get(unless[1]) == "true")


def run_action(action, inputs, machine):
    """Runs an action with the inputs. Returns the Job."""
    unknown = inputs.keys() - action["inputs"].keys()
    if unknown:
        raise KeyError(f"the action has no input {unknown}")
    values = {f"inputs.{name}": inputs.get(name, about["default"]) for name, about in action["inputs"].items()}
    files = {name: machine.outside(machine.files / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    environment = machine.environment | {
        "GITHUB_ACTION_PATH": str(machine.action), "GITHUB_WORKSPACE": str(machine.workspace), "GITHUB_ACTIONS": "true",
        **{name: str(machine.files / name) for name in files}}
    job = Job()
    for path in files.values():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    for step in action["runs"]["steps"]:
        if not is_run(step.get("if"), job, values):
            continue
        if "uses" in step:
            given = {name: evaluated(text, values) for name, text in step["with"].items()}
            written = OF_GITHUB[step["uses"].split("@")[0]](machine, given, job) or {}
        else:
            of_step = {name: evaluated(text, values) for name, text in step.get("env", {}).items()}
            files["GITHUB_OUTPUT"].write_text("")
            code = run_script(step, machine, environment | of_step, job)
            written = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
            job.code = job.code or code
        values |= {f"steps.{step.get('id')}.outputs.{name}": text for name, text in written.items()}
    job.summary = files["GITHUB_STEP_SUMMARY"].read_text()
    job.outputs = {name: evaluated(about["value"], values) for name, about in action["outputs"].items()}
    return job
