#!/usr/bin/env bash
# minimal_trainer_test.sh PROGRAM: it learns, stages 0 and 3 end with the same bits, a wrong argument with exit code 2.
set -euo pipefail
program=$1

fail() { echo "FAILED: $*" >&2 && exit 1; }

whole=$("$program" 0)
sharded=$("$program" 3)
echo "$sharded"
[[ $whole == "$sharded" ]] || fail "stage 0 printed another text:"$'\n'"$whole"
[[ $whole =~ parameters\ [0-9a-f]{64}$ ]] || fail "no hash of the parameters"
mapfile -t losses < <(sed -nE 's/^step [0-9]+  loss //p' <<<"$whole")
((${#losses[@]} == 4)) || fail "${#losses[@]} losses instead of 4"
awk "BEGIN { exit !(${losses[3]} < 0.8 * ${losses[0]}) }" || fail "the loss went from ${losses[0]} to ${losses[3]}"

for words in 4 -1 x "" 3x "0 1"; do
  status=0
  if [[ $words == "0 1" ]]; then arguments=(0 1); else arguments=("$words"); fi
  said=$("$program" "${arguments[@]}" 2>&1) || status=$?
  ((status == 2)) || fail "'$words' ended with $status: $said"
  [[ $said == "minimal_trainer: "*"0 to 3"* ]] || fail "'$words' said: $said"
done
