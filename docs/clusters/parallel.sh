#!/usr/bin/env bash
# A run in shards, by GNU parallel over ssh: each machine does one shard at a time.
#
#     parallel.sh HOSTS SHARDS FOLDER OPTIONS...    # options of `loopbench run`, with --seed
#     parallel.sh HOSTS SHARDS FOLDER OPTIONS...    # the same again: goes on with what died
#     loopbench merge FOLDER/* -o merged
#
# HOSTS is a file with a line for each login: user@machine, or `:` for this one. FOLDER has to be an absolute path to a
# place that all of them see, and loopbench the same build on each of them.
set -euo pipefail
hosts=$1 shards=$2 folder=$3
shift 3
mkdir -p "$folder"
options=$(printf ' %q' "$@")
# shellcheck disable=SC2016  # $folder is for the machines
parallel --sshloginfile "$hosts" --jobs 1 --tag --line-buffer --retries 2 "
    folder=$(printf %q "$folder")/{}"'
    mkdir -p "$folder" || exit
    if [ -e "$folder/journal.jsonl" ]; then
        loopbench run --resume "$folder"
        code=$?
        [ $code -eq 2 ] || exit $code  # 2: this machine is not like the one that it began on; so anew
    fi
    loopbench run'"$options"' --shard {}/'"$shards"' -o "$folder"' ::: $(seq "$shards")
