// The desk, as far as questions go: what is asked, what was answered, whether it is right.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/error.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/tr.h"
#include "room_desk.h"

namespace ringside::gui {
namespace {

Attempt attempt_of(const Lesson& lesson, const PredictionSpec& spec, const Config& config, const Answer& mine,
                   const Reading& reading) {
  Attempt attempt;
  attempt.lesson = lesson.id;
  attempt.prediction = spec.id;
  attempt.scenario = config.scenario(true);
  attempt.answered_by = mine.kind;
  attempt.typed =
      mine.kind == AnswerKind::kBlocks ? fmt::format("{}", fmt::join(mine.blocks, " ")) : mine.text;
  attempt.confidence = mine.confidence;
  if (spec.words) {
    attempt.value = attempt.right = std::nan("");
    attempt.words = *reading.words;
    attempt.right_words = spec.words->right(config);
    attempt.correct = is_words_answer(*spec.words, config, attempt.words);
  } else {
    attempt.value = *reading.value;
    attempt.right = spec.formula(config);
    attempt.correct = is_answer(attempt.value, attempt.right);
  }
  if (attempt.correct) return attempt;
  const auto wrong_ones =
      spec.words ? named_wrong(*spec.words, config, attempt.words) : named_wrong(spec, config, attempt.value);
  for (const WrongAnswer& wrong : wrong_ones) attempt.errors.push_back(wrong.name);
  return attempt;
}

// For the pictures: the same guess at any other N; what was built of blocks is for one N.
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

// What can still be chosen, where the options have changed. An order begins as the options are declared, or
// backwards where that is the right one.
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
        reading.note = tr("read with {} for {}", meant.uses()[i], typed.uses()[i]);
    }
  } catch (const Error& error) {
    reading.note = error.what();
    reading.wrong = true;
  }
  return reading;
}

void Desk::go_to(Step to) {
  if (const PredictionSpec* spec = question(); spec != nullptr && step == Step::kGuess && to != step)
    panel->show_picture(panel->picture_after(*spec));
  step = to;
  picture_has_keys = false;
  record.visit(lesson->id, kStepNames[static_cast<int>(to)]);
  if (to == Step::kReveal) {
    if (const PredictionSpec* spec = question()) {
      Answer& mine = answer(*spec);
      if (mine.revealed_at < 0) mine.revealed_at = seconds;
      if (!spec->section.empty()) watch(spec->section);
      if (panel->reveals(*spec)) panel->show_picture(panel->picture_for(*spec));
    }
  }
  if (to == Step::kGuess) {
    if (const PredictionSpec* spec = question()) panel->show_picture(panel->picture_for(*spec));
    focus_answer = true;
    chosen_by_hand_ = false;
    playhead.follow = true;
  }
}

void Desk::ask(size_t wanted) {
  asked = std::min(wanted, lesson->predictions.empty() ? 0 : lesson->predictions.size() - 1);
  go_to(Step::kGuess);
}

const PredictionSpec* Desk::question() const {
  return asked < lesson->predictions.size() ? &lesson->predictions[asked] : nullptr;
}

Answer& Desk::answer(const PredictionSpec& spec) {
  const auto [place, is_new] = answers_.try_emplace(spec.id);
  Answer& mine = place->second;
  if (is_new) mine.kind = spec.words ? spec.words->kind : spec.answered_by;
  if (spec.words) fit_words(*spec.words, *config, mine.words);
  if (spec.blocks) mine.blocks.resize(spec.blocks(*config).size(), 0);
  return mine;
}

const Guess* Desk::guess(const std::string& prediction) const {
  for (const Guess& one : guesses) {
    if (one.prediction == prediction) return &one;
  }
  return nullptr;
}

void Desk::commit() {
  const PredictionSpec* spec = question();
  if (spec == nullptr) return;
  Answer& mine = answer(*spec);
  const Reading reading = read_answer(*spec, *config, mine);
  if (!reading.is_answer()) return;
  mine.given = true;
  mine.revealed_at = -1;
  picture_has_keys = false;
  std::erase_if(guesses, [&](const Guess& one) { return one.prediction == spec->id; });
  guesses.push_back(guess_from(*spec, mine, reading));
  record.add(attempt_of(*lesson, *spec, *config, mine, reading));
}

