// What is asked before the run, and which sentences it judges.
#include "parts.h"

namespace ringside::lessons::step_time {
namespace {

constexpr double kAny = 1e9;

// ---- How many times as long -------------------------------------------------------

constexpr const char* kFactors[] = {"about as long", "up to 1.45 times as long", "1.45 to 2 times as long",
                                    "more than 2 times as long"};
Words factor(double ratio) { return {kFactors[ratio < 1.05 ? 0 : ratio < 1.45 ? 1 : ratio < 2 ? 2 : 3]}; }

Words measured_factor(const Trace& trace) {
  const auto ratio = to_stage_0(trace, 3);
  if (!ratio || (!is_told(*ratio) && factor(ratio->high) != factor(1))) return {};
  return factor(ratio->median);
}
Words factor_by_formula(const Config& config) {
  return factor(step_at_best(config, 3) / step_at_best(config, 0));
}

// ---- What nothing hides -----------------------------------------------------------

// Stage and kind of each option.
constexpr std::pair<int, StepCall> kCandidates[] = {{0, StepCall::kGradients},
                                                    {1, StepCall::kUpdateGather},
                                                    {3, StepCall::kForwardGather},
                                                    {3, StepCall::kBackwardGather}};
constexpr double kAsMuch = 0.03;  // shares that differ by less are one

int most_exposed(const Trace& trace) {  // of the options
  check_not_crowded(trace);
  std::vector<double> shares;
  for (const auto& [stage, kind] : kCandidates) {
    const Carried carried = step_of(trace, stage).of(kind);
    shares.push_back(needed(carried.exposed / carried.wire));
  }
  const auto most = std::max_element(shares.begin(), shares.end());
  return shares[1] > *most - kAsMuch ? 1 : int(most - shares.begin());
}

// ---- Claims -------------------------------------------------------------------------

ClaimResult compare(const Trace& trace, int stage, double least, double most, const std::string& words) {
  check_not_crowded(trace);
  return judge_ratio(step_seconds(trace, stage), step_seconds(trace, 0), least, most, words);
}
ClaimResult is_slower(const Trace& trace) { return compare(trace, 3, 1, kAny, tr("times as long")); }
ClaimResult is_free(const Trace& trace) { return compare(trace, 1, 0, 1.03, tr("times as long as stage 0")); }

ClaimResult as_its_bytes(const Trace& trace) {
  const double bytes = needed(step_of(trace, 3).all().bytes / step_of(trace, 0).all().bytes);
  return compare(trace, 3, 0.95 * bytes, 1.05 * bytes, tr("times as long for {:.2f} times the bytes", bytes));
}

ClaimResult is_hidden(const Trace& trace) {
  check_not_crowded(trace);
  std::array<double, kStages> hidden{};
  for (int stage = 0; stage < kStages; ++stage) {
    const Carried all = step_of(trace, stage).all();
    hidden[size_t(stage)] = needed(all.hidden() / all.wire);
  }
  return judged(both(std::ranges::min(hidden) >= 0.9, std::ranges::max(hidden) >= 0.5), hidden[0], hidden[1],
                hidden[2], hidden[3]);
}

}  // namespace

std::vector<QuestionOf> questions() {
  return {{"factor", measured_factor, factor_by_formula}, {"exposed", most_exposed}};
}

std::vector<ClaimOf> claims() {
  return {{"slower", is_slower}, {"as_bytes", as_its_bytes}, {"free", is_free}, {"hidden", is_hidden}};
}

}  // namespace ringside::lessons::step_time
