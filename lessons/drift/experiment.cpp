// Two stages with two losses: what the order of sums explains, and what only a bug does.

#include "embedded.h"
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

double mean_of_last_tenth(const std::vector<LossRow>& rows) {
  const size_t tenth = std::max<size_t>(1, rows.size() / 10);
  double mean = 0;
  for (size_t i = rows.size() - tenth; i < rows.size(); ++i) mean += rows[i].difference / double(tenth);
  return mean;
}

Words measured_far(const Trace& trace) {
  const auto pair = needed(rows_of<LossRow>(trace, kOrder)), seeds = rows_of<LossRow>(trace, kSeed);
  if (seeds.size() != pair.size()) return {};
  const double ours = mean_of_last_tenth(pair), theirs = mean_of_last_tenth(seeds);
  if (ours >= kVisible) return {ours < theirs / 2 ? "about a percent" : "as far as two seeds"};
  return {ours == 0 ? "not one bit" : "less than 1 in 10,000"};
}

std::optional<Words> measured_apart(const Trace& trace) {
  Words apart;
  for (const char* training : kCurves)
    if (!row_of<EndRow>(trace, training).ranks_agree) apart.push_back(training);
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
  const auto same = last_row_of<DistanceRow>(trace, kSame), order = last_row_of<DistanceRow>(trace, kOrder);
  return judged(both(same.relative > 0, order.relative > 0), same.step, same.relative, order.step,
                order.relative);
}

ClaimResult stage_1_alone(const Trace& trace) {
  const auto same = needed(rows_of<LossRow>(trace, kSame));
  const double most = largest(same, same.back().step);
  return judged(most > 0, most, same.back().step);
}

ClaimResult one_and_two(const Trace& trace) {
  const auto order = needed(rows_of<LossRow>(trace, kOrder));
  const double most = largest(order, order.back().step);
  const bool rounding = most > 0 && most < kVisible;
  return judged(both(most > 0, most > 0 && !rounding), rounding ? tr("by rounding alone: ") : "",
                largest(order, 10), most, order.back().step);
}

// The log: stage 0 3.7347, stage 1 3.7093, at its step 2.
constexpr double kOfTheLog = (3.7346994876861572 - 3.709287643432617) / 3.7346994876861572;
ClaimResult order_explains_the_log(const Trace& trace) {
  const double here = largest(needed(rows_of<LossRow>(trace, kOrder)), 10);
  return judged(here >= kOfTheLog, kOfTheLog, here);
}

// Twice the standard error of a share of so many samples is the noise.
ClaimResult same_accuracy(const Trace& trace) {
  const auto base = row_of<EndRow>(trace, kBase), order = row_of<EndRow>(trace, kOrder),
             seed = row_of<EndRow>(trace, kSeed);
  if (base.evaluated == 0) return {};
  const double p = base.accuracy, apart = std::abs(p - order.accuracy);
  const double noise = 2 * std::sqrt(p * (1 - p) / double(base.evaluated));
  return judged(apart <= noise, p, order.accuracy, seed.accuracy, base.evaluated, noise);
}

GaugeOf after_ten(const char* training) {
  return {training, [=](const Trace& trace) { return row_of<DistanceRow>(trace, training, 10).relative; }};
}

}  // namespace

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
                    .as_processes = true,
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
