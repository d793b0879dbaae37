#!/usr/bin/env bash
# check_test.sh SOURCE_TREE: ./check builds and tests every preset, counts, and fails when a test does.
# shellcheck source=tests/scripts/support.sh
. "$(dirname "$0")/support.sh"

attempt "$tree/check"
expect "all pass" exited 0
expect "in three presets" has "$calls" "ctest --preset tsan"
expect "sanitized builds hold the tests alone" has "$calls" "build/asan --parallel"
expect "by one target" has "$calls" "--target ringside_tests"
expect "ctest's own line is shown" has "$out" "100% tests passed, 0 tests failed out of 2"
expect "the last line counts all of them" same "${out##*$'\n'}" "6 passed, 0 failed"

attempt "$tree/check" --quick -R "zero lesson"
expect "--quick is one preset" lacks "$calls" "asan"
expect "further words are ctest's" has "$calls" "-R zero lesson"
expect "and it counts that one" same "${out##*$'\n'}" "2 passed, 0 failed"

touch "$state/failing"
attempt "$tree/check"
expect "one failing test fails it" exited 1
expect "shows what that test printed" has "$out" "b says: 3 is not 4"
expect "not what the others did" lacks "${out#*built, }" "Test #1: a"
expect "and still runs the rest" same "${out##*$'\n'}" "5 passed, 1 failed"
rm "$state/failing"

touch "$state/no_tests"
attempt "$tree/check" --quick
expect "no test is no pass" exited 1
expect "and is counted" same "${out##*$'\n'}" "0 passed, 1 failed"
finish
