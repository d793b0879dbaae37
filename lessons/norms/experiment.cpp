// Which numbers share a mean and a variance, and what follows for padding, batches, ranks and gradients.
#include <algorithm>
#include <cmath>

#include "parts.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::norms_lesson {
namespace {

constexpr double kRounding = 1e-4;  // of a training's way: what rounding may do
const ClaimResult kNotRun = not_testable(tr("it was not run"));
constexpr const char *kToken = "the same token's features",
                     *kFeature = "the same feature, in all real tokens of the batch",
                     *kSample = "the same sample", *kBatch = "every number of the batch";
constexpr const char *kAfterOne = "after the first step", *kNever = "never: gradients are averaged",
                     *kEvaluation = "only in evaluation: the running averages differ";

double distance_after(const Trace& trace, const char* section, bool first) {
  double distance = figure::kNone;
  for (const PathRow& row : rows_in<PathRow>(trace.find(kPaths)))
    if (row.section == section && (!first || std::isnan(distance))) distance = row.distance;
  return distance;
}

// What the changed number moves under one norm.
std::optional<Words> moved_with(const Trace& trace, const std::string& norm) {
  bool other_token = false, other_feature = false, other_sample = false, any = false;
  for (const CellRow& row : rows_in<CellRow>(trace.find(kCells))) {
    if (row.norm != norm || row.moved == 0) continue;
    any = true;
    other_token |= row.token != kChangedToken;
    other_feature |= row.feature != kChangedFeature;
    other_sample |= row.sample != 0;
  }
  if (!any) return std::nullopt;
  if (!other_feature) return Words{kFeature};
  return Words{other_sample ? kBatch : other_token ? kSample : kToken};
}

std::optional<Words> moved_by_padding(const Trace& trace) {
  Words names;
  for (const std::string& norm : kNames)
    for (const PaddingRow& row : rows_in<PaddingRow>(trace.find(kPadding)))
      if (row.norm == norm && row.unmasked > 1e-4 && std::ranges::find(names, norm) == names.end())
        names.push_back(norm);
  return names.empty() ? std::nullopt : std::optional(names);
}

std::optional<double> gradient_of_double(const Trace& trace) {
  for (const ScaleRow& row : rows_in<ScaleRow>(trace.find(kScale)))
    if (row.scale == 2) return row.gradient;
  return std::nullopt;
}

int64_t bytes_of(const Trace& trace, const char* tag) {  // that rank 0 sent in kShared
  int64_t bytes = 0;
  const SectionView* section = trace.find(kShared);
  if (section == nullptr || section->ranks() == 0) return 0;
  for (const CollectiveEvent& event : section->collectives(0))
    if (event.state == CollectiveState::kCompleted && trace.name(event.tag).starts_with(tag))
      bytes += event.bytes_sent;
  return bytes;
}

std::vector<PredictionSpec> predictions() {
  return {
      ask("cells", tr("One number of the batch is changed. Which outputs does batch norm move?"),
          {.right = {kFeature},
           .options = {kToken, kFeature, kSample, kBatch},
           .wrong = {{tr("that is layer norm"),
                      {kToken},
                      tr("Layer norm shares within a token, over its features.")},
                     {tr("that is group norm over all features"),
                      {kSample},
                      tr("Group norm shares within a sample.")},
                     {tr("\"batch norm normalises a batch\""),
                      {kBatch},
                      tr("Each feature has a mean and a variance of its own, over the batch's tokens.")}},
           .measured = [](const Trace& trace) { return moved_with(trace, "batch"); },
           .around = {tr("cells"),
                      tr("A feature's numbers over all real tokens of the batch are one set. The other "
                         "features do not move.")}}),
      ask("padding",
          tr("More padding is added, and no norm has a mask. Under which norms do real tokens' outputs "
             "change?"),
          {.kind = AnswerKind::kChoices,
           .right = {"instance", "group", "batch"},
           .options = kNames,
           .wrong = {{tr("only batch norm sees other tokens"),
                      {"batch"},
                      tr("Instance and group norm leave other samples out, not other tokens.")},
                     {tr("a sample's own norms are safe"),
                      {"batch", "layer"},
                      tr("Layer norm looks at one token alone.")}},
           .measured = moved_by_padding,
           .around = {tr("padding"),
                      tr("Every norm whose sets span tokens counts padding, unless a mask leaves it out.")}}),
      ask("paths",
          tr("Ranks train with plain batch norm and average their gradients. When do their parameters leave "
             "those "
             "of one process with the whole batch?"),
          {.right = {kAfterOne},
           .options = {kAfterOne, kNever, kEvaluation},
           .wrong = {{tr("averaged gradients make one model"),
                      {kNever},
                      tr("The ranks are equal to each other. But each normalised by its own part of the "
                         "batch: another "
                         "function, and another gradient.")},
                     {tr("only the buffers differ"),
                      {kEvaluation},
                      tr("The batch's own statistics are in the training forward already.")}},
           .measured = [](const Trace& trace) -> std::optional<Words> {
             const double after = distance_after(trace, kOwn, true);
             if (std::isnan(after)) return std::nullopt;
             return Words{after > kRounding ? kAfterOne : kNever};
           },
           .around = {tr("ranks"),
                      tr("A rank's mean is of fewer samples. Synchronised batch norm adds up the sums over "
                         "the ranks, in forward and in backward.")}}),
      ask("scale", tr("A weight before a layer norm is doubled. How many times as large is its gradient?"),
          {.unit = tr("times"),
           .right = 0.5,
           .wrong = {{tr("the gradient does not see the scale"), 1.0},
                     {tr("twice the weight, twice the gradient"), 2.0}},
           .measured = gradient_of_double,
           .around = {
               tr("scale"),
               tr("The output stays, so the same relative change of the weight has the same effect: the "
                  "gradient is halved.")}})};
}

// ---- Claims -------------------------------------------------------------------------

ClaimResult one_steep_axis(const Trace& trace) {
  double raw = 0, normed = 0, raw_loss = 0, normed_loss = 0;
  for (const DescentRow& row : rows_in<DescentRow>(trace.find(kDescent))) {
    (row.features == kRaw ? raw : normed) = row.condition;
    (row.features == kRaw ? raw_loss : normed_loss) = row.loss;
  }
  if (raw == 0 || normed == 0) return kNotRun;
  return holds_if(raw > 10 * normed && raw_loss > 10 * normed_loss,
                  tr("condition of the Hessian {:.0f}, with features normalised {:.1f}; the loss after the "
                     "same steps {:.2g} and {:.1g} of the first",
                     raw, normed, raw_loss, normed_loss));
}

ClaimResult padding_mixes(const Trace& trace) {
  double unmasked = 0, masked = 0, layer = 0;
  const auto rows = rows_in<PaddingRow>(trace.find(kPadding));
  for (const PaddingRow& row : rows) {
    if (row.norm == "layer") layer = std::max({layer, row.unmasked, row.masked});
    if (row.norm != "batch") continue;
    unmasked = std::max(unmasked, row.unmasked);
    masked = std::max(masked, row.masked);
  }
  if (rows.empty()) return kNotRun;
  const std::string evidence =
      tr("batch norm's outputs change by up to {:.0f} % with padding, by {:.1g} with a token mask; layer "
         "norm's by {:.1g}",
         100 * unmasked, masked, layer);
  return {unmasked < 0.01 ? Verdict::kFails : masked < 1e-4 ? Verdict::kPartly : Verdict::kHolds, evidence};
}

ClaimResult padding_alone(const Trace& trace) {
  const auto rows = rows_in<GapRow>(trace.find(kGap));
  if (rows.empty()) return kNotRun;
  return holds_if(
      rows.back().gap < 0.05,
      tr("without any padding, training's and evaluation's outputs differ by {:.0f} % at {} samples a "
         "batch, by {:.0f} % at {}",
         100 * rows.front().gap, rows.front().batch, 100 * rows.back().gap, rows.back().batch));
}

ClaimResult one_model(const Trace& trace) {
  const double first = distance_after(trace, kOwn, true), last = distance_after(trace, kOwn, false);
  if (std::isnan(first)) return kNotRun;
  return holds_if(last < kRounding,
                  tr("after one step the parameters are {:.2g} % of the training's way from one "
                     "process's, at the end {:.2g} %",
                     100 * first, 100 * last));
}

ClaimResult shared_is_one_model(const Trace& trace) {
  const double last = distance_after(trace, kShared, false);
  if (std::isnan(last)) return kNotRun;
  const auto forward = bytes_of(trace, "norm statistics"), gradients = bytes_of(trace, "gradients");
  return holds_if(
      last < kRounding,
      tr("at the end {:.1g} of the way apart, by rounding; rank 0 sent {} bytes of statistics beside {} of "
         "gradients",
         last, forward, gradients));
}

ClaimResult decay_is_a_rate(const Trace& trace) {
  double output = 0, half = 0;
  for (const ScaleRow& row : rows_in<ScaleRow>(trace.find(kScale))) {
    output = std::max(output, row.output);
    if (row.scale == 0.5) half = row.gradient;
  }
  if (half == 0) return kNotRun;
  return holds_if(output > 0.01, tr("scaled by 0.25 to 4 the output moves by {:.1g}; at half the weight the "
                                    "gradient is {:.2f} times as large",
                                    output, half));
}

ClaimResult larger_behind(const Trace& trace) {
  const auto rows = rows_in<DepthRow>(trace.find(kDepth));
  if (rows.empty()) return kNotRun;
  const DepthRow &first = rows.front(), &last = rows.back();
  return holds_if(last.post > last.pre, tr("in the last layer {:.3g} with norms behind, {:.3g} with norms "
                                           "before; in the first {:.3g} and {:.3g}",
                                           last.post, last.pre, first.post, first.pre));
}

std::string failed_check(const Trace& trace) {
  const int64_t unexplained = unexplained_bytes(trace.rows().ledger);
  return unexplained == 0 ? "" : tr("{} bytes are unexplained", unexplained);
}

std::vector<Gauge> gauges() {
  return {{tr("distance of plain batch norm"), "", [](const FigureInput& input) -> std::optional<double> {
             const double distance = distance_after(input.trace, kOwn, false);
             return std::isnan(distance) ? std::nullopt : std::optional(distance);
           }}};
}

}  // namespace

}  // namespace ringside::norms_lesson

