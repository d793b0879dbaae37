# shellcheck shell=bash
# A small tree with the scripts under test in it, and a PATH that holds only common tools and
# stand-ins for what installs, builds and tests. Sourced with the source tree as $1.
set -uo pipefail
source_root=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
state=$tree/state
mkdir -p "$tree/cmake" "$tree/bin" "$state" "$tree/lessons/zero" "$tree/lessons/ring"
cp "$source_root/run" "$source_root/check" "$tree"
cp "$source_root"/cmake/*.sh "$source_root"/cmake/costs.awk "$source_root/cmake/packages.txt" "$tree/cmake"
echo '{}' >"$tree/CMakePresets.json"
printf -- '---\nid: zero\ntitle: What must every rank keep?\norder: 20\ntrack: memory\n---\ntitle: not this one\n' >"$tree/lessons/zero/lesson.md"
printf -- '---\nid: ring\ntitle: Around the ring\norder: 3\ntrack: memory\n---\n' >"$tree/lessons/ring/lesson.md"

for tool in bash sh env awk cat chmod comm cp cut dirname flock grep head mkdir nproc readlink rm sed sleep sort tail tee touch tr wc; do
  ln -s "$(command -v "$tool")" "$tree/bin/$tool"
done
# stand_in NAME: a program on the PATH; its text on stdin. It sees $state and logs its arguments.
stand_in() {
  {
    echo "#!/usr/bin/env bash"
    echo "state=$state; echo \"$1 \$*\" >>\$state/calls"
    cat
  } >"$tree/bin/$1"
  chmod +x "$tree/bin/$1"
}

stand_in dpkg-query <<'STUB'
for name in "$@"; do grep -qx "$name" "$state/installed" 2>/dev/null && echo "installed $name"; done
true
STUB
stand_in apt-get <<'STUB'
echo "frontend $DEBIAN_FRONTEND" >>"$state/calls"
[[ ! -e $state/unreachable ]] || { echo "E: Failed to fetch"; exit 100; }
case " $* " in
  *" update "*) touch "$state/lists" ;;
  *" install "*)
    [[ ! -e $state/no_torch || " $* " != *libtorch-dev* ]] || { echo "E: dpkg was interrupted"; exit 100; }
    [[ -e $state/lists ]] || { echo "E: Unable to locate package"; exit 100; }
    echo "pmstatus:x:50.0:Installing"
    printf '%s\n' "$@" >>"$state/installed"
    ;;
esac
STUB
stand_in cmake <<'STUB'
if [[ $1 == --preset ]]; then
  echo "configured ${RINGSIDE_TORCH_LATER:+without LibTorch}" >>"$state/calls"
  [[ ! -e $state/unfindable ]] || { echo "CMake Error: Could not find a package configuration file provided by \"Torch\""; exit 1; }
  for lesson in zero ring; do mkdir -p "build/$2/lessons/$lesson" && cp "lessons/$lesson/lesson.md" "build/$2/lessons/$lesson"; done
  mkdir -p "build/$2" && touch "build/$2/build.ninja" && : >"build/$2/left_out.txt"
  for part in gui:libimgui-dev check:catch2; do
    grep -qsx "${part#*:}" "$state/installed" || echo "${part%:*}: ${part#*:}" >>"build/$2/left_out.txt"
  done
else
  [[ ! -e $state/broken ]] || { printf '[1/2] Building a\nFAILED: a.o\na.cpp:1: error: no such thing\n'; exit 1; }
  printf '[1/2] Building CXX object a\n[2/2] Linking CXX a\n'
  mkdir -p "$2/bin"
  printf '#!/usr/bin/env bash\nprintf "<%%s>" "$@"\nexit 4\n' >"$2/bin/ringside"
  chmod +x "$2/bin/ringside"
fi
STUB
stand_in ctest <<'STUB'
[[ ! -e $state/no_tests ]] || { echo "No tests were found!!!"; exit 0; }
if [[ -e $state/failing && $* == *asan* ]]; then
  printf '1/2 Test #1: a ....   Passed    0.01 sec\n2/2 Test #2: b ....***Failed    0.01 sec\n  b says: 3 is not 4\n'
  printf '50%% tests passed, 1 tests failed out of 2\n'
  exit 8
fi
printf '1/2 Test #1: a ....   Passed    0.01 sec\n2/2 Test #2: b ....   Passed   12.01 sec\n'
printf '100%% tests passed, 0 tests failed out of 2\n'
STUB
stand_in ninja </dev/null
stand_in python3 </dev/null
stand_in c++ </dev/null
touch "$state/calls"

# attempt COMMAND...: leaves out, err, code and calls (what the stand-ins were called with).
attempt() {
  : >"$state/calls"
  out=$(PATH=$tree/bin "$@" 2>"$state/err" </dev/null)
  code=$?
  err=$(cat "$state/err") calls=$(cat "$state/calls")
}

failures=0
# expect TEXT CONDITION...: a test expression, told with what was seen where it does not hold.
expect() {
  local what=$1
  shift
  "$@" && return
  failures=$((failures + 1))
  printf 'wrong: %s\n  code %s\n  stdout: %s\n  stderr: %s\n  calls: %s\n' "$what" "$code" "$out" "$err" "$calls"
}
exited() { [[ $code == "$1" ]]; }
has() { [[ $1 == *"$2"* ]]; }
lacks() { [[ $1 != *"$2"* ]]; }
same() { [[ $1 == "$2" ]]; }
finish() {
  echo "$failures wrong"
  exit $((failures > 0))
}
