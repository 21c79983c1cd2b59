#!/usr/bin/env python3
"""A contender in another language: one workload of the suite, on asyncio."""

import asyncio
import json
import os
import sys
import time


async def yields(operations):
    done = 0
    began = time.perf_counter_ns()
    while done < operations:
        await asyncio.sleep(0)
        done += 1
    return time.perf_counter_ns() - began


context = {"library": "asyncio", "library_version": sys.version.split()[0]}
if "--benchmark_list_tests=true" in sys.argv:
    print("yield")
elif os.environ.get("LOOPBENCH_DESCRIBE") == "1":
    print(json.dumps({"context": context, "benchmarks": []}))
else:
    operations = int(os.environ.get("LOOPBENCH_OPERATIONS", "10000"))
    spent_ns = asyncio.run(yields(operations))
    row = {"name": "yield", "run_name": "yield", "iterations": 1, "real_time": spent_ns / operations,
           "time_unit": "ns", "operations": operations}
    print(json.dumps({"context": context, "benchmarks": [row]}))
