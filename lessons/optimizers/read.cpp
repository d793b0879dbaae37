// What claims, answers and figures read from the trace.
#include <algorithm>
#include <cmath>

#include "parts.h"
#include "ringside/lesson/timings.h"

namespace ringside::lessons::optimizers {

std::optional<EndRow> end_of(const Trace& trace, const std::string& surface, const std::string& method) {
  for (EndRow& row : rows_in<EndRow>(trace.find(kTrials)))
    if (row.surface == surface && row.method == method) return std::move(row);
  return std::nullopt;
}

std::vector<TrialRow> trials_of(const Trace& trace, const std::string& trial, const std::string& rule) {
  return rows_where<TrialRow>(trace,
                              [&](const TrialRow& row) { return row.trial == trial && row.rule == rule; });
}

std::optional<double> trial_at(const Trace& trace, const std::string& trial, const std::string& rule,
                               double at) {
  for (const TrialRow& row : trials_of(trace, trial, rule))
    if (row.at == at) return row.value;
  return std::nullopt;
}

namespace {
std::optional<RatioInterval> against(const Trace& trace, bool with_forward) {
  const SectionView* section = trace.find(kSecond);
  const auto product = ns_of(section, kProduct), forward = ns_of(section, kForward);
  auto gradient = ns_of(section, kBackward);
  if (product.empty() || product.size() != gradient.size() || product.size() != forward.size())
    return std::nullopt;
  for (size_t i = 0; i < gradient.size() && with_forward; ++i) gradient[i] += forward[i];
  return ratio_interval(product, gradient);
}
}  // namespace
std::optional<RatioInterval> product_against_backward(const Trace& trace) { return against(trace, false); }
std::optional<RatioInterval> product_against_gradient(const Trace& trace) { return against(trace, true); }

std::vector<GoodRow> good_rates_of(const Trace& trace) {
  return rows_where<GoodRow>(trace, [](const GoodRow& row) { return row.best > 0; });
}

}  // namespace ringside::lessons::optimizers
