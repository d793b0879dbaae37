#include "log_parts.h"

#include <algorithm>
#include <utility>

#include "line.h"
#include "ringside/base/text.h"

namespace ringside::inline logs {
namespace {

// "[[34567,1],3]", "[prterun-node1-1234@1,3]", "[3213557761,1]": behind the last comma.
int rank_of_process(std::string_view text) {
  const size_t comma = text.rfind(',');
  return comma == std::string_view::npos ? -1 : rank_behind(text.substr(comma), ",");
}

std::optional<int64_t> exit_code(std::string_view text) {
  if (text.starts_with("exitcode "))
    if (const auto code = number_behind(text, ":")) return code;
  for (const std::string_view word : {"Exit code:", "EXIT CODE:", "EXIT STATUS:"})
    if (const auto code = number_behind(text, word)) return code;
  const auto signal = number_behind(text, "KILLED BY SIGNAL:");
  return signal ? std::optional(-std::clamp<int64_t>(*signal, -255, 255)) : std::nullopt;
}

constexpr int64_t kMostAlike = 8;
constexpr int64_t kMostSettings = 64;  // lines of a launcher, or that look like one
constexpr size_t kMostKeys = 4 * kMostEvents;

}  // namespace

bool ExitTable::names_rank(std::string_view text) {
  int rank = -1, local = -1;
  if (text.starts_with("rank ") && has(text, "(local_rank:")) {
    rank = rank_behind(text, ": ");
    local = rank_behind(text, "local_rank: ");
  } else if (text.starts_with("=") && has(text, " RUNNING AT ")) {
    rank = rank_behind(text, "RANK ");
  } else if (text.starts_with("Process name: [")) {
    rank = rank_of_process(text);
  } else if (has(text, "*** reported by process [")) {
    rank = rank_of_process(text.substr(0, text.rfind(']')));
  } else {
    return false;
  }
  rank_ = rank;
  local_ = local;
  return true;
}

bool ExitTable::takes(std::string_view line, std::optional<LogEvent>& made) {
  const std::string_view text = trimmed(line);
  if (names_rank(text)) return true;
  if (rank_ < 0) return false;
  if (const auto code = exit_code(text)) {
    made = exit_event("table", *code);
  } else if (text.find("*** MPI_ERR_") != std::string_view::npos &&
             !has_any(text, {"TRUNCATE", "PROC_FAILED"})) {
    made = event(LogEventKind::kException, behind(text, "*** ").substr(0, 200));
  } else {
    return false;
  }
  made->rank = rank_;
  made->local_rank = local_;
  rank_ = -1;
  return true;
}

bool Alike::takes(const LogEvent& event) {
  const bool setting = event.kind == LogEventKind::kLaunch || event.kind == LogEventKind::kSettings;
  std::string key = std::to_string(int(event.kind));
  if (!setting)
    key += "/" + std::to_string(event.rank) + "/" + event.what.substr(0, 60) + "/" +
           std::to_string(event.call.seq) + "/" + std::to_string(event.exit_code);
  return counts_.size() <= kMostKeys && ++counts_[key] <= (setting ? kMostSettings : kMostAlike);
}

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
