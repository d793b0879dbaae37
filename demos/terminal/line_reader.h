// Lines that a person types, or a pipe has; Ctrl-C ends the wait for one.
#pragma once

#include <unistd.h>

#include <optional>
#include <string>

#include "input_lines.h"
#include "interrupt.h"

namespace ringside {

class LineReader {
 public:
  // Without its end, at most 4 KiB of it. Nothing: the input has ended, or Ctrl-C came.
  std::optional<std::string> next() {
    const auto lines = lines_.next(1);
    return lines.empty() ? std::nullopt : std::optional(lines.front().bytes);
  }
  bool interrupted() const { return interrupt_.interrupted(); }

 private:
  static constexpr size_t kMostLine = 4096;
  InterruptScope interrupt_;
  InputLines lines_{STDIN_FILENO, kMostLine, std::chrono::milliseconds(0), &interrupt_};
};

}  // namespace ringside
