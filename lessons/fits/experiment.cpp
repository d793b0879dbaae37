// Does a 7B model train on 8 cards of 80 GB? State by the formula, compared with counted bytes; activations
// counted in small models, fitted, and scaled.

#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::fits {
namespace {

// ---- Questions ----------------------------------------------------------------------

double state_one_card(const Trace& trace) { return state_row(trace, 0).scaled_state() / kGiga; }
ByScenario bytes_a_parameter(double bytes) {
  return [bytes](const Config& config) { return bytes * budget_of(config).parameters / kGiga; };
}
// "qwen2_5_7b" times 16: 112 instead of 122. NaN where the number in the name is far from Ψ.
double by_the_name(const Config& config) {
  const Budget budget = budget_of(config);
  const std::string& name = budget.model.source;
  const double billions = std::atof(name.c_str() + name.rfind('_') + 1), exact = budget.parameters / 1e9;
  return std::abs(billions - exact) > 0.25 * exact ? NAN : 16 * billions;
}

Words stages_where(const auto& fits) {
  Words all;
  for (int stage = 0; stage < kStages; ++stage)
    if (fits(stage)) all.push_back("stage " + std::to_string(stage));
  return all.empty() ? Words{"none"} : all;
}
Words stages_that_fit(const Trace& trace) {
  const auto rows = rows_in<StateRow>(trace);
  if (rows.size() < kStages) return {};
  return stages_where(
      [&](int stage) { return rows[size_t(stage)].scaled_state() <= rows[size_t(stage)].card_bytes; });
}
Words stages_by_formula(const Config& config) {
  const Budget budget = budget_of(config);
  return stages_where([&](int stage) { return budget.state(stage).total() <= budget.memory; });
}

Words largest(const StateBytes& state, double activations) {
  const double parts[] = {state.parameters, state.gradients, state.optimizer, activations};
  const char* words[] = {"parameters", "gradients", "optimizer state", "activations"};
  return {words[std::max_element(std::begin(parts), std::end(parts)) - std::begin(parts)]};
}
Words dominates(const Trace& trace) {
  const auto& [row, sequence] = asked_of(trace);
  return largest(
      {row.scaled(row.parameter_bytes), row.scaled(row.gradient_bytes), row.scaled(row.optimizer_bytes)},
      sequence);
}
Words dominates_by_formula(const Config& config) {
  const Budget budget = budget_of(config);
  return largest(budget.state(budget.stage), budget.one(by_listing(budget)));
}

double most_sequences(const Trace& trace) {
  const auto& [row, sequence] = asked_of(trace);
  return std::max(0.0, std::floor((row.card_bytes - row.scaled_state()) / sequence));
}
constexpr Coefficients kInputs{2, 0};  // a layer's input alone, in bf16
// With these coefficients; none: those of this engine's layer, with or without the scores.
ByScenario most_with(std::optional<Coefficients> of, bool scores = true) {
  return [=](const Config& config) {
    const Budget budget = budget_of(config);
    Coefficients layer = of.value_or(by_listing(budget));
    if (!scores) layer.scores = 0;
    return double(budget.most(budget.state(budget.stage).total(), budget.one(layer)));
  };
}

std::vector<QuestionOf> questions() {
  return {{.id = "state_one_card",
           .measured = state_one_card,
           .right = bytes_a_parameter(16),
           .wrong = {bytes_a_parameter(2), bytes_a_parameter(4), bytes_a_parameter(18), by_the_name,
                     bytes_a_parameter(12)}},
          {"fits", stages_that_fit, stages_by_formula},
          {"dominates", dominates, dominates_by_formula},
          {.id = "most",
           .measured = most_sequences,
           .right = most_with({}),
           .wrong = {most_with(kInputs), most_with({}, false), most_with(kPaper)}}};
}

// ---- Claims -------------------------------------------------------------------------

ClaimResult formula_is_counted(const Trace& trace) {
  std::string bytes;
  bool holds = true;
  const auto rows = rows_in<StateRow>(trace);
  if (rows.size() < kStages) return {};
  for (const StateRow& row : rows) {
    holds = holds && row.predicted + row.padding == row.counted;
    bytes +=
        tr("{}{:.2f}", bytes.empty() ? "" : ", ", double(row.counted - row.padding) / double(row.parameters));
  }
  return holds_if(holds, tr("{} bytes per parameter counted in stages 0 to 3, each byte predicted", bytes));
}

ClaimResult weights_suffice(const Trace& trace) {
  const StateRow row = state_row(trace, 0);
  const double weights = row.scaled(row.parameter_bytes) / kGiga, all = row.scaled_state() / kGiga,
               card = row.card_bytes / kGiga;
  const std::string evidence =
      tr("{:.1f} GB of weights, {:.1f} GB with gradients and optimizer state, a card filled to {:.1f} GB "
         "(scaled from "
         "counted bytes)",
         weights, all, card);
  if (weights > card) return not_testable(tr("the weights alone do not fit: {}", evidence));
  return holds_if(all <= card, evidence);
}

ClaimResult paper_form(const Trace& trace) {
  const Coefficients fit = needed(fitted(trace));
  const double error = largest_error(trace, fit);
  const std::string evidence =
      tr("fitted: {:.1f} + {:.2f} a s/h; the sizes kept aside are predicted within {:.1f} %", fit.hidden,
         fit.scores, 100 * error);
  const bool same =
      std::abs(fit.hidden / kPaper.hidden - 1) < 0.05 && std::abs(fit.scores / kPaper.scores - 1) < 0.05;
  if (error > 0.1 || same) return holds_if(error <= 0.1, evidence);
  return {Verdict::kPartly, tr("the form holds, its coefficients are of another layer; {}", evidence)};
}

ClaimResult zero_shards_activations(const Trace& trace) {
  const StateRow zero = state_row(trace, 0), three = state_row(trace, 3);
  if (zero.activations == 0) return {};
  const double ratio = double(three.activations) / double(zero.activations);
  return holds_if(ratio < 0.9,
                  tr("their peak in stage 3 is {:.2f} times that of stage 0, the state {:.2f} times", ratio,
                     three.scaled_state() / zero.scaled_state()));
}

// ---- Around -------------------------------------------------------------------------

std::vector<std::string> opening(const Config& config) {
  const Budget budget = budget_of(config);
  return {tr("{} has {:.2f} billion parameters: {:.1f} GB of weights in bf16.", budget.model.source,
             budget.parameters / 1e9, 2 * budget.parameters / kGiga),
          tr("There are {} cards, with {:g} GB each to be filled. Each trains on sequences of {} tokens, in "
             "stage {}.",
             budget.cards, budget.memory / kGiga, budget.sequence.s, budget.stage)};
}

double sequence_gb(const Trace& trace) { return sequence_bytes(trace) / kGiga; }
double last_state_gb(const Trace& trace) { return state_row(trace, 3).scaled_state() / kGiga; }

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"), {.checks = {{"model", validate_model}},
                                           .run = run,
                                           .questions = questions(),
                                           .claims = {{"formula", formula_is_counted},
                                                      {"weights", weights_suffice},
                                                      {"activations", paper_form},
                                                      {"shards", zero_shards_activations}},
                                           .figures = figures(),
                                           .gauges = {{"sequence", sequence_gb}, {"state", last_state_gb}},
                                           .readouts = readouts,
                                           .opening = opening});
}

}  // namespace ringside::lessons::fits
