// The sentences on trial; and what they, answers and figures read from the trace.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "parts.h"
#include "ringside/base/units.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/timings.h"
#include "ringside/lesson/tr.h"

namespace ringside::lessons::optimizers {
namespace {

constexpr double kTold = 0.5;  // decades: between two rates that were tried

ClaimResult too_large(const Trace& trace) {
  const auto rows = rows_in<HessianRow>(trace);
  if (rows.size() < 2) return {};
  const auto ratio = [&](auto of) { return std::log(double(rows.back().*of) / double(rows.front().*of)); };
  const double power = ratio(&HessianRow::hessian) / ratio(&HessianRow::parameters);
  const double n = trace.find(kSecond)->number(kModelParameters);
  return holds_if(
      power > 1.9,
      tr("{} parameters: {}, like n^{:.2f}; calculated for {:.2f} billion: {:.0f} EB", rows.back().parameters,
         format_bytes(double(rows.back().hessian)), power, n * 1e-9, 4e-18 * n * n));
}

ClaimResult that_is_why(const Trace& trace) {
  const auto rows = rows_in<PassRow>(trace);
  const auto free = end_of(trace, kValley, kFree);
  if (rows.size() < 3 || !free) return {};
  const double memory = double(rows[1].peak) / double(rows[0].peak);
  return holds_if(memory > 10,
                  tr("H times a vector takes {:.1f} times the memory of a backward pass, no matrix; "
                     "Hessian-free, the valley: height {:.1g} after {} steps",
                     memory, free->last, free->steps));
}

ClaimResult costs(const std::optional<RatioInterval>& ratio, const std::string& of) {
  return ratio ? judge_ratio(*ratio, 1.5, 2.5, of) : ClaimResult();
}

ClaimResult singular(const Trace& trace) {
  const auto plain = end_of(trace, kFlat, kNewton), damped = end_of(trace, kFlat, kDamped);
  if (!plain || !damped) return {};
  return holds_if(!plain->stopped.empty(), tr("{}. Damped by {:g}: height {:.1g} after {} steps",
                                              plain->stopped.empty() ? tr("it has a step") : plain->stopped,
                                              kDamping, damped->last, damped->steps));
}

ClaimResult minimises(const Trace& trace) {
  const auto plain = end_of(trace, kSaddle, kNewton), damped = end_of(trace, kSaddle, kDamped);
  if (!plain || !damped) return {};
  return holds_if(plain->last <= plain->first,
                  tr("beside a saddle: from {:.4f} to {:.4f}; damped by {:g}: to {:.4f}", plain->first,
                     plain->last, kDamping, damped->last));
}

ClaimResult one_step(const Trace& trace) {
  const auto valley = end_of(trace, kValley, kNewton), turned = end_of(trace, kTurned, kNewton);
  if (!valley || !turned) return {};
  return holds_if(valley->steps == 1 && turned->steps == 1,
                  tr("valley: {} step to {:.1g}; turned by 45 degrees: {} to {:.1g}", valley->steps,
                     valley->last, turned->steps, turned->last));
}

ClaimResult adagrad_stops(const Trace& trace) {
  std::vector<std::string> evidence;
  bool shrinks = false, others = false;
  for (const char* rule : {"adagrad", "rmsprop", "adadelta", "adam"}) {
    const auto early = trial_at(trace, kConstant, rule, 100), late = trial_at(trace, kConstant, rule, 1000);
    if (!early || !late) return {};
    evidence.push_back(tr("{} {:.2f}", rule, *late / *early));
    (evidence.size() == 1 ? shrinks : others) |= *late < 0.5 * *early;
  }
  const std::string words = tr("gradient 1, step 1000 of step 100: {}", fmt::join(evidence, ", "));
  if (shrinks && others) return {Verdict::kPartly, words};
  return holds_if(shrinks, words);
}

// Whether the first step is the same at gradients of 0.001 to 1000.
ClaimResult same_first_step(const Trace& trace, const char* rule) {
  const auto small = trial_at(trace, kFirst, rule, 1e-3), large = trial_at(trace, kFirst, rule, 1e3);
  if (!small || !large) return {};
  return holds_if(std::abs(*large / *small - 1) < 0.01,
                  tr("gradient 0.001: {:.3g} learning rates; 1000: {:.3g}", *small, *large));
}

ClaimResult l2_is_decay(const Trace& trace) {
  std::vector<double> gone;
  for (const char* rule : {"adam", "adamw"})
    for (const double gradient : {kSmallGradient, kLargeGradient})
      gone.push_back(trial_at(trace, kDecay, rule, gradient).value_or(NAN));
  if (std::isnan(gone[0] + gone[1])) return {};
  return holds_if(
      std::abs(gone[0] - gone[1]) < 1,
      tr("gone at gradients of {:g} and {:g}: L2 in Adam {:.1f} and {:.1f} %, AdamW {:.1f} and {:.1f} %",
         kSmallGradient, kLargeGradient, gone[0], gone[1], gone[2], gone[3]));
}

// Against plain SGD and SGD with momentum.
ClaimResult less_tuning(const Trace& trace) {
  double widest = 0, least = INFINITY, most = 0;
  std::vector<std::string> words;
  for (const GoodRow& row : good_rates_of(trace)) {
    const bool plain = row.rule == "sgd" || row.rule == "momentum";
    if (!plain && !is_adaptive(row.rule)) continue;
    words.push_back(tr("{} {:.1f}", row.rule, row.decades()));
    (plain ? widest : most) = std::max(plain ? widest : most, row.decades());
    if (!plain) least = std::min(least, row.decades());
  }
  if (words.empty() || std::isinf(least)) return {};
  const std::string evidence = tr("decades of good learning rates: {}", fmt::join(words, ", "));
  if (least < widest + kTold && most > widest + kTold) return {Verdict::kPartly, evidence};
  return holds_if(least > widest, evidence);
}

ClaimResult any_shard(const Trace& trace) {
  std::vector<std::string> others;
  const auto rows = rows_in<StateRow>(trace);
  if (rows.empty()) return {};
  for (const StateRow& row : rows)
    if (!row.refused.empty())
      others.push_back(tr("{} is refused", row.rule));
    else if (row.sees != kElement || !row.same_bits)
      others.push_back(tr("{} sends {:.4f} times stage 0's bytes{}", row.rule, row.sent,
                          row.same_bits ? "" : tr(", other bits")));
  if (others.empty()) return {Verdict::kHolds, tr("all end with stage 0's bits")};
  return {Verdict::kPartly, tr("all but these end with stage 0's bits: {}", fmt::join(others, "; "))};
}

}  // namespace

std::vector<ClaimOf> claims() {
  return {{"minimum", minimises},
          {"why", that_is_why},
          {"large", too_large},
          {"singular", singular},
          {"gradients",
           [](const Trace& trace) { return costs(product_against_gradient(trace), tr("gradients")); }},
          {"backward",
           [](const Trace& trace) { return costs(product_against_backward(trace), tr("backward passes")); }},
          {"quadratic", one_step},
          {"shrinks", adagrad_stops},
          {"source", [](const Trace& trace) { return same_first_step(trace, kSource); }},
          {"sign", [](const Trace& trace) { return same_first_step(trace, "adam"); }},
          {"l2", l2_is_decay},
          {"tuning", less_tuning},
          {"shards", any_shard}};
}

// ---- Read from the trace ----------------------------------------------------------------

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
