#include "parts.h"

namespace ringside::lessons::bucket_size {

Sweep sweep_of(const Trace& trace) {
  std::map<int64_t, std::vector<Pass>> by_bucket;
  for (const Pass& pass : rows_in<Pass>(trace.find(kSweep))) by_bucket[pass.bucket].push_back(pass);
  Sweep sweep;
  for (const auto& [bucket, passes] : by_bucket) {
    sweep.medians.push_back(passes.front());
    sweep.seconds.push_back(values_of(passes, &Pass::seconds));
    sweep.medians.back().seconds = median(sweep.seconds.back());
  }
  return sweep;
}

std::optional<int64_t> large_enough(const Sweep& sweep) {
  std::optional<int64_t> least;
  if (sweep.seconds.empty() || std::ssize(sweep.seconds.back()) < kLeastRounds) return least;
  for (size_t i = sweep.medians.size(); i-- > 0;) {
    std::vector<double> mine = sweep.seconds[i], largest = sweep.seconds.back();
    const size_t rounds = std::min(mine.size(), largest.size());
    mine.resize(rounds);
    largest.resize(rounds);
    if (side_of(ratio_interval(mine, largest), 1) == Side::kAbove) break;
    least = sweep.medians[i].bucket;
  }
  return least;
}

std::optional<TwoCoefficients> fit(const std::vector<Pass>& passes) {
  std::vector<TwoTerms> samples;
  for (const Pass& pass : passes) samples.push_back({double(pass.calls), double(pass.bytes), pass.seconds});
  return fit_two_terms(samples);
}

double at(const TwoCoefficients& line, const Pass& pass) {
  return line.a * double(pass.calls) + line.b * double(pass.bytes);
}

}  // namespace ringside::lessons::bucket_size
