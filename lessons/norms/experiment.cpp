// Which numbers share a mean and a variance, and what follows for padding, batches, ranks, curvature and
// gradients.
#include <cmath>

#include "parts.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/tr.h"

namespace ringside::norms_lesson {
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

std::vector<std::string> opening(const Config& config) {
  return {tr("A block of {} samples, {} tokens and {} features. One number is changed.", kSamples, kTokens,
             kFeatures),
          tr("Then {} ranks train with batch norm on {} samples a step.", config.integer("ranks"),
             config.integer("batch")),
          tr("Features get scales from 1 to {:g}, and a classifier's Hessian is looked at.",
             config.real("spread"))};
}

std::optional<double> off_one_process(const FigureInput& input) {
  const double distance = last_of(input.trace, kPaths, kOwn);
  return std::isnan(distance) ? std::nullopt : std::optional(100 * distance);
}

std::string failed_check(const Trace& trace) {
  const int64_t unexplained = unexplained_bytes(trace.rows().ledger);
  return unexplained == 0 ? "" : tr("{} bytes are unexplained", unexplained);
}

}  // namespace
}  // namespace ringside::norms_lesson

namespace ringside::lessons::norms {

Lesson make_lesson() {
  using namespace ringside::norms_lesson;
  Lesson lesson;
  lesson.parameters = parameters();
  lesson.predictions = predictions();
  lesson.opening = opening;
  lesson.claims = claims();
  lesson.figures = figures();
  lesson.gauges = {{tr("ranks are off by"), "%", off_one_process}};
  lesson.words = {tr("The first number is being changed."), tr("Now look at which outputs move."), tr("step"),
                  "step"};
  lesson.failed_check = failed_check;
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::norms
