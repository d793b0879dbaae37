// What is right where it is no formula of the text, and what the run says.
#include <cmath>

#include "read.h"

namespace ringside::parameter_server_lesson {
namespace {

// An iteration of BSP ends with its slowest worker: 1 where nobody straggles, else the factor.
double idle_of_bsp(const Config& config) {
  const double one_straggles = 1 - std::pow(1 - kStraggling, config.real("workers"));
  const double mean = 1 + kStraggling * (kStragglingFactor - 1);
  return 100 * (1 - mean / (1 + one_straggles * (kStragglingFactor - 1)));
}

std::optional<double> measured_idle(const Trace& trace) {
  const auto bsp = rule_of(trace, "random", kBsp);
  return bsp ? std::optional(bsp->idle) : std::nullopt;
}

std::optional<int> without_stragglers(const Trace& trace) {
  const auto asp = rule_of(trace, "none", kAsp);
  if (!asp) return std::nullopt;
  return asp->low > 1 ? 2 : asp->high < 1 ? 0 : 1;
}

std::optional<int> with_a_slow_one(const Trace& trace) {
  const auto bsp = rule_of(trace, "slow", kBsp), ssp = rule_of(trace, "slow", kFew);
  if (!bsp || !ssp) return std::nullopt;
  const double more = (100 - ssp->idle) / (100 - bsp->idle);  // time of computing
  return more < 1.5 ? 2 : more < 3 ? 1 : 0;
}

std::optional<int> read_again(const Trace& trace) {
  const auto one = copies_of(trace, 2, 1);
  if (!one) return std::nullopt;
  return one->lost > 0 ? 2 : one->seconds < 0.02 ? 0 : 1;
}

double mean_of_four(const Trace& trace) {
  for (const figure::Point& point : curve(trace, kTraffic, kMeanServer))
    if (point.x == 4) return point.y;
  return figure::kNone;
}

}  // namespace

std::vector<QuestionOf> questions() {
  return {{"idle", measured_idle, idle_of_bsp},
          {"none", without_stragglers},
          {"slow", with_a_slow_one},
          {"kills", read_again},
          {"half", [](const Trace& trace) { return saved_by(trace, kHalf); }},
          {"caching", [](const Trace& trace) { return saved_by(trace, kRepeated); }},
          {"traffic", mean_of_four}};
}

}  // namespace ringside::parameter_server_lesson
