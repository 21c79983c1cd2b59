#!/usr/bin/env python3
"""Tests that the workflows are valid and agree with README.md.

    workflows_test.py SOURCE
"""

import pathlib
import re
import subprocess
import sys
import unittest

import yaml

SOURCE = pathlib.Path(sys.argv.pop(1)).absolute() if len(sys.argv) > 1 else sys.exit(__doc__)
sys.path.insert(0, str(SOURCE / "tests/support"))

import workflow

DISTRIBUTIONS = SOURCE / workflow.DISTRIBUTIONS
MANAGERS = {"apt": "apt-get", "dnf": "dnf", "pacman": "pacman", "zypper": "zypper", "apk": "apk"}


def readme_section(heading):
    return (SOURCE / "README.md").read_text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def commands_of_readme():
    block = re.search(r"^```sh\n(.*?)^```$", readme_section("Two commands"), re.MULTILINE | re.DOTALL)[1]
    return [line.partition("#")[0].strip() for line in block.splitlines() if line.strip()]


class Workflows(unittest.TestCase):
    def test_each_workflow_has_triggers_and_jobs_with_steps(self):
        files = sorted((SOURCE / ".github/workflows").glob("*.yml"))
        self.assertGreaterEqual(len(files), 3)
        for file in files:
            content = yaml.safe_load(file.read_text())
            self.assertTrue(content[True], "YAML reads the key `on` as true")
            for job in content["jobs"].values():
                for step in job["steps"]:
                    self.assertEqual(len({"run", "uses"} & step.keys()), 1, step)

    def test_each_distribution_of_the_readme_has_a_job_that_says_if_it_was_tried(self):
        rows = re.findall(r"^\| ([^|]+?) \| (yes|untried|no)\b", readme_section("Two commands"), re.MULTILINE)
        wanted = {name: tried == "yes" for name, tried in rows if tried != "no"}
        self.assertGreaterEqual(len(wanted), 5)
        self.assertEqual({job["name"]: job["tried"] for job in workflow.jobs_of(DISTRIBUTIONS)}, wanted)

    def test_each_job_runs_the_commands_of_the_readme(self):
        commands = commands_of_readme()
        self.assertEqual(len(commands), 2)
        for job in workflow.jobs_of(DISTRIBUTIONS):
            scripts = [step["run"].strip().splitlines() for step in workflow.steps_for(DISTRIBUTIONS, job["image"])
                       if "run" in step]
            self.assertEqual([lines[-1] for lines in scripts[1:]], commands)

    def test_each_script_is_valid_and_the_first_one_installs_with_the_package_manager_of_the_job(self):
        for job in workflow.jobs_of(DISTRIBUTIONS):
            steps = workflow.steps_for(DISTRIBUTIONS, job["image"])
            for step in steps:
                if "run" in step:
                    checked = subprocess.run(["sh", "-n"], input=step["run"], capture_output=True, text=True)
                    self.assertEqual(checked.stderr, "")
            name = MANAGERS[job["manager"]]
            self.assertIn(name, (SOURCE / ".ci/install").read_text())
            self.assertRegex(steps[0]["run"], rf"{job['manager']}\) {name} ")

    def test_a_job_that_was_not_tried_cannot_fail_the_workflow(self):
        job = yaml.safe_load(DISTRIBUTIONS.read_text())["jobs"]["distribution"]
        self.assertEqual(job["continue-on-error"], "${{ !matrix.tried }}")
        self.assertIs(job["strategy"]["fail-fast"], False)


if __name__ == "__main__":
    unittest.main()
