// The parts of a run, one after another: before each it may be paused or stopped, and its progress is told.
// Which of its steps are looked at.
#pragma once

#include <algorithm>
#include <string>

#include "ringside/lesson/lesson.h"

namespace ringside::inline kit {

class RunParts {
 public:
  // time: of all parts, in the unit of those below; 0 where no part takes much longer than the others.
  RunParts(const RunContext& context, int64_t count, double time = 0)
      : context_(context), count_(count), time_(time) {}

  void tell(const std::string& name, double time = 0) {
    context_.progress({name, ++done_, count_, time_ > 0 ? std::min(over_ / time_, 1.0) : -1});
    over_ += time;
  }
  void begin(const std::string& name, double time = 0) {
    context_.control.pass_step();
    tell(name, time);
  }
  // Begins a part that is a section of one recorder.
  Recorder& section(const std::string& name, double time = 0) {
    begin(name, time);
    return *context_.store.add_section(name, {}, 1).front();
  }

 private:
  const RunContext& context_;
  const int64_t count_;
  const double time_;
  int64_t done_ = 0;
  double over_ = 0;  // of time_
};

// 1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, ...: for an axis that is logarithmic.
inline bool is_looked_at(int64_t step) {
  while (step >= 10 && step % 10 == 0) step /= 10;
  return step <= 3 || step == 5 || step == 7;
}

}  // namespace ringside::inline kit
