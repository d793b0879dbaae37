#!/usr/bin/env bash
# layering_test.sh COMPILER LAYERS NOTES: does a wrong include compile? LAYERS has one row a layer, lowest
# first: name, torch_free or torch, folder, include folders of its target (joined by colons).
#   1. A layer reaches its own headers and those of the layers that the table in NOTES lets it see, and no
#      others. A source that tries is really compiled, and must not.
#   2. LibTorch: on Debian its headers lie in /usr/include, where every source can reach them. So the
#      headers of the torch-free half, of the Trainer and of the lessons are followed to the end, and
#      their sources searched.
#   3. A type has one definition: no two public headers define types of one name in one namespace (an inline one counts
#      as what it lies in). Each file of the engine and the kit has its layer's namespace.
#   4. What Debian 12 compiles and 13 does not: Contains of Catch2 2 (catch.h has ContainsSubstring), and format
#      without its namespace, for GCC 14 finds that of std too.
set -euo pipefail
compiler=$1 layers_file=$2 notes=$3
failures=0
wrong() {
  echo "wrong: $*"
  failures=$((failures + 1))
}

layers=()
declare -A half folder includes sees inside
while read -r layer a b c; do
  layers+=("$layer")
  half[$layer]=$a folder[$layer]=$b includes[$layer]=$c
done <"$layers_file"

