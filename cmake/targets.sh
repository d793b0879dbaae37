# shellcheck shell=bash
# Which targets the words of ./run need: the program that answers them and, for a lesson, that lesson alone.
# Sourced by ./run behind build.sh, and asked once a preset is configured.

: "${root:?the top of the tree}"

# lesson_target PREFIX ID: PREFIX_ID, where the release build has that lesson; for others the program has the answer.
lesson_target() {
  if [[ $2 =~ ^[a-z][a-z0-9_]*$ && -e $root/build/release/lessons/$2/lesson.md ]]; then echo "$1_$2"; fi
}

# targets_of WORD...: one a line.
targets_of() {
  local line
  echo ringside
  case $1 in
    run | help) echo ringside_run && lesson_target ringside_lesson "${2:-}" ;;
    gui)
      echo ringside_gui && lesson_target lesson "${2:-zero}"
      for line in "${@:2}"; do if [[ $line == --processes* ]]; then echo ringside_run; fi; done
      ;;
    plan | flight | autopsy) echo ringside_plan ;;
    convert) echo ringside_convert ;;
    review | mock | path | drill | on_call) echo ringside_review ;;
    train | evaluate | predict) echo ringside_learn ;;
    ps) if [[ ${2:-} == node ]]; then echo ringside_ps; else echo ringside_plan; fi ;;
    bench)
      if [[ ${2:-} == server ]]; then echo ringside_ps; else echo ringside_bench; fi
      for line in "${@:3}"; do lesson_target ringside_lesson "${line%% *}"; done
      ;;
    build) for line in "${@:2}"; do if [[ $line == all ]]; then echo ringside_lessons; else lesson_target lesson "$line"; fi; done ;;
  esac
}
