// A line of a log: whose it is, and what it says behind its prefixes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::inline logs {

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

}  // namespace ringside::inline logs
