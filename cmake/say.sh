# shellcheck shell=bash
# What ./run and ./check tell a person while they work: on stderr, since stdout
# belongs to the program. Sourced.

# While this file exists, a question is on the terminal: what is to be said waits, and progress is not shown.
question=
quiet_for_question() { while [[ -n $question && -e $question ]]; do sleep 0.2; done; }

say() { quiet_for_question && printf '%s\n' "$*" >&2; }

# progress TEXT: one line that is rewritten on a terminal; elsewhere a line every 30 s.
progress_due=0
progress() {
  if [[ -n $question && -e $question ]]; then return; fi
  if [[ -t 2 ]]; then
    printf '\r\033[K%s' "$1" >&2
  elif [[ ${RINGSIDE_PROGRESS:-} == lines ]]; then
    say "$1"  # for a program that shows it
  elif ((SECONDS >= progress_due)); then
    say "$1"
    progress_due=$((SECONDS + 30))
  fi
}
progress_end() { quiet_for_question && if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi; }

# fail CODE TEXT...: the exit codes are those of `ringside --help`.
fail() {
  local code=$1 line
  shift
  progress_end
  for line in "$@"; do say "$line"; done
  exit "$code"
}
