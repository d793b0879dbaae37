#!/usr/bin/env bash
# start_ranks_test.sh PROGRAM: what it tells the ranks, what it ends with, and what it says of a wrong command line.
set -euo pipefail
program=$1

fail() { echo "FAILED: $*" >&2 && exit 1; }

# ends STATUS TEXT ARGUMENT...: it ends so, and its text, standard error too, has TEXT in it.
ends() {
  local wanted=$1 text=$2 status=0 said
  shift 2
  said=$("$program" "$@" 2>&1) || status=$?
  ((status == wanted)) || fail "'$*' ended with $status instead of $wanted: $said"
  [[ $said == *"$text"* ]] || fail "'$*' said: $said"
}

# shellcheck disable=SC2016  # the rank's shell expands it, here and below
ranks=$("$program" 3 bash -c 'echo "$RINGSIDE_RANK $(tr -cd , <<<"$RINGSIDE_SOCKETS")"' | sort)
[[ $ranks == $'0 ,,\n1 ,,\n2 ,,' ]] || fail "the ranks heard: $ranks"

ends 0 "start_ranks 3 process_trainer" --help
ends 0 "--help" 1 echo --help  # behind the program all is the program's
ends 2 "N" ""
ends 2 "PROGRAM" 2
ends 2 "Value 0 not in range" 0 true
ends 2 "Value 33 not in range" 33 true
ends 2 "x" x true
ends 2 "/nowhere" 2 /nowhere
# shellcheck disable=SC2016
ends 3 "exit code 3" 2 bash -c 'exit $((RINGSIDE_RANK * 3))'
ends 5 "signal 9" 2 bash -c 'kill -9 $$'
# shellcheck disable=SC2016
ends 3 "exit code 3" 2 bash -c '((RINGSIDE_RANK)) && exit 3; exit 5'  # an echo of a failure is not its cause
ends 0 "" --killed 1 2 bash -c '((RINGSIDE_RANK)) && kill -9 $$; exit 0'
ends 4 "rank 1" --killed 1 2 true
ends 6 "not over after 0.2 s" --seconds 0.2 2 sleep 60
