#include "predictions.h"

#include <fmt/format.h>

#include <limits>

#include "measure.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "scenario.h"

namespace ringside::zero_lesson {

WrongFormula wrong_formula(Mistake mistake, TextOf text, SymbolsOf symbols) {
  WrongFormula wrong;
  wrong.name = std::move(mistake.name);
  wrong.why = std::move(mistake.why);
  wrong.value = [text, symbols = std::move(symbols)](const Config& config) {
    const std::string formula = text(config);
    if (formula.empty()) return std::numeric_limits<double>::quiet_NaN();
    const std::vector<Symbol> known = symbols(config);
    return Formula::parse(formula, known).value(known);
  };
  wrong.text = std::move(text);
  return wrong;
}

Symbol ranks_symbol(const Config& config) {
  return {"N", tr("ranks"), static_cast<double>(config.integer("ranks"))};
}

Symbol parameters_symbol() { return {"Ψ", tr("the number of parameters"), 1, {"psi", "Y", "ψ"}}; }

// ---- How much is there twice ----------------------------------------------------

namespace {

// With two ranks one half of the bytes is copies, so this wrong answer would be right.
TextOf unless_two_ranks(std::string text) {
  return [text = std::move(text)](const Config& config) {
    return config.integer("ranks") == 2 ? std::string() : text;
  };
}
TextOf always(std::string text) {
  return [text = std::move(text)](const Config&) { return text; };
}

double parameters_share(const Config& config) {
  const StateBytes state = zero_state(planner_setup(config, 0));
  return state.parameters / state.total();
}

}  // namespace

PredictionSpec copies_question() {
  const SymbolsOf symbols = [](const Config& config) { return std::vector{ranks_symbol(config)}; };
  PredictionSpec spec;
  spec.id = "copies_stage_0";
  spec.name = tr("copies");
  spec.question = tr("How much of the parameters, gradients and optimizer state of these ranks is copies?");
  spec.context =
      tr("Where several ranks hold the same bytes, one set is the original and the others are copies.");
  spec.why =
      tr("After a step every rank holds all parameters, all summed gradients and all of the optimizer's "
         "state, equal "
         "bit for bit: N sets, of which N-1 are copies. ZeRO asks which of them a rank can do without.");
  spec.more = tr("Activations are no copies: each rank computes them from its own part of the batch.");
  spec.instant = stage_name(0) + ":1:update";
  spec.unit = "%";
  spec.formula = [](const Config& config) {
    const auto N = static_cast<double>(config.integer("ranks"));
    return 100 * (N - 1) / N;
  };
  spec.formula_text = always("100(N-1)/N");
  spec.symbols = symbols;
  spec.wrong = {
      wrong_formula(
          {tr("all of it, with no original"), tr("One set has to remain: of N equal sets N-1 are copies.")},
          always("100"), symbols),
      wrong_formula(
          {tr("half, as if there were two of everything"),
           tr("Two equal sets would make half of it copies. Here there are as many sets as ranks.")},
          unless_two_ranks("50"), symbols),
      wrong_formula({tr("the share of the original, not of the copies"),
                     tr("One set of N has to remain: 1/N. The other N-1 sets are copies.")},
                    unless_two_ranks("100/N"), symbols),
      wrong_formula({tr("none, because each rank reads other data"),
                     tr("Each rank reads different data, but all hold the same parameters, summed gradients "
                        "and optimizer state.")},
                    always("0"), symbols),
      wrong_formula(
          {tr("the parameters alone"),
           tr("The gradients are summed over the ranks, so they are equal as well. Equal gradients keep "
              "the optimizer's state equal.")},
          [](const Config& config) { return fmt::format("{}(N-1)/N", 100 * parameters_share(config)); },
          symbols),
  };
  spec.measured = [](const Trace& trace) -> std::optional<double> {
    const SectionView* section = stage_section(trace, 0);
    const auto share = section == nullptr ? std::nullopt : copied_share(trace, *section);
    return share ? std::optional(100 * *share) : std::nullopt;
  };
  spec.section = stage_name(0);
  spec.again = {"ranks=8", "ranks=2", "ranks=3"};
  return spec;
}

std::vector<std::string> opening(const Config& config) {
  const std::vector<std::string> counts = {
      tr("One worker (rank) trains"),    tr("Two workers (ranks) train"),  tr("Three workers (ranks) train"),
      tr("Four workers (ranks) train"),  tr("Five workers (ranks) train"), tr("Six workers (ranks) train"),
      tr("Seven workers (ranks) train"), tr("Eight workers (ranks) train")};
  const auto ranks = static_cast<size_t>(config.integer("ranks"));
  const std::string who =
      ranks <= counts.size() ? counts[ranks - 1] : tr("{} workers (ranks) train", config.integer("ranks"));
  const auto parameters = static_cast<int64_t>(planner_setup(config, 0).parameters);
  return {tr("{} one model of {} parameters, each on its own part of every batch.", who,
             format_count(parameters)),
          tr("Each rank holds parameters P, gradients G, the optimizer's state O, and activations A.")};
}

std::vector<PredictionSpec> predictions() {
  std::vector<PredictionSpec> all = {copies_question()};
  for (auto& questions : {state_questions(), sent_questions(), choice_questions()})
    all.insert(all.end(), questions.begin(), questions.end());
  return all;
}

}  // namespace ringside::zero_lesson
