#!/usr/bin/env python3
"""Checks that a program includes no header of another Boost, which could hide that its own Boost lacks the header.

    boost_is_alone.py HEADERS COMPILER [OPTION...] SOURCE

HEADERS is the folder of the Boost that the program uses. The options are those of the program's target.
"""

import pathlib
import subprocess
import sys

headers, *command = sys.argv[1:]
listed = subprocess.run([*command, "-M"], check=True, capture_output=True, text=True).stdout
files = {pathlib.Path(each).resolve() for each in listed.replace("\\\n", " ").split()[1:]}
of_boost = {each for each in files if "boost" in each.parts}
others = sorted(str(each) for each in of_boost if not each.is_relative_to(pathlib.Path(headers).resolve()))
print("\n".join(others) or f"{len(of_boost)} headers of {headers}")
sys.exit(1 if others or not of_boost else 0)
