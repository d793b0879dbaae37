// One line on stderr that says how far a run is, drawn over itself.
#pragma once

#include <ostream>
#include <string>

#include "ringside/base/clock.h"
#include "ringside/lesson/lesson.h"

namespace ringside {

// "stage 2   1,234 of 4,000   52.1/s   12.0 s left"; the rate is over the whole run.
std::string progress_text(const Progress& progress, double elapsed_s);

class ProgressLine {
 public:
  // Draws nothing where `visible` is false. No escape codes: a carriage return and blanks.
  ProgressLine(bool visible, std::ostream& out) : visible_(visible), out_(out) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void draw(const Progress& progress, int width);  // at most ten times a second
  void clear();

 private:
  bool visible_;
  std::ostream& out_;
  TimePoint start_ = SteadyClock::now();
  TimePoint drawn_{};
  size_t columns_drawn_ = 0;
};

}  // namespace ringside
