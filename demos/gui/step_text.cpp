// Break it: the lesson's text beside the picture, every scenario in it a
// button; and the sentence that stands over each step.
#include <fmt/format.h>

#include <cmath>

#include "ringside/base/units.h"
#include "ringside/lesson/lesson_text.h"
#include "ringside/lesson/tr.h"
#include "room_parts.h"
#include "typed_answer.h"

namespace ringside::gui {
namespace {

std::string watch_sentence(Desk& desk) {
  View view = desk.view();
  if (std::string own = desk.panel->sentence(view); !own.empty()) return own;
  if (view.section == nullptr)
    return desk.runs.busy() ? desk.lesson().words.starting : tr("Nothing is recorded.");
  const Moment moment = desk.watching.moment(*view.section);
  if (moment.phase.empty()) return tr("Section \"{}\".", view.section->name());
  return fmt::format("{}{}{}{}", moment.phase, moment.unit.empty() ? "" : ", " + moment.unit,
                     moment.step < 0 ? "" : fmt::format(", {} {}", desk.lesson().words.step, moment.step),
                     ".");
}

std::string break_sentence(Desk& desk) {
  if (std::string text = desk.difference(); !text.empty()) return text;
  if (desk.lesson().gauges.empty() || desk.comparison.pinned()) return watch_sentence(desk);
  return tr("Change one setting. This run is kept (pinned), and this line tells the difference in numbers.");
}

}  // namespace

std::string figure_alone(double value, const PredictionSpec& spec) {
  if (spec.whole && value == std::round(value)) return format_count(std::llround(value));
  return in_unit(value, spec.unit == "%" ? spec.unit : "");
}

std::string figure(double value, const PredictionSpec& spec) {
  const std::string number = figure_alone(value, spec);
  return spec.unit.empty() || spec.unit == "%" ? number : number + " " + spec.unit;
}

std::string caption(Desk& desk) {
  const PredictionSpec* spec = desk.guessing.question();
  switch (desk.step()) {
    case Step::kGuess: {
      if (spec == nullptr) return desk.lesson().title;
      View view = desk.view();
      const std::string invitation =
          desk.guessing.asked == 0 && !desk.guessing.answer(*spec).given ? desk.panel->invitation(view) : "";
      return invitation.empty() ? spec->question : invitation;
    }
    case Step::kWatch: return watch_sentence(desk);
    case Step::kBreak: return break_sentence(desk);
    case Step::kReveal:
      if (View view = desk.view(); auto record = desk.panel->record(view)) return *record;
      return spec == nullptr ? "What the run says." : reveal_sentence(desk, *spec);
    case Step::kSay: break;
  }
  return say_sentence(desk);
}

void run_from_text(Desk& desk, size_t nth) {
  if (desk.step() == Step::kSay) return run_from_answer(desk, nth);
  if (desk.step() != Step::kBreak) return;
  const ui::Markdown* text = desk.part(kBreakItPart);
  const auto runs = text == nullptr ? std::vector<std::string>() : text->runs();
  if (nth < runs.size()) desk.change_line(runs[nth]);
}

}  // namespace ringside::gui
