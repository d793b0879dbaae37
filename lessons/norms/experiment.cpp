// Which numbers share a mean and a variance, and what follows for padding, batches, ranks, curvature and
// gradients.

#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::norms {
namespace {

// ---- What the run says to the questions; an int is the option that is right -------------

// What the changed number moves: of the same token, feature or sample, or every number.
int moved_under_batch_norm(const Trace& trace) {
  const Moved moved = moved_under(trace, "batch");
  return !moved.other_feature ? 1 : moved.other_sample ? 3 : moved.other_token ? 2 : 0;
}

// Behind which norm least squares are about as steep along each direction.
int rounded_by(const Trace& trace) {
  const bool token = needed(steepness_of(trace, kByRms)) < kRound,
             batch = steepness_of(trace, kByBatch) < kRound;
  return batch && token ? 2 : batch ? 0 : token ? 1 : 3;
}

Words moved_by_padding(const Trace& trace) {
  Words names;
  for (const std::string& norm : kNames)
    if (most_of(trace, kPadding, norm) > 1e-4) names.push_back(norm);
  return names;
}

int leaves_one_process(const Trace& trace) {
  return needed(first_of(trace, kPaths, kOwn)) > kRounding ? 0 : 1;
}

double gradient_of_double(const Trace& trace) { return row_of<ScaleRow>(trace, 2.0).gradient; }

}  // namespace

Lesson make_lesson() {
  const auto left_after_ten = [](const Trace& trace) { return 100 * last_of(trace, kRunning, kVariance); };
  return lesson_of(
      embedded("texts.inc"),
      {.checks = {{"cell", [](const std::string& value) { cell_of_text(value); }}},
       .run = run,
       .questions = {{"cells", moved_under_batch_norm},
                     {"padding", moved_by_padding},
                     {"paths", leaves_one_process},
                     {"axis", rounded_by},
                     {"running", left_after_ten, always(100 * std::pow(0.9, 10))},
                     {"scale", gradient_of_double}},
       .claims = claims(),
       .figures = figures(),
       .gauges = {{"paths", [](const Trace& trace) { return 100 * last_of(trace, kPaths, kOwn); }}}});
}

}  // namespace ringside::lessons::norms
