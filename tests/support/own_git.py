"""Lets tests use git without the configuration of the user, which can sign commits or have hooks."""

import os
import subprocess

ENVIRONMENT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
               "GIT_AUTHOR_NAME": "test", "GIT_AUTHOR_EMAIL": "test@localhost",
               "GIT_COMMITTER_NAME": "test", "GIT_COMMITTER_EMAIL": "test@localhost"}


def git(folder, *arguments):
    """Returns the output of git in the folder."""
    return subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True, text=True,
                          env=os.environ | ENVIRONMENT).stdout.strip()
