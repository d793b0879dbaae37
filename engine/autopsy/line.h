// A line of a log: whose it is, when it was written, and the one event that it tells at most.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ringside/autopsy/event.h"

namespace ringside::inline logs {

// Whose it is, and what it says behind its prefixes.
struct Line {
  std::string_view whole;    // without colours
  std::string_view content;  // behind the prefixes, with its indentation
  std::string_view prefix;
  int rank = -1, local_rank = -1;
};

// `line` without colours; what it says is cut into prefix and content.
Line line_of(std::string_view line);
// The rank that a prefix at the very beginning names, without a look at the rest; -1: none. For each line of
// a long log: "[default3]:[rank11]:", "[rank3]:", "  3: ", "[1,3]<stdout>:".
int quick_rank(std::string_view line);
// Drops ANSI sequences, carriage returns and other control characters but the tabulator.
void drop_colours(std::string& line);
// Without what a progress bar wrote over.
std::string_view last_written(std::string_view line);

// The number right behind `word`, which may be behind blanks: "SeqNum=" in "SeqNum=12," is 12.
std::optional<int64_t> number_behind(std::string_view line, std::string_view word);
std::string_view behind(std::string_view line, std::string_view word);  // "" where it is not there
std::string_view between(std::string_view line, std::string_view from, std::string_view to);
inline bool has(std::string_view line, std::string_view word) {
  return line.find(word) != std::string_view::npos;
}
bool has_any(std::string_view line, std::initializer_list<std::string_view> words);
int rank_behind(std::string_view line, std::string_view word);  // as number_behind; -1: none

// The time that a line has: Kubernetes', Python's logging, glog's (PyTorch, NCCL's wrapper), Slurm's.
// "2026-02-03T04:05:06.789Z", "2024-11-26 02:11:56,123", "E1126 02:11:56.123456", near its beginning.
std::optional<LineTime> time_of(std::string_view line);
// glog leaves out the year: that of `near`, or the one beside it that is nearer.
void give_year(LineTime& time, const LineTime& near);

// One of these, or of words_of_work(), is in every line that line_event() makes an event of, or that begins a
// traceback.
std::span<const std::string_view> words_of_failure();
std::span<const std::string_view> words_of_work();  // a progress bar, a checkpoint

bool is_launch(std::string_view line);  // a launcher's command line

LogEvent event(LogEventKind kind, std::string_view what = "", int rank = -1);
LogEvent exit_event(std::string_view what, int64_t exit_code, int rank = -1);

// kind, rank and fields; not where it stands. None: the line says nothing of a failure.
std::optional<LogEvent> line_event(const Line& line);

// What a rank is busy with; a progress bar ends no line, so that another one may stand behind it.
std::optional<LogEvent> work_event(const Line& line);

// What an exception is: its kind, and `what`. None: a launcher's, or that of an interrupt.
std::optional<LogEvent> exception_event(const Line& line);

}  // namespace ringside::inline logs
