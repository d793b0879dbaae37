#!/usr/bin/env bash
# run_test.sh SOURCE_TREE: ./run lists, installs, builds and starts as it says.
# shellcheck source=tests/scripts/support.sh
. "$(dirname "$0")/support.sh"

attempt "$tree/run"
expect "before the first build the list comes from the lessons' texts" exited 0
expect "titles are those of the front matter" has "$out" "  zero               What must every rank keep?"
expect "the text below the front matter is not read" lacks "$out" "not this one"
expect "in the order that they name" has "${out%%zero*}" "Around the ring"
expect "by track" same "${out%%$'\n'*}" "memory"
expect "listing installs and builds nothing" same "$calls" ""

attempt "$tree/run" zer0
expect "an unknown word is a usage error" exited 2
expect "that names it last, with what may be meant" same "${err##*$'\n'}" "./run: no lesson or command 'zer0' (did you mean zero?)"
expect "shows what there is" has "$err" "Around the ring"
expect "and leaves stdout empty" same "$out" ""

touch "$state/no_torch"
attempt "$tree/run" zero
expect "where LibTorch cannot be installed it ends" exited 9
expect "and says why" has "$err" "E: dpkg was interrupted"
expect "what does not see LibTorch was configured" has "$calls" "configured without LibTorch"
expect "and compiled" has "$calls" "--target ringside ringside_terminal_runner"
rm -rf "$state"/{no_torch,installed,lists} "$tree/build"

attempt "$tree/run" zero "name=a b" '' '*'
expect "the first run says what it takes" has "$err" "the first time takes minutes: packages, then a build with "
expect "the first run installs" has "$calls" "--no-install-recommends"
expect "without questions" has "$calls" "frontend noninteractive"
expect "reads the package lists only when the first try fails" has "${calls%%update*}" "install"
expect "says what it installs" has "$err" "installing with apt-get: ccache cmake g++"
expect "LibTorch after the rest" lacks "${err%%$'\n'installed*}" "libtorch-dev"
expect "and then it configures anew" has "${calls#*configured without LibTorch}" "configured "$'\n'
expect "nothing that only the tests need" lacks "$err" "catch2"
expect "and nothing that only the room needs" lacks "$err" "imgui"
expect "builds the program and that lesson alone" has "$calls" "--target ringside ringside_run ringside_lesson_zero"
expect "passes every word on, as it was" same "$out" "<run><zero><name=a b><><*>"
expect "and ends as the program does" exited 4

attempt "$tree/run" plan zero --ranks 64
expect "the second run is not the first" lacks "$err" "the first time"
expect "the second run installs nothing" lacks "$calls" "apt-get"
expect "configures nothing" lacks "$calls" "--preset"
expect "builds what answers it" has "$calls" "--target ringside ringside_plan"
expect "a command is passed on as it is" same "$out" "<plan><zero><--ranks><64>"
attempt "$tree/run" bench step "zero stage=3" "ring ranks=2" --rounds 6
expect "a bench builds the lessons of its lines" has "$calls" "ringside_bench ringside_lesson_zero ringside_lesson_ring"
attempt "$tree/run" build ring zero
expect "lessons can be built ahead" has "$calls" "--target ringside lesson_ring lesson_zero"
expect "and nothing is run" same "$out" ""
attempt "$tree/run" build rnig
expect "a lesson that there is not is a usage error" exited 2
expect "which says what may be meant" has "$err" "no lesson 'rnig' (did you mean ring?)"
attempt "$tree/run" newcommand
expect "once built, the program judges words that the script does not know" same "$out" "<newcommand>"
attempt "$tree/run"
expect "once built, the program lists" same "$out" "<list>"

sed -i '/^libfmt-dev$/d' "$state/installed"
attempt "$tree/run" zero
expect "only what is missing is installed" has "$err" "installing with apt-get: libfmt-dev"$'\n'
expect "and CMake looks again" has "$calls" "--preset release"

touch "$state/broken"
attempt "$tree/run" zero
expect "a failed build is an error" exited 1
expect "that shows the compiler's words" has "$err" "a.cpp:1: error: no such thing"
expect "and where to read on" has "$err" "build/release/build.log"
expect "on stderr" same "$out" ""
rm "$state/broken"