namespace ringside::lessons::norms {

Lesson make_lesson() {
  using namespace ringside::norms_lesson;
  Lesson lesson;
  lesson.parameters = {
      number("ranks", "N, ranks as threads", "ranks", "4", 2, 4),
      number("batch", "samples of a step, over all ranks", "samples", "16", 4, 64),
      number("steps", "of each training", "steps", "12", 2, 100),
      number("layers", "of the model whose gradients are compared by depth", "layers", "12", 2, 24)};
  lesson.predictions = predictions();
  lesson.opening = [](const Config& config) -> std::vector<std::string> {
    return {tr("A block of {} samples, {} tokens and {} features. One number is changed.", kSamples, kTokens,
               kFeatures),
            tr("Then {} ranks train with batch norm on {} samples a step.", config.integer("ranks"),
               config.integer("batch"))};
  };
  lesson.claims = {
      {"axis", "B6", tr("without a norm features of large scale drown others: one steep axis"),
       one_steep_axis},
      {"padding", "B6", tr("batch norm would mix late tokens with padding zeros"), padding_mixes},
      {"alone", "B6", tr("layer norm is used because of padding: without padding batch norm would do"),
       padding_alone},
      {"one_model", "a common belief",
       tr("ranks with batch norm that average gradients train the model of one process"), one_model},
      {"shared", "torch.nn.SyncBatchNorm", tr("with shared statistics they do"), shared_is_one_model},
      {"decay", "a common belief", tr("weight decay before a norm makes the function smaller"),
       decay_is_a_rate},
      {"depth", "arXiv:2002.04745",
       tr("near the output norms behind the sub-layers give larger gradients than norms before"),
       larger_behind},
      claim_of_times("rms", "arXiv:1910.07467", tr("RMS norm takes less time than layer norm"),
                     {kTimes, kLayerNorm, kRmsNorm, 1.0, 1e9}),
      claim_of_times("step", "a common belief", tr("a whole step with RMS norm is at least 7 % faster"),
                     {kTimes, kLayerStep, kRmsStep, 1.07, 1e9})};
  lesson.figures = figures();
  lesson.gauges = gauges();
  lesson.words = {tr("The first number is being changed."), tr("Now look at which outputs move."), tr("step"),
                  "step"};
  lesson.failed_check = failed_check;
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::norms
