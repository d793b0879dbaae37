// Activation checkpointing with and without ZeRO: what it saves, what it costs, what it leaves alone.
#include <fmt/format.h>

#include <cmath>

#include "parts.h"
#include "ringside/base/units.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/fields.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/ratio_claim.h"
#include "ringside/lesson/tr.h"
#include "ringside/planner/distribution.h"

namespace ringside::lessons::recompute {
namespace {

using namespace recompute_lesson;

const ClaimResult kNotRun = not_testable(tr("it was not run"));
constexpr char kInputsAndLayer[] = "L x + k", kOneLayer[] = "x + k", kInputs[] = "L x", kHalf[] = "L k / 2",
               kEverything[] = "L k";
constexpr char kSame[] = "every bit is the same", kDigits[] = "the last digits differ",
               kLoss[] = "the loss differs";

std::string bytes(double count) { return format_bytes(count); }

// ---- Measured ---------------------------------------------------------------------

// Which formula is nearest to the measured peak of the largest model.
std::optional<Words> nearest_peak(const Trace& trace) {
  const auto peaks = peaks_of(trace);
  if (!peaks) return std::nullopt;
  const double L = static_cast<double>(peaks->layers.back()), x = peaks->input, k = peaks->layer;
  const double counted = peaks->on.back() - peaks->rest;
  std::pair<double, std::string> best = {INFINITY, ""};
  for (const auto& [formula, value] : {std::pair{kInputsAndLayer, L * x + k},
                                       {kOneLayer, x + k},
                                       {kInputs, L * x},
                                       {kHalf, L * k / 2},
                                       {kEverything, L * k}})
    best = std::min(best, {std::abs(counted - value), formula});
  return Words{best.second};
}

std::optional<double> gathers(const Trace& trace) {
  const auto passes = passes_of(trace, stage_section(3, true));
  return passes ? std::optional(passes->gathers) : std::nullopt;
}

// A backward counts as two forwards.
std::optional<double> compute(const Trace& trace) {
  const auto off = passes_of(trace, stage_section(0, false)), on = passes_of(trace, stage_section(0, true));
  if (!off || !on) return std::nullopt;
  const auto passes = [](const Passes& p) { return p.forward + p.again + 2 * p.backward; };
  return passes(*on) / passes(*off);
}

struct Pairs {  // of the stages that were run both ways
  int64_t all = 0, same = 0;
};
Pairs pairs_with_same_bits(const Trace& trace) {
  Pairs pairs;
  for (const int64_t stage : {0, 1, 2, 3}) {
    const auto off = passes_of(trace, stage_section(stage, false)),
               on = passes_of(trace, stage_section(stage, true));
    if (!off || !on) continue;
    ++pairs.all;
    pairs.same += off->hash == on->hash ? 1 : 0;
  }
  return pairs;
}

std::optional<Words> bits(const Trace& trace) {
  const Pairs pairs = pairs_with_same_bits(trace);
  if (pairs.all == 0) return std::nullopt;
  return Words{pairs.same == pairs.all ? kSame : kDigits};
}

// ---- Predictions ------------------------------------------------------------------

PredictionSpec question_of_peak() {
  PredictionSpec spec =
      ask("peak",
          tr("L layers get x bytes each and keep k bytes each for backward. With "
             "checkpointing, what is alive at the peak?"),
          {.right = {kInputsAndLayer},
           .options = {kInputsAndLayer, kOneLayer, kInputs, kHalf},
           .wrong = {{tr("the inputs are not kept either"),
                      {kOneLayer},
                      tr("The second forward of a layer starts from its input. It has to be there.")},
                     {tr("the second forward needs no memory"),
                      {kInputs},
                      tr("The second forward records what backward needs: one layer's activations.")},
                     {tr("it halves the activations"),
                      {kHalf},
                      tr("What is saved grows with L: all but one layer's activations.")}},
           .measured = nearest_peak,
           .around = {
               tr("peak of activations"),
               tr("Forward keeps each layer's input. Backward computes one layer's activations again, uses "
                  "them and frees them before the next layer."),
               "cost"}});
  spec.context = tr("x is a layer's input, k is all that its backward reads.");
  return spec;
}

std::vector<PredictionSpec> predictions() {
  PredictionSpec gather = ask(
      "gathers", tr("ZeRO-3 with checkpointing: how often is a layer gathered in one micro-batch?"),
      {.unit = tr("gathers"),
       .right = 2,
       .wrong = {{tr("the second forward gathers for itself"), 3}, {tr("the layer stays since forward"), 1}},
       .measured = gathers,
       .around =
           {tr("gathers, stage 3"),
            tr("The second forward and the backward of a layer follow each other. One gather in backward "
               "serves both."),
            "cost"},
       .whole = true});
  gather.more =
      tr("PyTorch issue 105635 and transformers issue 30404 show programs that gather three times.");
  PredictionSpec more = ask(
      "compute",
      tr("A layer's backward computes as much as two forwards. How many times as much does a step compute "
         "with checkpointing?"),
      {.unit = tr("times"),
       .right = 4.0 / 3,
       .wrong = {{tr("everything is computed twice"), 2},
                 {tr("a backward is one forward long"), 1.5},
                 {tr("it costs nothing"), 1}},
       .measured = compute,
       .around = {tr("compute"),
                  tr("A step is a forward and a backward as long as two: 3 forwards. The second forward "
                     "makes it 4."),
                  "cost"}});
  return {question_of_peak(), std::move(gather), std::move(more),
          ask("bits", tr("After some steps, how do the parameters differ from those without checkpointing?"),
              {.right = {kSame},
               .options = {kSame, kDigits, kLoss},
               .wrong = {{tr("computed twice is rounded twice"), {kDigits}},
                         {tr("checkpointing approximates"), {kLoss}}},
               .measured = bits,
               .around = {tr("bits"),
                          tr("The second forward runs the same operations on the same values, so it has the "
                             "same bits. A layer that draws random numbers has to draw the same ones again."),
                          "cost"}})};
}

// ---- Claims -----------------------------------------------------------------------

ClaimResult gathers_three_times(const Trace& trace) {
  const auto off = passes_of(trace, stage_section(3, false)), on = passes_of(trace, stage_section(3, true));
  if (!off || !on || on->gathers == 0) return kNotRun;
  return holds_if(on->gathers > off->gathers,
                  tr("{:g} gathers of a layer in a step with it, {:g} without; {} and {} sent by a rank",
                     on->gathers, off->gathers, bytes(on->sent), bytes(off->sent)));
}

ClaimResult changes_bits(const Trace& trace) {
  const Pairs pairs = pairs_with_same_bits(trace);
  if (pairs.all == 0) return kNotRun;
  return holds_if(pairs.same < pairs.all,
                  tr("{} of {} stages end with the same bits", pairs.same, pairs.all));
}

ClaimResult one_more_forward(const Trace& trace) {
  const auto on = passes_of(trace, stage_section(0, true));
  if (!on) return kNotRun;
  return holds_if(on->forward == on->again && on->backward == on->forward,
                  tr("a layer's passes in a step: {:g} forward, {:g} forward again, {:g} backward",
                     on->forward, on->again, on->backward));
}

ClaimResult peak_as_claimed(const Trace& trace) {
  const auto peaks = peaks_of(trace);
  if (!peaks) return kNotRun;
  const double counted = peaks->on.back() - peaks->rest;
  const double formula = static_cast<double>(peaks->layers.back()) * peaks->input + peaks->layer;
  return holds_if(std::abs(counted - formula) < 0.1 * formula,
                  tr("L = {}: {} counted, {} by the formula with x = {} and k = {}", peaks->layers.back(),
                     bytes(counted), bytes(formula), bytes(peaks->input), bytes(peaks->layer)));
}

ClaimResult a_third_longer(const Trace& trace) {
  const SectionView* times = trace.find(kTimes);
  return judge_ratio(ns_of(times, kOn), ns_of(times, kOff), 1.25, 1.42, tr("times the CPU time of a step"));
}

std::string failed_check(const Trace& trace) {
  const int64_t unexplained = unexplained_bytes(trace.rows().ledger);
  if (unexplained != 0) return tr("{} bytes are unexplained", unexplained);
  const Pairs pairs = pairs_with_same_bits(trace);
  return pairs.same == pairs.all ? "" : tr("checkpointing changed bits");
}

// Of the scenario's stage, checkpointing on.
Gauge gauge(std::string name, double Passes::*field) {
  return {std::move(name), tr("bytes"), [field](const FigureInput& input) -> std::optional<double> {
            const auto on = passes_of(input.trace, stage_section(input.config.integer("stage"), true));
            return on ? std::optional((*on).*field) : std::nullopt;
          }};
}

}  // namespace

Lesson make_lesson() {
  Lesson lesson;
  ParameterSpec stage = spec_of_field<Distribution>("stage");
  stage.default_value = std::to_string(3);
  lesson.parameters = {std::move(stage),
                       number("ranks", "N, ranks as threads", "ranks", "4", 2, 8),
                       spec_of_field<Distribution>("precision"),
                       number("layers", "L", "", "8", 2, 32),
                       number("batch", "sequences of a micro-batch on each rank", "sequences", "4", 1, 64),
                       number("tokens", "T, of each sequence", "tokens", "64", 4, 512),
                       choice("hidden", "H", "64", {"32", "64", "128", "256"})};
  lesson.predictions = predictions();
  lesson.claims = {
      {"gathers", "pytorch issue 105635", tr("with checkpointing, ZeRO-3 gathers a layer a third time"),
       gathers_three_times},
      {"bits", tr("a common belief"), tr("checkpointing changes the result"), changes_bits},
      {"forward", "arXiv:1604.06174", tr("it costs one more forward pass"), one_more_forward},
      {"peak", "arXiv:1604.06174", tr("it keeps each layer's input, and one layer's activations at a time"),
       peak_as_claimed},
      {"time", "arXiv:1910.02054, 3.2", tr("it costs 33 % more (1.25 to 1.42 times as long)"),
       a_third_longer}};
  lesson.figures = figures();
  lesson.readouts = readouts;
  lesson.gauges = {gauge(tr("peak of activations"), &Passes::activations),
                   gauge(tr("peak of everything"), &Passes::total), gauge(tr("sent a step"), &Passes::sent)};
  lesson.words.watch = tr("Now watch what forward keeps and what backward computes again.");
  lesson.run = run;
  lesson.failed_check = failed_check;
  return lesson;
}

}  // namespace ringside::lessons::recompute
