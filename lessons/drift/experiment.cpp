// Two stages with two losses: what the order of sums explains, and what only a bug does.
#include <cmath>

#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/fields.h"
#include "ringside/lesson/tr.h"
#include "ringside/planner/distribution.h"
#include "rows.h"

namespace ringside::drift {

std::optional<DistanceRow> distance_at(const Trace& trace, const std::string& training, int64_t step) {
  for (const DistanceRow& row : distances_of(trace, training))
    if (row.step == step) return row;
  return std::nullopt;
}
std::optional<EndRow> end_of(const Trace& trace, const std::string& training) {
  for (const EndRow& row : rows_in<EndRow>(trace.find(kComparison)))
    if (row.training == training) return row;
  return std::nullopt;
}
std::vector<LossRow> losses_of(const Trace& trace, const std::string& training) {
  return rows_where<LossRow>(trace, [&](const LossRow& row) { return row.training == training; });
}
std::vector<DistanceRow> distances_of(const Trace& trace, const std::string& training) {
  return rows_where<DistanceRow>(trace, [&](const DistanceRow& row) { return row.training == training; });
}

Shape shape_of(const Trace& trace, const std::string& training) {
  const SectionView* section = trace.find(kComparison);
  const auto first = distance_at(trace, training, 1), second = distance_at(trace, training, 2);
  if (section == nullptr || !section->has(kUlp) || !first || !second) return Shape::kUnknown;
  const double limit = kMostUlps * section->number(kUlp);
  if (limit >= kLeastLarge) return Shape::kUnknown;  // of bf16: a bug's first steps are smaller than that
  if (first->relative >= kLeastLarge) return Shape::kLarge;
  if (first->relative > limit) return Shape::kSmall;
  if (second->relative > limit) return Shape::kLate;
  for (const DistanceRow& row : distances_of(trace, training))
    if (row.step <= 10 && row.relative > limit) return Shape::kUnknown;
  return Shape::kRounding;
}

std::string in_words(Shape shape) {
  switch (shape) {
    case Shape::kRounding:
      return tr("rounding");
    case Shape::kLate:
      return tr("jumps at 2");
    case Shape::kSmall:
      return tr("small, rises");
    case Shape::kLarge:
      return tr("large at 1");
    default:
      return tr("cannot be told");
  }
}

namespace {

const ClaimResult kNotRun = not_testable(tr("nothing was compared"));

double largest(const std::vector<LossRow>& rows, int64_t until) {
  double most = 0;
  for (const LossRow& row : rows)
    if (row.step <= until) most = std::max(most, row.difference);
  return most;
}

// Stage 0 and stage 2, each against stage 1.
ClaimResult all_differ(const Trace& trace) {
  const auto same = distances_of(trace, kSame), order = distances_of(trace, kOrder);
  if (same.empty() || order.empty()) return kNotRun;
  const std::string evidence =
      tr("parameters after step {}: stages 0 and 1 {:.1e} apart; after step {}: stages 1 and 2 {:.1e}",
         same.back().step, same.back().relative, order.back().step, order.back().relative);
  const bool zero = same.back().relative > 0, two = order.back().relative > 0;
  if (zero != two) return {Verdict::kPartly, evidence};
  return holds_if(zero, evidence);
}

ClaimResult stage_1_alone(const Trace& trace) {
  const auto same = losses_of(trace, kSame);
  if (same.empty()) return kNotRun;
  const double most = largest(same, same.back().step);
  return holds_if(most > 0,
                  tr("the losses of stages 0 and 1 are {:.1e} apart at most in {} steps: their order of "
                     "sums is the same",
                     most, same.back().step));
}

ClaimResult one_and_two(const Trace& trace) {
  const auto order = losses_of(trace, kOrder);
  if (order.empty()) return kNotRun;
  const double most = largest(order, order.back().step);
  return holds_if(most > 0, tr("of the loss, at most {:.1e} apart in 10 steps, {:.1e} in {}",
                               largest(order, 10), most, order.back().step));
}

// The log: stage 0 3.7347, stage 1 3.7093, at its step 2.
constexpr double kOfTheLog = (3.7346994876861572 - 3.709287643432617) / 3.7346994876861572;
ClaimResult order_explains_the_log(const Trace& trace) {
  const auto order = losses_of(trace, kOrder);
  if (order.empty()) return kNotRun;
  const double here = largest(order, 10);
  return holds_if(here >= kOfTheLog,
                  tr("the log's losses are {:.1e} apart at step 2; here the order of sums makes "
                     "{:.1e} in 10 steps",
                     kOfTheLog, here));
}

// Twice the standard error of a share of so many samples is the noise.
ClaimResult same_accuracy(const Trace& trace) {
  const auto base = end_of(trace, kBase), order = end_of(trace, kOrder), seed = end_of(trace, kSeed);
  if (!base || !order || !seed || base->evaluated == 0) return kNotRun;
  const double p = base->accuracy, apart = std::abs(p - order->accuracy);
  const double noise = 2 * std::sqrt(p * (1 - p) / static_cast<double>(base->evaluated));
  return holds_if(apart <= noise,
                  tr("accuracy {:.3f} and {:.3f}, another seed {:.3f}; noise of {} samples ±{:.3f}", p,
                     order->accuracy, seed->accuracy, base->evaluated, noise));
}

Gauge gauge(const char* training, int64_t step) {
  return {tr("step {}, {}", step, training), "", [=](const FigureInput& input) -> std::optional<double> {
            const auto row = distance_at(input.trace, training, step);
            return row ? std::optional(row->relative) : std::nullopt;
          }};
}

}  // namespace
}  // namespace ringside::drift

