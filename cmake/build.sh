# shellcheck shell=bash
# Configures and builds a preset behind one line of progress. Sourced by ./run and
# ./check, after say.sh and packages.sh; $root is the top of the tree.

: "${root:?the top of the tree}"

# ccache: a precompiled header, and a clone at another path, should not keep it from hitting.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# One build at a time in a tree: a second one waits for the first.
lock_builds() {
  mkdir -p "$root/build"
  command -v flock >/dev/null || return 0
  exec 9>"$root/build/.lock"
  flock -n 9 && return 0
  say "another build of this tree is running; waiting for it"
  flock -w 3600 9 || fail 1 "the other build did not end within an hour: $root/build/.lock"
}
unlock_builds() { exec 9>&-; }

# Compilers at once: a file that sees LibTorch takes up to 1.5 GB.
parallel_jobs() {
  local cores memory limit by_memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)  # MiB
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)
  if [[ $limit =~ ^[0-9]+$ ]] && ((limit / 1048576 < memory)); then memory=$((limit / 1048576)); fi
  by_memory=$((memory / 1536))
  if ((by_memory < 1)); then by_memory=1; fi
  echo $((cores < by_memory ? cores : by_memory))
}

# left_out PRESET PART: the packages for want of which CMake left the part (all, gui, check) out; nothing where it did not.
left_out() {
  local part packages
  [[ -e $root/build/$1/left_out.txt ]] || return 0
  while IFS=: read -r part packages; do
    if [[ $part == "$2" ]]; then echo "${packages# }"; fi
  done <"$root/build/$1/left_out.txt"
}

# is_configured PRESET [PART...]: for the presets as they are, and with these parts.
is_configured() {
  local preset=$1 part
  [[ -e $root/build/$preset/build.ninja && ! $root/CMakePresets.json -nt $root/build/$preset/build.ninja ]] || return 1
  for part in "${@:2}"; do
    [[ $part != again && -z $(left_out "$preset" "$part") ]] || return 1
  done
}

# configure PRESET [PART...]: only where that is not done yet. The part `again`: in any case.
configure() {
  local preset=$1 dir=$root/build/$1 log
  log=$dir/configure.log
  if is_configured "$@"; then return; fi
  mkdir -p "$dir"
  progress "configuring $preset"
  (cd "$root" && cmake --preset "$preset") >"$log" 2>&1 && return
  # A folder configured halfway would be taken for a good one next time.
  rm -f "$dir/build.ninja"
  local code=1
  if grep -qiE 'could not find|not able to find|no CMAKE_.*_COMPILER' "$log"; then code=9; fi
  fail $code "CMake could not configure $preset; its last lines:" "$(tail -n 25 "$log")" "all of it: $log" "$(prefix_hint)"
}

# build PRESET TARGET...: compiler output only where it fails. The targets in $after are built later, and count for the time that is left.
after=()
build() {
  local preset=$1 dir=$root/build/$1 log=$root/build/$1/build.log started=$SECONDS jobs
  jobs=$(parallel_jobs)
  shift
  ninja -C "$dir" -t inputs "$@" "${after[@]}" 2>/dev/null | awk -v root="$root" -v dir="$dir" -f "$root/cmake/costs.awk" >"$dir/costs.txt" || true
  if NINJA_STATUS='[%f/%t] ' cmake --build "$root/build/$preset" --parallel "$jobs" --target "$@" 2>&1 |
    tee "$log" | build_progress "$preset" "$dir" "$jobs"; then
    progress_end
    if ((SECONDS - started >= 5)); then say "built $preset in $((SECONDS - started)) s"; fi
    return
  fi
  fail 1 "the build of $preset failed:" "$(build_errors "$log")" "all of it: $log"
}

# From the first failed command on; without one (a missing target, a reconfiguration) the last lines.
build_errors() {
  if grep -q '^FAILED:' "$1"; then sed -n '/^FAILED:/,$p' "$1" | head -n 60; else tail -n 25 "$1"; fi
}

# time_left DIR SECONDS JOBS: of a build that has gone on so long, by what this machine took for the files so far (ninja's
# log) against their costs (costs.awk); nothing where none of these has ended. Files that are being compiled count as far
# as they have come.
time_left() {
  awk -v seconds="$2" -v jobs="$3" 'FNR == NR { cost[$2] = $1; all += $1; next }
    $4 in cost { done += cost[$4]; took += ($2 - $1) / 1000; delete cost[$4] }
    END { if (took > 0) { left = ((all - done) * took / done - (jobs * seconds - took)) / jobs; print int(left > 1 ? left : 1) } }' \
    "$1/costs.txt" "$1/.ninja_log" 2>/dev/null
}

# Reads the lines "[14/61] Building CXX object FILE" of ninja and tells how far it is; bookkeeping steps are silent. Where
# most files were there before, which have no costs, the time that is left follows from the number of steps.
build_progress() {
  local preset=$1 dir=$2 jobs=$3 line finished total left files part=${after:+ without LibTorch} started=$SECONDS
  files=$(wc -l <"$dir/costs.txt")
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (Building|Linking)\ CXX\  ]] || continue
    finished=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]} left=
    if ((SECONDS - started >= 5)); then
      if ((3 * files > total)); then left=$(time_left "$dir" $((SECONDS - started)) "$jobs") || true; fi
      left=", about $(duration "${left:-$(((SECONDS - started) * (total - finished) / finished))}") left"
    fi
    progress "$preset: compiling $finished of $total$part$left"
  done
}

duration() { if (($1 >= 90)); then echo "$((($1 + 30) / 60)) min"; else echo "$1 s"; fi; }
