// A traceback, or a stack, of one stream of lines; and the version that a line of a timeout tells.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::inline logs {

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
