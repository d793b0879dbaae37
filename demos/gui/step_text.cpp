// Break it and Say it: the lesson's text beside the picture, every scenario in it a
// button; and the sentence that stands over each step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/units.h"
#include "ringside/lesson/lesson_text.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

void draw_part(Desk& desk, const Desk::Part& part, bool with_title) {
  if (with_title && !part.title.empty()) {
    const FontScope font(Type::kQuestion);
    ImGui::TextUnformatted(part.title.c_str());
  }
  const auto clicked = part.text.draw(ImGui::GetContentRegionAvail().x, "text." + part.title);
  if (!clicked.copied.empty()) desk.to_copy = clicked.copied;
  if (clicked.run.empty()) return;
  desk.wishes.scenario = clicked.run;
  desk.go_to(Step::kWatch);
}

bool is_breaking(const Desk::Part& part) { return part.title == kBreakItPart; }

std::string watch_sentence(Desk& desk) {
  View view = desk.view();
  if (std::string own = desk.panel->sentence(view); !own.empty()) return own;
  if (view.section == nullptr)
    return desk.runs.busy() ? desk.lesson->words.starting : tr("Nothing is recorded.");
  const Moment moment = desk.moment(*view.section);
  if (moment.phase.empty()) return view.section->name() + ".";
  return fmt::format("{}{}{}{}", moment.phase, moment.unit.empty() ? "" : ", " + moment.unit,
                     moment.step < 0 ? "" : fmt::format(", {} {}", desk.lesson->words.step, moment.step),
                     ".");
}

std::string break_sentence(Desk& desk) {
  if (std::string text = desk.difference(); !text.empty()) return text;
  if (desk.lesson->gauges.empty() || desk.pinned) return watch_sentence(desk);
  return tr("Change one thing: this run is pinned, and what the change does is said here in numbers.");
}

}  // namespace

std::string figure(double value, const std::string& unit) {
  const double size = std::abs(value);
  std::string number = size >= 1e12 || (value != 0 && size < 0.005) ? fmt::format("{:.3g}", value)
                       : size >= 1e4                                ? format_count(std::llround(value))
                                                                    : fmt::format("{:.2f}", value);
  if (unit == "%") return fmt::format("{:.0f} %", value);
  return unit.empty() ? number : number + " " + unit;
}

std::string caption(Desk& desk) {
  const PredictionSpec* spec = desk.question();
  switch (desk.step) {
    case Step::kGuess: {
      if (spec == nullptr) return desk.lesson->title;
      View view = desk.view();
      const std::string invitation =
          desk.asked == 0 && !desk.answer(*spec).given ? desk.panel->invitation(view) : "";
      return invitation.empty() ? spec->question : invitation;
    }
    case Step::kWatch:
      return watch_sentence(desk);
    case Step::kBreak:
      return break_sentence(desk);
    case Step::kReveal:
      if (View view = desk.view(); auto record = desk.panel->record(view)) return *record;
      return spec == nullptr ? "What the run says." : reveal_sentence(desk, *spec);
    case Step::kSay:
      break;
  }
  return "What you would say, in thirty seconds and in three minutes.";
}

void run_from_text(Desk& desk, size_t nth) {
  if (desk.step != Step::kBreak && desk.step != Step::kSay) return;
  const std::string_view wanted = desk.step == Step::kBreak ? kBreakItPart : kAskedNextPart;
  for (const Desk::Part& part : desk.text) {
    const auto runs = part.text.runs();
    if (part.title != wanted || nth >= runs.size()) continue;
    if (desk.step == Step::kBreak) return desk.change_line(runs[nth]);
    desk.wishes.scenario = runs[nth];
    desk.go_to(Step::kWatch);
  }
}

void draw_say(Desk& desk, const Rect& rect, float cut) {
  const auto part = [&](std::string_view title) -> const Desk::Part* {
    for (const Desk::Part& one : desk.text) {
      if (one.title == title) return &one;
    }
    return nullptr;
  };
  const Desk::Part *say = part(kSayItPart), *next = part(kAskedNextPart);
  // Wide rooms give what is asked next more than the inspector's width.
  const float middle =
      next == nullptr ? rect.max.x : std::min(cut, rect.min.x + std::max(px(660), rect.width() * 0.55f));
  ImGui::GetWindowDrawList()->AddRectFilled({middle, rect.min.y}, rect.max, colours().panel);
  {
    const Area area("say", {rect.min, {middle, rect.max.y}}, true, 24);
    // What one came for stands first; the rest in the lesson's order.
    if (say != nullptr) draw_part(desk, *say, false);
    for (const Desk::Part& one : desk.text) {
      if (is_breaking(one) || &one == say || &one == next) continue;
      ImGui::Dummy(px(1, 12));
      draw_part(desk, one, true);
    }
  }
  if (next == nullptr) return;
  const Area area("next", {{middle, rect.min.y}, rect.max}, true, 16);
  draw_part(desk, *next, true);
}

}  // namespace ringside::gui
