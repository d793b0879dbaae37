// Lines as they come from a pipe, a file or a terminal: of any bytes, any length, with or without an end of
// line behind the last.
#pragma once

#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include "interrupt.h"

namespace ringside {

class InputLines {
 public:
  // most: bytes of a line that are kept. deadline: for the next line to come; 0: none.
  // interrupt: Ctrl-C ends the wait; null: it does not.
  InputLines(int descriptor, size_t most, std::chrono::milliseconds deadline,
             const InterruptScope* interrupt = nullptr)
      : descriptor_(descriptor), most_(most), deadline_(deadline), interrupt_(interrupt) {}

  struct Line {
    std::string bytes;  // without its end, "\n" or "\r\n"
    bool cut = false;   // it had more
  };
  // Those that are there, at most so many; waits for the first. Empty: the end, or Ctrl-C. An Error of
  // ExitCode::kTimeout behind the deadline; InputError where it cannot be read.
  std::vector<Line> next(size_t most_lines);

 private:
  bool fill();  // false: the end
  bool is_interrupted() const { return interrupt_ != nullptr && interrupt_->interrupted(); }
  bool is_ready() const;  // within the deadline; false: it was interrupted
  void take(const char* bytes, size_t count);
  void end_line();

  const int descriptor_;
  const size_t most_;
  const std::chrono::milliseconds deadline_;
  const InterruptScope* const interrupt_;
  std::deque<Line> lines_;
  Line open_;
  bool is_open_ = false, at_end_ = false;
};

}  // namespace ringside
