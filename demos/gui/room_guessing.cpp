#include "room_guessing.h"

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

// The answer that an attempt was, at this scenario; none where the question has changed since.
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
  if (words == question.right(config)) std::ranges::reverse(words);
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

bool is_drawn_together(const PredictionSpec& spec) {
  return !spec.board.empty() && !spec.words && (spec.blocks || spec.symbols);
}

void Guessing::enter(const Lesson& lesson) {
  lesson_ = &lesson;
  answers_.clear();
  guesses_.clear();
  asked = recalled_ = 0;
}

void Guessing::ask(size_t wanted) {
  recalled_ = 0;
  asked = std::min(wanted, lesson_->predictions.empty() ? 0 : lesson_->predictions.size() - 1);
}

const PredictionSpec* Guessing::question() const {
  return asked < lesson_->predictions.size() ? &lesson_->predictions[asked] : nullptr;
}

std::pair<size_t, size_t> Guessing::board() const {
  const auto& all = lesson_->predictions;
  if (asked >= all.size()) return {0, 0};
  size_t first = asked, last = asked + 1;
  const std::string& board = all[asked].board;
  while (!board.empty() && first > 0 && all[first - 1].board == board) --first;
  while (!board.empty() && last < all.size() && all[last].board == board) ++last;
  return {first, last};
}

// The next one behind the question asked, else the first.
std::optional<size_t> Guessing::open_on_board() const {
  const auto [first, last] = board();
  const size_t count = last - first;
  for (size_t i = 1; i < count; ++i) {
    const size_t nth = first + (asked - first + i) % count;
    if (guess(lesson_->predictions[nth].id) == nullptr) return nth;
  }
  return std::nullopt;
}

const std::vector<std::string>& Guessing::open_questions(Step step) {
  open_.clear();
  const bool quiet = keeps_quiet(step);
  if (step > Step::kReveal || (!quiet && guesses_.empty())) return open_;
  const auto [first, last] = board();  // its answers wait for each other
  for (size_t i = 0; i < lesson_->predictions.size(); ++i) {
    const std::string& id = lesson_->predictions[i].id;
    if (guess(id) == nullptr || (quiet && i >= first && i < last)) open_.push_back(id);
  }
  return open_;
}

std::optional<Judgement> Guessing::judgement(const PredictionSpec& spec) const {
  const Guess* mine = guess(spec.id);
  return mine == nullptr ? std::nullopt : std::optional(judge_guess(spec, *config_, *mine));
}

Answer& Guessing::answer(const PredictionSpec& spec) {
  const auto [place, is_new] = answers_.try_emplace(spec.id);
  Answer& mine = place->second;
  if (is_new) mine.kind = spec.words ? spec.words->kind : spec.answered_by;
  if (spec.words) fit_words(*spec.words, *config_, mine.words);
  if (spec.blocks) mine.blocks.resize(spec.blocks(*config_).size(), 0);
  return mine;
}

const Guess* Guessing::guess(const std::string& prediction) const {
  const auto found = std::ranges::find(guesses_, prediction, &Guess::prediction);
  return found == guesses_.end() ? nullptr : &*found;
}

bool Guessing::commit(StudyRecord& record) {
  const auto [first, last] = board();
  bool kept = false;
  for (size_t i = first; i < last; ++i) {
    const PredictionSpec& spec = lesson_->predictions[i];
    const Answer& mine = answer(spec);
    const bool built = mine.kind == AnswerKind::kBlocks;
    const Reading reading = read_answer(spec, *config_, mine);
    const bool said = reading.is_answer() && !mine.given && (!built || *reading.value != 0);
    if (!(i == asked ? reading.is_answer() : said && is_drawn_together(spec))) continue;
    keep(spec, reading, record);
    kept = true;
  }
  return kept;
}

void Guessing::keep(const PredictionSpec& spec, const Reading& reading, StudyRecord& record) {
  Answer& mine = answer(spec);
  mine.given = true;
  mine.revealed_at = -1;
  std::erase_if(guesses_, [&](const Guess& one) { return one.prediction == spec.id; });
  guesses_.push_back(guess_from(spec, mine, reading));
  record.add(attempt_of(*lesson_, spec, *config_, mine, guesses_.back()));
}

void Guessing::recall(const std::vector<Attempt>& all) {
  const std::string here = config_->scenario(true);
  for (const PredictionSpec& spec : lesson_->predictions) {
    const auto last = std::find_if(all.rbegin(), all.rend(), [&](const Attempt& one) {
      return one.lesson == lesson_->id && one.prediction == spec.id && one.scenario == here;
    });
    const auto mine = last == all.rend() ? std::nullopt : answer_kept(spec, *config_, *last);
    if (!mine) continue;
    answers_[spec.id] = *mine;
    guesses_.push_back(guess_from(spec, *mine, read_answer(spec, *config_, *mine)));
  }
  recalled_ = guesses_.size();
  const auto& questions = lesson_->predictions;
  const auto open =
      std::ranges::find_if(questions, [&](const PredictionSpec& spec) { return guess(spec.id) == nullptr; });
  if (open != questions.end()) asked = size_t(open - questions.begin());
}

void Guessing::forget(const PredictionSpec& spec) {
  answers_.erase(spec.id);
  std::erase_if(guesses_, [&](const Guess& one) { return one.prediction == spec.id; });
}

// A picture that was dragged answers in the field, which the learner may still correct.
void Guessing::type(const std::string& number) {
  const PredictionSpec* spec = question();
  if (spec == nullptr || spec->words) return;
  Answer& mine = answer(*spec);
  if (mine.kind == AnswerKind::kBlocks || mine.text == number) return;
  mine.text = number;
  mine.given = false;
}

bool Guessing::keeps_quiet(Step step) {
  const PredictionSpec* spec = question();
  return step == Step::kGuess && spec != nullptr && (!answer(*spec).given || open_on_board());
}

bool Guessing::can_commit() {
  const PredictionSpec* spec = question();
  return spec == nullptr || answer(*spec).given || read_answer(*spec, *config_, answer(*spec)).is_answer();
}

bool Guessing::filling(double seconds) const {
  if (question() == nullptr) return false;
  const auto found = answers_.find(question()->id);
  return found != answers_.end() && found->second.revealed_at >= 0 &&
         seconds - found->second.revealed_at < 0.7;
}

void Guessing::read_typed(Step step) {
  typed_.reset();
  const PredictionSpec* spec = keeps_quiet(step) ? question() : nullptr;
  if (spec == nullptr) return;
  const Answer& mine = answer(*spec);
  const Reading reading = read_answer(*spec, *config_, mine);
  const bool built = mine.kind == AnswerKind::kBlocks;
  if (!reading.is_answer() || (built && *reading.value == 0)) return;
  typed_ = guess_from(*spec, mine, reading);
}

}  // namespace ringside::gui
