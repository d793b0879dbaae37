// How the run measures the answers of questions.inc.
#include <cmath>

#include "embedded.h"
#include "parts.h"
#include "ringside/lesson/question_text.h"

namespace ringside::norms_lesson {
namespace {

constexpr const char *kToken = "the same token's features",
                     *kFeature = "the same feature, in all real tokens of the batch",
                     *kSample = "the same sample", *kBatch = "every number of the batch";
constexpr const char *kBatchOnly = "batch norm", *kLayerOnly = "layer norm and RMS norm",
                     *kEither = "each of them", *kNeither = "none of them";
constexpr const char *kAfterOne = "after the first step", *kNever = "never: gradients are averaged";

// What the changed number moves under one norm.
std::optional<Words> moved_with(const Trace& trace, const std::string& norm) {
  const SectionView* section = trace.find(kCells);
  const int64_t changed = section == nullptr ? 0 : section->integer(kChanged);
  constexpr int64_t kSampleCells = kTokens * kFeatures;
  bool other_feature = false, other_token = false, other_sample = false, any = false;
  for (const CellRow& row : rows_in<CellRow>(section)) {
    if (row.norm != norm || row.changed != changed) continue;
    any = true;
    other_feature |= row.cell % kFeatures != changed % kFeatures;
    other_token |= row.cell / kFeatures != changed / kFeatures;
    other_sample |= row.cell / kSampleCells != changed / kSampleCells;
  }
  if (!any) return std::nullopt;
  return Words{!other_feature ? kFeature : other_sample ? kBatch : other_token ? kSample : kToken};
}

// Behind which norm least squares are about as steep along each direction.
std::optional<Words> rounded_by(const Trace& trace) {
  if (std::isnan(steepness_of(trace, kByRms))) return std::nullopt;
  const bool batch = steepness_of(trace, kByBatch) < kRound, token = steepness_of(trace, kByRms) < kRound;
  return Words{batch && token ? kEither : batch ? kBatchOnly : token ? kLayerOnly : kNeither};
}

std::optional<Words> moved_by_padding(const Trace& trace) {
  Words names;
  for (const std::string& norm : kNames)
    if (most_of(trace, kPadding, norm) > 1e-4) names.push_back(norm);
  return names.empty() ? std::nullopt : std::optional(names);
}

std::optional<double> left_after_ten(const Trace& trace) {
  const double left = last_of(trace, kRunning, kVariance);
  return std::isnan(left) ? std::nullopt : std::optional(100 * left);
}

std::optional<Words> leaves_one_process(const Trace& trace) {
  const double after = first_of(trace, kPaths, kOwn);
  if (std::isnan(after)) return std::nullopt;
  return Words{after > kRounding ? kAfterOne : kNever};
}

std::optional<double> gradient_of_double(const Trace& trace) {
  for (const figure::Point& point : curve(trace, kScale, kGradient))
    if (point.x == 2) return point.y;
  return std::nullopt;
}

}  // namespace

std::vector<PredictionSpec> predictions() {
  const TextBlocks text(lessons::norms::embedded("questions.inc"));
  return {word_question(text["cells"], [](const Trace& trace) { return moved_with(trace, "batch"); }),
          word_question(text["padding"], moved_by_padding),
          word_question(text["paths"], leaves_one_process),
          word_question(text["axis"], rounded_by),
          number_question(text["running"], always(100 * std::pow(0.9, 10)),
                          {always(100 * std::pow(0.1, 10)), always(10.0), always(0.0)}, left_after_ten),
          number_question(text["scale"], always(0.5), {always(1.0), always(2.0)}, gradient_of_double)};
}

}  // namespace ringside::norms_lesson
