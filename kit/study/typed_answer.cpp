#include "typed_answer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "half_width.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/text_blocks.h"
#include "ringside/lesson/tr.h"

namespace ringside::inline kit {
namespace {

// Without blanks, in lower case: "2g + 1" is "2g+1".
std::string compact(const std::string& text) {
  std::string out = lower(text);
  std::erase_if(out, [](char c) { return c == ' ' || c == '\t'; });
  return out;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "[0, 1]", "0,1" and "0 1" as "0 1"; anything else without blanks.
std::string bare(const std::string& text) {
  if (text.find_first_not_of("0123456789.-,;[]() \t") != std::string::npos) return compact(text);
  std::string out;
  for (const char c : text) {
    const bool of_number = is_digit(c) || c == '.' || c == '-';
    if (of_number)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == '.')) out.pop_back();
  return out;
}

// A number of the text, not a part of one: 1 of "stage 1", not of "10".
bool has_number(const std::string& text, const std::string& number) {
  const auto apart = [&](size_t at) { return at >= text.size() || !(is_digit(text[at]) || text[at] == '.'); };
  for (size_t at = text.find(number); at != text.npos; at = text.find(number, at + 1))
    if ((at == 0 || apart(at - 1)) && apart(at + number.size())) return true;
  return false;
}

// The option by its text, by its letter, or by a number that no other one has.
std::optional<std::string> option_meant(const Words& options, const std::string& word) {
  const std::string mark = compact(word);
  for (const std::string& option : options)
    if (compact(option) == mark) return option;
  if (mark.size() == 1 && mark[0] >= letter_of(0) && mark[0] < letter_of(options.size()))
    return options[size_t(mark[0] - letter_of(0))];
  if (mark.empty() || !std::ranges::all_of(mark, is_digit)) return std::nullopt;
  Words having;
  for (const std::string& option : options)
    if (has_number(option, mark)) having.push_back(option);
  return having.size() == 1 ? std::optional(having[0]) : std::nullopt;
}

// Of a question for text: the declared form of what differs only in brackets, commas and blanks.
std::string text_meant(const WordQuestion& question, const Config& config, const std::string& line) {
  std::vector<Words> known = {question.right(config)};
  if (question.wrong)
    for (const WrongWords& wrong : question.wrong(config)) known.push_back(wrong.answer);
  for (const Words& one : known)
    if (one.size() == 1 && bare(one[0]) == bare(line)) return one[0];
  return line;
}

// Behind commas, or one behind the other: "b, a", "b a", "ba".
Words parts_meant(const Words& options, const std::string& line) {
  Words parts = parted(line, ',');
  if (parts.size() == 1) parts = parted(line, ' ');
  std::erase(parts, "");
  const auto is_letter = [&](char c) { return c >= letter_of(0) && c < letter_of(options.size()); };
  const std::string word = lower(trimmed(line));
  if (parts.size() == 1 && std::ranges::all_of(word, is_letter)) {
    parts.clear();
    for (const char c : word) parts.emplace_back(1, c);
  }
  return parts;
}

Words read_words(const WordQuestion& question, const Config& config, const std::string& line) {
  if (question.kind == AnswerKind::kLine) return {line};
  if (question.kind == AnswerKind::kText) return {text_meant(question, config, line)};
  const Words options = options_of(question, config);
  if (const auto whole = option_meant(options, line)) return {*whole};  // it may have a comma in it
  if (question.kind == AnswerKind::kChoice) return {line};
  Words words;
  for (const std::string& word : parts_meant(options, line))
    words.push_back(option_meant(options, word).value_or(word));
  return words;
}

// What may stand in a formula: the question's symbols, or the usual ones of the scenario's numbers.
std::vector<Symbol> symbols_for(const PredictionSpec& spec, const Config& config) {
  if (spec.symbols) return spec.symbols(config);
  constexpr std::pair<const char*, const char*> kUsual[] = {
      {"N", "ranks"}, {"M", "replicas"}, {"g", "accumulate"}, {"L", "layers"}, {"T", "tokens"},
      {"B", "batch"}, {"H", "hidden"},   {"W", "workers"},    {"S", "servers"}};
  std::vector<Symbol> symbols;
  for (const auto& [symbol, parameter] : kUsual) {
    const auto value =
        config.declares(parameter) ? read_number<double>(config.text(parameter)) : std::nullopt;
    if (value) symbols.push_back({symbol, parameter, *value, {parameter}});
  }
  return symbols;
}

// Without the unit that one may write behind it.
std::string without_unit(const std::string& line, const std::string& unit) {
  if (unit.empty() || !line.ends_with(unit)) return line;
  return std::string(trimmed(std::string_view(line).substr(0, line.size() - unit.size())));
}

// "0.35" where a percentage is asked for.
bool is_share(const PredictionSpec& spec, const Config& config, const std::string& line, double value) {
  return spec.unit == "%" && !line.ends_with('%') && value > 0 && value < 1 && !(spec.formula(config) < 1);
}

// "P stands for Ψ here"; "" where every symbol is the question's own.
std::string renamed(const Formula& typed, const Formula& meant) {
  for (size_t i = 0; i < typed.uses().size(); ++i)
    if (meant.uses()[i] != typed.uses()[i])
      return tr("{} stands for {} here", typed.uses()[i], meant.uses()[i]);
  return "";
}

void read_formula(const PredictionSpec& spec, const Config& config, const std::string& line,
                  TypedAnswer& answer) {
  const std::vector<Symbol> symbols = symbols_for(spec, config);
  try {
    const Formula typed = Formula::parse(without_unit(line, spec.unit), symbols);
    Formula formula = read_as(typed, symbols);
    double value = formula.value(symbols);
    answer.note = renamed(typed, formula);
    if (!std::isfinite(value)) {
      answer.mistake = tr("It has no finite value.");
      return;
    }
    if (formula.uses().empty() && is_share(spec, config, line, value)) {
      answer.as_share = true;
      answer.note = tr("taken as a share");
      formula = Formula::parse("100*(" + line + ")", {});
      value *= 100;
    }
    if (const auto range = range_of(spec, config); range && (value < range->first || value > range->second)) {
      answer.mistake =
          tr("{} is outside of {:g} to {:g}.", in_unit(value, spec.unit), range->first, range->second);
      return;
    }
    answer.value = value;
    if (spec.symbols) answer.formula = formula;
  } catch (const Error& error) {
    const bool number = std::ranges::any_of(line, is_digit);
    answer.mistake = number || spec.symbols ? error.what() : tr("Type a number, such as 12.");
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

// Within a tenth of what is calculated, or measured.
bool is_near(const PredictionSpec& spec, const Config& config, const TypedAnswer& answer,
             const Trace& trace) {
  if (!answer.value) return false;
  const auto near = [&](double right) { return std::abs(*answer.value - right) <= 0.1 * std::abs(right); };
  const auto measured = spec.measured ? spec.measured(trace) : std::nullopt;
  return near(spec.formula(config)) || (measured && near(*measured));
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

std::optional<std::pair<double, double>> range_of(const PredictionSpec& spec, const Config& config) {
  if (spec.words || spec.unit != "%") return std::nullopt;
  const double right = spec.formula(config);
  const auto is_part = [](double value) { return value >= 0 && value <= 100; };
  const std::vector<WrongAnswer> wrong = wrong_answers(spec, config, right);
  const bool all = is_part(right) && std::ranges::all_of(wrong, is_part, &WrongAnswer::value);
  return all ? std::optional(std::pair(0.0, 100.0)) : std::nullopt;
}

TypedAnswer read_typed(const PredictionSpec& spec, const Config& config, const std::string& line) {
  TypedAnswer answer;
  answer.typed = trimmed(line);
  const std::string plain(trimmed(half_width(answer.typed)));
  if (plain.empty()) return answer;
  if (!spec.words) {
    read_formula(spec, config, plain, answer);
    return answer;
  }
  const Words words = read_words(*spec.words, config, plain);
  answer.mistake = why_no_answer(*spec.words, config, words);
  if (answer.mistake.empty()) {
    answer.words = words;
  } else if (const AnswerKind kind = spec.words->kind;
             kind != AnswerKind::kLine && kind != AnswerKind::kText) {
    const char last = letter_of(options_of(*spec.words, config).size() - 1);
    answer.mistake += kind == AnswerKind::kChoice ? tr("; type a letter, a to {}", last)
                                                  : tr("; type letters, a to {}", last);
  }
  return answer;
}

Judgement judge(const PredictionSpec& spec, const Config& config, const TypedAnswer& answer,
                const Trace& trace) {
  Judgement judgement = answer.words     ? judge(spec, config, *answer.words)
                        : answer.formula ? judge(spec, config, *answer.formula)
                                         : judge(spec, config, *answer.value);
  if (judgement.right || judgement.elsewhere) return judgement;
  const auto number = answer.value && spec.measured ? spec.measured(trace) : std::nullopt;
  const auto words = answer.words && spec.words->measured ? spec.words->measured(trace) : std::nullopt;
  const bool measured = (number && is_answer(*answer.value, *number)) ||
                        (words && same_words(spec.words->kind, *answer.words, *words));
  return measured ? Judgement{true, {}, {}} : judgement;
}

Attempt judged_attempt(const Lesson& lesson, const PredictionSpec& spec, const Config& config,
                       const Judgement& judgement) {
  Attempt attempt;
  attempt.lesson = lesson.id;
  attempt.prediction = spec.id;
  attempt.question = spec.question;
  attempt.questions = int(lesson.predictions.size());
  attempt.scenario = config.scenario(true);
  if (spec.words) attempt.right_words = spec.words->right(config);
  attempt.right = spec.words ? std::nan("") : spec.formula(config);
  attempt.correct = judgement.right;
  for (const NamedError& error : judgement.errors) attempt.errors.push_back(error.name);
  if (judgement.elsewhere) attempt.errors.push_back(in_words(*judgement.elsewhere));
  return attempt;
}

Attempt judged(const Lesson& lesson, const PredictionSpec& spec, const Config& config,
               const TypedAnswer& answer, const Trace& trace) {
  Attempt attempt = judged_attempt(lesson, spec, config, judge(spec, config, answer, trace));
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
  if (answer.as_share) return tr("{}, taken as a share: {}", answer.typed, value);
  return answer.formula && !answer.formula->uses().empty() ? tr("{} = {}", answer.typed, value) : value;
}

std::string in_unit(double value, const std::string& unit) {
  if (unit == "%") return fmt::format("{:.0f} %", value);
  const double size = std::abs(value);
  const bool whole = !unit.empty() && value == std::floor(value) && size < 1e12;
  const std::string number = size >= 1e12 || (value != 0 && size < 0.005) ? fmt::format("{:.3g}", value)
                             : size >= 1e4 || whole                       ? format_count(std::llround(value))
                                                                          : fmt::format("{:.2f}", value);
  return unit.empty() ? number : number + " " + unit;
}

std::string beside_measured(const PredictionSpec& spec, const Config& config, const TypedAnswer& answer,
                            const Trace& trace) {
  const Judgement judgement = judge(spec, config, answer, trace);
  std::string text = tr("You said {}.", said(spec, config, answer)) + " " + found(spec, config, trace);
  const auto add = [&](const std::string& sentence) { text += (sentence.empty() ? "" : " ") + sentence; };
  const bool named = judgement.elsewhere || !judgement.errors.empty();
  add(judgement.right                        ? tr("Right.")
      : named                                ? mistakes(spec, judgement)
      : is_near(spec, config, answer, trace) ? tr("Near.")
                                             : tr("Not so."));
  if (judgement.right) add(spec.more);
  add(spec.why);
  return text;
}

}  // namespace ringside::inline kit
