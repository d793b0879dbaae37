# shellcheck shell=bash
# The first build: while dpkg unpacks LibTorch's packages on one core, what does not see LibTorch is compiled. Sourced by ./run
# behind targets.sh.

: "${root:?the top of the tree}"

# build_early WORD...: once the packages that are not late are there. Ends when the late ones are there too.
# shellcheck disable=SC2154,SC2034  # $late of ./run, $after of build.sh
build_early() {
  local targets early
  without=$(printf '%s\n' "${late[@]}") install_packages "$@" || true
  install_aside "$@"
  lock_builds
  RINGSIDE_TORCH_LATER=yes configure release again
  mapfile -t targets < <(targets_of "$@")
  early=(ringside)
  if [[ $1 == run || $1 == help ]]; then early+=(ringside_terminal_runner); fi
  after=("${targets[@]}")
  build release "${early[@]}"
  after=()
  unlock_builds
  progress "installing LibTorch"
  await_installed
}