// A picture that was dragged answers in the field, which the learner may still correct.
void Desk::type_answer(const std::string& number) {
  const PredictionSpec* spec = step == Step::kGuess ? question() : nullptr;
  if (spec == nullptr || spec->words) return;
  Answer& mine = answer(*spec);
  if (mine.kind == AnswerKind::kBlocks || mine.text == number) return;
  mine.text = number;
  mine.given = false;
}

void Desk::again(const std::string& words) {
  std::vector<std::string> changes = split_scenario(words);
  try {
    Config next = config->with(changes);
    const PredictionSpec* spec = question();
    if (spec != nullptr) answers_.erase(spec->id);
    std::erase_if(guesses, [&](const Guess& one) { return spec != nullptr && one.prediction == spec->id; });
    run(std::move(next));
    go_to(Step::kGuess);
  } catch (const Error& error) {
    say(error.what(), true);
  }
}

std::string Desk::next_label() const {
  const PredictionSpec* spec = question();
  const auto found = spec == nullptr ? answers_.end() : answers_.find(spec->id);
  const bool given = found != answers_.end() && found->second.given;
  switch (step) {
    case Step::kGuess:
      return spec == nullptr || given ? "watch it ▸" : "this is my guess";
    case Step::kWatch:
      return spec == nullptr ? "break it ▸" : given ? "reveal ▸" : "◂ guess first";
    case Step::kReveal:
      return asked + 1 < lesson->predictions.size() ? "next question ▸" : "break it ▸";
    case Step::kBreak:
      return "say it ▸";
    case Step::kSay:
      break;
  }
  return all_lessons().size() > 1 ? "next lesson ▸" : "from the start ▸";
}

void Desk::next() {
  const PredictionSpec* spec = question();
  const bool given = spec != nullptr && answer(*spec).given;
  switch (step) {
    case Step::kGuess:
      if (spec == nullptr || given) return go_to(Step::kWatch);
      return commit();
    case Step::kWatch:
      return go_to(spec == nullptr ? Step::kBreak : given ? Step::kReveal : Step::kGuess);
    case Step::kReveal:
      if (asked + 1 < lesson->predictions.size()) return ask(asked + 1);
      return go_to(Step::kBreak);
    case Step::kBreak:
      return go_to(Step::kSay);
    case Step::kSay:
      break;
  }
  const auto& lessons = all_lessons();
  const auto here = static_cast<size_t>(lesson - lessons.data());
  if (lessons.size() > 1) return choose_lesson(lessons[(here + 1) % lessons.size()].id);
  ask(0);
}

std::optional<double> Desk::measured(const PredictionSpec& spec) const { return measurements.of(spec.id); }

std::optional<double> Desk::found(const PredictionSpec& spec) const {
  if (spec.words) return std::nullopt;
  return is_calculated(spec) ? spec.formula(*config) : measured(spec);
}

std::optional<Words> Desk::found_words(const PredictionSpec& spec) const {
  if (!spec.words) return std::nullopt;
  return is_calculated(spec) ? spec.words->right(*config) : measurements.words_of(spec.id);
}

// Whether what is measured would tell the answer to the question that is still open.
bool Desk::keeping_quiet() {
  const PredictionSpec* spec = question();
  return step == Step::kGuess && spec != nullptr && !answer(*spec).given;
}

// Sections are watched while a question is open where the pictures that answer it stay closed.
bool Desk::hiding_sections() { return keeping_quiet() && !panel->closes_answers(); }

bool Desk::filling() const {
  if (step != Step::kReveal || !look.motion || question() == nullptr) return false;
  const auto found = answers_.find(question()->id);
  return found != answers_.end() && found->second.revealed_at >= 0 &&
         seconds - found->second.revealed_at < 0.7;
}

// What stands in the field of the open question, as a guess that is not kept yet.
void Desk::read_typed() {
  typed_.reset();
  const PredictionSpec* spec = keeping_quiet() ? question() : nullptr;
  if (spec == nullptr) return;
  const Answer& mine = answer(*spec);
  const Reading reading = read_answer(*spec, *config, mine);
  const bool built = mine.kind == AnswerKind::kBlocks;
  if (!reading.is_answer() || (built && *reading.value == 0)) return;
  typed_ = guess_from(*spec, mine, reading);
}

}  // namespace ringside::gui