namespace ringside::lessons::drift {

Lesson make_lesson() {
  using namespace ringside::drift;
  Lesson lesson;
  lesson.parameters = {
      number("steps", "of stages 1 and 2; what is planted takes 100 at most", "", "1000", 10, 100000),
      number("ranks", "N", "", "2", 2, 8),
      number("accumulate", "g, micro-batches a step", "", "2", 1, 8),
      choice("precision", "bf16 with an fp32 master copy, or fp32 throughout", "fp32", {"bf16", "fp32"}),
      number("clip_norm", "gradients are scaled down to this norm", "", "0.3", 1e-3, 1e9,
             ParameterKind::kReal),
      number("lr", "learning rate", "", "0.003", 1e-9, 10, ParameterKind::kReal),
      number("seed", "of weights, data and letters", "", "0", 0, 1e9)};
  lesson.predictions = predictions();
  lesson.claims = {
      {"all", "DeepSpeed #966, its title", tr("ZeRO 0, 1, 2, 3 produce different results"), all_differ},
      {"one-two", "DeepSpeed #1945, its title", tr("ZeRO 1 and ZeRO 2 produces different losses"),
       one_and_two},
      {"one-alone", "DeepSpeed #757, its title",
       tr("ZeRO stage 1 has different convergence compared to stage 0 and 2"), stage_1_alone},
      {"log", "DeepSpeed #1488, its log",
       tr("the order of sums explains a loss of 3.7347 in stage 0 and 3.7093 in stage 1 at step 2"),
       order_explains_the_log},
      {"accuracy", "this lesson", tr("the accuracies of stages 1 and 2 cannot be told apart"),
       same_accuracy}};
  lesson.figures = figures();
  lesson.gauges = {gauge(kOrder, 10), gauge(kNorm, 10), gauge(kBucket, 10), gauge(kStale, 10)};
  lesson.opening = [](const Config& config) -> std::vector<std::string> {
    return {
        tr("Four trainings against ZeRO stage 1: {} ranks, the same weights and samples. One only adds in "
           "another "
           "order. Three have a bug.",
           config.integer("ranks"))};
  };
  lesson.words = {tr("The first training starts."), tr("Now watch the curves part."), tr("training step"),
                  "step"};
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::drift
