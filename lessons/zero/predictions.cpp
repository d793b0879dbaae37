#include "predictions.h"

#include <fmt/format.h>

#include <limits>

#include "measure.h"
#include "scenario.h"

namespace ringside::zero_lesson {

WrongFormula wrong_formula(std::string name, TextOf text, SymbolsOf symbols) {
  WrongFormula wrong;
  wrong.name = std::move(name);
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
  return {"N", "ranks", static_cast<double>(config.integer("ranks"))};
}

Symbol parameters_symbol() { return {"Ψ", "parameters, which are the unit", 1, {"psi", "Y", "ψ"}}; }

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
  spec.question = "How much of what these ranks hold in stage 0 is copies?";
  spec.unit = "%";
  spec.formula = [](const Config& config) {
    const auto N = static_cast<double>(config.integer("ranks"));
    return 100 * (N - 1) / N;
  };
  spec.formula_text = always("100(N-1)/N");
  spec.symbols = symbols;
  spec.wrong = {
      wrong_formula("all of it: one of them is the original", always("100"), symbols),
      wrong_formula("half, as if there were two of everything", unless_two_ranks("50"), symbols),
      wrong_formula("the original's share, not the copies'", unless_two_ranks("100/N"), symbols),
      wrong_formula("none: the ranks' data differ, what they hold does not", always("0"), symbols),
      wrong_formula(
          "the parameters alone: gradients are summed, so they and the optimizer's state agree as well",
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

std::vector<PredictionSpec> predictions() {
  std::vector<PredictionSpec> all = {copies_question()};
  for (auto& questions : {state_questions(), sent_questions()})
    all.insert(all.end(), questions.begin(), questions.end());
  return all;
}

}  // namespace ringside::zero_lesson
