#!/usr/bin/env python3
"""Runs a clinic program, and ends with 0 if it prints the expected line, with 77 if the program is unavailable, and
otherwise with 1.

    expect.py LINE PROGRAM

`...` at the end of LINE stands for any end.
"""

import sys

import clinic


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    expected, program = sys.argv[1:]
    run = clinic.run_of([program], {})
    print(f"{run['line']}\n{run['stderr']}")
    if run["line"].startswith("unavailable: "):
        return clinic.EXIT_CODES["unavailable"]
    if clinic.is_expected(run["line"], expected):
        return 0
    print(f"expected: {expected}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
