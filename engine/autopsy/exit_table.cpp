#include "exit_table.h"

#include <algorithm>

#include "line.h"
#include "line_events.h"
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

}  // namespace ringside::inline logs
