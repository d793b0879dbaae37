# shellcheck shell=bash
# Installs what is missing of packages.txt. Sourced by ./run and ./check, after say.sh;
# $root is the top of the tree. RINGSIDE_INSTALL=no leaves the system as it is.

: "${root:?the top of the tree}"
prefix_hint() {
  echo "To name where a library lies: cmake --preset release -DCMAKE_PREFIX_PATH=DIR (or CMAKE_PREFIX_PATH in the environment)."
}

# is_marked MARKS WORD...: whether one of the marks is `all` or one of the words.
is_marked() {
  local mark marks=$1
  shift
  for mark in ${marks//,/ }; do
    if [[ " all $* " == *" $mark "* ]]; then return 0; fi
  done
  return 1
}

# package_rows WORD...: the lines of packages.txt marked `all` or with one of the words; with `everything`, each one.
package_rows() {
  local row marks
  while IFS= read -r row; do
    [[ -n $row && $row != '#'* ]] || continue
    read -r _ marks _ <<<"$row"
    if [[ $1 == everything ]] || is_marked "${marks//\?/}" "$@"; then printf '%s\n' "$row"; fi
  done <"$root/cmake/packages.txt"
}

# are_optional PACKAGE... -- WORD...: each of them is marked `WORD?` only.
are_optional() {
  local package marks packages=()
  while [[ $1 != -- ]]; do packages+=("$1") && shift; done
  shift
  for package in "${packages[@]}"; do
    read -r _ marks _ < <(grep "^$package " "$root/cmake/packages.txt")
    if [[ $1 == everything ]] || is_marked "$marks" "$@"; then return 1; fi
  done
}

# missing_packages WORD...: those that are not installed, one a line. Asks dpkg alone: apt takes seconds.
missing_packages() {
  local names
  mapfile -t names < <(package_rows "$@" | cut -d ' ' -f 1)
  comm -23 <(printf '%s\n' "${names[@]}" | LC_ALL=C sort) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${names[@]}" 2>/dev/null |
      sed -n 's/^installed //p' | LC_ALL=C sort -u)
}

# missing_late: those marked `late`, where they can be installed in the background: sudo might ask for a password.
missing_late() {
  if [[ ${RINGSIDE_INSTALL:-yes} == no || $EUID != 0 ]] || ! command -v apt-get >/dev/null; then return 0; fi
  comm -12 <(awk '$2 ~ /late/ { print $1 }' "$root/cmake/packages.txt" | LC_ALL=C sort) <(missing_packages all)
}

# install_packages WORD...: returns 0 where something was installed, 1 where nothing had to be. Leaves those in $without.
install_packages() {
  local missing
  if [[ ${RINGSIDE_INSTALL:-yes} == no ]] || ! command -v apt-get >/dev/null; then
    require_tools "$@"
    return 1
  fi
  mapfile -t missing < <(missing_packages "$@" | grep -vxF "${without:-none}" || true)
  ((${#missing[@]})) || return 1
  say "installing with apt-get: ${missing[*]}"
  if are_optional "${missing[@]}" -- "$@"; then
    (apt_install "${missing[@]}") || { say "going on without: ${missing[*]}" && return 1; }
  else
    apt_install "${missing[@]}"
  fi
}

# install_aside WORD...: the same in the background; await_installed waits for it.
install_aside() {
  mkdir -p "$root/build"
  (install_packages "$@" || (($? == 1))) >"$root/build/install_late.log" 2>&1 &
  aside=$!
}
await_installed() { wait "$aside" || fail 9 "$(tail -n 20 "$root/build/install_late.log")"; }

# Without apt: the tools that even configuring needs. Libraries are CMake's to name.
require_tools() {
  local absent=()
  command -v "${CXX:-c++}" >/dev/null || absent+=("a C++20 compiler (${CXX:-c++})")
  command -v cmake >/dev/null || absent+=("cmake")
  command -v ninja ninja-build >/dev/null || absent+=("ninja")
  ((${#absent[@]} == 0)) ||
    fail 9 "missing: $(printf '%s; ' "${absent[@]}")and perhaps more of what this needs:" \
      "$(package_rows "$@")" "$(prefix_hint)"
}

apt_install() {
  local log=$root/build/install.log as_root=() started=$SECONDS
  mkdir -p "$root/build"
  : >"$log"
  if ((EUID != 0)); then
    # Without a terminal sudo cannot ask for a password: it must fail, not wait.
    if [[ -t 0 ]]; then as_root=(sudo); else as_root=(sudo -n); fi
    command -v sudo >/dev/null || fail 9 "not root and no sudo: as root, run: apt-get install $*" "$(prefix_hint)"
  fi
  # The lists of a fresh system are empty, and old ones name packages that are gone: then a second try.
  apt_get "$log" install "$@" || { apt_get "$log" update && apt_get "$log" install "$@"; } ||
    fail 9 "apt-get failed; its last lines:" "$(tail -n 15 "$log")" "all of it: $log" \
      "RINGSIDE_INSTALL=no skips this step. $(prefix_hint)"
  progress_end
  say "installed $# packages in $((SECONDS - started)) s"
}

# apt_get LOG COMMAND PACKAGE...: apt's own percentage goes into the one line of progress, all it
# says into the log. The shell within is there because sudo closes every descriptor above 2.
apt_get() {
  local kind percent
  # shellcheck disable=SC2016
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive sh -c \
    'exec 3>&1 >>"$0" 2>&1; exec apt-get -y --no-install-recommends -o DPkg::Lock::Timeout=600 -o APT::Status-Fd=3 -o Dpkg::Use-Pty=0 "$@"' \
    "$@" </dev/null |
    while IFS=: read -r kind _ percent _; do
      case $kind in
        dlstatus) progress "downloading packages, ${percent%%.*}%" ;;
        pmstatus) progress "installing packages, ${percent%%.*}%" ;;
      esac
    done
}
