#!/usr/bin/env bash
# process_trainer_test.sh START_RANKS PROGRAM: three processes end with the bits of three threads; a wrong argument ends all
# with exit code 2.
set -euo pipefail
start_ranks=$1 program=$2

fail() { echo "FAILED: $*" >&2 && exit 1; }

threads=$("$program" 2)
processes=$("$start_ranks" --seconds 60 3 "$program" 2)
echo "$processes"
[[ $threads == "$processes" ]] || fail "the threads printed another text:"$'\n'"$threads"
[[ $threads =~ parameters\ [0-9a-f]{64}$ ]] || fail "no hash of the parameters"

status=0
said=$("$start_ranks" --seconds 60 2 "$program" 4 2>&1) || status=$?
((status == 2)) || fail "stage 4 ended with $status: $said"
