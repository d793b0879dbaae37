// What a LogReader keeps while it passes over the lines of a log.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ringside/autopsy/event.h"
#include "ringside/autopsy/log.h"

namespace ringside::inline logs {

// Tables in which a launcher says over several lines how a rank ended: torchrun's, Open MPI's, MPICH's; and
// Open MPI's errors, which name the rank in a line of their own.
class ExitTable {
 public:
  // Whether the line is one of a table; what it says is in `made`, where it says something.
  bool takes(std::string_view line, std::optional<LogEvent>& made);
  void end_file() { rank_ = -1; }

 private:
  bool names_rank(std::string_view text);
  int rank_ = -1, local_ = -1;
};

// Events that say the same again: eight of one kind, rank and text are kept.
class Alike {
 public:
  bool takes(const LogEvent& event);  // counts it

 private:
  std::map<std::string, int64_t> counts_;
};

// The training's own lines of progress: which step was the last that a rank wrote.
std::span<const std::string_view> words_of_step();  // one of them is in each such line

class Steps {
 public:
  // A line with one of the words; rank -1: it does not say it.
  void look(std::string_view line, int rank, int file, int64_t number);
  std::vector<LoggedStep> take();  // the last of each rank and form, by rank

 private:
  std::unordered_map<int64_t, LoggedStep> last_;
};

// Which sets of words a line has one of, in one pass over its bytes (Aho and Corasick, CACM 18 (6), 1975).
class Needles {
 public:
  // At most 8 sets.
  explicit Needles(std::span<const std::span<const std::string_view>> sets);
  uint8_t in(std::string_view line) const;  // bit i: a word of sets[i]

 private:
  static constexpr uint16_t kEndsAWord = 0x8000;  // beside the number of a state
  uint16_t add_state();
  void add_word(std::string_view word, uint8_t set);
  void link();

  std::vector<std::array<uint16_t, 256>> next_;
  std::vector<uint8_t> found_;  // by state
};

// A traceback, or a stack, of one stream of lines.
struct Trace {
  bool is_stack = false;
  int lines = 0;
  int64_t from = 0;
  int rank = -1, local_rank = -1;
  std::string where;   // innermost frame
  std::string frames;  // of a stack: the three innermost
};

// `  File "train.py", line 12, in step` -> "train.py:12 in step"; py-spy's "step (train.py:12)" as it is.
std::string frame_of(std::string_view content);
// By the line of ProcessGroupNCCL.cpp that says a timeout, or its form; notes/autopsy.md.
std::string_view version_by_source_line(std::string_view text);

}  // namespace ringside::inline logs
