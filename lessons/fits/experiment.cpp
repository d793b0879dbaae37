// Does a 7B model train on 8 cards of 80 GB? State by the formula, compared with counted bytes; activations
// counted in small models, fitted, and scaled.
#include "embedded.h"
#include "parts.h"
#include "ringside/comm/link_model.h"

namespace ringside::lessons::fits {

using namespace figure;

CardBudget budget_of(const Config& config) {
  CardBudget budget = card_budget(config.text("model"));
  budget.cards = int(config.integer("cards"));
  budget.stage = int(config.integer("stage"));
  budget.memory = config.real("memory") * kGiga;
  budget.tokens = config.integer("tokens");
  return budget;
}

namespace {

// The largest micro-batch is that of this engine's layer, or of what somebody counts in its place.
std::vector<Symbol> symbols(const Config& config) {
  const CardBudget budget = budget_of(config);
  const ActivationTerms layer = listed_terms(budget.model.text);
  const auto most = [&](const std::string& name, const ActivationTerms& terms) {
    return Symbol{name, tr("sequences"), double(budget.most(budget.state().total(), budget.sequence(terms)))};
  };
  return {{"Ψ", tr("10^9 parameters"), budget.parameters / kGiga},
          most("most", layer),
          most("most of inputs", kInputTerms),
          most("most without scores", layer.without_scores()),
          most("most by the paper", kPaperTerms)};
}

// "qwen2_5_7b" times 16: 112 instead of 122. NaN where the number in the name is far from Ψ.
double by_the_name(const Config& config) {
  const CardBudget budget = budget_of(config);
  const std::string& name = budget.model.source;
  const double billions = std::atof(name.c_str() + name.rfind('_') + 1), exact = budget.parameters / 1e9;
  return std::abs(billions - exact) > 0.25 * exact ? NAN : 16 * billions;
}

Words stages_that_fit(double memory, const auto& state_of) {
  Words all;
  for (int stage = 0; stage < kStages; ++stage)
    if (state_of(stage) <= memory) all.push_back("stage " + std::to_string(stage));
  return all.empty() ? Words{"none"} : all;
}
Words measured_stages(const Trace& trace) {
  return stages_that_fit(row_of<CardRow>(trace).card,
                         [&](int stage) { return row_of<CardRow>(trace, stage).state(); });
}
Words stages_by_formula(const Config& config) {
  const CardBudget budget = budget_of(config);
  return stages_that_fit(budget.memory, [&](int stage) { return budget.state(stage).total(); });
}

Words largest_by_formula(const Config& config) {
  const CardBudget budget = budget_of(config);
  const StateBytes state = budget.state();
  const std::pair<double, const char*> parts[] = {
      {state.parameters, "parameters"},
      {state.gradients, "gradients"},
      {state.optimizer, "optimizer state"},
      {budget.sequence(listed_terms(budget.model.text)), "activations"}};
  return {std::ranges::max(parts, {}, [](const auto& part) { return part.first; }).second};
}

std::string gb(double bytes) { return tr("{:.1f}", bytes / kGiga); }

// 0 where it is still asked for, or not measured yet.
double sequence_told(const FigureInput& input) {
  const auto fit = rows_in<FitRow>(input.trace);
  return input.is_open("dominates") || fit.empty() ? 0 : fit.front().sequence;
}

Value card(const FigureInput& input) {
  const double sequence = sequence_told(input);
  Bars bars{{tr("on one card"), "GB"},
            {{tr("parameters"), Ink::kParameters},
             {tr("gradients"), Ink::kGradients},
             {tr("optimizer state"), Ink::kOptimizer}},
            {}};
  if (sequence > 0) bars.parts.push_back({tr("activations of one sequence"), Ink::kActivations});
  for (const CardRow& row : rows_in<CardRow>(input.trace)) {
    std::vector<double> parts = {row.parameters / kGiga, row.gradients / kGiga, row.optimizer / kGiga};
    if (sequence > 0) parts.push_back(sequence / kGiga);
    const double left = row.card - row.state() - sequence;
    bars.limit = Mark{tr("a card"), row.card / kGiga};
    bars.rows.push_back({tr("stage {}", row.stage), std::move(parts),
                         left < 0 ? tr("too much") : tr("{} GB left", gb(left))});
  }
  return bars;
}

std::vector<Attribute> card_sentence(const FigureInput& input) {
  const double sequence = sequence_told(input);
  std::vector<int64_t> fit;
  for (const CardRow& row : rows_in<CardRow>(input.trace))
    if (row.state() + sequence <= row.card) fit.push_back(row.stage);
  const CardRow zero = row_of<CardRow>(input.trace, 0);
  const std::string stages =
      fit.empty() ? tr("no stage") : tr("{} {}", fit.size() == 1 ? "stage" : "stages", fmt::join(fit, ", "));
  return {gb(zero.card), sequence > 0 ? tr("the state and one sequence") : tr("the state"), stages,
          gb(zero.state() + sequence)};
}

// The optimizer's state in the host's memory: bf16 gradients go there and bf16 parameters come back, once a
// step. Ren et al. 2021, ZeRO-Offload, arXiv:2101.06840.
Value offload(const FigureInput& input) {
  const CardBudget budget = budget_of(input.config);
  const double share = 2 * budget.parameters / budget.cards, share_gb = share / kGiga;
  const double wait = 2 * parse_link("pcie").seconds(1, int64_t(share));
  Table table{columns({"stage", "freed on the card [GB]", "gradients down [GB]", "parameters up [GB]",
                       "over pcie, calculated [s]"}),
              {}};
  for (int stage = 1; stage < kStages; ++stage) {
    if (stage == budget.stage) table.lit = {table.rows.size()};
    const TableCell freed = cell(budget.state(stage).optimizer / kGiga, 1);
    table.rows.push_back(cells(stage, freed, share_gb, share_gb, wait));
  }
  return table;
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"),
                   {.checks = {{"model", [](const std::string& model) { named_model(model); }}},
                    .run = run,
                    .questions = {{.id = "state_one_card", .wrong = {by_the_name}},
                                  {"fits", measured_stages, stages_by_formula},
                                  {.id = "dominates", .right = largest_by_formula}},
                    .symbols = symbols,
                    .figures = {{"card", card, card_sentence}, {"offload", offload}}});
}

}  // namespace ringside::lessons::fits
