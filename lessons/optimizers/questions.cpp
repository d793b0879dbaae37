// What is asked before the run.
#include <cmath>

#include "parts.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::optimizers_lesson {
namespace {

const Words kEnds = {"on the saddle, higher than it began", "at a minimum", "where it began: no step exists"};
std::optional<Words> newton_ends(const Trace& trace) {
  const auto end = end_of(trace, kSaddle, kNewton);
  if (!end) return std::nullopt;
  return Words{kEnds[!end->stopped.empty() ? 2 : end->last > end->first ? 0 : 1]};
}

const Words kCosts = {"about half of one", "about 2", "about 10", "one for each parameter"};
std::optional<Words> product_costs(const Trace& trace) {
  const auto ratio = product_against_gradient(trace);
  if (!ratio) return std::nullopt;
  return Words{kCosts[ratio->median < 1 ? 0 : ratio->median < 4 ? 1 : ratio->median < 100 ? 2 : 3]};
}

const Words kLengths = {"10 times shorter", "of the same length", "3 times longer", "30 times longer"};
std::optional<Words> without_correction(const Trace& trace) {
  const auto with = trial_at(trace, kConstant, "adam", 1), without = trial_at(trace, kUncorrected, "adam", 1);
  if (!with || !without) return std::nullopt;
  const double ratio = *without / *with;
  return Words{kLengths[ratio < 0.5 ? 0 : ratio < 2 ? 1 : ratio < 10 ? 2 : 3]};
}

const Words kShrinks = {"the one with small gradients", "the one with large gradients", "both alike"};
std::optional<Words> shrinks_by_l2(const Trace& trace) {
  const auto small = trial_at(trace, kDecay, "adam", kSmallGradient),
             large = trial_at(trace, kDecay, "adam", kLargeGradient);
  if (!small || !large) return std::nullopt;
  return Words{kShrinks[*small > *large + 5 ? 0 : *large > *small + 5 ? 1 : 2]};
}

Words names_of(bool (*are)(const OptimizerSpec&)) {
  Words names;
  for (const OptimizerSpec& spec : optimizer_specs())
    if (are(spec)) names.push_back(spec.name);
  return names;
}
bool sees_more(const OptimizerSpec& spec) { return spec.granularity != Granularity::kElement; }
std::optional<Words> see_more(const Trace& trace) {
  Words names;
  for (const StateRow& row : rows_in<StateRow>(trace))
    if (row.sees != kElement) names.push_back(row.rule);
  return names.empty() ? std::nullopt : std::optional(names);
}

PredictionSpec cards() {
  const auto bytes = [](double power) {
    return [power](const Config&) { return 4 * std::pow(model_parameters(), power) / 80e15; };
  };
  return {.id = "cards",
          .question = tr("How many million cards of 80 GB would hold the Hessian of a 7B model, in fp32?"),
          .unit = tr("million cards"),
          .formula = bytes(2),
          .wrong = {{tr("as large as the gradient"), bytes(1), {}, tr("It has a number for each pair.")},
                    {tr("a byte each"),
                     [=](const Config& config) { return bytes(2)(config) / 4; },
                     {},
                     tr("A number in fp32 has 4 bytes.")}},
          .name = tr("the Hessian of 7B"),
          .board = "newton",
          .context = tr("The model has {:.2f} billion parameters.", model_parameters() * 1e-9),
          .why = tr("n² numbers of 4 bytes. The matrix is symmetric, so half of them would do.")};
}

}  // namespace

std::vector<PredictionSpec> predictions() {
  return {
      ask("saddle", tr("Newton's method starts beside a saddle, a little downhill. Where does it end?"),
          {.right = {kEnds[0]},
           .options = kEnds,
           .wrong = {{tr("Newton minimises"), {kEnds[1]}, tr("It goes to a slope of 0, which a saddle has.")},
                     {tr("negative is singular"), {kEnds[2]}, tr("-1 has an inverse. Only 0 has none.")}},
           .measured = newton_ends,
           .figure = "paths",
           .around = {tr("beside a saddle"),
                      tr("The step divides the slope by the curvature. A negative one turns it: up."),
                      "newton"}}),
      ask("hv",
          tr("A gradient is a forward and a backward pass. How many gradients does H times a vector cost?"),
          {.right = {kCosts[1]},
           .options = kCosts,
           .wrong =
               {{tr("the matrix comes first"), {kCosts[3]}, tr("So many products give all of the matrix.")},
                {tr("one pass is half"), {kCosts[0]}, tr("The graph of the gradient is larger.")},
                {tr("a higher order"), {kCosts[2]}, tr("A pass costs a constant times its graph.")}},
           .measured = product_costs,
           .around = {tr("H v"),
                      tr("H v is the gradient of g·v. Of a matrix product forward makes 1, backward 2, and "
                         "backward through both makes 6: two gradients, or three backward passes."),
                      "newton"}}),
      cards(),
      ask("bias", tr("Adam without its bias correction: its first step would be"),
          {.right = {kLengths[2]},
           .options = kLengths,
           .wrong = {{tr("only m begins at 0"), {kLengths[0]}, tr("m is 0.1 g, and √v is 0.032 |g|.")},
                     {tr("both cancel"), {kLengths[1]}, tr("They are 0.1 and the root of 0.001.")},
                     {tr("only v begins at 0"), {kLengths[3]}, tr("m makes it 10 times shorter again.")}},
           .measured = without_correction,
           .around = {tr("bias correction"),
                      tr("m is 0.1 g, √v is 0.032 |g|: their quotient is 3.2. Corrected it is shorter."),
                      "steps"}}),
      ask("adagrad", tr("The gradient stays 1. How long is Adagrad's 100th step, of its first?"),
          {.unit = tr("of the first step"),
           .right = 0.1,
           .wrong = {{tr("it divides by the sum, not by its root"), 0.01}, {tr("adaptive, so it stays"), 1}},
           .measured = [](const Trace& trace) { return trial_at(trace, kConstant, "adagrad", 100); },
           .around = {tr("Adagrad after 100 steps"),
                      tr("After t steps the sum of squares is t, and the step is divided by √t."), "steps"}}),
      ask("l2", tr("Adam adds L2 to the gradient. Which of two weights shrinks more?"),
          {.right = {kShrinks[0]},
           .options = kShrinks,
           .wrong =
               {{tr("L2 is weight decay"), {kShrinks[2]}, tr("For SGD it is. Adam divides it by √v.")},
                {tr("large gradients shrink"), {kShrinks[1]}, tr("They make v large, and divide by it.")}},
           .measured = shrinks_by_l2,
           .around = {tr("L2 in Adam"),
                      tr("λ w is divided by √v as well. For large gradients hardly any is left."), "steps"}}),
      ask("cut", tr("Whose update sees more than one element, so that a shard may not cut it anywhere?"),
          {.kind = AnswerKind::kChoices,
           .right_by = [](const Config&) { return names_of(sees_more); },
           .options_by = [](const Config&) { return names_of([](const OptimizerSpec&) { return true; }); },
           .wrong = {{tr("adaptive ones see the whole gradient"),
                      names_of([](const OptimizerSpec& spec) { return is_adaptive(spec.name); }),
                      tr("Adam's m and v are of each element alone.")},
                     {tr("only matrices are whole"), {"muon"}, tr("LAMB needs the norms of each tensor.")}},
           .measured = see_more,
           .around =
               {tr("what a shard may cut"),
                tr("ZeRO cuts flat buffers anywhere. A norm, a matrix or a dot product is of more.")}})};
}

}  // namespace ringside::optimizers_lesson
