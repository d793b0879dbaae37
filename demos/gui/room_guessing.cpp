// The desk, as far as questions go: what is asked, what was answered, whether it is right.
#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/lesson/prediction.h"
#include "room_desk.h"

namespace ringside::gui {
void Desk::go_to(Step to) {
  if (const PredictionSpec* spec = question(); spec != nullptr && step == Step::kGuess && to != step)
    panel->show_picture(panel->picture_after(*spec));
  step = to;
  picture_has_keys = false;
  record.visit(lesson->id, kStepNames[int(to)]);
  if (to == Step::kReveal) {
    if (const PredictionSpec* spec = question()) {
      Answer& mine = answer(*spec);
      if (mine.revealed_at < 0) mine.revealed_at = seconds;
      View now = view();
      if (!spec->section.empty() && !awaited_ && !panel->record(now)) watch(spec->section);
      // The question's own picture, whatever was looked at since.
      if (panel->reveals(*spec) || (spec->words && !mine.given))
        panel->show_picture(panel->picture_for(*spec));
      if (const auto picture = picture_at_reveal(*spec)) panel->show_picture(*picture);
    }
  }
  if (to == Step::kWatch) show_open_picture();
  if (to == Step::kWatch || (to == Step::kBreak && playhead.follow && !chosen_by_hand_)) open_watch();
  if (to == Step::kGuess) {
    awaited_.reset();
    opened_.clear();
    if (const PredictionSpec* spec = question()) panel->show_picture(panel->picture_for(*spec));
    focus_answer = true;
    chosen_by_hand_ = false;
    playhead.follow = true;
  }
}

bool Desk::is_kept_back(const FigureSpec& figure) {
  const auto& open = open_questions();
  return std::ranges::any_of(
      figure.answers, [&](const std::string& id) { return std::ranges::find(open, id) != open.end(); });
}

// The figure that tells this answer, and none that is still asked for; of several the one that tells least
// else. Where none does, the one that stood beside this question and no other.
std::optional<size_t> Desk::figure_that_shows(const PredictionSpec& spec) {
  const FigureSpec *found = nullptr, *beside = nullptr;
  for (const FigureSpec& one : lesson->figures) {
    if (is_kept_back(one)) continue;
    if (one.id == spec.figure && !one.of_configuration &&
        std::ranges::count(lesson->predictions, one.id, &PredictionSpec::figure) == 1)
      beside = &one;
    const bool tells = std::ranges::find(one.answers, spec.id) != one.answers.end();
    if (tells && (found == nullptr || one.answers.size() < found->answers.size())) found = &one;
  }
  if (found == nullptr) found = beside;
  return found == nullptr ? std::nullopt : panel->picture_called(found->id);
}

// In the place of a picture that is kept back: the one that tells the answer given, else the first that is
// not.
void Desk::show_open_picture() {
  View now = view();
  if (question() == nullptr || !panel->is_kept_back(now)) return;
  if (const auto picture = figure_that_shows(*question())) return panel->show_picture(*picture);
  const auto& all = lesson->figures;
  const auto first = std::ranges::find_if(all, [&](const FigureSpec& one) { return !is_kept_back(one); });
  if (first != all.end()) panel->show_picture(*panel->picture_called(first->id));
}

// The picture that shows the answer. Of a question in words that nobody has answered it is the one that the
// room shows after the question.
std::optional<size_t> Desk::picture_at_reveal(const PredictionSpec& spec) {
  if (spec.words && !answer(spec).given) return panel->picture_after(spec);
  return panel->reveals(spec) ? panel->picture_for(spec) : figure_that_shows(spec);
}

void Desk::ask(size_t wanted) {
  recalled = 0;
  asked = std::min(wanted, lesson->predictions.empty() ? 0 : lesson->predictions.size() - 1);
  go_to(Step::kGuess);
}

const PredictionSpec* Desk::question() const {
  return asked < lesson->predictions.size() ? &lesson->predictions[asked] : nullptr;
}

std::pair<size_t, size_t> Desk::board() const {
  const auto& all = lesson->predictions;
  if (asked >= all.size()) return {0, 0};
  size_t first = asked, last = asked + 1;
  const std::string& board = all[asked].board;
  while (!board.empty() && first > 0 && all[first - 1].board == board) --first;
  while (!board.empty() && last < all.size() && all[last].board == board) ++last;
  return {first, last};
}

// The next one behind the question asked, else the first.
std::optional<size_t> Desk::open_on_board() const {
  const auto [first, last] = board();
  const size_t count = last - first;
  for (size_t i = 1; i < count; ++i) {
    const size_t nth = first + (asked - first + i) % count;
    if (guess(lesson->predictions[nth].id) == nullptr) return nth;
  }
  return std::nullopt;
}

const std::vector<std::string>& Desk::open_questions() {
  open_.clear();
  const bool quiet = keeping_quiet();
  if (step > Step::kReveal || (!quiet && guesses.empty())) return open_;
  const auto [first, last] = board();  // its answers wait for each other
  for (size_t i = 0; i < lesson->predictions.size(); ++i) {
    const std::string& id = lesson->predictions[i].id;
    if (guess(id) == nullptr || (quiet && i >= first && i < last)) open_.push_back(id);
  }
  return open_;
}

std::optional<Judgement> Desk::judgement(const PredictionSpec& spec) const {
  const Guess* mine = guess(spec.id);
  return mine == nullptr ? std::nullopt : std::optional(judge_guess(spec, *config, *mine));
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
  for (const Guess& one : guesses)
    if (one.prediction == prediction) return &one;
  return nullptr;
}

// With the question asked, what was answered beside it on its board.
void Desk::commit() {
  const auto [first, last] = board();
  for (size_t i = first; i < last; ++i) {
    const PredictionSpec& spec = lesson->predictions[i];
    const Answer& mine = answer(spec);
    const bool built = mine.kind == AnswerKind::kBlocks;
    const Reading reading = read_answer(spec, *config, mine);
    const bool said = reading.is_answer() && !mine.given && (!built || *reading.value != 0);
    if (i == asked ? reading.is_answer() : said && is_drawn_together(spec)) keep_guess(spec, reading);
  }
}

void Desk::keep_guess(const PredictionSpec& spec, const Reading& reading) {
  Answer& mine = answer(spec);
  mine.given = true;
  mine.revealed_at = -1;
  picture_has_keys = false;
  std::erase_if(guesses, [&](const Guess& one) { return one.prediction == spec.id; });
  guesses.push_back(guess_from(spec, mine, reading));
  record.add(attempt_of(*lesson, spec, *config, mine, guesses.back()));
}

// What was answered at this scenario before, in this room or in a terminal. The first question that was not
// is asked.
void Desk::recall() {
  const std::string here = config->scenario(true);
  const auto& all = record.attempts();
  for (const PredictionSpec& spec : lesson->predictions) {
    const auto last = std::find_if(all.rbegin(), all.rend(), [&](const Attempt& one) {
      return one.lesson == lesson->id && one.prediction == spec.id && one.scenario == here;
    });
    const auto mine = last == all.rend() ? std::nullopt : answer_kept(spec, *config, *last);
    if (!mine) continue;
    answers_[spec.id] = *mine;
    guesses.push_back(guess_from(spec, *mine, read_answer(spec, *config, *mine)));
  }
  recalled = guesses.size();
  const auto& questions = lesson->predictions;
  const auto open =
      std::ranges::find_if(questions, [&](const PredictionSpec& spec) { return guess(spec.id) == nullptr; });
  if (open != questions.end()) asked = size_t(open - questions.begin());
  if (question() != nullptr) panel->show_picture(panel->picture_for(*question()));
}

// The question is asked as if for the first time.
void Desk::forget_answer(const PredictionSpec& spec) {
  answers_.erase(spec.id);
  std::erase_if(guesses, [&](const Guess& one) { return one.prediction == spec.id; });
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
    if (const PredictionSpec* spec = question()) forget_answer(*spec);
    run(std::move(next));
    go_to(Step::kGuess);
  } catch (const Error& error) {
    say(error.what());
  }
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
  return step == Step::kGuess && spec != nullptr && (!answer(*spec).given || open_on_board());
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
