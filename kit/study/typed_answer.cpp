#include "typed_answer.h"

#include <algorithm>
#include <cmath>

#include "ringside/base/error.h"
#include "ringside/base/units.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/text_blocks.h"
#include "ringside/lesson/tr.h"

namespace ringside {
namespace {

// "2" where nothing is called so: the second option.
std::string option_meant(const Words& options, const std::string& word) {
  if (std::find(options.begin(), options.end(), word) != options.end()) return word;
  const bool digits = !word.empty() && word.size() < 4 && word.find_first_not_of("0123456789") == word.npos;
  const size_t place = digits ? std::stoul(word) : 0;
  return place >= 1 && place <= options.size() ? options[place - 1] : word;
}

Words read_words(const WordQuestion& question, const Config& config, const std::string& line) {
  if (question.kind == AnswerKind::kText || question.kind == AnswerKind::kLine) return {line};
  const Words options = options_of(question, config);
  // An option may have a comma in it.
  if (std::find(options.begin(), options.end(), line) != options.end()) return {line};
  if (question.kind == AnswerKind::kChoice) return {option_meant(options, line)};
  Words words;
  for (const std::string& word : parted(line, ',')) words.push_back(option_meant(options, word));
  return words;
}

// Without the unit that one may write behind it.
std::string without_unit(const std::string& line, const std::string& unit) {
  if (unit.empty() || !line.ends_with(unit)) return line;
  return trimmed(line.substr(0, line.size() - unit.size()));
}

void read_number(const PredictionSpec& spec, const Config& config, const std::string& line,
                 TypedAnswer& answer) {
  const std::vector<Symbol> symbols = spec.symbols ? spec.symbols(config) : std::vector<Symbol>{};
  try {
    const Formula formula = read_as(Formula::parse(without_unit(line, spec.unit), symbols), symbols);
    const double value = formula.value(symbols);
    if (!std::isfinite(value)) return;
    answer.value = value;
    if (spec.symbols) answer.formula = formula;
  } catch (const Error& error) {
    answer.mistake = error.what();
  }
}

// "Measured: 75 %."
std::string found(const PredictionSpec& spec, const Config& config, const Trace& trace) {
  if (spec.words) {
    const auto words = spec.words->measured ? spec.words->measured(trace) : std::nullopt;
    if (words) return tr("Measured: {}.", in_words(*spec.words, config, *words));
    return tr("Calculated: {}.", in_words(*spec.words, config, spec.words->right(config)));
  }
  const auto value = spec.measured ? spec.measured(trace) : std::nullopt;
  if (value) return tr("Measured: {}.", in_unit(*value, spec.unit));
  return tr("Calculated: {}.", in_unit(spec.formula(config), spec.unit));
}

// What is wrong with it, and why.
std::string mistakes(const PredictionSpec& spec, const Judgement& judgement) {
  if (const auto& there = judgement.elsewhere) {
    const std::string mine = std::isnan(there->mine) ? tr("nothing") : in_unit(there->mine, spec.unit);
    return tr("Right at {:g} ranks, wrong at {:g}: your formula gives {}, the right one {}.", there->here,
              there->ranks, mine, in_unit(there->right, spec.unit));
  }
  std::string text;
  for (const NamedError& error : judgement.errors)
    text += (text.empty() ? tr("Your error: {}.", error.name) : " " + tr("Or: {}.", error.name));
  if (judgement.errors.size() == 1 && !judgement.errors[0].why.empty()) text += " " + judgement.errors[0].why;
  return text;
}

}  // namespace

TypedAnswer read_typed(const PredictionSpec& spec, const Config& config, const std::string& line) {
  TypedAnswer answer;
  answer.typed = trimmed(line);
  if (answer.typed.empty()) return answer;
  if (!spec.words) {
    read_number(spec, config, answer.typed, answer);
    return answer;
  }
  const Words words = read_words(*spec.words, config, answer.typed);
  answer.mistake = why_no_answer(*spec.words, config, words);
  if (answer.mistake.empty()) answer.words = words;
  return answer;
}

Judgement judge(const PredictionSpec& spec, const Config& config, const TypedAnswer& answer) {
  if (answer.words) return judge(spec, config, *answer.words);
  return answer.formula ? judge(spec, config, *answer.formula) : judge(spec, config, *answer.value);
}

Attempt judged_attempt(const Lesson& lesson, const PredictionSpec& spec, const Config& config,
                       const Judgement& judgement) {
  Attempt attempt;
  attempt.lesson = lesson.id;
  attempt.prediction = spec.id;
  attempt.question = spec.question;
  attempt.questions = static_cast<int>(lesson.predictions.size());
  attempt.scenario = config.scenario(true);
  if (spec.words) attempt.right_words = spec.words->right(config);
  attempt.right = spec.words ? std::nan("") : spec.formula(config);
  attempt.correct = judgement.right;
  for (const NamedError& error : judgement.errors) attempt.errors.push_back(error.name);
  if (judgement.elsewhere) attempt.errors.push_back(in_words(*judgement.elsewhere));
  return attempt;
}

Attempt judged(const Lesson& lesson, const PredictionSpec& spec, const Config& config,
               const TypedAnswer& answer) {
  Attempt attempt = judged_attempt(lesson, spec, config, judge(spec, config, answer));
  attempt.typed = answer.typed;
  attempt.value = answer.value.value_or(std::nan(""));
  if (spec.words) {
    attempt.answered_by = spec.words->kind;
    attempt.words = *answer.words;
  } else {
    const bool symbols = answer.formula && !answer.formula->uses().empty();
    attempt.answered_by = symbols ? AnswerKind::kFormula : AnswerKind::kNumber;
  }
  return attempt;
}

std::string said(const PredictionSpec& spec, const Config& config, const TypedAnswer& answer) {
  if (answer.words) return in_words(*spec.words, config, *answer.words);
  const std::string value = in_unit(*answer.value, spec.unit);
  return answer.formula && !answer.formula->uses().empty() ? tr("{} = {}", answer.typed, value) : value;
}

std::string in_unit(double value, const std::string& unit) {
  if (unit == "%") return fmt::format("{:.0f} %", value);
  const double size = std::abs(value);
  const std::string number = size >= 1e12 || (value != 0 && size < 0.005) ? fmt::format("{:.3g}", value)
                             : size >= 1e4                                ? format_count(std::llround(value))
                                                                          : fmt::format("{:.2f}", value);
  return unit.empty() ? number : number + " " + unit;
}

std::string beside_measured(const PredictionSpec& spec, const Config& config, const TypedAnswer& answer,
                            const Trace& trace) {
  const Judgement judgement = judge(spec, config, answer);
  std::string text = tr("You said {}.", said(spec, config, answer)) + " " + found(spec, config, trace);
  const auto add = [&](const std::string& sentence) { text += (sentence.empty() ? "" : " ") + sentence; };
  add(judgement.right ? tr("Right.") : mistakes(spec, judgement));
  if (judgement.right) add(spec.more);
  add(spec.why);
  return text;
}

}  // namespace ringside
