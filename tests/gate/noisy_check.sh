#!/usr/bin/env bash
# The gate beside a noise generator: `loopbench check` is neither red nor green then, whether the build is slower or
# not.
# noisy_check.sh LOOPBENCH COSTLY_CONTENDER. Exit 77: it cannot be tried here.
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

# A shared machine has a quiet second now and then.
for ((i = 0; i < 5; ++i)); do
    code=0
    check --update --tier times --baseline asio-quiet >"$folder/log" 2>&1 || code=$?
    [ "$code" -eq 5 ] || break
done
[ "$code" -ne 5 ] || { echo "this machine is too noisy by itself:"; cat "$folder/log"; exit 77; }
[ "$code" -eq 0 ] || { cat "$folder/log"; exit 1; }

# Four for each core: a contender then has a fifth of one, and waits for it again and again.
for ((i = 0; i < 4 * $(nproc); ++i)); do
    if command -v stress-ng >/dev/null; then
        stress-ng --cpu 1 --timeout 120s --quiet &
    else
        timeout 120s sh -c 'while :; do :; done' &
    fi
    noise+=($!)
done
for cost in none system_call; do
    code=0
    LOOPBENCH_TEST_COST=$cost check >"$folder/log" 2>&1 || code=$?
    cat "$folder/log"
    [ "$code" -eq 5 ] || { echo "the exit code is $code instead of 5, with the planted cost: $cost"; exit 1; }
done
