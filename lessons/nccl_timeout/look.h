// Act 5 as an investigation: what each look shows, and whether the answer given is right.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/config.h"
#include "ringside/trace/trace.h"

namespace ringside::nccl_lesson {

struct Look {
  std::string name;   // logs, dump, counters
  std::string shows;  // some lines
};

struct Answer {
  std::vector<Look> looks;
  std::string verdict;   // right, wrong, or what to do next
  bool reveals = false;  // the solution may be shown: it was answered, or all cases were asked for at once
};

// UsageError for a look that does not exist.
void check_looks(const Config& config);
Answer answer_of(const Config& config, const Trace& trace, const std::string& section);

}  // namespace ringside::nccl_lesson