attempt "$tree/run" gui zero
expect "the room adds what the room needs" has "$err" "installing with apt-get: fonts-dejavu-core libglfw3-dev libimgui-dev"
expect "again without the tests' packages" lacks "$err" "catch2"
expect "CMake looks for it" has "$calls" "--preset release"
expect "and the room is built" has "$calls" "--target ringside ringside_gui lesson_zero"
attempt "$tree/run" gui zero --processes 3
expect "a room of processes has the program that each of them is" has "$calls" "--target ringside ringside_gui lesson_zero ringside_run"
attempt "$tree/run" gui
expect "the second time there is nothing to configure" lacks "$calls" "--preset"

# The room's packages were installed by something else, such as a ./check that was interrupted.
printf 'gui: libimgui-dev, libglfw3-dev\ncheck: catch2\n' >"$tree/build/release/left_out.txt"
attempt "$tree/run" zero
expect "a lesson does without the parts that were left out" lacks "$calls" "--preset"
attempt "$tree/run" gui
expect "the room does not" has "$calls" "--preset release"
expect "even where nothing has to be installed" lacks "$calls" "apt-get"

# A first ./run was interrupted, and LibTorch installed by something else.
printf 'all: libtorch-dev\n' >"$tree/build/release/left_out.txt"
attempt "$tree/run" zero
expect "what was configured without LibTorch is configured anew" has "$calls" "configured "$'\n'

printf 'libnone-dev  zero  what one lesson needs\n' >>"$tree/cmake/packages.txt"
attempt "$tree/run" plan
expect "what a lesson needs is not installed for others" lacks "$calls" "apt-get"
attempt "$tree/run" zero
expect "but for that lesson" has "$err" "installing with apt-get: libnone-dev"$'\n'

printf 'libsome-dev  ring?,zero  what another does without\n' >>"$tree/cmake/packages.txt"
attempt "$tree/run" ring
expect "a row may be of several lessons" has "$err" "installing with apt-get: libsome-dev"$'\n'
sed -i '/^libsome-dev$/d' "$state/installed" && touch "$state/unreachable"
attempt "$tree/run" ring
expect "what a lesson does without need not be installed" has "$err" "going on without: libsome-dev"$'\n'
expect "and the lesson runs" same "$out" "<run><ring>"
attempt "$tree/run" zero
expect "where another needs it, it is an error" exited 9
rm "$state/unreachable" && sed -i '/^libsome-dev /d' "$tree/cmake/packages.txt"

rm -rf "$tree/build" "$tree/bin/apt-get" && touch "$state/unfindable"
attempt "$tree/run" zero
expect "without apt, a library that CMake does not find is a missing feature" exited 9
expect "named in CMake's words" has "$err" '"Torch"'
expect "with how to point CMake at it" has "$err" "-DCMAKE_PREFIX_PATH="
rm "$state/unfindable" "$tree/bin/cmake"
attempt "$tree/run" zero
expect "without apt and without a tool, it ends before anything is tried" exited 9
expect "naming the tool" has "$err" "missing: cmake"
expect "what else this needs" has "$err" "libtorch-dev"
expect "and not what the tests need" lacks "$err" "catch2"

# Two of four equal files took 10 s each, the other two have gone on for 5 s.
left() { bash -c 'root=$1 && . "$2/cmake/build.sh" && time_left "$1" 15 2' - "$tree" "$source_root"; }
printf '4 a.o\n4 b.o\n4 c.o\n4 d.o\n' >"$tree/costs.txt"
printf '# ninja log v5\n0\t10000\t0\ta.o\t1\n0\t10000\t0\tb.o\t2\n0\t9000\t0\tb.so\t3\n' >"$tree/.ninja_log"
out=$(left)
expect "the time left is what the files that have ended took, less what the others have had" same "$out" 5
printf '4 z.o\n' >"$tree/costs.txt"
out=$(left)
expect "and nothing where none of them has ended" same "$out" ""
finish
