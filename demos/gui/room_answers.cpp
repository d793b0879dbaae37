#include "room_desk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/lesson/tr.h"
#include "typed_answer.h"

namespace ringside::gui {
namespace {

Reading read_words(const WordQuestion& question, const Config& config, const Answer& answer) {
  Reading reading;
  const Words words = question.kind == AnswerKind::kText ? Words{answer.text} : answer.words;
  reading.note = why_no_answer(question, config, words);
  if (reading.note.empty()) reading.words = words;
  return reading;
}

}  // namespace

Reading read_answer(const PredictionSpec& spec, const Config& config, const Answer& answer) {
  if (spec.words) return read_words(*spec.words, config, answer);
  Reading reading;
  if (answer.kind == AnswerKind::kBlocks) {
    double sum = 0;
    for (const double block : answer.blocks) sum += block;
    reading.value = sum;
    return reading;
  }
  if (answer.text.find_first_not_of(' ') == std::string::npos) return reading;
  const std::vector<Symbol> symbols = spec.symbols ? spec.symbols(config) : std::vector<Symbol>{};
  try {
    const Formula typed = Formula::parse(answer.text, symbols);
    const Formula meant = read_as(typed, symbols);
    reading.value = meant.value(symbols);
    for (size_t i = 0; i < typed.uses().size() && reading.note.empty(); ++i) {
      if (meant.uses()[i] != typed.uses()[i])
        reading.note = tr("{} stands for {} here", typed.uses()[i], meant.uses()[i]);
    }
  } catch (const Error& error) {
    reading.note = error.what();
    reading.wrong = true;
  }
  return reading;
}

Guess guess_from(const PredictionSpec& spec, const Answer& mine, const Reading& reading) {
  Guess guess{spec.id, "", reading.value.value_or(std::nan("")), {}, nullptr};
  if (reading.words) {
    guess.words = *reading.words;
    return guess;
  }
  if (mine.kind == AnswerKind::kFormula) guess.formula = mine.text;
  if (mine.kind == AnswerKind::kBlocks)
    guess.blocks = mine.blocks;
  else
    guess.at = [&spec, mine](const Config& at) { return read_answer(spec, at, mine).value; };
  return guess;
}

bool is_drawn_together(const PredictionSpec& spec) {
  return !spec.board.empty() && !spec.words && (spec.blocks || spec.symbols);
}

Judgement judge_guess(const PredictionSpec& spec, const Config& config, const Guess& guess) {
  if (spec.words) return judge(spec, config, guess.words);
  if (guess.formula.empty() || !spec.symbols) return judge(spec, config, guess.value);
  const std::vector<Symbol> symbols = spec.symbols(config);
  try {
    return judge(spec, config, read_as(Formula::parse(guess.formula, symbols), symbols));
  } catch (const UsageError&) {  // at this scenario it has no value
    return judge(spec, config, guess.value);
  }
}

Attempt attempt_of(const Lesson& lesson, const PredictionSpec& spec, const Config& config, const Answer& mine,
                   const Guess& guess) {
  Attempt attempt = judged_attempt(lesson, spec, config, judge_guess(spec, config, guess));
  attempt.answered_by = mine.kind;
  attempt.typed =
      mine.kind == AnswerKind::kBlocks ? fmt::format("{}", fmt::join(mine.blocks, " ")) : mine.text;
  attempt.confidence = mine.confidence;
  attempt.value = guess.value;
  attempt.words = guess.words;
  return attempt;
}

void fit_words(const WordQuestion& question, const Config& config, Words& words) {
  if (question.kind == AnswerKind::kText) return;
  if (question.kind != AnswerKind::kOrder) {
    std::erase_if(words,
                  [&](const std::string& word) { return !why_no_answer(question, config, {word}).empty(); });
    return;
  }
  if (why_no_answer(question, config, words).empty()) return;
  words = options_of(question, config);
  if (words == question.right(config)) std::reverse(words.begin(), words.end());
}

}  // namespace ringside::gui
