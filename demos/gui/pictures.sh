#!/usr/bin/env bash
# demos/gui/pictures.sh [FOLDER]: makes the pictures of the README, by default into assets/pictures. Some minutes:
# it trains. Needs the built program, and xvfb where there is no display.
set -euo pipefail
root=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../..
out=${1:-$root/assets/pictures}
program=${RINGSIDE:-$root/build/release/bin/ringside}
mkdir -p "$out"
script=$(mktemp)
trap 'rm -f "$script"' EXIT
sed "s|OUT|$(readlink -f "$out")|" "$root/demos/gui/pictures.script" >"$script"
on_a_display=()
if [[ -z ${DISPLAY:-} ]]; then on_a_display=(xvfb-run -a -s "-screen 0 1600x1000x24"); fi
"${on_a_display[@]}" "$program" gui zero steps=8 --size 1440x900 --scale 1 --script "$script"
# With a palette of 256 colours they are a third as large, and look the same: there are few hues.
for picture in "$out"/*.png; do
  if command -v pngquant >/dev/null; then
    pngquant --force --ext .png --strip 256 "$picture"
  elif command -v convert >/dev/null; then
    convert "$picture" -strip -colors 256 -define png:compression-level=9 "PNG8:$picture"
  fi
done
ls -l "$out"
