// The map of topics, and beside it the chosen topic, or what comes next and the days until the interview.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "ringside/lesson/called.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

constexpr size_t kMostDays = 14;

void open_lesson(Desk& desk, const std::string& lesson) {
  desk.show_lesson();
  if (desk.lesson().id != lesson) desk.wishes.scenario = lesson;
}

std::string label_of(const PathStep& step) {
  switch (step.act) {
    case PathAct::kPlacement: return tr("twelve questions");
    case PathAct::kReview: return step.of.empty() ? tr("review") : tr("review {}", step.of);
    case PathAct::kLesson: return tr("lesson {}", step.of);
    case PathAct::kMock: return tr("mock interview");
  }
  return "";
}

void draw_next(Desk& desk) {
  const std::vector<PathStep> steps = desk.prepare.path.next;  // an act may compute another path
  ui::paragraph(tr("Next"), Type::kBold);
  for (size_t i = 0; i < steps.size(); ++i) {
    if (ui::button(label_of(steps[i]).c_str(), fmt::format("prepare.step={}", i + 1), i == 0, true,
                   as_called(steps[i].command()), i == 0 ? "Enter" : ""))
      take_step(desk, i);
    ui::remark(steps[i].why);
    space(4);
  }
}

void draw_days(Desk& desk) {
  Prepare& prepare = desk.prepare;
  ui::paragraph(
      prepare.days.empty() ? tr("The interview") : tr("{} days until the interview", prepare.days.size()),
      Type::kBold);
  ImGui::SetNextItemWidth(px(110));
  const bool entered =
      ImGui::InputTextWithHint("##day", "YYYY-MM-DD", &prepare.date, ImGuiInputTextFlags_EnterReturnsTrue);
  ui::mark("prepare.day");
  ui::tooltip(tr("its day; Enter keeps it, an empty field forgets it"));
  int chosen = -1;
  std::vector<std::string> choices;
  constexpr int kMinutes[] = {10, 20, 30, 60};
  for (int i = 0; i < 4; ++i) {
    choices.push_back(std::to_string(kMinutes[i]));
    if (prepare.preparation.get().minutes == kMinutes[i]) chosen = i;
  }
  ImGui::SameLine();
  const float room = ImGui::GetContentRegionAvail().x;
  const bool changed = ui::choice_row("prepare.daily", choices, chosen, std::min(px(150), room));
  if (changed || entered)
    prepare.set_day(prepare.date, changed ? kMinutes[chosen] : prepare.preparation.get().minutes);
  ui::remark(tr("minutes a day"));
  for (size_t i = 0; i < std::min(prepare.days.size(), kMostDays); ++i) {
    const PlannedDay& day = prepare.days[i];
    ui::remark(fmt::format("{}: {} ({:.0f} min)", day_in_words(day.begin), in_words(day), day.minutes));
  }
  if (prepare.days.size() > kMostDays) ui::remark(tr("and {} days more", prepare.days.size() - kMostDays));
}

void draw_topic(Desk& desk, const PathTopic& topic) {
  Prepare& prepare = desk.prepare;
  ui::paragraph(topic.topic, Type::kQuestion);
  ui::paragraph(topic.strength.in_words());
  const Standing standing = topic.strength.standing;
  if (standing == Standing::kWeak || standing == Standing::kStrong)
    ui::remark(tr("{}: the 95 % interval lies {} {:.0f} %", to_string(standing),
                  standing == Standing::kStrong ? tr("above") : tr("below"), 100 * kKnownShare));
  ui::remark(tr("{} of {} cards asked, {} due", topic.strength.seen, topic.strength.cards, topic.due));
  ui::remark(topic.needs.empty() ? tr("needs no other topic") : tr("needs {}", join(topic.needs)));
  if (!topic.opens.empty()) ui::remark(tr("opens {}", join(topic.opens)));
  space();
  if (ui::button(tr("review {}", topic.topic).c_str(), "prepare.topic", true, true, "", "Enter"))
    return prepare.review(topic.topic);
  space();
  ui::paragraph(tr("Lessons"), Type::kBold);
  for (const LessonOnPath& lesson : topic.lessons) {
    if (ui::button(lesson.id.c_str(), "prepare.lesson=" + lesson.id)) return open_lesson(desk, lesson.id);
    ImGui::SameLine();
    ui::remark(lesson.opened ? tr("{} min, opened", lesson.minutes) : tr("{} min", lesson.minutes));
  }
  space();
  for (const std::string& code : topic.code) ui::remark(tr("code to write: ringside drill {}", code));
  if (ui::button(tr("◂ what comes next").c_str(), "prepare.back")) {
    prepare.topic.reset();
    prepare.map_view = FigureView();
  }
}

