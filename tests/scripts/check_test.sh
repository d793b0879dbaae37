#!/usr/bin/env bash
# check_test.sh SOURCE_TREE: ./check builds and tests every preset, counts, and fails when a test does.
# shellcheck source=tests/scripts/support.sh
. "$(dirname "$0")/support.sh"

attempt "$tree/run" zero
expect "./run installs no test's package" lacks "$err" "catch2"
attempt "$tree/check"
expect "all pass" exited 0
expect "./check installs the rest" has "$err" "installing with apt-get: catch2 fonts-dejavu-core"
expect "and configures again what ./run had configured" has "$calls" "--preset release"
expect "in three presets" has "$calls" "ctest --preset tsan"
expect "sanitized builds hold the tests alone" has "$calls" "build/asan --parallel"
expect "by one target" has "$calls" "--target ringside_tests"
expect "ctest's own line is shown" has "$out" "100% tests passed, 0 tests failed out of 2"
expect "a table tells what each preset cost" has "$out" "preset     build    tests  the slowest tests"
expect "with its slowest tests, the slowest first" has "$out" " s  b 12 s, a 0 s"$'\n'
expect "the last line counts all of them" same "${out##*$'\n'}" "6 passed, 0 failed"

attempt "$tree/check" --quick -R "zero lesson"
expect "--quick is one preset" lacks "$calls" "asan"
expect "further words are ctest's" has "$calls" "-R zero lesson"
expect "and alone say which tests" lacks "$calls" "-LE long"
expect "and it counts that one" same "${out##*$'\n'}" "2 passed, 0 failed"

attempt "$tree/check" --wide
expect "--wide has more under sanitizers" has "$calls" "ctest --preset asan_wide"
expect "and under each of them" has "$calls" "ctest --preset tsan_wide"

touch "$state/failing"
attempt "$tree/check"
expect "one failing test fails it" exited 1
expect "shows what that test printed" has "$out" "b says: 3 is not 4"
expect "not what the others did" lacks "${out#*built, }" "Test #1: a"
expect "and still runs the rest" same "${out##*$'\n'}" "5 passed, 1 failed"
rm "$state/failing"

# The tests' packages were installed, but CMake has not looked since.
echo 'check: catch2' >"$tree/build/release/left_out.txt"
attempt "$tree/check" --quick
expect "where the tests were left out it configures again" has "$calls" "--preset release"
expect "without the long ones" has "$calls" "-LE long"
expect "with tests, this time" same "${out##*$'\n'}" "2 passed, 0 failed"

sed -i '/^catch2$/d' "$state/installed"
echo 'check: catch2' >"$tree/build/release/left_out.txt"
RINGSIDE_INSTALL=no attempt "$tree/check" --quick
expect "without tests there is nothing to pass" exited 9
expect "and what is missing is named" has "$err" "no tests of release: CMake did not find catch2"
echo catch2 >>"$state/installed"

# What only runs in the tests is installed while they are built.
sed -i '/^xvfb$/d' "$state/installed"
touch "$state/unreachable"
attempt "$tree/check" --quick
expect "a package of the tests that cannot be installed ends it" exited 9
expect "and says why" has "$err" "apt-get failed"
rm "$state/unreachable"
attempt "$tree/check" --quick
expect "and where it can, they run" same "${out##*$'\n'}" "2 passed, 0 failed"
expect "with it" has "$(<"$state/installed")" "xvfb"

touch "$state/no_tests"
attempt "$tree/check" --quick
expect "no test is no pass" exited 1
expect "and is counted" same "${out##*$'\n'}" "0 passed, 1 failed"
finish
