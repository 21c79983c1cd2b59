#!/usr/bin/env bash
# Runs shards with GNU parallel over ssh: each machine runs one shard at a time.
#
#     parallel.sh HOSTS SHARDS FOLDER OPTIONS...    # OPTIONS are those of `loopbench run`, including --seed
#     parallel.sh HOSTS SHARDS FOLDER OPTIONS...    # the same command again continues failed shards
#     loopbench merge FOLDER/* -o merged
#
# HOSTS is a file with one login in each line: user@machine, or `:` for this machine. FOLDER must be the absolute path
# of a folder that all machines share. All machines must have the same build of loopbench.
set -euo pipefail
hosts=$1 shards=$2 folder=$3
shift 3
mkdir -p "$folder"
options=$(printf ' %q' "$@")
# shellcheck disable=SC2016  # the machines' shells expand $folder
parallel --sshloginfile "$hosts" --jobs 1 --tag --line-buffer --retries 2 "
    folder=$(printf %q "$folder")/{}"'
    mkdir -p "$folder" || exit
    if [ -e "$folder/journal.jsonl" ]; then
        loopbench run --resume "$folder"
        code=$?
        [ $code -eq 2 ] || exit $code  # 2: this machine differs from the first one, so start the shard again
    fi
    loopbench run'"$options"' --shard {}/'"$shards"' -o "$folder"' ::: $(seq "$shards")
