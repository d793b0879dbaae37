#include "room_desk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "typed_answer.h"

namespace ringside::gui {
namespace {

Reading read_rows(const WordQuestion& question, const Config& config, const Words& words) {
  Reading reading;
  reading.note = why_no_answer(question, config, words);
  if (reading.note.empty()) reading.words = words;
  return reading;
}

// As `fmt::join(blocks, " ")` wrote them; none where the question has other blocks now.
std::optional<std::vector<double>> blocks_of(const std::string& typed, size_t count) {
  std::istringstream in(typed);
  std::vector<double> blocks;
  for (double block = 0; in >> block;) blocks.push_back(block);
  return in.eof() && blocks.size() == count ? std::optional(blocks) : std::nullopt;
}

}  // namespace

Reading read_answer(const PredictionSpec& spec, const Config& config, const Answer& answer) {
  if (spec.words && spec.words->kind != AnswerKind::kText)
    return read_rows(*spec.words, config, answer.words);
  Reading reading;
  if (answer.kind == AnswerKind::kBlocks) {
    double sum = 0;
    for (const double block : answer.blocks) sum += block;
    reading.value = sum;
    return reading;
  }
  const TypedAnswer typed = ringside::read_typed(spec, config, answer.text);
  return {typed.value, typed.words, typed.mistake.empty() ? typed.note : typed.mistake,
          !typed.mistake.empty() && !spec.words};
}

std::optional<Answer> answer_kept(const PredictionSpec& spec, const Config& config, const Attempt& attempt) {
  Answer answer;
  answer.kind = spec.words ? spec.words->kind : attempt.answered_by;
  answer.text = attempt.typed;
  answer.words = attempt.words;
  if (spec.words && spec.words->kind == AnswerKind::kText && !attempt.words.empty())
    answer.text = attempt.words.front();
  if (attempt.confidence > 0) answer.confidence = attempt.confidence;
  if (answer.kind == AnswerKind::kFormula && !spec.symbols) answer.kind = AnswerKind::kNumber;
  if (answer.kind == AnswerKind::kBlocks) {
    const auto blocks = spec.blocks ? blocks_of(attempt.typed, spec.blocks(config).size()) : std::nullopt;
    if (!blocks) return std::nullopt;
    answer.blocks = *blocks;
  }
  answer.given = true;
  return read_answer(spec, config, answer).is_answer() ? std::optional(answer) : std::nullopt;
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
  const TypedAnswer typed = ringside::read_typed(spec, config, guess.formula);
  // At this scenario it may have no value.
  return typed.is_answer() ? judge(spec, config, typed) : judge(spec, config, guess.value);
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
  if (words == question.right(config)) std::ranges::reverse(words);
}

}  // namespace ringside::gui
