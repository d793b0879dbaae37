#include "trace.h"

#include <utility>

#include "line.h"
#include "ringside/base/text.h"

namespace ringside::inline logs {

std::string frame_of(std::string_view content) {
  const std::string_view file = between(content, "File \"", "\"");
  const auto line = number_behind(content, "\", line ");
  if (file.empty() || !line) {
    const std::string_view text = trimmed(content);
    return text.ends_with(")") && has(text, " (") ? std::string(text.substr(0, 120)) : "";
  }
  const size_t slash = file.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? file : file.substr(slash + 1);
  const std::string_view function = trimmed(behind(content, ", in ")).substr(0, 60);
  return std::string(name.substr(0, 80)) + ":" + std::to_string(*line) + " in " + std::string(function);
}

std::string_view version_by_source_line(std::string_view text) {
  const int64_t line = number_behind(text, "ProcessGroupNCCL.cpp:").value_or(0);
  static constexpr std::pair<int64_t, std::string_view> kKnown[] = {
      {737, "1.12"}, {474, "2.1"}, {475, "2.1"}, {523, "2.2"}, {525, "2.2"},
      {563, "2.3"},  {607, "2.4"}, {616, "2.5"}, {629, "2.6"}, {632, "2.7"}};
  for (const auto& [known, version] : kKnown)
    if (known == line) return version;
  if (has(text, "work sequence id")) return "2.7 or later";
  if (has(text, "[PG ID ")) return "2.5 or later";
  if (has(text, "NumelIn=")) return "2.1 or later";
  return "2.0 or earlier";
}

}  // namespace ringside::inline logs