# The table "| layer | holds | sees | inside |".
while IFS='|' read -r _ layer _ a b _; do
  layer=${layer// /}
  if [[ -n $layer && -n ${folder[$layer]:-} ]]; then sees[$layer]=${a//,/ } inside[$layer]=${b//,/ }; fi
done < <(sed -n '/^| layer |/,/^$/p' "$notes")

# passed_on LAYER...: these and what their headers include, however deep.
passed_on() {
  local layer
  for layer in "$@"; do
    echo "$layer"
    # shellcheck disable=SC2086
    passed_on ${sees[$layer]:-}
  done
}

# compile LAYER OPTION...: a source on stdin, with the include folders of that layer.
compile() {
  local flags=() directory
  while IFS= read -r directory; do flags+=(-I "$directory"); done < <(tr ':' '\n' <<<"${includes[$1]}")
  shift
  "$compiler" -std=c++20 -x c++ "${flags[@]}" "$@" -
}

# Of each layer its public headers, as one writes them in an include.
declare -A headers
for layer in "${layers[@]}"; do
  headers[$layer]=$(find "${folder[$layer]}/include" -name '*.h' -printf '%P\n' 2>/dev/null | LC_ALL=C sort)
done

# reachable LAYER HEADER...: those of the headers that a source of the layer could include.
reachable() {
  local layer=$1 header
  shift
  for header in "$@"; do printf '#if __has_include(<%s>)\n"%s"\n#endif\n' "$header" "$header"; done |
    compile "$layer" -E -P | sed -n 's/^"\(.*\)"$/\1/p'
}

check_layer() {
  local layer=$1 own forbidden=() allowed=() other seen header
  local -A reached=()
  [[ -n ${sees[$layer]+known} ]] || { wrong "$layer does not stand in the table of $notes"; return; }
  # shellcheck disable=SC2206
  own=(${headers[$layer]})
  ((${#own[@]})) || { wrong "$layer has no public header"; return; }
  # shellcheck disable=SC2086
  seen=" $(passed_on ${sees[$layer]:-} ${inside[$layer]:-} | tr '\n' ' ')"
  for other in "${layers[@]}"; do  # those that it may include, and may not
    if [[ $other == "$layer" ]]; then continue; fi
    # shellcheck disable=SC2206
    if [[ $seen == *" $other "* ]]; then allowed+=(${headers[$other]}); else forbidden+=(${headers[$other]}); fi
  done
  for header in $(reachable "$layer" "${own[@]}" "${allowed[@]}" "${forbidden[@]}"); do reached[$header]=1; done
  for header in "${own[@]}"; do [[ -n ${reached[$header]:-} ]] || wrong "$layer does not reach its own $header"; done
  for header in "${allowed[@]}"; do [[ -n ${reached[$header]:-} ]] || wrong "$layer does not reach $header, which it may see"; done
  for header in "${forbidden[@]}"; do [[ -z ${reached[$header]:-} ]] || wrong "$layer can include $header"; done
  ((${#forbidden[@]})) || return 0
  if compile "$layer" -fsyntax-only <<<"#include <${forbidden[-1]}>" 2>/dev/null; then
    wrong "a source of $layer that includes ${forbidden[-1]} compiles"
  fi
}

# torch_headers_of LAYER HEADER...: what of LibTorch these headers pull in, however deep.
torch_headers_of() {
  local layer=$1
  shift
  printf '#include <%s>\n' "$@" | compile "$layer" -M | tr -s '[:space:]' '\n' | grep -E '/(torch|ATen|c10|caffe2)/' || true
}

check_torch_free() {
  local layer=$1 own header
  # shellcheck disable=SC2206
  own=(${headers[$layer]})
  if ((${#own[@]})) && [[ -n $(torch_headers_of "$layer" "${own[@]}") ]]; then
    for header in "${own[@]}"; do
      [[ -z $(torch_headers_of "$layer" "$header") ]] || wrong "$header pulls in LibTorch"
    done
  fi
  [[ ${half[$layer]} == torch ]] ||
    ! grep -rnE --exclude-dir=cuda '^ *# *include *[<"](torch|ATen|c10|caffe2)[./]' "${folder[$layer]}" ||
    wrong "$layer includes what lies above the line"
}

# Nothing below widgets/ sees ImGui, nothing above widgets/ is seen from below, a lesson sees no other lesson.
check_arrows() {
  local tree
  tree=$(dirname "$notes")/..
  ! grep -rnE '^ *# *include *[<"](imgui|GLFW)' "$tree/engine" "$tree/kit" || wrong "ImGui is seen below widgets/"
  ! grep -rnE '^ *# *include *"(\.\./)*(lessons|demos|widgets)/' "$tree"/{engine,kit,widgets,lessons} ||
    wrong "a folder is included by its path"
  ! grep -rnE --include=*.h --include=*.cpp --exclude='panel*' '^ *# *include *[<"](imgui|ringside/(widgets|panel)/)' "$tree/lessons" ||
    wrong "an experiment sees widgets"
}

# types_of HEADER...: "namespace::name file" of each type that is defined there outside of functions and types.
types_of() {
  awk '
    FNR == 1 { depth = 0 }
    /^namespace .*[{]$/ { sub(/::inline$/, "", $2); space[++depth] = $2 }
    /^[}]  [/][/] namespace/ { --depth }
    /^(struct|class|union|enum|enum class|enum struct) [A-Za-z_0-9]+[^;]*[{]/ {
      name = $2 == "class" || $2 == "struct" ? $3 : $2
      sub(/[:{].*/, "", name)
      path = ""
      for (i = 1; i <= depth; ++i) path = path space[i] "::"
      print path name, FILENAME
    }' "$@"
}

check_namespaces() {
  local tree
  tree=$(dirname "$notes")/..
  ! grep -rnE '^namespace ringside *[{]' "$tree"/{engine,kit} || wrong "a name of a layer lies in ringside itself"
}

check_one_definition() {
  local tree headers=() twice
  tree=$(dirname "$notes")/..
  mapfile -t headers < <(find "$tree"/engine "$tree"/kit "$tree"/widgets -path '*/include/*' -name '*.h' | LC_ALL=C sort)
  twice=$(types_of "${headers[@]}" | awk '{ if ($1 in seen) print $1 " in " seen[$1] " and " $2; seen[$1] = $2 }')
  [[ -z $twice ]] || wrong "two types of one name: $twice"
  types_of "${headers[@]}" | grep -E '^ringside::ProcessGroup .*comm/process_group.h$' >/dev/null ||
    wrong "the search for types does not find ProcessGroup"
}

for layer in "${layers[@]}"; do check_layer "$layer"; done
check_one_definition
check_namespaces
check_arrows
for layer in "${layers[@]}"; do
  if [[ ${half[$layer]} == torch_free || $layer == train ]]; then check_torch_free "$layer"; fi
done

# The probes must be able to fail: a layer below is reachable, a header that compiles does compile,
# and a header that pulls LibTorch in is seen to.
[[ -n $(reachable trace ringside/base/error.h) ]] || wrong "the probe of reachable headers finds none"
compile trace -fsyntax-only <<<"#include <ringside/base/error.h>" || wrong "a right include does not compile"
if [[ -n ${half[tensor]:-} ]]; then
  [[ -n $(torch_headers_of tensor ATen/ATen.h) ]] || wrong "the probe of LibTorch headers finds none"
fi

while IFS= read -r line; do wrong "Debian 13 does not compile $line"; done < <(
  cd "$(dirname "$0")/../.." && grep -rnE 'Catch::(Matchers::)?Contains\(|using fmt::format;' --include='*.cpp' --include='*.h' \
    --exclude=catch.h engine kit widgets lessons demos tests)

echo "${#layers[@]} layers, $failures wrong"
((failures == 0))
