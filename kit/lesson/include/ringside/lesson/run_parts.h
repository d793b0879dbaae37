// The parts of a run, one after another: before each it may be paused or stopped, and its progress is told.
// Which of its steps are looked at.
#pragma once

#include <string>

#include "ringside/lesson/lesson.h"

namespace ringside::inline kit {

class RunParts {
 public:
  RunParts(const RunContext& context, int64_t count) : context_(context), count_(count) {}

  void tell(const std::string& name) { context_.progress({name, ++done_, count_}); }
  void begin(const std::string& name) {
    context_.control.pass_step();
    tell(name);
  }
  // Begins a part that is a section of one recorder.
  Recorder& section(const std::string& name) {
    begin(name);
    return *context_.store.add_section(name, {}, 1).front();
  }

 private:
  const RunContext& context_;
  const int64_t count_;
  int64_t done_ = 0;
};

// 1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, ...: for an axis that is logarithmic.
inline bool is_looked_at(int64_t step) {
  while (step >= 10 && step % 10 == 0) step /= 10;
  return step <= 3 || step == 5 || step == 7;
}

}  // namespace ringside::inline kit
