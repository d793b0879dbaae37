// Times of several ways to do one thing, taken in turns (ways.h): recorded as rows, a round after
// another, read by figures, and judged as ratios.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ringside/lesson/rows.h"
#include "ringside/lesson/ways.h"

namespace ringside::inline kit {

struct ClaimResult;

struct Timing {
  static constexpr Columns kTable{"timings", "way", "ns [ns]"};
  std::string way;  // what was done, and how
  double ns = 0;    // of the thread's own time, of one call in this round
};

void record_timings(const std::vector<Way>& ways, const WayRounds& options, Recorder& recorder);

// What each round of a way took in this section; none in a null section. The median is NaN where there is
// none.
std::vector<double> ns_of(const SectionView* section, const std::string& way);
double median_ns(const SectionView* section, const std::string& way);

// "`slow` takes at least so many times as long as `fast`, and at most so many": judge_ratio of the section.
struct TimeClaim {
  std::string section, slow, fast;
  double least = 0, most = 1e9;
  std::string words = {};  // behind the ratio; "": which ways they are
};
std::function<ClaimResult(const Trace&)> judge_times(TimeClaim claim);

}  // namespace ringside::inline kit
