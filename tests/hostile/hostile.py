#!/usr/bin/env python3
"""Attacks the built loopbench, and shows the result of each attack.

usage: hostile.py BIN [--short] [--only TEXT]... [--seed N] [--jobs N] [--moments N] [--mutations N] [--list]

BIN is the folder that contains `loopbench` and `contenders/`. The exit code is 0 if all expectations held, and 1 if one
failed. The table also lists the attacks that cannot be tried on this machine, with the reason, and counts them. Skipped
attacks do not change the exit code.
"""

import argparse
import collections
import concurrent.futures
import os
import sys
import time

import attack
import broken_files  # noqa: F401  each of these modules registers its attacks
import kills
import places  # noqa: F401
import surroundings  # noqa: F401
import third_party  # noqa: F401
import tracers  # noqa: F401


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("binaries")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--moments", type=int)
    parser.add_argument("--mutations", type=int)
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def outcome_of(each, options):
    started = time.monotonic()
    place = attack.Place(options.binaries, f"{each.group} {each.name}", options.seed, options.short)
    place.mutations = options.mutations
    broken = None
    try:
        each.run(place)
        place.expect_nothing_left()
    except attack.Broken as error:
        broken = str(error)
    except attack.Skipped as error:
        place.skip(str(error))
    except Exception as error:
        broken = f"error in the attack: {type(error).__name__}: {error}"
    finally:
        place.remove()
    codes = ", ".join(f"{count} x {code}" for code, count in sorted(place.codes.items()))
    outcome = f"BROKEN: {broken}" if broken else "held"
    if not broken and place.skipped:
        outcome = ("held; " if place.codes else "") + "skipped: " + "; ".join(sorted(set(place.skipped)))
    seconds = time.monotonic() - started
    print(f"{seconds:6.1f} s  {each.group}: {each.name}: {outcome}", file=sys.stderr, flush=True)
    return [f"{each.group}: {each.name}", codes or "-", seconds, outcome], place, broken


def main():
    options = arguments()
    moments = options.moments if options.moments is not None else 24 if options.short else 300
    kills.register(moments, min(options.jobs, moments))
    chosen = [each for each in attack.ATTACKS
              if (each.short or not options.short) and
              (not options.only or any(word in f"{each.group}: {each.name}" for word in options.only))]
    if options.list:
        print("\n".join(f"{each.group}: {each.name}" for each in chosen))
        return 0
    if not chosen:
        sys.exit("hostile: no attack matches --only")
    started = time.monotonic()
    # The longest attacks start first, so that no core is idle at the end.
    chosen.sort(key=lambda each: each.group != kills.GROUP)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        lines = list(pool.map(lambda each: outcome_of(each, options), chosen))
    width = max(len(line[0][0]) for line in lines)
    codes_width = min(60, max(len(line[0][1]) for line in lines))
    print(f"{'attack':<{width}}  {'commands x exit code':<{codes_width}}  {'s':>5}  outcome")
    for (name, codes, seconds, outcome), _, _ in sorted(lines, key=lambda line: line[0][0]):
        print(f"{name:<{width}}  {codes:<{codes_width}}  {seconds:5.1f}  {outcome}")
    total = sum((place.codes for _, place, _ in lines), collections.Counter())
    broken = sum(why is not None for _, _, why in lines)
    skipped = sum(len(place.skipped) for _, place, _ in lines)
    print(f"\n{len(lines)} attacks, {total.total()} commands, {broken} broken, {skipped} parts skipped; seed "
          f"{options.seed}, {time.monotonic() - started:.0f} s")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
