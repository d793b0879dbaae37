#!/usr/bin/env bash
# installed_test.sh BUILD SOURCE: what `cmake --install` leaves works where it has been moved to, names no path of the
# build, and is what a project of someone else builds against.
set -euo pipefail
build=$1 source=$2
unset LD_LIBRARY_PATH  # of unused_libraries.cmake: here LibTorch has all that it names
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2 && exit 1; }

cmake --install "$build" --prefix "$work/first" --strip >"$work/log" 2>&1 || fail "$(tail -n 5 "$work/log")"
mv "$work/first" "$work/moved"
prefix=$work/moved
for path in "$build" "$work/first"; do
  named=$(grep -rIlF "$path" "$prefix" | head -n 3) || true
  [[ -z $named ]] || fail "these name $path: $named"
done
paths=$({ find "$prefix" -type f \( -name '*.so*' -o -perm -100 \) -exec readelf -d {} + 2>/dev/null || true; } | sed -n 's/.*R.*PATH.*\[\(.*\)\]/\1/p')
[[ -n $paths && $paths != *"$build"* ]] || fail "libraries are looked for in: $(sort -u <<<"$paths")"

alone() { env -i PATH=/usr/bin:/bin HOME="$work" TERM=dumb "$@"; }
cd "$work"
listed=$(alone "$prefix/bin/ringside" list)
[[ $listed == *zero*rounding* ]] || fail "list: $listed"
page=$(alone "$prefix/bin/ringside" run softmax_graph) || fail "run softmax_graph: $page"
[[ $page == *"In short"* && $page == *"ringside run softmax_graph "* && $page != *./run* ]] || fail "run softmax_graph: $page"
alone "$prefix/bin/ringside" plan zero --parameters 7.5e9 --ranks 64 | grep -q GB || fail "plan zero"
alone "$prefix/bin/ringside" drill key_ranges --solution | grep -q upper_bound || fail "drill key_ranges"

configure() { cmake -G Ninja -S "$1" -B "$2" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0 >"$2.log" 2>&1; }
configure "$source/demos/examples" "$work/examples" || fail "$(tail -n 20 "$work/examples.log")"
cmake --build "$work/examples" --parallel 2 --target own_channel minimal_trainer >"$work/log" 2>&1 || fail "$(tail -n 30 "$work/log")"
[[ $("$work/examples/own_channel") == "sums over 4 ranks: 10 and 0.4"* ]] || fail "own_channel"
inside=$("$build/bin/minimal_trainer" 1)
[[ $("$work/examples/minimal_trainer" 1) == "$inside" ]] || fail "minimal_trainer has other bits than in the tree"

# The component core is there without LibTorch, the host's kernels and the collectives over NCCL in it.
mkdir "$work/core"
cat >"$work/core/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(core LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_DISABLE_FIND_PACKAGE_Torch ON)
find_package(Ringside REQUIRED COMPONENTS core OPTIONAL_COMPONENTS train nosuch)
add_executable(core core.cpp)
target_link_libraries(core PRIVATE ringside::kernels ringside::nccl)
EOF
cat >"$work/core/core.cpp" <<'EOF'
#include <cstdio>

#include "ringside/base/error.h"
#include "ringside/kernels/sums.h"
#include "ringside/nccl/nccl.h"

int main() try {
  const float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
  float sum[4];
  ringside::kernels::ordered_sum(sum, {a, b}, 4, ringside::Dtype::kFloat32);
  std::printf("%g %g %g %g; ", sum[0], sum[1], sum[2], sum[3]);
  ringside::load_nccl();
} catch (const ringside::MissingError& error) {
  std::printf("%s", error.what());
}
EOF
configure "$work/core" "$work/core_built" || fail "$(tail -n 20 "$work/core_built.log")"
cmake --build "$work/core_built" >"$work/log" 2>&1 || fail "$(tail -n 30 "$work/log")"
said=$(RINGSIDE_NCCL=/nowhere "$work/core_built/core")
[[ $said == "11 22 33 44; NCCL cannot be used: there is no "*/nowhere*RINGSIDE_NCCL* ]] || fail "kernels and NCCL: $said"

# asks COMPONENTS_OR_VERSION WHAT: find_package refuses, and says why.
asks() {
  mkdir -p "$work/asks"
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(asks LANGUAGES CXX)\nfind_package(Ringside %s REQUIRED)\n' "$1" >"$work/asks/CMakeLists.txt"
  if configure "$work/asks" "$work/asked"; then fail "find_package(Ringside $1) was answered"; fi
  grep -qE "$2" "$work/asked.log" || fail "find_package(Ringside $1): $(cat "$work/asked.log")"
  rm -rf "$work/asked"
}
asks 99.0 'version: 0\.[0-9]+\.[0-9]+'
asks "COMPONENTS nosuch" nosuch
echo "installed, moved, and built against"
