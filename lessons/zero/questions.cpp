// Questions that are answered by a number or a formula. What is right is the planner's, what was measured the
// run's; texts, and the formulas that people believe, are in questions.inc.
#include "lesson.h"

#include <sstream>
#include "embedded.h"
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

using TextOf = std::function<std::string(const Config&)>;
using SymbolsOf = std::function<std::vector<Symbol>(const Config&)>;

// ---- Formulas by scenario ---------------------------------------------------------

// "reduce=all_reduce", "ranks!=2"
bool holds(const std::string& condition, const Config& config) {
  const size_t equals = condition.find('=');
  const bool differs = condition[equals - 1] == '!';
  const std::string name = condition.substr(0, differs ? equals - 1 : equals);
  return (config.text(name) == condition.substr(equals + 1)) != differs;
}

// The first whose conditions hold; "" where there is none.
std::string formula_at(const Config& config, const Words& formulas) {
  for (const std::string& one : formulas) {
    const size_t colon = one.find(": ");
    if (colon == std::string::npos) return one;
    std::istringstream conditions(one.substr(0, colon));
    bool all = true;
    for (std::string each; conditions >> each;) all = all && holds(each, config);
    if (all) return one.substr(colon + 2);
  }
  return "";
}

WrongFormula wrong_formula(const Words& parts, const std::string& when, const TextOf& times,
                           const SymbolsOf& symbols) {
  const Words formulas(parts.begin() + 2, parts.end());
  const auto text = [formulas, when, times](const Config& config) {
    if (!when.empty() && !holds(when, config)) return std::string();
    std::string formula = formula_at(config, formulas);
    const size_t place = formula.find("{}");
    return place == std::string::npos ? formula : formula.replace(place, 2, times(config));
  };
  const auto value = [text, symbols](const Config& config) {
    const std::string formula = text(config);
    if (formula.empty()) return std::numeric_limits<double>::quiet_NaN();
    const std::vector<Symbol> known = symbols(config);
    return Formula::parse(formula, known).value(known);
  };
  return {.name = parts[0], .value = value, .text = text, .why = parts[1]};
}

Symbol ranks_symbol(const Config& config) {
  return {"N", tr("ranks"), double(planner_setup(config, 0).ranks)};
}
Symbol parameters_symbol() { return {"Ψ", tr("the number of parameters"), 1, {"psi", "Y", "ψ"}}; }

// The texts of a block, behind them those that questions of its subject share.
PredictionSpec asked(const TextBlock& block, const TextBlock& common, const SymbolsOf& symbols,
                     const TextOf& times = {}) {
  const TextBlock& again = block.has("again") ? block : common;
  PredictionSpec spec{.id = block.id, .question = block.text("ask"), .unit = common.text("unit")};
  spec.symbols = symbols;
  spec.name = block.text("name");
  spec.board = common.text("board");
  spec.context = block.text("context");
  spec.why = block.text("why");
  spec.more = block.text("more");
  spec.section = block.text("section");
  spec.instant = block.text("instant");
  spec.again = again.words("again");
  Words beliefs = block.all("wrong");
  if (&common != &block)
    for (std::string& belief : common.all("wrong")) beliefs.push_back(std::move(belief));
  for (const std::string& belief : beliefs)
    spec.wrong.push_back(wrong_formula(parted(belief, '|'), common.text("when"), times, symbols));
  return spec;
}

// ---- How much is there twice -------------------------------------------------------

PredictionSpec copies_question(const TextBlock& block) {
  PredictionSpec spec =
      asked(block, block, [](const Config& config) { return std::vector{ranks_symbol(config)}; });
  spec.formula = [](const Config& config) {
    const auto N = double(planner_setup(config, 0).ranks);
    return 100 * (N - 1) / N;
  };
  spec.formula_text = always(block.text("formula"));
  spec.measured = [](const Trace& trace) {
    return 100 * needed(figure::copied_share(trace, needed(stage_section(trace, 0))));
  };
  return spec;
}

// ---- What a rank keeps: answered in blocks, or as a formula in P, G, O or in Ψ ------

std::vector<Symbol> state_symbols(const Config& config) {
  const ZeroSetup setup = planner_setup(config, 0);
  const StateWidths width = state_widths(setup.precision, setup.optimizer);
  return {
      {.name = "P", .meaning = tr("bytes for a parameter"), .value = double(width.parameter), .read_as = "Ψ"},
      {.name = "G", .meaning = tr("bytes for its gradient"), .value = double(width.gradient)},
      {.name = "O",
       .meaning = tr("bytes for its optimizer state"),
       .value = double(width.optimizer),
       .aliases = {"K"}},
      ranks_symbol(config),
      parameters_symbol()};
}

// One kind of state: what the planner says of it, and what the run measured.
struct StateKind {
  const char *letter, *meaning;
  Category category;
  double StateBytes::*predicted;
  double State::*measured;
};
constexpr StateKind kKinds[] = {
    {"P", "parameters", Category::kParameters, &StateBytes::parameters, &State::parameters},
    {"G", "gradients", Category::kGradients, &StateBytes::gradients, &State::gradients},
    {"O", "optimizer state", Category::kOptimizer, &StateBytes::optimizer, &State::optimizer},
};

