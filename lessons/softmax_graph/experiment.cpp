// What nn::Softmax adds to the function (nothing to the graph), and what log_softmax saves.
#include <fmt/format.h>

#include <cmath>

#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/tr.h"
#include "rows.h"

namespace ringside::lessons::softmax_graph {
namespace {

using namespace ringside::softmax_graph;

const ClaimResult kNotRun = not_testable(tr("it was not run"));

bool is_fp32(const Config& config) { return config.text("precision") == "fp32"; }

// ---- Measured ---------------------------------------------------------------------

std::optional<double> added_nodes(const Trace& trace) {
  const auto module = nodes_of(trace, kModule), function = nodes_of(trace, kFunction);
  if (module.empty() || function.empty()) return std::nullopt;
  return static_cast<double>(module.size()) - static_cast<double>(function.size());
}

// In sizes of x, what is still allocated.
std::optional<double> kept(const Trace& trace, const char* program) {
  const SectionView* section = trace.find(kGraphs);
  if (section == nullptr || !section->has(program)) return std::nullopt;
  return section->number(program) / section->number(kBytesOfX);
}

std::optional<Words> kept_by_softmax(const Trace& trace) {
  for (const NodeRow& node : nodes_of(trace, kFunction))
    if (!node.saved.empty()) return Words{node.keeps_x ? "x" : "the result"};
  return std::nullopt;
}

// ---- Predictions ------------------------------------------------------------------

std::vector<PredictionSpec> predictions() {
  // log p is -inf where p rounds to 0: below half of the smallest number, 2^-149 or 2^-1074.
  const auto smallest = [](const Config& config) { return (is_fp32(config) ? 150 : 1075) * std::log(2.0); };
  const auto overflow = [](const Config& config) { return is_fp32(config) ? 128 * std::log(2.0) : NAN; };
  const auto epsilon = [](const Config& config) { return (is_fp32(config) ? 24 : 53) * std::log(2.0); };
  return {
      ask("added_nodes", tr("How many nodes does nn::Softmax put on the graph beyond those of softmax()?"),
          {.unit = tr("nodes"),
           .right = 0,
           .wrong = {{tr("the class adds a node"), 1}},
           .measured = added_nodes,
           .around =
               {tr("nodes"),
                tr("Autograd records the operator that runs, not the class that calls it. The module calls "
                   "the same function, so both graphs have the same nodes."),
                "graph"},
           .whole = true}),
      ask("kept_by_softmax", tr("What does softmax keep for backward?"),
          {.right = {"the result"},
           .options = {"x", "the result", "both", "neither"},
           .wrong = {{tr("every derivative needs the input"), {"x"}},
                     {tr("the derivative is in x and the result"), {"both"}}},
           .measured = kept_by_softmax,
           .around =
               {tr("kept by softmax"),
                tr("The derivative is p (g - sum of p g), with the result p and the gradient g that comes "
                   "in. There is no x in it."),
                "graph"}}),
      ask("kept_under_a_loss",
          tr("How many times the memory of x does nll_loss(log(softmax(x))) keep for backward?"),
          {.unit = tr("sizes of x"),
           .right = 2,
           .wrong = {{tr("each node keeps a copy of its own"), 3}, {tr("as much as log_softmax"), 1}},
           .measured = [](const Trace& trace) { return kept(trace, kComposed); },
           .figure = "graphs",
           .around =
               {tr("kept under a loss"),
                tr("softmax keeps p and log keeps the same p: one memory. The loss keeps log p, which is a "
                   "second one.")}}),
      {.id = "infinite_from",
       .question = tr("One logit is 0, the others -s. From which s on is log(softmax(x)) -inf?"),
       .unit = tr("nats"),
       .formula = smallest,
       .wrong = {{tr("where exp overflows"), overflow}, {tr("where 1 - p rounds to 1"), epsilon}},
       .measured = infinite_from,
       .name = tr("-inf"),
       .why = tr("The least probability is nearly e^-s. Below half of the smallest number of the format it "
                 "rounds to "
                 "0, and the logarithm of 0 is -inf.")}};
}

// ---- Claims -----------------------------------------------------------------------

ClaimResult same_graph(const Trace& trace) {
  const auto module = nodes_of(trace, kModule), function = nodes_of(trace, kFunction);
  if (module.empty() || function.empty()) return kNotRun;
  std::string names;
  bool same = module.size() == function.size();
  for (size_t i = 0; i < module.size(); ++i) {
    same = same && module[i].node == function[i].node && module[i].saved == function[i].saved;
    names += (names.empty() ? "" : ", ") + module[i].node;
  }
  return holds_if(same, tr("{} nodes and {}: {}", module.size(), function.size(), names));
}

ClaimResult fused_keeps_half(const Trace& trace) {
  const auto fused = kept(trace, kFused), composed = kept(trace, kComposed);
  if (!fused || !composed) return kNotRun;
  return holds_if(*fused < 0.6 * *composed,
                  tr("{:.2f} against {:.2f} sizes of x still allocated", *fused, *composed));
}

// The worst relative errors before anything is infinite.
ClaimResult fused_keeps_digits(const Trace& trace) {
  double least = 0, greatest = 0;
  bool infinite = false;
  const auto from = infinite_from(trace);
  for (const DigitsRow& row : digits_of(trace, true)) {
    least = std::max(least, row.least);
    greatest = std::max(greatest, row.greatest);
    infinite = infinite || row.infinite;
  }
  if (least == 0) return kNotRun;
  std::string evidence = tr(
      "log_softmax is at most {:.1e} off for the least logit and {:.1e} for the greatest", least, greatest);
  if (from) evidence += tr("; log(softmax) is -inf from a spread of {:.0f} on", *from);
  if (infinite || least > 1e-3) return {Verdict::kFails, evidence};
  return {greatest < 1e-3 ? Verdict::kHolds : Verdict::kPartly, evidence};
}

ClaimResult only_that_loss(const Trace& trace) {
  int64_t most = 0;
  for (const DigitsRow& row : digits_of(trace, false)) most = std::max(most, row.spoilt);
  if (!infinite_from(trace)) return kNotRun;
  return holds_if(most == 0, tr("up to {} of 8 elements of the row's gradient are not finite", most));
}

// What a program's graph keeps for backward, each storage once.
std::optional<double> kept_bytes(const Trace& trace, const std::string& program) {
  double bytes = 0;
  for (const NodeRow& node : nodes_of(trace, program)) bytes += static_cast<double>(node.new_bytes);
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

std::vector<Gauge> gauges() {
  return {
      {tr("log_softmax keeps"), tr("bytes"),
       [](const FigureInput& input) { return kept_bytes(input.trace, kFused); }},
      {tr("log(softmax) keeps"), tr("bytes"),
       [](const FigureInput& input) { return kept_bytes(input.trace, kComposed); }},
      {tr("-inf from a spread of"), "", [](const FigureInput& input) { return infinite_from(input.trace); }}};
}

}  // namespace

Lesson make_lesson() {
  Lesson lesson;
  lesson.parameters = {
      number("rows", "of x", "", "64", 1, 1024),
      number("classes", "logits in a row of x", "", "1000", 2, 10000),
      choice("precision", "of x", "fp32", {"fp32", "fp64"}),
  };
  lesson.predictions = predictions();
  lesson.claims = {
      {"same_node", "B3", tr("module and function put the same operator on the graph"), same_graph},
      {"kept", "B3", tr("log_softmax halves what a loss keeps for backward"), fused_keeps_half},
      {"digits", "torch.nn.LogSoftmax", tr("log_softmax keeps the digits that log(softmax) loses"),
       fused_keeps_digits},
      {"gradient", "B3", tr("a log p of -inf leaves the other gradients alone"), only_that_loss}};
  lesson.figures = figures();
  lesson.readouts = readouts;
  lesson.gauges = gauges();
  lesson.words = {tr("The first graph is being built."), tr("Now walk through the graphs."), tr("step"),
                  "step"};
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::softmax_graph
