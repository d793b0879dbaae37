// The way through a lesson: its steps and questions, the picture of each, and the one next button.
#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/tr.h"
#include "room_desk.h"

namespace ringside::gui {

void Desk::go_to(Step to) {
  if (const PredictionSpec* spec = guessing.question();
      spec != nullptr && step_ == Step::kGuess && to != step_)
    panel->show_picture(panel->picture_after(*spec));
  step_ = to;
  picture_has_keys = false;
  record.visit(lesson_->id, kStepNames[int(to)]);
  if (to == Step::kReveal) {
    if (const PredictionSpec* spec = guessing.question()) {
      Answer& mine = guessing.answer(*spec);
      if (mine.revealed_at < 0) mine.revealed_at = seconds_;
      View now = view();
      if (!spec->section.empty() && watching.awaited() == nullptr && !panel->record(now))
        watching.watch(spec->section);
      // The question's own picture, whatever was looked at since.
      if (panel->reveals(*spec) || (spec->words && !mine.given))
        panel->show_picture(panel->picture_for(*spec));
      if (const auto picture = picture_at_reveal(*spec)) panel->show_picture(*picture);
    }
  }
  if (to == Step::kWatch) show_open_picture();
  if (to == Step::kWatch || (to == Step::kBreak && watching.playhead.follow && !watching.chosen_by_hand()))
    open_watch();
  if (to == Step::kGuess) {
    watching.follow();
    show_asked_picture();
    focus_answer = true;
  }
}

void Desk::show_asked_picture() {
  if (guessing.question() != nullptr) panel->show_picture(panel->picture_for(*guessing.question()));
}

// Once for a question and a run: whoever comes back finds the playhead where it was.
void Desk::open_watch() {
  const PredictionSpec* spec = guessing.question();
  if (spec == nullptr || !watching.open_for(spec->id)) return;
  const bool played = step_ == Step::kWatch;
  if (auto place = panel->opening(*spec))
    await({.place = std::move(*place), .played = played});
  else if (!spec->instant.empty())
    await({.instant = spec->instant, .played = played});
}

void Desk::show(const std::string& instant) {
  if (const PredictionSpec* spec = guessing.question()) watching.open_for(spec->id);
  go_to(Step::kWatch);
  await({.instant = instant});
}

void Desk::await(Awaited place) {
  watching.await(std::move(place));
  reach_awaited();
}

void Desk::reach_awaited() {
  if (const std::string mistake = watching.reach(*config_, seconds_); !mistake.empty()) tell(mistake);
}

// The figure that tells this answer, and none that is still asked for; of several the one that tells least
// else. Where none does, the one that stood beside this question and no other.
std::optional<size_t> Desk::figure_that_shows(const PredictionSpec& spec) {
  const View now = view();
  const FigureSpec *found = nullptr, *beside = nullptr;
  for (const FigureSpec& one : lesson_->figures) {
    if (now.hides(one)) continue;
    if (one.id == spec.figure && !one.of_configuration &&
        std::ranges::count(lesson_->predictions, one.id, &PredictionSpec::figure) == 1)
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
  if (guessing.question() == nullptr || !panel->is_kept_back(now)) return;
  if (const auto picture = figure_that_shows(*guessing.question())) return panel->show_picture(*picture);
  const auto& all = lesson_->figures;
  const auto first = std::ranges::find_if(all, [&](const FigureSpec& one) { return !now.hides(one); });
  if (first != all.end()) panel->show_picture(*panel->picture_called(first->id));
}

// The picture that shows the answer. Of a question in words that nobody has answered it is the one that the
// room shows after the question.
std::optional<size_t> Desk::picture_at_reveal(const PredictionSpec& spec) {
  if (spec.words && !guessing.answer(spec).given) return panel->picture_after(spec);
  return panel->reveals(spec) ? panel->picture_for(spec) : figure_that_shows(spec);
}

void Desk::ask(size_t wanted) {
  guessing.ask(wanted);
  go_to(Step::kGuess);
}

void Desk::commit() {
  if (guessing.commit(record)) picture_has_keys = false;
}

void Desk::again(const std::string& words) {
  std::vector<std::string> changes = split_scenario(words);
  try {
    Config next = config_->with(changes);
    if (const PredictionSpec* spec = guessing.question()) guessing.forget(*spec);
    run(std::move(next));
    go_to(Step::kGuess);
  } catch (const Error& error) {
    tell(error.what());
  }
}

std::optional<double> Desk::found(const PredictionSpec& spec) const {
  if (spec.words) return std::nullopt;
  return is_calculated(spec) ? spec.formula(*config_) : measurements_.of(spec.id);
}

std::optional<Words> Desk::found_words(const PredictionSpec& spec) const {
  if (!spec.words) return std::nullopt;
  return is_calculated(spec) ? spec.words->right(*config_) : measurements_.words_of(spec.id);
}

// Acts and cases stand where a lesson is watched and judged; a question is answered first.
std::optional<NextAct> Desk::next_act() {
  if (step_ != Step::kWatch && step_ != Step::kReveal) return std::nullopt;
  View now = view();
  return panel->next_act(now);
}

std::string Desk::next_label() {
  if (const auto act = next_act()) return act->label;
  const PredictionSpec* spec = guessing.question();
  const bool given = spec != nullptr && guessing.answer(*spec).given;
  switch (step_) {
    case Step::kGuess:
      if (spec != nullptr && given && guessing.open_on_board()) return tr("next question ▸");
      return spec == nullptr || given ? tr("watch it ▸") : tr("this is my guess");
    case Step::kWatch:
      if (spec == nullptr) return tr("break it ▸");
      if (given) return tr("reveal ▸");
      return spec->name.empty() ? tr("◂ guess first") : tr("◂ guess: {}", spec->name);
    case Step::kReveal: {
      if (guessing.asked + 1 >= lesson_->predictions.size()) return tr("break it ▸");
      const std::string& name = lesson_->predictions[guessing.asked + 1].name;
      return name.empty() ? tr("next question ▸") : tr("next: {} ▸", name);
    }
    case Step::kBreak: return tr("say it ▸");
    case Step::kSay:
      if (const std::string label = saying.next_label(); !label.empty()) return label;
      break;
  }
  return lesson_catalogue().size() > 1 ? tr("next lesson ▸") : tr("from the start ▸");
}

void Desk::next() {
  if (const auto act = next_act()) {
    act->act(wishes);
    if (step_ != Step::kWatch) go_to(Step::kWatch);
    return;
  }
  const PredictionSpec* spec = guessing.question();
  const bool given = spec != nullptr && guessing.answer(*spec).given;
  switch (step_) {
    case Step::kGuess:
      if (spec != nullptr && !given) return commit();
      if (const auto open = guessing.open_on_board()) return ask(*open);
      guessing.asked = guessing.board().first;
      return go_to(Step::kWatch);
    case Step::kWatch: return go_to(spec == nullptr ? Step::kBreak : given ? Step::kReveal : Step::kGuess);
    case Step::kReveal:
      if (guessing.asked + 1 < guessing.board().second &&
          guessing.guess(lesson_->predictions[guessing.asked + 1].id) != nullptr) {
        ++guessing.asked;
        return go_to(Step::kReveal);
      }
      if (guessing.asked + 1 < lesson_->predictions.size()) return ask(guessing.asked + 1);
      return go_to(Step::kBreak);
    case Step::kBreak: return go_to(Step::kSay);
    case Step::kSay:
      if (!saying.next_label().empty()) return saying.next(record);
      break;
  }
  const auto& lessons = lesson_catalogue();
  const auto here = std::ranges::find(lessons, lesson_->id, &FrontMatter::id);
  const auto behind = here == lessons.end() ? here : here + 1;
  if (lessons.size() > 1) return return_to(behind == lessons.end() ? lessons.front().id : behind->id);
  ask(0);
}

}  // namespace ringside::gui
