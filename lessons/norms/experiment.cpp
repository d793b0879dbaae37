// Which numbers share a mean and a variance, and what follows for padding, batches, ranks, curvature and
// gradients.
#include <cmath>

#include "embedded.h"
#include "parts.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/tr.h"

namespace ringside::lessons::norms {
namespace {

std::vector<ParameterSpec> parameters() {
  return {number("ranks", "N, ranks as threads", "ranks", "4", 2, 4),
          number("batch", "samples of a step, over all ranks", "samples", "16", 4, 64),
          number("steps", "of each training", "steps", "12", 2, 100),
          number("layers", "of the model whose gradients are compared by depth", "layers", "12", 2, 24),
          number("spread", "largest scale of a feature over the smallest", "times", "64", 8, 1024,
                 ParameterKind::kReal),
          text("cell", "sample, token and feature of the number that is changed", "0,1,1",
               {"0,1,1", "0,0,3", "1,1,2"}, [](const std::string& value) { cell_of_text(value); })};
}

// ---- What the run says to the questions; an int is the option that is right -------------

// What the changed number moves: of the same token, feature or sample, or every number.
int moved_under_batch_norm(const Trace& trace) {
  const Moved moved = moved_under(trace, "batch");
  if (moved.count == 0) return -1;
  return !moved.other_feature ? 1 : moved.other_sample ? 3 : moved.other_token ? 2 : 0;
}

// Behind which norm least squares are about as steep along each direction.
int rounded_by(const Trace& trace) {
  if (std::isnan(steepness_of(trace, kByRms))) return -1;
  const bool batch = steepness_of(trace, kByBatch) < kRound, token = steepness_of(trace, kByRms) < kRound;
  return batch && token ? 2 : batch ? 0 : token ? 1 : 3;
}

Words moved_by_padding(const Trace& trace) {
  Words names;
  for (const std::string& norm : kNames)
    if (most_of(trace, kPadding, norm) > 1e-4) names.push_back(norm);
  return names;
}

int leaves_one_process(const Trace& trace) {
  const double after = first_of(trace, kPaths, kOwn);
  return std::isnan(after) ? -1 : after > kRounding ? 0 : 1;
}

double gradient_of_double(const Trace& trace) {
  for (const figure::Point& point : curve(trace, kScale, kGradient))
    if (point.x == 2) return point.y;
  return figure::kNone;
}

std::string failed_check(const Trace& trace) {
  const int64_t unexplained = unexplained_bytes(trace.rows().ledger);
  return unexplained == 0 ? "" : tr("{} bytes are unexplained", unexplained);
}

}  // namespace

Lesson make_lesson() {
  const auto left_after_ten = [](const Trace& trace) { return 100 * last_of(trace, kRunning, kVariance); };
  Lesson lesson = lesson_of(
      embedded("texts.inc"),
      {.parameters = parameters(),
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
  lesson.failed_check = failed_check;
  return lesson;
}

}  // namespace ringside::lessons::norms