// Bytes a parameter; of one kind, or of all.
std::optional<double> measured_bytes(const Trace& trace, int stage, double State::*kind) {
  const SectionView* section = stage_section(trace, stage);
  if (section == nullptr) return std::nullopt;
  const State state = state_of(trace, *section);
  return (kind == nullptr ? state.total() : state.*kind) / psi(*section);
}

std::vector<std::pair<std::string, double>> parts_of(Category category, const ZeroSetup& setup) {
  std::vector<std::pair<std::string, double>> parts;
  if (category != Category::kOptimizer) return parts;
  if (setup.precision == Precision::kBFloat16) parts.emplace_back(tr("master copy (fp32)"), 4);
  for (const StateSpec& state : kept_state(setup.optimizer))
    parts.emplace_back(fmt::format("{} ({})", state.name, state.meaning), 4);
  return parts;
}

std::vector<StateBlock> blocks(const Config& config, int stage) {
  const ZeroSetup setup = planner_setup(config, stage);
  const StateBytes whole = zero_state(planner_setup(config, 0)), kept = zero_state(setup);
  std::vector<StateBlock> result;
  for (const StateKind& kind : kKinds)
    result.push_back({.letter = kind.letter,
                      .meaning = kind.meaning,
                      .category = kind.category,
                      .whole = whole.*kind.predicted / setup.parameters,
                      .right = kept.*kind.predicted / setup.parameters,
                      .parts = parts_of(kind.category, setup),
                      .measured = [stage, &kind](const Trace& trace) {
                        return measured_bytes(trace, stage, kind.measured);
                      }});
  return result;
}

PredictionSpec state_question(const TextBlocks& text, int stage) {
  PredictionSpec spec = asked(text[question_id("state", stage)], text["state"], state_symbols);
  spec.formula = [stage](const Config& config) {
    const ZeroSetup setup = planner_setup(config, stage);
    return zero_state(setup).total() / setup.parameters;
  };
  spec.formula_text = [stage](const Config& config) {
    return plan_stages(planner_setup(config, stage))[size_t(stage)].state_formula;
  };
  spec.measured = [stage](const Trace& trace) { return measured_bytes(trace, stage, nullptr); };
  spec.blocks = [stage](const Config& config) { return blocks(config, stage); };
  spec.answered_by = AnswerKind::kBlocks;
  spec.at_scale = {"At 7.5 billion parameters on 64 ranks", {{"N", 64}}, 7.5, "GB a rank"};
  return spec;
}

// ---- What a rank sends: in multiples of Ψ elements, a few times Ψ(N-1)/N -------------

std::vector<Symbol> sent_symbols(const Config& config) {
  return {parameters_symbol(),
          ranks_symbol(config),
          {"g", tr("micro-batches per step"), double(config.integer("accumulate"))}};
}

PredictionSpec sent_question(const TextBlocks& text, int stage) {
  const TextBlock& block = text[question_id("sent", stage)];
  const TextOf times = [formulas = parted(block.text("formula"), '|')](const Config& config) {
    return formula_at(config, formulas);
  };
  PredictionSpec spec = asked(block, text["sent"], sent_symbols, times);
  spec.formula = [stage](const Config& config) {
    const ZeroSetup setup = planner_setup(config, stage);
    return zero_traffic(setup).total() / setup.parameters;
  };
  spec.formula_text = [times](const Config& config) { return times(config) + "Ψ(N-1)/N"; };
  spec.measured = [stage](const Trace& trace) {
    return sent_psi(trace, needed(stage_section(trace, stage)));
  };
  spec.answered_by = AnswerKind::kFormula;
  return spec;
}

}  // namespace

std::vector<PredictionSpec> predictions() {
  const TextBlocks text(lessons::zero::embedded("questions.inc"));
  std::vector<PredictionSpec> all = {copies_question(text["copies_stage_0"])};
  for (int stage = 1; stage < kStages; ++stage) all.push_back(state_question(text, stage));
  for (int stage = 0; stage < kStages; ++stage) all.push_back(sent_question(text, stage));
  return all;
}

std::vector<std::string> opening(const Config& config) {
  const int64_t ranks = config.integer("ranks");
  const std::string parameters = format_count(int64_t(planner_setup(config, 0).parameters));
  std::vector<std::string> sentences = {
      ranks == 1
          ? tr("One worker (rank) trains one model of {} parameters, each on its own part of every batch.",
               parameters)
          : tr("{} workers (ranks) train one model of {} parameters, each on its own part of every batch.",
               in_letters(ranks), parameters),
      tr("Each rank holds parameters P, gradients G, the optimizer's state O, and activations A.")};
  if (config.text("device") == "cuda")
    sentences.push_back(
        tr("All of it is in the memory of one GPU, which the ranks share; each rank is a thread."));
  return sentences;
}

}  // namespace ringside::zero_lesson
