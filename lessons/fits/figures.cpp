// What a card holds, which micro-batch fits, and what was counted.
#include "parts.h"
#include "ringside/comm/link_model.h"

namespace ringside::lessons::fits {
namespace {

using namespace figure;

constexpr int kMostSequences = 16;

std::string gb(double bytes) { return tr("{:.1f}", bytes / kGiga); }
TableCell gb_cell(double bytes, int decimals = 2) { return cell(bytes / kGiga, decimals); }
// ---- A card's memory, by stage ------------------------------------------------------

// 0 where it is still asked for, or not measured yet.
double sequence_told(const FigureInput& input) {
  return !input.is_open("dominates") && fitted(input.trace) ? sequence_bytes(input.trace) : 0;
}

Value card(const FigureInput& input) {
  const double sequence = sequence_told(input);
  Bars bars{{tr("on one card"), "GB"},
            {{tr("parameters"), Ink::kParameters},
             {tr("gradients"), Ink::kGradients},
             {tr("optimizer state"), Ink::kOptimizer}},
            {}};
  if (sequence > 0) bars.parts.push_back({tr("activations of one sequence"), Ink::kActivations});
  for (const StateRow& row : rows_in<StateRow>(input.trace)) {
    std::vector<double> parts = {row.parameter_bytes, row.gradient_bytes, row.optimizer_bytes};
    for (double& part : parts) part = row.scaled(part) / kGiga;
    if (sequence > 0) parts.push_back(sequence / kGiga);
    const double left = row.card_bytes - row.scaled_state() - sequence;
    bars.limit = Mark{tr("a card"), row.card_bytes / kGiga};
    bars.rows.push_back({tr("stage {}", row.stage), std::move(parts),
                         left < 0 ? tr("too much") : tr("{} GB left", gb(left))});
  }
  return bars;
}

std::string card_sentence(const FigureInput& input) {
  const double sequence = sequence_told(input);
  std::vector<std::string> fit;
  for (const StateRow& row : rows_in<StateRow>(input.trace))
    if (row.scaled_state() + sequence <= row.card_bytes) fit.push_back(std::to_string(row.stage));
  const StateRow zero = state_row(input.trace, 0);
  return tr("A card of {} GB holds {} in {}. Stage 0 takes {} GB.", gb(zero.card_bytes),
            sequence > 0 ? tr("the state and one sequence") : tr("the state"),
            fit.empty() ? tr("no stage") : tr("stage {}", fmt::join(fit, ", ")),
            gb(zero.scaled_state() + sequence));
}

// ---- Which micro-batch fits ---------------------------------------------------------

// The fit without the attention's scores, as kernels compute it that never store them (FlashAttention).
Coefficients without_scores(const Coefficients& fit) { return {fit.hidden, 0}; }

Value micro_batches(const FigureInput& input) {
  const Coefficients fit = needed(fitted(input.trace));
  const Budget budget = budget_of(input.config);
  Table table{
      columns({"stage", "left [GB]", "largest micro-batch []", "scores not stored []", "checkpointed []"}),
      {}};
  for (const StateRow& row : rows_in<StateRow>(input.trace)) {
    const double state = row.scaled_state();
    if (row.stage == budget.stage) table.lit.push_back(table.rows.size());
    table.rows.push_back(cells(
        row.stage, gb_cell(budget.memory - state, 1), budget.most(state, budget.one(fit)),
        budget.most(state, budget.one(without_scores(fit))), budget.most(state, budget.checkpointed(fit))));
  }
  return table;
}

std::string micro_sentence(const FigureInput& input) {
  return tr("One sequence of {} tokens takes {} GB by the fit to counted bytes, {} of them logits.",
            input.config.integer("tokens"), gb(sequence_bytes(input.trace)),
            gb(budget_of(input.config).logits()));
}

Value over_sequences(const FigureInput& input) {
  const Coefficients fit = needed(fitted(input.trace));
  const Budget budget = budget_of(input.config);
  const double state = state_row(input.trace, budget.stage).scaled_state();
  Lines lines{{tr("sequences of a micro-batch")}, {tr("on one card"), "GB", true}, {}};
  const auto line = [&](std::string name, Ink ink, double a_sequence) {
    lines.lines.push_back({std::move(name), ink, Stroke::kFormula});
    for (int b = 1; b <= kMostSequences; ++b)
      lines.lines.back().points.push_back({double(b), (state + b * a_sequence) / kGiga});
  };
  line(tr("all kept"), hue(3), budget.one(fit));
  line(tr("no scores"), hue(1), budget.one(without_scores(fit)));
  line(tr("checkpointed"), hue(0), budget.checkpointed(fit));
  lines.marks = {{tr("a card"), budget.memory / kGiga, false}, {tr("state alone"), state / kGiga, false}};
  return lines;
}

// ---- What was counted ---------------------------------------------------------------

Value sizes(const FigureInput& input) {
  Table table{columns({"b", "s", "h", "a", "L", "counted [bytes]", "by the fit [bytes]", "error [%]",
                       "peak of the step [bytes]", "role"}),
              {}};
  const auto fit = fitted(input.trace);
  for (const SizeRow& size : rows_in<SizeRow>(input.trace)) {
    TableCell by_fit{"—"}, error{"—"};
    if (fit) {
      const double bytes = fit->bytes(size.shape()), percent = 100 * (bytes / double(size.counted) - 1);
      by_fit = cell(int64_t(bytes));
      error = {tr("{:+.1f}", percent), percent};
    }
    if (!size.fitted) table.lit.push_back(table.rows.size());
    table.rows.push_back(cells(size.b, size.s, size.h, size.a, size.layers, size.counted, by_fit, error,
                               size.peak, size.fitted ? tr("fitted") : tr("predicted")));
  }
  return table;
}

std::string sizes_sentence(const FigureInput& input) {
  const Coefficients fit = needed(fitted(input.trace));
  return tr(
      "A layer keeps s b h ({:.1f} + {:.2f} a s/h) bytes; sizes kept aside are predicted within {:.1f} %.",
      fit.hidden, fit.scores, 100 * largest_error(input.trace, fit));
}

Value states(const FigureInput& input) {
  Table table{columns({"stage", "by the formula [bytes]", "padding [bytes]", "counted [bytes]",
                       "activations, peak [bytes]"}),
              {}};
  for (const StateRow& row : rows_in<StateRow>(input.trace))
    table.rows.push_back(cells(row.stage, row.predicted, row.padding, row.counted, row.activations));
  return table;
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

}  // namespace

std::vector<FigureOf> figures() {
  return {{"card", card, card_sentence},
          {"micro", micro_batches, micro_sentence},
          {"batch", over_sequences},
          {"sizes", sizes, sizes_sentence},
          {"states", states},
          {"offload", offload}};
}

// What the printed summary says beside the first figure.
std::vector<Readout> readouts(const FigureInput& input) {
  if (!input.open.empty()) return {};
  const Asked asked = asked_of(input.trace);
  const Budget budget = budget_of(input.config);
  const double state = asked.state.scaled_state(),
               checkpointed = budget.checkpointed(needed(fitted(input.trace)));
  return {
      {tr("state, stage {}", budget.stage), tr("{} GB", gb(state))},
      {tr("activations of one sequence"), tr("{} GB", gb(asked.sequence))},
      {tr("largest micro-batch"), tr("{}; checkpointed {} (calculated)", budget.most(state, asked.sequence),
                                     budget.most(state, checkpointed))},
      {tr("filled on a card"),
       tr("{:g} GB, which are {:.1f} GiB", budget.memory / kGiga, budget.memory / double(1 << 30))}};
}

}  // namespace ringside::lessons::fits
