#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/tr.h"

namespace ringside::inline kit {
namespace {

constexpr double kRanks[] = {64, 8, 2};  // compared at, beside the scenario's; the first that parts is told
constexpr const char* kRanksName = "N";

std::optional<double> scenario_ranks(const std::vector<Symbol>& symbols) {
  for (const Symbol& symbol : symbols)
    if (symbol.name == kRanksName) return symbol.value;
  return std::nullopt;
}

std::vector<Symbol> with_ranks(std::vector<Symbol> symbols, double ranks) {
  for (Symbol& symbol : symbols)
    if (symbol.name == kRanksName) symbol.value = ranks;
  return symbols;
}

std::optional<double> value_with(const Formula& formula, const std::vector<Symbol>& symbols) {
  try {
    return formula.value(symbols);
  } catch (const UsageError&) {
    return std::nullopt;  // it divides by zero there
  }
}

std::optional<double> text_at(const std::string& text, const std::vector<Symbol>& symbols, double ranks) {
  if (text.empty()) return std::nullopt;
  return value_with(Formula::parse(text, symbols), with_ranks(symbols, ranks));
}

bool agree(std::optional<double> mine, std::optional<double> other) {
  return mine && other && is_answer(*mine, *other);
}

// Whether a known error gives what the learner's formula gives, wherever it has a text to be compared by.
bool fits_everywhere(const WrongFormula& wrong, const PredictionSpec& prediction, const Config& config,
                     const Formula& answer, const std::vector<Symbol>& symbols) {
  if (!wrong.text) return true;
  const std::string text = wrong.text(config);
  return std::ranges::all_of(kRanks, [&](double ranks) {
    return agree(value_at(answer, prediction, config, ranks), text_at(text, symbols, ranks));
  });
}

const WrongFormula* wrong_named(const PredictionSpec& prediction, const std::string& name) {
  for (const WrongFormula& wrong : prediction.wrong)
    if (wrong.name == name) return &wrong;
  return nullptr;
}

}  // namespace

std::optional<double> value_at(const Formula& formula, const PredictionSpec& prediction, const Config& config,
                               double ranks) {
  if (!prediction.symbols) return std::nullopt;
  return value_with(formula, with_ranks(prediction.symbols(config), ranks));
}

std::optional<double> right_at(const PredictionSpec& prediction, const Config& config, double ranks) {
  if (!prediction.symbols || !prediction.formula_text) return std::nullopt;
  return text_at(prediction.formula_text(config), prediction.symbols(config), ranks);
}

Judgement judge(const PredictionSpec& prediction, const Config& config, double answer) {
  Judgement judgement;
  judgement.right = is_answer(answer, prediction.formula(config));
  if (judgement.right) return judgement;
  for (const WrongAnswer& wrong : named_wrong(prediction, config, answer))
    judgement.errors.push_back({wrong.name, wrong_named(prediction, wrong.name)->why});
  return judgement;
}

Judgement judge(const PredictionSpec& prediction, const Config& config, const Formula& answer) {
  const std::vector<Symbol> symbols = prediction.symbols ? prediction.symbols(config) : std::vector<Symbol>{};
  const std::optional<double> here = scenario_ranks(symbols);
  Judgement judgement = judge(prediction, config, answer.value(symbols));
  if (answer.uses().empty() || !here || !right_at(prediction, config, *here)) return judgement;
  for (const double ranks : kRanks) {
    const auto mine = value_at(answer, prediction, config, ranks),
               right = right_at(prediction, config, ranks);
    if (!judgement.right || !right || agree(mine, right)) continue;
    judgement.right = false;
    judgement.elsewhere = {*here, ranks, mine.value_or(std::nan("")), *right};
  }
  std::erase_if(judgement.errors, [&](const NamedError& error) {
    return !fits_everywhere(*wrong_named(prediction, error.name), prediction, config, answer, symbols);
  });
  return judgement;
}

Judgement judge(const PredictionSpec& prediction, const Config& config, const Words& answer) {
  const WordQuestion& question = *prediction.words;
  Judgement judgement;
  judgement.right = is_words_answer(question, config, answer);
  if (judgement.right || !question.wrong) return judgement;
  const std::vector<WrongAnswer> fitting = named_wrong(question, config, answer);
  for (const WrongWords& wrong : question.wrong(config)) {
    const bool fits =
        std::ranges::any_of(fitting, [&](const WrongAnswer& one) { return one.name == wrong.name; });
    const NamedError error{wrong.name, wrong.why};
    if (fits && std::ranges::find(judgement.errors, error) == judgement.errors.end())
      judgement.errors.push_back(error);
  }
  return judgement;
}

std::string in_words(const Elsewhere& elsewhere) {
  return tr("right at {:g} ranks, wrong at {:g}", elsewhere.here, elsewhere.ranks);
}

}  // namespace ringside::inline kit
