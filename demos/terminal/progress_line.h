// How far a run is, on stderr: one line, drawn over itself; where nobody can draw, a line now and then.
#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "ringside/base/clock.h"
#include "ringside/lesson/lesson.h"

namespace ringside {

// "12 s left", "2 min 05 s left": whole seconds, one at least.
std::string time_left(double seconds);

// How long a run takes yet, by the share of it that is over. Within a long part the share stands still: from
// what was left at its begin the seconds since are taken, down to a tenth. Where parts take unequally long,
// none is said before a twentieth of the run, or 10 s of it, are over.
class TimeLeft {
 public:
  std::optional<double> seconds(const Progress& progress, double elapsed_s);

 private:
  double share_ = 0, began_s_ = 0;  // of the part that runs
};

// "stage 2   1,234 of 4,000   52.1/s   12 s left"; the rate is over the whole run, of units that take equally
// long. The phase alone where nothing is counted.
std::string progress_text(const Progress& progress, double elapsed_s, std::optional<double> left_s);

class ProgressLine {
 public:
  // Draws nothing where `visible` is false. No escape codes: a carriage return and blanks.
  ProgressLine(bool visible, std::ostream& out) : visible_(visible), out_(out) {}
  ~ProgressLine() { clear(); }
  ProgressLine& operator=(ProgressLine&&) = delete;

  void draw(const Progress& progress, int width);
  void draw(const std::string& text, int width);  // both at most ten times a second
  void clear();

 private:
  bool is_due() const { return visible_ && SteadyClock::now() - drawn_ >= std::chrono::milliseconds(100); }

  bool visible_;
  std::ostream& out_;
  TimePoint start_ = SteadyClock::now();
  TimePoint drawn_{};
  TimeLeft left_;
  size_t columns_drawn_ = 0;
};

// "runs      stage 2   1,234 of 4,000   52.1/s   12 s left   loss 2.31 at step 40". A run of two seconds is
// through before the first one.
class ProgressReport {
 public:
  static constexpr std::chrono::seconds kFirst{2}, kNext{5};

  ProgressReport(bool visible, std::ostream& out) : visible_(visible), out_(out) {}
  // `found` is asked for where a line is due; its words stand behind.
  void look(const Progress& progress, const std::function<std::string()>& found);

 private:
  bool visible_;
  std::ostream& out_;
  TimePoint start_ = SteadyClock::now();
  TimePoint due_ = start_ + kFirst;
  TimeLeft left_;
};

// "loss 2.31 at step 40": what was recorded last in the newest section; "" nothing yet.
std::string newest_value(const Trace& trace);

}  // namespace ringside
