#!/usr/bin/env bash
# minimal_trainer_test.sh PROGRAM MESH_PROGRAM: it learns, stages 0 and 3 end with the same bits, a wrong argument with exit code 2.
set -euo pipefail
program=$1 over_mesh=$2

fail() { echo "FAILED: $*" >&2 && exit 1; }

whole=$("$program" 0)
sharded=$("$program" 3)
echo "$sharded"
[[ $whole == "$sharded" ]] || fail "stage 0 printed another text:"$'\n'"$whole"
[[ $whole =~ parameters\ [0-9a-f]{64}$ ]] || fail "no hash of the parameters"
mapfile -t losses < <(sed -nE 's/^step [0-9]+  loss //p' <<<"$whole")
((${#losses[@]} == 4)) || fail "${#losses[@]} losses instead of 4"
awk "BEGIN { exit !(${losses[3]} < 0.8 * ${losses[0]}) }" || fail "the loss went from ${losses[0]} to ${losses[3]}"

# Ranks as processes end with the bits of ranks as threads. (That others start them: tests/terminal/processes_test.py.)
processes=$("$program" --processes 4)
[[ $processes == "$sharded" ]] || fail "four processes printed another text:"$'\n'"$processes"

for words in 3x "0 1"; do
  status=0
  if [[ $words == "0 1" ]]; then arguments=(0 1); else arguments=("$words"); fi
  said=$("$program" "${arguments[@]}" 2>&1) || status=$?
  ((status == 2)) || fail "'$words' ended with $status: $said"
  [[ $said == "minimal_trainer: "*"0 to 3"* ]] || fail "'$words' said: $said"
done

# Over a mesh: in shards over dp, and cut over tp alone, the same loss and norm to 4 digits.
whole=$("$over_mesh" dp2,tp2 3)
[[ $whole == *"rank 3    dp 1 of {1,3}  tp 1 of {2,3}"* ]] || fail "no table of the mesh: $whole"
first() { sed -nE 's/^step 10  loss ([0-9]+\.[0-9]{4}).*norm ([0-9]+\.[0-9]{4}).*/\1 \2/p' <<<"$1"; }
other=$("$over_mesh" tp4 0)
[[ -n $(first "$whole") && $(first "$other") == "$(first "$whole")" ]] || fail "tp4: $other"$'\n'"dp2,tp2: $whole"
status=0
said=$("$over_mesh" dp4 4 2>&1) || status=$?
((status == 2)) || fail "mesh_trainer dp4 4 ended with $status: $said"
