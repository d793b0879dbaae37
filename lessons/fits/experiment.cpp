// Does a 7B model train on 8 cards of 80 GB? State by the formula, compared with counted bytes; activations
// counted in small models, fitted, and scaled.

#include "embedded.h"
#include "parts.h"
#include "ringside/comm/link_model.h"

namespace ringside::lessons::fits {
namespace {

using namespace figure;

// ---- Questions ----------------------------------------------------------------------

std::vector<Symbol> symbols(const Config& config) {
  return {{"Ψ", tr("10^9 parameters"), budget_of(config).parameters / kGiga}};
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
  return stages_where([&](int stage) {
    const CardRow row = row_of<CardRow>(trace, stage);
    return row.state() <= row.card;
  });
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
FitRow fit_of(const Trace& trace) { return row_of<FitRow>(trace); }
CardRow asked_card(const Trace& trace) { return row_of<CardRow>(trace, fit_of(trace).stage); }

Words dominates(const Trace& trace) { return largest(asked_card(trace).bytes(), fit_of(trace).sequence); }
Words dominates_by_formula(const Config& config) {
  const Budget budget = budget_of(config);
  return largest(budget.state(budget.stage), budget.one(by_listing(budget)));
}

double most_sequences(const Trace& trace) {
  const CardRow card = asked_card(trace);
  return double(most(card.card, card.state(), fit_of(trace).sequence));
}
// With these coefficients; none: those of this engine's layer, with or without the scores.
ByScenario most_with(std::optional<Coefficients> of, bool scores = true) {
  return [=](const Config& config) {
    const Budget budget = budget_of(config);
    Coefficients layer = of.value_or(by_listing(budget));
    if (!scores) layer.scores = 0;
    return double(most(budget.memory, budget.state(budget.stage).total(), budget.one(layer)));
  };
}

std::vector<QuestionOf> questions() {
  return {{.id = "state_one_card", .wrong = {by_the_name}},
          {"fits", stages_that_fit, stages_by_formula},
          {"dominates", dominates, dominates_by_formula},
          {.id = "most",
           .measured = most_sequences,
           .right = most_with({}),
           .wrong = {most_with(kInputs), most_with({}, false), most_with(kPaper)}}};
}

// ---- Figures ------------------------------------------------------------------------

std::string gb(double bytes) { return tr("{:.1f}", bytes / kGiga); }
TableCell gb_cell(double bytes, int decimals = 2) { return cell(bytes / kGiga, decimals); }

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
  return {gb(zero.card), sequence > 0 ? tr("the state and one sequence") : tr("the state"),
          fit.empty() ? tr("no stage") : tr("stage {}", fmt::join(fit, ", ")), gb(zero.state() + sequence)};
}

// The fit without the attention's scores, as kernels compute it that never store them (FlashAttention).
Coefficients without_scores(const Coefficients& fit) { return {fit.hidden, 0}; }

Value micro_batches(const FigureInput& input) {
  const Coefficients fit = fit_of(input.trace).fit();
  const Budget budget = budget_of(input.config);
  Table table{
      columns({"stage", "left [GB]", "largest micro-batch []", "scores not stored []", "checkpointed []"}),
      {}};
  for (const CardRow& row : rows_in<CardRow>(input.trace)) {
    const double state = row.state();
    if (row.stage == budget.stage) table.lit.push_back(table.rows.size());
    table.rows.push_back(cells(row.stage, gb_cell(budget.memory - state, 1),
                               most(budget.memory, state, budget.one(fit)),
                               most(budget.memory, state, budget.one(without_scores(fit))),
                               most(budget.memory, state, budget.checkpointed(fit))));
  }
  return table;
}

std::vector<Attribute> micro_sentence(const FigureInput& input) {
  return {input.config.integer("tokens"), gb(fit_of(input.trace).sequence),
          gb(budget_of(input.config).logits())};
}

Value over_sequences(const FigureInput& input) {
  const Coefficients fit = fit_of(input.trace).fit();
  const Budget budget = budget_of(input.config);
  const double state = row_of<CardRow>(input.trace, budget.stage).state();
  Lines lines{{tr("sequences of a micro-batch")}, {tr("on one card"), "GB", true}, {}};
  const auto line = [&](std::string name, Ink ink, double a_sequence) {
    lines.lines.push_back({std::move(name), ink, Stroke::kFormula});
    for (int b = 1; b <= 16; ++b)
      lines.lines.back().points.push_back({double(b), (state + b * a_sequence) / kGiga});
  };
  line(tr("all kept"), hue(3), budget.one(fit));
  line(tr("no scores"), hue(1), budget.one(without_scores(fit)));
  line(tr("checkpointed"), hue(0), budget.checkpointed(fit));
  lines.marks = {{tr("a card"), budget.memory / kGiga, false}, {tr("state alone"), state / kGiga, false}};
  return lines;
}

// The optimizer's state in the host's memory: bf16 gradients go there and bf16 parameters come back, once a
// step. Ren et al. 2021, ZeRO-Offload, arXiv:2101.06840.
Value offload(const FigureInput& input) {
  const Budget budget = budget_of(input.config);
  const double share = 2 * budget.parameters / budget.cards;
  const double wait = 2 * parse_link("pcie").seconds(1, int64_t(share));
  Table table{columns({"stage", "freed on the card [GB]", "gradients down [GB]", "parameters up [GB]",
                       "over pcie, calculated [s]"}),
              {}};
  for (int stage = 1; stage < kStages; ++stage) {
    if (stage == budget.stage) table.lit = {table.rows.size()};
    table.rows.push_back(
        cells(stage, gb_cell(budget.state(stage).optimizer, 1), gb_cell(share), gb_cell(share), wait));
  }
  return table;
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

// What the printed summary says beside the first figure.
std::vector<Readout> readouts(const FigureInput& input) {
  if (!input.open.empty()) return {};
  const FitRow fit = fit_of(input.trace);
  const Budget budget = budget_of(input.config);
  const double state = asked_card(input.trace).state(), checkpointed = budget.checkpointed(fit.fit());
  return {{tr("state, stage {}", budget.stage), tr("{} GB", gb(state))},
          {tr("activations of one sequence"), tr("{} GB", gb(fit.sequence))},
          {tr("largest micro-batch"),
           tr("{}; checkpointed {} (calculated)", most(budget.memory, state, fit.sequence),
              most(budget.memory, state, checkpointed))},
          {tr("filled on a card"),
           tr("{:g} GB, which are {:.1f} GiB", budget.memory / kGiga, budget.memory / double(1 << 30))}};
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"), {.checks = {{"model", validate_model}},
                                           .run = run,
                                           .questions = questions(),
                                           .symbols = symbols,
                                           .figures = {{"card", card, card_sentence},
                                                       {"micro", micro_batches, micro_sentence},
                                                       {"batch", over_sequences},
                                                       {"offload", offload}},
                                           .readouts = readouts,
                                           .opening = opening});
}

}  // namespace ringside::lessons::fits
