"""Reads the steps of the workflow that tries the distributions."""

import pathlib
import re

import yaml

DISTRIBUTIONS = pathlib.Path(".github/workflows/distributions.yml")


def jobs_of(file):
    """Returns the rows of the matrix, one for each job."""
    return yaml.safe_load(file.read_text())["jobs"]["distribution"]["strategy"]["matrix"]["include"]


def steps_for(file, image):
    """Returns the steps of the job with the container image, with the values of the matrix in their scripts. Throws
    KeyError if a script has another expression."""
    row = next(each for each in jobs_of(file) if each["image"] == image)
    values = {f"matrix.{name}": str(value) for name, value in row.items()}
    steps = yaml.safe_load(file.read_text())["jobs"]["distribution"]["steps"]
    return [{name: re.sub(r"\$\{\{ *(.+?) *\}\}", lambda found: values[found[1]], text) if name == "run" else text
             for name, text in step.items()} for step in steps]
