#!/bin/sh
# usage: noisy_compare.sh EXPECTED_CODE LOOPBENCH BASE NEW
# The script compares two builds by the measured time of real work, which requires a quiet machine.
expected=$1 loopbench=$2 base=$3 next=$4
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$loopbench" compare "$base" "$next" --workload real --blocks 40 --min-time 50ms -o "$folder"
code=$?
[ "$code" -eq "$expected" ] || { echo "exit code $code, expected $expected"; exit 1; }
