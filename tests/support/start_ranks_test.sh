#!/usr/bin/env bash
# start_ranks_test.sh PROGRAM: what ranks are told that are started together, how they end, and that none is left.
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
{
  ranks=$(TORCHELASTIC_RUN_ID=other "$program" 3 bash -c 'echo "$RANK $WORLD_SIZE $LOCAL_RANK $MASTER_ADDR ${TORCHELASTIC_RUN_ID-none}"' | sort)
  [[ $ranks == $'0 3 0 127.0.0.1 none\n[1] 1 3 1 127.0.0.1 none\n[2] 2 3 2 127.0.0.1 none' ]] || fail "the ranks heard: $ranks"
  ends 0 "" 2 bash -c '((RANK)) || [[ -S /dev/fd/3 ]]'  # rank 0's socket for the store
  ends 2 "usage" 2
  ends 2 "no number" 0 true
  ends 2 "no number" 33 true
  ends 9 "/nowhere" 2 /nowhere
  ends 3 "rank 1 (process" 2 bash -c 'exit $((RANK * 3))'
  ends 3 "it was me" 2 bash -c '((RANK)) && { echo it was me >&2; exit 3; }; exit 5'  # an echo of a failure is not its cause
  ends 5 "was ended by signal 9" 2 bash -c '((RANK)) && kill -9 $$; exit 5'
  ends 130 "" 2 bash -c '((RANK)) && exit 5; exit 130'
  said=$("$program" 2 bash -c '((RANK)) || sleep 0.05; exit 3' 2>&1) && fail "they ended well"
  [[ -z $said ]] || fail "of two that fail alike rank 0 has said it itself: $said"
  said=$("$program" --restarts 2 1 bash -c 'echo starts; kill -9 $$' 2>&1) && fail "it ended well"
  [[ $(grep -c '^starts$' <<<"$said") == 3 ]] || fail "started anew two times: $said"
  ends 0 "" --killed 1 2 bash -c '((RANK)) && kill -9 $$; exit 0'
  ends 4 "rank 1" --killed 1 2 true
  ends 6 "not over after 0.2 s" --seconds 0.2 2 sleep 60
  ends 5 "rank 1 did not end by itself" --follow 0.3 2 bash -c '((RANK)) && exec sleep 60; exit 0'  # rank 0 is through
  SECONDS=0
  ends 3 "rank 1 did not end by itself" 3 bash -c '((RANK == 1)) && kill -STOP $$; exit 3'
  ((SECONDS < 8)) || fail "a rank that stands still was waited for, $SECONDS s"
}

# Whoever started them is killed: they end too.
# shellcheck disable=SC2016
"$program" 2 bash -c 'echo $$ > "$0.$RANK"; exec sleep 60' "$PWD/start_ranks_pid.$$" &
starter=$!
for rank in 0 1; do
  file=$PWD/start_ranks_pid.$$.$rank
  until [[ -s $file ]]; do sleep 0.02; done
done
kill -9 "$starter"
for rank in 0 1; do
  file=$PWD/start_ranks_pid.$$.$rank
  for ((tries = 0; tries < 100; ++tries)); do kill -0 "$(<"$file")" 2>/dev/null || break; sleep 0.05; done
  ((tries < 100)) || fail "rank $rank is left"
  rm "$file"
done
