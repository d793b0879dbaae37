// The sentences on trial; and what they, answers and figures read from the trace.
#include "parts.h"

namespace ringside::lessons::optimizers {
namespace {

constexpr double kTold = 0.5;  // decades: between two rates that were tried

ClaimResult too_large(const Trace& trace) {
  const auto rows = rows_in<HessianRow>(trace);
  if (rows.size() < 2) return {};
  const auto ratio = [&](auto of) { return std::log(double(rows.back().*of) / double(rows.front().*of)); };
  const double power = ratio(&HessianRow::hessian) / ratio(&HessianRow::parameters);
  const double n = trace.find(kSecond)->number(kModelParameters);
  return judged(power > 1.9, rows.back().parameters, format_bytes(double(rows.back().hessian)), power,
                n * 1e-9, 4e-18 * n * n);
}

ClaimResult that_is_why(const Trace& trace) {
  const auto rows = rows_in<PassRow>(trace);
  const EndRow free = end_of(trace, kValley, kFree);
  if (rows.size() < 3) return {};
  const double memory = double(rows[1].peak) / double(rows[0].peak);
  return judged(memory > 10 ? Verdict::kHolds : Verdict::kPartly, memory, free.last, free.steps);
}

ClaimResult costs_two(const Trace& trace) {
  return judge_ratio(product_against_gradient(trace), 1.5, 2.5,
                     tr("gradients, or {:.1f} backward passes", product_against_backward(trace).median));
}

ClaimResult singular(const Trace& trace) {
  const EndRow plain = end_of(trace, kFlat, kNewton), damped = end_of(trace, kFlat, kDamped),
               shortest = end_of(trace, kFlat, kUndamped);
  const bool stopped = !plain.stopped.empty();
  return judged(stopped, stopped ? plain.stopped : tr("there is an inverse"), shortest.last, shortest.steps,
                kDamping, damped.last, damped.steps);
}

ClaimResult minimises(const Trace& trace) {
  const EndRow plain = end_of(trace, kSaddle, kNewton), damped = end_of(trace, kSaddle, kDamped);
  return judged(plain.last <= plain.first, plain.first, plain.last, kDamping, damped.last);
}

ClaimResult one_step(const Trace& trace) {
  const EndRow valley = end_of(trace, kValley, kNewton), turned = end_of(trace, kTurned, kNewton);
  return judged(valley.steps == 1 && turned.steps == 1, valley.steps, valley.last, turned.steps, turned.last);
}

ClaimResult adagrad_stops(const Trace& trace) {
  std::vector<std::string> evidence;
  bool shrinks = false, others = false;
  for (const char* rule : {"adagrad", "rmsprop", "adadelta", "adam"}) {
    const double left = trial_at(trace, kConstant, rule, 1000) / trial_at(trace, kConstant, rule, 100);
    evidence.push_back(tr("{} {:.2f}", rule, left));
    (evidence.size() == 1 ? shrinks : others) |= left < 0.5;
  }
  const std::string words =
      tr("gradient 1, the length of step 1000 over that of step 100: {}", fmt::join(evidence, ", "));
  return {!shrinks ? Verdict::kFails : others ? Verdict::kPartly : Verdict::kHolds, words};
}

// At gradients of 0.001 and 1000, in learning rates.
std::pair<double, double> first_steps(const Trace& trace, const char* rule) {
  return {trial_at(trace, kFirst, rule, 1e-3), trial_at(trace, kFirst, rule, 1e3)};
}
bool are_equal(const std::pair<double, double>& steps) {
  return std::abs(steps.second / steps.first - 1) < 0.01;
}

ClaimResult adam_takes_the_sign(const Trace& trace) {
  const auto steps = first_steps(trace, "adam");
  return judged(are_equal(steps), steps.first, steps.second);
}

ClaimResult source_adapts(const Trace& trace) {
  const auto root = first_steps(trace, kByRoot), size = first_steps(trace, kBySize);
  const auto next = [&](const char* rule) {  // in words alone
    const auto turn = having(&TrialRow::trial, kTurn, &TrialRow::rule, rule, &TrialRow::at, 1);
    const auto row = row_where<TrialRow>(trace, turn);
    return row ? row->value : std::numeric_limits<double>::quiet_NaN();
  };
  return judged(both(are_equal(root), are_equal(size)), root.first, root.second, size.first, size.second,
                next(kByRoot), next(kBySize), next("adam"));
}

ClaimResult l2_is_decay(const Trace& trace) {
  std::vector<double> gone;
  for (const char* rule : {"adam", "adamw"})
    for (const double gradient : {kSmallGradient, kLargeGradient})
      gone.push_back(trial_at(trace, kDecay, rule, gradient));
  return judged(std::abs(gone[0] - gone[1]) < 1, kSmallGradient, kLargeGradient, gone[0], gone[1], gone[2],
                gone[3]);
}

// Against SGD with and without momentum: are more rates good, and the same ones when the loss is scaled? A
// rule whose ε is large may lose the second: most of the adaptive ones have to keep it.
ClaimResult less_tuning(const Trace& trace) {
  struct {
    double widest = 0, least = INFINITY;
    int rules = 0, keep = 0, open = 0;
  } of[2];  // plain ones, adaptive ones
  for (const GoodRow& row : good_rates_of(trace)) {
    if (row.rule != "sgd" && row.rule != "momentum" && !is_adaptive(row.rule)) continue;
    auto& side = of[is_adaptive(row.rule) ? 1 : 0];
    side.widest = std::max(side.widest, row.decades()), side.least = std::min(side.least, row.decades());
    ++side.rules, side.keep += row.keeps() ? 1 : 0, side.open += row.is_open() ? 1 : 0;
  }
  const auto& [plain, adaptive] = of;
  if (plain.rules == 0 || adaptive.rules == 0) return {};
  const bool stays = plain.keep == 0 && 2 * adaptive.keep > adaptive.rules;
  const std::string evidence =
      tr("good learning rates: {:.1f} to {:.1f} decades for adaptive optimizers, {:.1f} to {:.1f} for SGD "
         "with and without momentum{}. At the best rate, with the loss / {:g} or x {:g}, {} of {} adaptive "
         "ones keep {:.0f} % of its fall, and {} of {} of the others",
         adaptive.least, adaptive.widest, plain.least, plain.widest,
         plain.open > 0 ? tr(" (or more: the sweep ends there)") : "", kScale, kScale, adaptive.keep,
         adaptive.rules, 100 * kGood, plain.keep, plain.rules);
  if (plain.open > 0 && !stays) return not_testable(evidence);
  return {both(plain.open == 0 && adaptive.least > plain.widest + kTold, stays), evidence};
}

ClaimResult any_shard(const Trace& trace) {
  std::vector<std::string> others;
  for (const StateRow& row : needed(rows_in<StateRow>(trace)))
    if (!row.refused.empty())
      others.push_back(tr("{} is refused", row.rule));
    else if (row.sees != kElement || !row.same_bits)
      others.push_back(tr("{} sends {:.4f} times stage 0's bytes{}", row.rule, row.sent,
                          row.same_bits ? "" : tr(", other bits")));
  if (others.empty()) return {Verdict::kHolds, tr("all end with stage 0's bits")};
  return {Verdict::kPartly, tr("all but these end with stage 0's bits: {}", fmt::join(others, "; "))};
}

RatioInterval against(const Trace& trace, bool with_forward) {
  const SectionView* section = trace.find(kSecond);
  const auto product = needed(ns_of(section, kProduct)), forward = ns_of(section, kForward);
  auto gradient = ns_of(section, kBackward);
  if (product.size() != gradient.size() || product.size() != forward.size()) throw NotRun();
  for (size_t i = 0; i < gradient.size() && with_forward; ++i) gradient[i] += forward[i];
  return ratio_interval(product, gradient);
}

}  // namespace

std::vector<ClaimOf> claims() {
  return {{"minimum", minimises},     {"why", that_is_why},      {"large", too_large},
          {"singular", singular},     {"gradients", costs_two},  {"quadratic", one_step},
          {"shrinks", adagrad_stops}, {"source", source_adapts}, {"sign", adam_takes_the_sign},
          {"l2", l2_is_decay},        {"tuning", less_tuning},   {"shards", any_shard}};
}

// ---- Read from the trace ----------------------------------------------------------------

EndRow end_of(const Trace& trace, const std::string& surface, const std::string& method) {
  const auto rows = needed(rows_in<EndRow>(trace.find(kTrials)));
  const auto found = std::ranges::find_if(rows, having(&EndRow::surface, surface, &EndRow::method, method));
  return found == rows.end() ? throw NotRun() : *found;
}

std::vector<TrialRow> trials_of(const Trace& trace, const std::string& trial, const std::string& rule) {
  return rows_where<TrialRow>(trace, having(&TrialRow::trial, trial, &TrialRow::rule, rule));
}

double trial_at(const Trace& trace, const std::string& trial, const std::string& rule, double at) {
  return row_of<TrialRow>(trace, trial, rule, at).value;
}

RatioInterval product_against_backward(const Trace& trace) { return against(trace, false); }
RatioInterval product_against_gradient(const Trace& trace) { return against(trace, true); }

std::vector<GoodRow> good_rates_of(const Trace& trace) {
  return rows_where<GoodRow>(trace, [](const GoodRow& row) { return row.best > 0; });
}

}  // namespace ringside::lessons::optimizers
