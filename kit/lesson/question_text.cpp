#include "ringside/lesson/question_text.h"

#include <cmath>
#include <filesystem>

#include "ringside/base/check.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/rows.h"
#include "ringside/lesson/word_question.h"
#include "run_numbers.h"

namespace ringside::inline kit {
namespace {

// The parameters that are numbers, with their values at a scenario.
std::vector<Symbol> symbols_of(const std::vector<ParameterSpec>& parameters, const Config* config) {
  std::vector<Symbol> symbols;
  for (const ParameterSpec& spec : parameters)
    if (spec.kind != ParameterKind::kChoice && spec.kind != ParameterKind::kText)
      symbols.push_back({spec.name, spec.meaning, config == nullptr ? 0 : config->real(spec.name)});
  return symbols;
}

// Of parameters, and of symbols, whose names are known at a scenario alone.
ByScenario value_of(const TextBlock& block, const std::string& text,
                    const std::vector<ParameterSpec>& parameters, const Symbols& symbols) {
  if (!symbols) formula_in(block, text, symbols_of(parameters, nullptr));
  return [=](const Config& config) {
    std::vector<Symbol> all = symbols_of(parameters, &config);
    for (Symbol& one : symbols ? symbols(config) : std::vector<Symbol>()) all.push_back(std::move(one));
    return formula_in(block, text, all).value(all);
  };
}

// Of a field "wrong": the belief, its answer, why it is wrong.
struct Belief {
  std::string name, answer, why;
};
std::vector<Belief> beliefs_of(const TextBlock& block, bool with_answer) {
  std::vector<Belief> all;
  for (const std::string& text : block.all("wrong")) {
    std::vector<std::string> parts = parted(text, '|');
    if (!with_answer && parts.size() < 3) parts.insert(parts.begin() + 1, "");
    RINGSIDE_CHECK(parts.size() == 2 || parts.size() == 3,
                   "'" << block.id << "': '" << text << "' has not the parts of a wrong answer");
    parts.resize(3);
    all.push_back({parts[0], parts[1], parts[2]});
  }
  return all;
}

AnswerKind kind_of(const TextBlock& block, size_t right) {
  if (!block.has("kind")) return right > 1 ? AnswerKind::kChoices : AnswerKind::kChoice;
  const auto kind = from_text<AnswerKind>(block.text("kind"));
  RINGSIDE_CHECK(kind, "'" << block.id << "': no question is of the kind '" << block.text("kind") << "'");
  return *kind;
}

// An answer as the block has it; several, where the question asks for several.
Words answer_in(const std::string& text, AnswerKind kind) {
  return kind == AnswerKind::kChoices || kind == AnswerKind::kOrder ? parted(text, ',') : Words{text};
}

// The options as they stand, and those that are marked as right.
std::pair<Words, Words> options_of(const TextBlock& block) {
  std::pair<Words, Words> found;
  for (std::string option : block.all("option")) {
    if (option.starts_with("* ")) found.second.push_back(option = option.substr(2));
    found.first.push_back(option);
  }
  return found;
}

std::function<std::optional<Words>(const Trace&)> measured_words(const Measured& measured, Words options) {
  if (measured.option)
    return [of = measured.option, options = std::move(options)](const Trace& trace) -> std::optional<Words> {
      const int nth = of(trace).value_or(-1);
      return nth < 0 ? std::nullopt : std::optional(Words{options.at(size_t(nth))});
    };
  return measured.words;
}

WordQuestion in_words(const TextBlock& block, const QuestionOf& question) {
  auto [options, right] = options_of(block);
  const AnswerKind kind = kind_of(block, right.size());
  if (block.has("right")) right = answer_in(block.text("right"), kind);
  const auto here = [named = question.named](const Config& config, Words answer) {
    for (std::string& word : answer)
      if (named) word = named(config, word);
    return answer;
  };
  const auto right_here = [here, right, by = question.right.words](const Config& config) {
    return by ? by(config) : here(config, right);
  };
  const auto wrong = [here, right_here, kind, all = beliefs_of(block, true)](const Config& config) {
    std::vector<WrongWords> wrong_here;
    for (const Belief& one : all) {
      const Words answer = here(config, answer_in(one.answer, kind));
      if (!same_words(kind, answer, right_here(config))) wrong_here.push_back({one.name, answer, one.why});
    }
    return wrong_here;
  };
  return {.kind = kind,
          .right = right_here,
          .options = question.options ? question.options : always(options),
          .wrong = wrong,
          .measured = measured_words(question.measured, options),
          .accepted = block.all("accepted")};
}

PredictionSpec for_a_number(const TextBlock& block, QuestionOf question,
                            const std::vector<ParameterSpec>& parameters, const Symbols& symbols) {
  PredictionSpec spec;
  const auto number_of = [&](const std::string& text) { return value_of(block, text, parameters, symbols); };
  spec.unit = block.text("unit");
  spec.formula = question.right.number ? question.right.number
                                       : number_of(block.text(block.has("right") ? "right" : "formula"));
  auto by_function = question.wrong.begin();
  for (const Belief& belief : beliefs_of(block, question.wrong.empty())) {
    RINGSIDE_CHECK(!belief.answer.empty() || by_function != question.wrong.end(),
                   "'" << block.id << "': '" << belief.name << "' has no value");
    spec.wrong.push_back({.name = belief.name,
                          .value = belief.answer.empty() ? *by_function++ : number_of(belief.answer),
                          .why = belief.why});
  }
  RINGSIDE_CHECK(by_function == question.wrong.end(), "'" << block.id << "' has more values than beliefs");
  for (WrongFormula& one : spec.wrong)
    if (block.has("near"))
      one.value = [right = spec.formula, value = one.value](const Config& config) {
        return tells_apart(right(config), value(config)) ? value(config) : NAN;
      };
  if (question.measured.number)
    spec.measured = [of = question.measured.number](const Trace& trace) {
      const auto number = of(trace);
      return number && !std::isfinite(*number) ? std::nullopt : number;
    };
  if (block.has("formula")) spec.formula_text = always(block.text("formula")), spec.symbols = symbols;
  spec.whole = block.has("whole");
  return spec;
}

}  // namespace

PredictionSpec question_of(const TextBlock& block, QuestionOf question,
                           const std::vector<ParameterSpec>& parameters, const Symbols& symbols) {
  const bool words = block.has("option") || block.has("kind") || question.right.words || question.options;
  PredictionSpec spec;
  if (words)
    spec.words = in_words(block, question);
  else
    spec = for_a_number(block, std::move(question), parameters, symbols);
  spec.id = block.id;
  for (const auto& [field, text] : {std::pair{"ask", &spec.question},
                                    {"name", &spec.name},
                                    {"context", &spec.context},
                                    {"why", &spec.why},
                                    {"more", &spec.more},
                                    {"section", &spec.section},
                                    {"instant", &spec.instant},
                                    {"board", &spec.board},
                                    {"figure", &spec.figure}})
    *text = block.text(field);
  spec.again = block.words("again");
  return spec;
}

std::function<std::vector<std::string>(const Config&)> sentences_of(
    const TextBlock& block, const std::string& field, const std::vector<ParameterSpec>& parameters,
    const Symbols& symbols) {
  return [=](const Config& config) {
    const auto said = [&](std::string place) {
      const std::string form = cut_behind(place, " : ");
      if (form.empty()) return config.text(place);
      if (form == "stem") return std::filesystem::path(config.text(place)).stem().string();
      return number_in_form(value_of(block, place, parameters, symbols)(config), form);
    };
    std::vector<std::string> all;
    for (const std::string& sentence : block.all(field)) all.push_back(filled(sentence, said));
    return all;
  };
}

}  // namespace ringside::inline kit
