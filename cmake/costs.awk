# costs.awk -v root=TREE -v dir=BUILD_FOLDER: object files of ninja on stdin, one a line; writes "COST OBJECT" for those that
# are not there yet. Costs are relative: of a file by its lines, of a precompiled header, more where LibTorch is seen. How
# long one takes is for the machine to say (build.sh).
function lines_of(file, line, count) {
  while ((getline line < file) > 0) ++count
  close(file)
  return count + 0
}

function lines_of_unity(file, line, count, part) {
  while ((getline line < file) > 0)
    if (split(line, part, "\"") > 2 && line ~ /^#include/) count += lines_of(part[2])
  close(file)
  return count + 0
}

/\.(o|gch)$/ {
  if ((getline line < (dir "/" $0)) >= 0) { close(dir "/" $0); next }
  torch = /torch|engine\/(tensor|nn|data_parallel|zero|train|second_order)\/|kit\/libtorch/
  source = $0
  sub(/\.o$/, "", source)
  if (/\.gch$/) { print (torch ? 36 : 9), $0; next }
  if (source ~ /\/Unity\//) lines = lines_of_unity(dir "/" source)
  else { sub(/CMakeFiles\/[^\/]*\.dir\//, "", source); lines = lines_of(root "/" source) }
  # A row norm is compiled in several widths, and most of it stands in headers. The others are compiled at -O2.
  level = /engine\/norms\/.*(layer|rms)_norm/ ? 8 : /engine\/(base|trace|comm|collectives|parameter_server)\// ? 1.4 : 1
  print level * ((torch ? 6 : 4) + lines / 100), $0
}
