// Two stages with two losses: what the order of sums explains, and what only a bug does.
#include <algorithm>
#include <cmath>

#include "embedded.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/tr.h"
#include "rows.h"

namespace ringside::lessons::drift {
namespace {

constexpr double kVisible = 1e-4;  // of a loss: less is not seen in its first four digits

// ---- Questions ------------------------------------------------------------------------

// The curve of that shape, where one curve alone has it.
std::optional<Words> curve_of(const Trace& trace, Shape shape) {
  Words found;
  for (const char* training : kCurves)
    if (const auto end = end_of(trace, training); end && shape_of(trace, training) == shape)
      found.push_back(end->letter);
  return found.size() == 1 ? std::optional(found) : std::nullopt;
}

// The block names trainings; their curves are shown and answered by letters.
QuestionOf which_curve(const char* id, Shape shape) {
  return {.id = id,
          .measured = [shape](const Trace& trace) { return curve_of(trace, shape); },
          .options = always(Words{"A", "B", "C", "D"}),
          .named = letter_of};
}

std::optional<Words> measured_far(const Trace& trace) {
  const auto pair = rows_of<LossRow>(trace, kOrder), seeds = rows_of<LossRow>(trace, kSeed);
  if (pair.empty() || seeds.size() != pair.size()) return std::nullopt;
  double ours = 0, theirs = 0;  // means of the last tenth
  const size_t tenth = std::max<size_t>(1, pair.size() / 10);
  for (size_t i = pair.size() - tenth; i < pair.size(); ++i) {
    ours += pair[i].difference / static_cast<double>(tenth);
    theirs += seeds[i].difference / static_cast<double>(tenth);
  }
  if (ours >= kVisible) return Words{ours < theirs / 2 ? "about a percent" : "as far as two seeds"};
  return Words{ours == 0 ? "not one bit" : "less than 1 in 10,000"};
}

std::optional<Words> measured_apart(const Trace& trace) {
  Words apart;
  for (const char* training : kCurves) {
    const auto end = end_of(trace, training);
    if (!end) return std::nullopt;
    if (!end->ranks_agree) apart.push_back(training);
  }
  return apart;
}

// ---- Claims ---------------------------------------------------------------------------

double largest(const std::vector<LossRow>& rows, int64_t until) {
  double most = 0;
  for (const LossRow& row : rows)
    if (row.step <= until) most = std::max(most, row.difference);
  return most;
}

// Stage 0 and stage 2, each against stage 1.
ClaimResult all_differ(const Trace& trace) {
  const auto same = rows_of<DistanceRow>(trace, kSame), order = rows_of<DistanceRow>(trace, kOrder);
  if (same.empty() || order.empty()) return {};
  const std::string evidence =
      tr("parameters after step {}: stages 0 and 1 {:.1e} apart; after step {}: stages 1 and 2 {:.1e}",
         same.back().step, same.back().relative, order.back().step, order.back().relative);
  const bool zero = same.back().relative > 0, two = order.back().relative > 0;
  return zero == two ? holds_if(zero, evidence) : ClaimResult{Verdict::kPartly, evidence};
}

ClaimResult stage_1_alone(const Trace& trace) {
  const auto same = rows_of<LossRow>(trace, kSame);
  if (same.empty()) return {};
  const double most = largest(same, same.back().step);
  return holds_if(most > 0,
                  tr("the losses of stages 0 and 1 are {:.1e} apart at most in {} steps: their order of "
                     "sums is the same",
                     most, same.back().step));
}

ClaimResult one_and_two(const Trace& trace) {
  const auto order = rows_of<LossRow>(trace, kOrder);
  if (order.empty()) return {};
  const double most = largest(order, order.back().step);
  const std::string evidence = tr("{}at most {:.1e} of the loss apart in 10 steps, {:.1e} in {}",
                                  most > 0 && most < kVisible ? tr("by rounding alone: ") : "",
                                  largest(order, 10), most, order.back().step);
  if (most > 0 && most < kVisible) return {Verdict::kPartly, evidence};
  return holds_if(most > 0, evidence);
}

// The log: stage 0 3.7347, stage 1 3.7093, at its step 2.
constexpr double kOfTheLog = (3.7346994876861572 - 3.709287643432617) / 3.7346994876861572;
ClaimResult order_explains_the_log(const Trace& trace) {
  const auto order = rows_of<LossRow>(trace, kOrder);
  if (order.empty()) return {};
  const double here = largest(order, 10);
  return holds_if(here >= kOfTheLog,
                  tr("the log's losses are {:.1e} apart at step 2; here the order of sums makes "
                     "{:.1e} in 10 steps",
                     kOfTheLog, here));
}

// Twice the standard error of a share of so many samples is the noise.
ClaimResult same_accuracy(const Trace& trace) {
  const auto base = end_of(trace, kBase), order = end_of(trace, kOrder), seed = end_of(trace, kSeed);
  if (!base || !order || !seed || base->evaluated == 0) return {};
  const double p = base->accuracy, apart = std::abs(p - order->accuracy);
  const double noise = 2 * std::sqrt(p * (1 - p) / static_cast<double>(base->evaluated));
  return holds_if(apart <= noise,
                  tr("accuracy {:.3f} and {:.3f}, another seed {:.3f}; noise of {} samples ±{:.3f}", p,
                     order->accuracy, seed->accuracy, base->evaluated, noise));
}

GaugeOf after_ten(const char* training) {
  return {training, [=](const Trace& trace) {
            const auto row = distance_at(trace, training, 10);
            return row ? row->relative : figure::kNone;
          }};
}

}  // namespace

std::optional<DistanceRow> distance_at(const Trace& trace, const std::string& training, int64_t step) {
  return row_where<DistanceRow>(
      trace, [&](const DistanceRow& row) { return row.training == training && row.step == step; });
}

std::optional<EndRow> end_of(const Trace& trace, const std::string& training) {
  return row_where<EndRow>(trace, [&](const EndRow& row) { return row.training == training; });
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
  for (const DistanceRow& row : rows_of<DistanceRow>(trace, training))
    if (row.step <= 10 && row.relative > limit) return Shape::kUnknown;
  return Shape::kRounding;
}

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"),
                   {.run = run,
                    .questions = {which_curve("order", Shape::kRounding),
                                  which_curve("stale", Shape::kLate),
                                  which_curve("norm", Shape::kSmall),
                                  {"far", measured_far},
                                  {"agree", measured_apart}},
                    .claims = {{"all", all_differ},
                               {"one-two", one_and_two},
                               {"one-alone", stage_1_alone},
                               {"log", order_explains_the_log},
                               {"accuracy", same_accuracy}},
                    .figures = figures(),
                    .gauges = {after_ten(kOrder), after_ten(kNorm), after_ten(kBucket), after_ten(kStale)}});
}

}  // namespace ringside::lessons::drift
