#include <fmt/format.h>

#include <algorithm>

#include "parts.h"
#include "ringside/base/units.h"
#include "ringside/comm/link_model.h"
#include "ringside/figures/text.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/summary_text.h"
#include "ringside/lesson/tr.h"

namespace ringside::fits_lesson {
namespace {

using namespace figure;

constexpr int kMostSequences = 16;
const std::string kNoStage = tr("No stage has been counted."), kNoSize = tr("The sizes are not counted yet.");

std::string gb(double bytes) { return fmt::format("{:.1f}", bytes / kGiga); }
TableCell cell(double value, const char* form = "{:.1f}") {
  return {fmt::format(fmt::runtime(form), value), value};
}
TableCell bytes_cell(int64_t bytes) { return {format_count(bytes), static_cast<double>(bytes)}; }

// ---- A card's memory, by stage ------------------------------------------------------

Value card(const FigureInput& input) {
  const bool tells = !input.is_open("dominates");
  const double sequence = tells ? sequence_bytes(input.trace).value_or(0) : 0;
  Bars bars;
  bars.value = {tr("on one card"), "GB"};
  bars.parts = {{tr("parameters"), Ink::kParameters},
                {tr("gradients"), Ink::kGradients},
                {tr("optimizer state"), Ink::kOptimizer}};
  if (sequence > 0) bars.parts.push_back({tr("activations of one sequence"), Ink::kActivations});
  for (const StateRow& row : rows_in<StateRow>(input.trace)) {
    std::vector<double> parts = {row.parameter_bytes, row.gradient_bytes, row.optimizer_bytes};
    for (double& part : parts) part = row.scaled(part) / kGiga;
    double all = row.scaled_state();
    if (sequence > 0) {
      parts.push_back(sequence / kGiga);
      all += sequence;
    }
    bars.limit = Mark{tr("a card"), row.card_bytes / kGiga};
    const std::string word =
        all > row.card_bytes ? tr("too much") : tr("{} GB left", gb(row.card_bytes - all));
    bars.rows.push_back({tr("stage {}", row.stage), std::move(parts), word});
  }
  return or_nothing(bars, kNoStage);
}

std::string card_sentence(const FigureInput& input) {
  const auto zero = state_row(input.trace, 0), three = state_row(input.trace, 3);
  if (!zero || !three) return "";
  return tr("Scaled from counted bytes: {:.1f} bytes a parameter in stage 0, {:.1f} in stage 3.",
            zero->scaled_state() / zero->model_parameters, three->scaled_state() / three->model_parameters);
}

// ---- Which micro-batch fits ---------------------------------------------------------

// The fit without the attention's scores, as kernels compute it that never store them (FlashAttention).
Coefficients without_scores(Coefficients fit) {
  fit.scores = 0;
  return fit;
}

Value micro_batches(const FigureInput& input) {
  const auto fit = fitted(input.trace);
  if (!fit) return Nothing{kNoSize};
  const Budget budget = budget_of(input.config);
  Table table;
  table.columns = {{tr("stage")},
                   {tr("left"), "GB", true},
                   {tr("largest micro-batch"), "", true},
                   {tr("scores not stored"), "", true},
                   {tr("checkpointed"), "", true}};
  for (const StateRow& row : rows_in<StateRow>(input.trace)) {
    const double state = row.scaled_state();
    const auto most = [&](double a_sequence) {
      return cell(static_cast<double>(budget.most(state, a_sequence)), "{:.0f}");
    };
    if (row.stage == budget.stage) table.lit.push_back(table.rows.size());
    table.rows.push_back({{std::to_string(row.stage)},
                          cell((budget.memory - state) / kGiga),
                          most(budget.one(*fit)),
                          most(budget.one(without_scores(*fit))),
                          most(budget.checkpointed(*fit, 1))});
  }
  return or_nothing(table, kNoStage);
}

std::string micro_sentence(const FigureInput& input) {
  const auto one = sequence_bytes(input.trace);
  return one ? tr("One sequence of {} tokens takes {} GB by the fit to counted bytes, {} of them logits.",
                  input.config.integer("tokens"), gb(*one), gb(budget_of(input.config).logits()))
             : "";
}

Value over_sequences(const FigureInput& input) {
  const auto fit = fitted(input.trace);
  const Budget budget = budget_of(input.config);
  const auto row = state_row(input.trace, budget.stage);
  if (!fit || !row) return Nothing{kNoSize};
  Lines lines{{tr("sequences of a micro-batch")}, {tr("on one card"), "GB", true}, {}};
  const auto line = [&](std::string name, Ink ink, const auto& bytes_of) {
    Line one{std::move(name), ink, Stroke::kFormula, {}};
    for (int b = 1; b <= kMostSequences; ++b)
      one.points.push_back({double(b), (row->scaled_state() + bytes_of(b)) / kGiga});
    lines.lines.push_back(std::move(one));
  };
  line(tr("all kept"), hue(3), [&](int b) { return b * budget.one(*fit); });
  line(tr("no scores"), hue(1), [&](int b) { return b * budget.one(without_scores(*fit)); });
  line(tr("checkpointed"), hue(0), [&](int b) { return budget.checkpointed(*fit, b); });
  lines.marks = {{tr("a card"), budget.memory / kGiga, false},
                 {tr("state alone"), row->scaled_state() / kGiga, false}};
  return lines;
}

// ---- What was counted ---------------------------------------------------------------

Value sizes(const FigureInput& input) {
  Table table;
  table.columns = {{"b"},
                   {"s"},
                   {"h"},
                   {"a"},
                   {"L"},
                   {tr("counted"), "bytes", true},
                   {tr("by the fit"), "bytes", true},
                   {tr("error"), "%", true},
                   {tr("peak of the step"), "bytes", true},
                   {tr("role")}};
  const auto fit = fitted(input.trace);
  for (const SizeRow& size : rows_in<SizeRow>(input.trace)) {
    std::vector<TableCell> row;
    for (const int64_t n : {size.b, size.s, size.h, size.a, size.layers})
      row.push_back({std::to_string(n), static_cast<double>(n)});
    row.push_back(bytes_cell(size.counted));
    if (fit) {
      const double bytes = fit->bytes(size.shape());
      row.push_back(bytes_cell(static_cast<int64_t>(bytes)));
      row.push_back(cell(100 * (bytes / static_cast<double>(size.counted) - 1), "{:+.1f}"));
    } else {
      row.insert(row.end(), 2, {"—"});
    }
    row.push_back(bytes_cell(size.peak));
    row.push_back({size.fitted ? tr("fitted") : tr("predicted")});
    if (!size.fitted) table.lit.push_back(table.rows.size());
    table.rows.push_back(std::move(row));
  }
  return or_nothing(table, kNoSize);
}

std::string sizes_sentence(const FigureInput& input) {
  const auto fit = fitted(input.trace);
  if (!fit) return "";
  return tr(
      "A layer keeps s b h ({:.1f} + {:.2f} a s/h) bytes; sizes kept aside are predicted within {:.1f} %.",
      fit->hidden, fit->scores, 100 * largest_error(input.trace, *fit));
}

Value states(const FigureInput& input) {
  Table table;
  table.columns = {{tr("stage")},
                   {tr("by the formula"), "bytes", true},
                   {tr("padding"), "bytes", true},
                   {tr("counted"), "bytes", true},
                   {tr("activations, peak"), "bytes", true}};
  for (const StateRow& row : rows_in<StateRow>(input.trace))
    table.rows.push_back({{std::to_string(row.stage)},
                          bytes_cell(row.predicted),
                          bytes_cell(row.padding),
                          bytes_cell(row.counted),
                          bytes_cell(row.activations)});
  return or_nothing(table, kNoStage);
}

// The optimizer's state in the host's memory: bf16 gradients go there and bf16 parameters come back, once a
// step. Ren et al. 2021, ZeRO-Offload, arXiv:2101.06840.
Value offload(const FigureInput& input) {
  const Budget budget = budget_of(input.config);
  const LinkModel link = parse_link("pcie");
  Table table;
  table.columns = {{tr("stage")},
                   {tr("freed on the card"), "GB", true},
                   {tr("gradients down"), "GB", true},
                   {tr("parameters up"), "GB", true},
                   {tr("over pcie, calculated"), "s", true}};
  for (int stage = 1; stage < kStages; ++stage) {
    const double share = 2 * budget.parameters / budget.cards;
    const double wait = 2 * link.seconds(1, static_cast<int64_t>(share));
    table.rows.push_back({{std::to_string(stage)},
                          cell(budget.state(stage).optimizer / kGiga),
                          cell(share / kGiga, "{:.2f}"),
                          cell(share / kGiga, "{:.2f}"),
                          cell(wait, "{:.2f}")});
    if (stage == budget.stage) table.lit.push_back(table.rows.size() - 1);
  }
  return table;
}

}  // namespace

std::vector<FigureSpec> figures() {
  FigureSpec by_link =
      figure_of_run("offload", tr("The optimizer in the host's memory: bytes a step"), offload);
  by_link.of_configuration = true;
  auto all = with_tabs(
      {figure_of_run("card", tr("What one card holds"), card, {"state_one_card", "fits"}),
       figure_of_run("micro", tr("Which micro-batch still fits?"), micro_batches, {"dominates", "most"}),
       figure_of_run("batch", tr("A card's memory over the micro-batch"), over_sequences,
                     {"dominates", "most"}),
       figure_of_run("sizes", tr("Activations: counted, fitted, predicted"), sizes),
       figure_of_run("states", tr("State: by the formula, and counted"), states), by_link},
      {tr("card"), tr("micro-batch"), tr("curve"), tr("activations"), tr("state"), tr("offload")});
  all[0].sentence = card_sentence;
  all[1].sentence = micro_sentence;
  all[3].sentence = sizes_sentence;
  return all;
}

// ---- The printed summary ------------------------------------------------------------

std::string summarize(const Config& config, const Trace& trace, int width, bool colour) {
  SummaryText text(width, colour);
  const Budget budget = budget_of(config);
  const FigureInput input{config, trace};
  text.title("fits", tr("Does a 7B model train on {} cards of {:g} GB?", budget.cards, budget.memory / kGiga),
             tr("small models, no GPU"));
  text.paragraph(tr("Ψ {} parameters of {}   N {} cards   {} tokens   bf16, AdamW (K=12)",
                    format_count(static_cast<int64_t>(budget.parameters)), budget.model.source, budget.cards,
                    budget.sequence.s),
                 0);
  const auto row = state_row(trace, budget.stage);
  const auto one = sequence_bytes(trace);
  const auto fit = fitted(trace);
  if (row && one && fit) {
    text.line(text.bold(tr("Stage {} keeps {} GB of state; one sequence adds {} GB of activations.",
                           budget.stage, gb(row->scaled_state()), gb(*one))));
    text.block(to_text(card(input), static_cast<int>(text.width()), colour));
    text.labelled(tr("Fits"),
                  tr("stage {}: a micro-batch of {}; checkpointed, of {} (calculated). GB is 10^9 "
                     "bytes: {:g} GB are {:.1f} GiB.",
                     budget.stage, budget.most(row->scaled_state(), *one),
                     budget.most(row->scaled_state(), budget.checkpointed(*fit, 1)), budget.memory / kGiga,
                     budget.memory / double(1 << 30)));
    text.labelled(tr("Fit"), sizes_sentence(input));
    text.block(to_text(micro_batches(input), static_cast<int>(text.width()), colour));
  }
  text.claims(trace.rows().claims);
  text.next({{"./run fits tokens=4096", tr("does one sequence of 4,096 tokens still fit?")},
             {"./run fits stage=1", tr("what does stage 1 leave for activations?")},
             {"./run fits cards=1", tr("and on one card?")}});
  return text.text();
}

}  // namespace ringside::fits_lesson
