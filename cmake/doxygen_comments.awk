# The headers' comments as Doxygen wants them: /// before what they describe, ///< behind it. Their text is plain.
{
  at = match($0, /(^|[^:"\/])\/\/ /)
  if (!at) { print; next }
  if (RLENGTH == 4) at += 1
  code = substr($0, 1, at - 1)
  text = substr($0, at + 3)
  gsub(/[<@#\\]/, "\\\\&", text)
  print code (code ~ /[^ ]/ ? "///< " : "/// ") text
}
