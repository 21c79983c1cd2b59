#!/usr/bin/env bash
# Runs the gate together with a noise generator. `loopbench check` must never report a regression for an unchanged
# build, and must never pass a slower build. The result can be inconclusive (4) or unreliable (5), but slices of 2 ms
# compensate for most of the noise.
# Usage: noisy_check.sh LOOPBENCH COSTLY_CONTENDER. Exit code 77 means that this machine cannot run the test.
set -euo pipefail

loopbench=$1
costly=$2
folder=$(mktemp -d)
noise=()
trap '[ ${#noise[@]} -eq 0 ] || kill "${noise[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT
mkdir "$folder/contenders"
cp "$costly" "$folder/contenders/asio-quiet"
cp "$costly" "$folder/contenders/asio-other"
check() {
    "$loopbench" check --against "$folder/baseline.json" --contender-dir "$folder/contenders" \
        --contender asio-other --workload yield --blocks 8 --min-time 50ms -o "$folder/out" "$@"
}

# Measures the baseline file up to five times, because even a busy machine has quiet seconds.
for ((i = 0; i < 5; ++i)); do
    code=0
    check --update --tier times --baseline asio-quiet >"$folder/log" 2>&1 || code=$?
    [ "$code" -eq 5 ] || break
done
[ "$code" -ne 5 ] || { echo "this machine is too noisy even without the noise generator:"; cat "$folder/log"; exit 77; }
[ "$code" -eq 0 ] || { cat "$folder/log"; exit 1; }

# Four noise processes run per core. A contender then gets a fifth of a core, and often waits for the core.
for ((i = 0; i < 4 * $(nproc); ++i)); do
    if command -v stress-ng >/dev/null; then
        stress-ng --cpu 1 --timeout 120s --quiet &
    else
        timeout 120s sh -c 'while :; do :; done' &
    fi
    noise+=($!)
done
try() {  # arguments: LOOPBENCH_TEST_COST, and the exit code that would be wrong
    code=0
    LOOPBENCH_TEST_COST=$1 LOOPBENCH_TEST_COST_OF=asio-other check >"$folder/log" 2>&1 || code=$?
    cat "$folder/log"
    case $code in
        "$2") echo "the exit code is $code with the planted cost $1" && exit 1 ;;
        0 | 3 | 4 | 5) ;;
        *) echo "the exit code is $code" && exit 1 ;;
    esac
}
try none 3
try system_call 0
