// The one next button: what comes next in the lesson, and going there.
#include <algorithm>

#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/tr.h"
#include "room_desk.h"

namespace ringside::gui {

// Acts and cases stand where a lesson is watched and judged; a question is answered first.
std::optional<NextAct> Desk::next_act() {
  if (step != Step::kWatch && step != Step::kReveal) return std::nullopt;
  View now = view();
  return panel->next_act(now);
}

std::string Desk::next_label() {
  if (const auto act = next_act()) return act->label;
  const PredictionSpec* spec = question();
  const bool given = spec != nullptr && answer(*spec).given;
  switch (step) {
    case Step::kGuess:
      if (spec != nullptr && given && open_on_board()) return tr("next question ▸");
      return spec == nullptr || given ? tr("watch it ▸") : tr("this is my guess");
    case Step::kWatch:
      if (spec == nullptr) return tr("break it ▸");
      if (given) return tr("reveal ▸");
      return spec->name.empty() ? tr("◂ guess first") : tr("◂ guess: {}", spec->name);
    case Step::kReveal: {
      if (asked + 1 >= lesson->predictions.size()) return tr("break it ▸");
      const std::string& name = lesson->predictions[asked + 1].name;
      return name.empty() ? tr("next question ▸") : tr("next: {} ▸", name);
    }
    case Step::kBreak: return tr("say it ▸");
    case Step::kSay:
      if (const std::string label = saying.next_label(); !label.empty()) return label;
      break;
  }
  return lesson_catalogue().size() > 1 ? tr("next lesson ▸") : tr("from the start ▸");
}

bool Desk::can_go_on() {
  const PredictionSpec* spec = step == Step::kGuess ? question() : nullptr;
  return spec == nullptr || answer(*spec).given || read_answer(*spec, *config, answer(*spec)).is_answer();
}

void Desk::next() {
  if (const auto act = next_act()) {
    act->act(wishes);
    if (step != Step::kWatch) go_to(Step::kWatch);
    return;
  }
  const PredictionSpec* spec = question();
  const bool given = spec != nullptr && answer(*spec).given;
  switch (step) {
    case Step::kGuess:
      if (spec != nullptr && !given) return commit();
      if (const auto open = open_on_board()) return ask(*open);
      asked = board().first;
      return go_to(Step::kWatch);
    case Step::kWatch: return go_to(spec == nullptr ? Step::kBreak : given ? Step::kReveal : Step::kGuess);
    case Step::kReveal:
      if (asked + 1 < board().second && guess(lesson->predictions[asked + 1].id) != nullptr) {
        ++asked;
        return go_to(Step::kReveal);
      }
      if (asked + 1 < lesson->predictions.size()) return ask(asked + 1);
      return go_to(Step::kBreak);
    case Step::kBreak: return go_to(Step::kSay);
    case Step::kSay:
      if (!saying.next_label().empty()) return saying.next(record);
      break;
  }
  const auto& lessons = lesson_catalogue();
  const auto here = std::ranges::find_if(lessons, [&](const auto& one) { return one.id == lesson->id; });
  const auto behind = here == lessons.end() ? here : here + 1;
  if (lessons.size() > 1) return return_to(behind == lessons.end() ? lessons.front().id : behind->id);
  ask(0);
}

}  // namespace ringside::gui