void draw_legend(ImDrawList& list, const Rect& rect) {
  const struct {
    figure::Ink ink;
    std::string text;
  } entries[] = {{figure::Ink::kActivations, tr("strong")},
                 {figure::Ink::kGradients, tr("weak")},
                 {figure::Ink::kOptimizer, tr("cannot be told")},
                 {figure::Ink::kOther, tr("not begun")},
                 {figure::Ink::kAccent, tr("here")}};
  float x = rect.min.x;
  for (const auto& [ink, text] : entries) {
    const Rect box{{x, rect.min.y + px(4)}, {x + px(10), rect.min.y + px(14)}};
    list.AddRectFilled(box.min, box.max, ui::colour_of(ink), px(2));
    ui::draw_text(list, {x + px(14), rect.min.y}, colours().dim, text);
    x += px(14) + ui::text_width(text) + px(16);
  }
}

}  // namespace

void take_step(Desk& desk, size_t nth) {
  Prepare& prepare = desk.prepare;
  if (nth >= prepare.path.next.size()) return;
  const PathStep step = prepare.path.next[nth];
  switch (step.act) {
    case PathAct::kPlacement: return prepare.place();
    case PathAct::kReview: return prepare.review(step.of);
    case PathAct::kLesson: return open_lesson(desk, step.of);
    case PathAct::kMock: return prepare.show(PreparePart::kInterview);
  }
}

void draw_map(Desk& desk, const Rect& rect) {
  Prepare& prepare = desk.prepare;
  const float pane = std::clamp(rect.width() * 0.34f, px(300), px(440));
  const Rect picture{rect.min, {rect.max.x - pane, rect.max.y}};
  {
    const Area area("prepare.map", picture);
    draw_legend(*ImGui::GetWindowDrawList(), {{picture.min.x + px(16), picture.min.y + px(8)}, picture.max});
    ImGui::SetCursorScreenPos({picture.min.x + px(8), picture.min.y + px(32)});
    if (std::exchange(prepare.focus, false)) {
      prepare.map_view.focus();
      desk.picture_has_keys = true;
    }
    const bool covered = std::exchange(desk.look.covered, true);  // the pane says what a tip would
    prepare.map_view.draw("prepare.topics", {picture.width() - px(16), picture.height() - px(40)},
                          prepare.map, {.version = prepare.version});
    desk.look.covered = covered;
    const auto& state = prepare.map_view.state();
    const auto chosen = state.find("chosen");
    prepare.topic = chosen == state.end() ? std::nullopt : std::optional<size_t>(std::stoul(chosen->second));
  }
  const Area area("prepare.pane", {{picture.max.x, rect.min.y}, rect.max}, true, 16);
  if (prepare.topic && *prepare.topic < prepare.path.topics.size())
    return draw_topic(desk, PathTopic(prepare.path.topics[*prepare.topic]));
  ui::paragraph(prepare.path.here.empty()
                    ? tr("Nothing was asked yet.")
                    : tr("You are in {}. {} cards are due.", prepare.path.here, prepare.path.today.due));
  space();
  draw_next(desk);
  space();
  draw_days(desk);
}

}  // namespace ringside::gui
