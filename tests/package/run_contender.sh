#!/bin/sh
# usage: run_contender.sh LOOPBENCH FOLDER OUTPUT
# Lists and runs the contender `mine`, which a project outside the source tree has built in FOLDER.
set -eu
loopbench=$1 folder=$2 out=$3

expect() {  # PATTERN FILE WHAT
    grep -Eq "$1" "$2" || { echo "$3: no line of $2 matches $1" >&2; cat "$2" >&2; exit 1; }
}

mkdir -p "$out"
"$loopbench" list --contender-dir "$folder" > "$out/list.txt"
expect '^[* ] mine +a loop of my own 1\b' "$out/list.txt" "the list lacks the contender"

"$loopbench" run --quick --contender mine --contender-dir "$folder" --blocks 1 -o "$out" \
    --workload yield --workload 'gather/*' --workload 'sleep/*' --workload echo > "$out/table.txt"
for workload in yield gather/yield/children:1000 gather/sleep/children:1000 sleep/serial sleep/concurrent; do
    expect "^$workload,mine,time,.*,ok," "$out/report.csv" "not measured"
done
expect '^echo/rtt/tcp/.*,mine,time,.*,unsupported,this loop has no network' "$out/report.csv" "not unsupported"
