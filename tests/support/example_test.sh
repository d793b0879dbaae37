#!/usr/bin/env bash
# example_test.sh PROGRAM: it ends well, and its runs of several stages with one hash.
set -euo pipefail
said=$("$1")
echo "$said"
[[ -n $said ]]
hashes=$(sed -nE 's/.*parameters ([0-9a-f]{64})$/\1/p' <<<"$said" | sort -u | wc -l)
((hashes <= 1)) || { echo "FAILED: $hashes hashes" >&2 && exit 1; }
