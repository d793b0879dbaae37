# shellcheck shell=bash
# A question of the lesson while an older program is built anew: the program that is there asks it, and the new one is
# told the answer. Sourced by ./run behind build.sh.

: "${root:?the top of the tree}" "${program:?what is built}"

# asks run LESSON WORD...: at a terminal, of a program that is there, and without options such as --json.
asks() {
  local word
  [[ -t 0 && -t 1 && -t 2 && -x $program && $1 == run ]] || return 1
  for word in "${@:2}"; do
    if [[ $word == -* ]]; then return 1; fi
  done
}

# build_and_ask LESSON WORD...: builds $targets. Where that takes longer than two seconds a question is asked meanwhile.
build_and_ask() {
  local answer=$root/build/answer.$$ building
  question=$root/build/question.$$
  rm -f "$question" "$answer"
  # shellcheck disable=SC2154  # those of ./run
  build release "${targets[@]}" &
  building=$!
  trap 'rm -f "$question" "$answer"; kill "$building" 2>/dev/null || true; progress_end; exit 130' INT
  if ! ends_within_two_seconds "$building"; then
    touch "$question"
    printf '\r\033[K' >&2
    "$program" ask "$answer" "$@" 2>/dev/null || true  # one from before it could ask says so to nobody
    if [[ -e $answer ]]; then RINGSIDE_ASKED=$(<"$answer") && export RINGSIDE_ASKED; fi
    rm -f "$question" "$answer"
  fi
  wait "$building" || exit
}

ends_within_two_seconds() {
  local _
  for _ in {1..20}; do
    kill -0 "$1" 2>/dev/null || return 0
    sleep 0.1
  done
  return 1
}
