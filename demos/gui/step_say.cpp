// Say it, drawn: a page at a time (say_state.h), and its keys.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/error.h"
#include "ringside/lesson/tr.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

// In points: a column of text, the width of a page from which two of them stand side by side, its edge, and
// the row of tabs.
constexpr float kColumn = 720, kTwoColumns = 2 * kColumn - 120, kEdge = 24, kTabs = 360;

void heading(const std::string& text, Type type = Type::kQuestion) { ui::paragraph(text, type); }

// Runs what was clicked, and shows it.
void draw_markdown(Desk& desk, const ui::Markdown& text, const std::string& id) {
  const float width = std::min(px(kColumn), ImGui::GetContentRegionAvail().x);
  const auto clicked = text.draw(width, id);
  if (!clicked.copied.empty()) desk.to_copy = clicked.copied;
  if (clicked.run.empty()) return;
  desk.wishes.scenario = clicked.run;
  desk.go_to(Step::kWatch);
}

// ---- Aloud ---------------------------------------------------------------------------

// What is left of the half minute. Without motion it goes on in whole seconds.
void draw_ring(Desk& desk, ImVec2 centre, float radius) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const double left = desk.saying.seconds_left(desk.seconds()).value_or(kSaySeconds);
  const double shown = desk.look.motion ? left : std::ceil(left);
  const float part = float(shown / kSaySeconds), top = -1.5707963f;
  list.AddCircle(centre, radius, colours().line, 64, px(6));
  if (part > 0) {
    list.PathArcTo(centre, radius, top, top + part * 6.2831853f, 64);
    list.PathStroke(colours().accent, 0, px(6));
  }
  const Rect inside{{centre.x - radius, centre.y - px(22)}, {centre.x + radius, centre.y + px(14)}};
  ui::draw_text_in(list, inside, colours().text, fmt::format("{:.0f}", std::ceil(left)), Type::kNumber);
  const Rect below{{inside.min.x, inside.max.y}, {inside.max.x, inside.max.y + px(18)}};
  ui::draw_text_in(list, below, colours().dim, tr("seconds"));
}

void draw_aloud(Desk& desk) {
  heading(desk.lesson().title);
  space(12);
  if (desk.say_listing()) {
    draw_markdown(desk, *desk.say_listing(), "say.listing");
    space(12);
  }
  ui::paragraph(tr("Say the answer aloud, as you would in an interview. Half a minute is enough."));
  space(24);
  const float radius = px(76);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 centre{at.x + radius + px(8), at.y + radius + px(4)};
  if (ui::touch("say.ring", {at, {at.x + 2 * radius + px(16), at.y + 2 * radius + px(8)}}))
    desk.saying.start(desk.seconds());
  draw_ring(desk, centre, radius);
  space(12);
  const auto left = desk.saying.seconds_left(desk.seconds());
  if (left && *left <= 0) ui::paragraph(tr("The half minute is over."), colours().dim);
  if (ui::button((left ? tr("from the start") : tr("start")).c_str(), "say.start", !left, true, "", "Space"))
    desk.saying.start(desk.seconds());
}

// ---- Points --------------------------------------------------------------------------

void draw_box(ImDrawList& list, const Rect& box, bool ticked) {
  list.AddRect(box.min, box.max, ticked ? colours().accent : colours().dim, px(3), 0, px(1.5f));
  if (!ticked) return;
  const ImVec2 tick[] = {{box.min.x + px(4), box.min.y + px(9)},
                         {box.min.x + px(8), box.min.y + px(13)},
                         {box.min.x + px(14), box.min.y + px(5)}};
  list.AddPolyline(tick, 3, colours().accent, 0, px(2));
}

void draw_point(Desk& desk, size_t point) {
  SayState& saying = desk.saying;
  const float side = px(18), gap_px = px(12), pad = px(8);
  const float width = std::min(px(kColumn), ImGui::GetContentRegionAvail().x);
  const float wrap = width - side - gap_px - 2 * pad;
  const std::string& text = saying.saying().points[point];
  ImFont* font = ui::font(Type::kBody);
  const ImVec2 size = font->CalcTextSizeA(font->FontSize, FLT_MAX, wrap, text.c_str());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Rect row{at, {at.x + width, at.y + std::max(side, size.y) + 2 * pad}};
  if (ui::touch(fmt::format("say.point={}", point + 1), row)) saying.tick(point);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered || saying.chosen() == point) list.AddRectFilled(row.min, row.max, colours().raised, px(3));
  draw_box(list, {{at.x + pad, at.y + pad}, {at.x + pad + side, at.y + pad + side}}, saying.ticked(point));
  list.AddText(font, font->FontSize, {at.x + pad + side + gap_px, at.y + pad}, colours().text, text.c_str(),
               nullptr, wrap);
}

void draw_points(Desk& desk) {
  heading(tr("Which of these did you say?"));
  space(12);
  for (size_t i = 0; i < desk.saying.saying().points.size(); ++i) draw_point(desk, i);
  space(12);
  ui::remark(tr("Click a point, or use the arrows and Space. What you leave empty comes again tomorrow."));
}

// ---- Text ----------------------------------------------------------------------------

bool stands_elsewhere(std::string_view title) {
  return title == kBreakItPart || title == kAskedNextPart || title == kKeyPointsPart || title == kSayItPart;
}

// What the answers rest on, in the lesson's order.
void draw_lesson(Desk& desk) {
  bool first = true;
  for (const Desk::Part& part : desk.text()) {
    if (stands_elsewhere(part.title)) continue;
    if (!std::exchange(first, false)) space(12);
    if (!part.title.empty()) heading(part.title);
    draw_markdown(desk, part.text, "text." + part.title);
  }
}

// The answers first; the lesson's text below them, or at their right in a wide room.
void draw_answers(Desk& desk) {
  const SayState& saying = desk.saying;
  const bool beside = ImGui::GetContentRegionAvail().x > px(kTwoColumns);
  Columns columns("answers", beside);
  if (saying.points_said())
    ui::paragraph(tr("You said {} of {} points.", saying.ticks(), saying.saying().points.size()),
                  colours().dim);
  if (const ui::Markdown* text = desk.part(kSayItPart))
    draw_markdown(desk, *text, fmt::format("text.{}", kSayItPart));
  columns.next();
  if (!beside) space(12);
  draw_lesson(desk);
}

// ---- What is asked next ----------------------------------------------------------------

void draw_asked(Desk& desk) {
  SayState& saying = desk.saying;
  const FollowUp& asked = *saying.question();
  ui::remark(tr("They will ask next: {} of {}", saying.asked() + 1, saying.saying().follow_ups.size()));
  heading(without_marks(asked.question));
  space(24);
  if (!saying.shown()) {
    if (ui::button(tr("show the answer").c_str(), "say.show", true, true, "", "Space"))
      saying.next(desk.record);
    return;
  }
  draw_markdown(desk, desk.say_answers()[saying.asked()], "say.answer");
  space(24);
  if (ui::button(tr("I had it").c_str(), "say.had", true, true, "", "Y"))
    return saying.answer(true, desk.record);
  ImGui::SameLine();
  if (ui::button(tr("I did not").c_str(), "say.missed", false, true, "", "N"))
    saying.answer(false, desk.record);
}

// ---- Done ----------------------------------------------------------------------------

std::string standing(const SayState& saying) {
  size_t had = 0, answered = 0;
  for (const auto& one : saying.had()) {
    answered += one.has_value();
    had += one.value_or(false);
  }
  if (!saying.points_said()) return tr("You had {} of {} answers.", had, answered);
  return tr("You said {} of {} points, and had {} of {} answers.", saying.ticks(),
            saying.saying().points.size(), had, answered);
}

void missed_line(const std::string& text) {
  ImGui::TextUnformatted("✗");
  ImGui::SameLine();
  ui::paragraph(text);
}

void draw_done(Desk& desk) {
  SayState& saying = desk.saying;
  const bool beside = ImGui::GetContentRegionAvail().x > px(kTwoColumns);
  heading(standing(saying));
  space(12);
  Columns columns("done", beside);
  bool any = false;
  const auto missed = [&](const std::string& text) {
    if (!std::exchange(any, true)) ui::paragraph(tr("This comes again tomorrow:"), colours().dim);
    missed_line(text);
  };
  for (size_t i = 0; i < saying.saying().points.size(); ++i)
    if (saying.points_said() && !saying.ticked(i)) missed(saying.saying().points[i]);
  for (size_t i = 0; i < saying.had().size(); ++i)
    if (saying.had()[i] == false) missed(without_marks(saying.saying().follow_ups[i].question));
  space(12);
  if (ui::button(tr("say it again").c_str(), "say.again")) saying.again("");
  columns.next();
  if (const ui::Markdown* text = desk.part(kAskedNextPart)) {
    if (!beside) space(24);
    heading(std::string(kAskedNextPart));
    draw_markdown(desk, *text, fmt::format("text.{}", kAskedNextPart));
  }
}

void draw_page(Desk& desk) {
  switch (desk.saying.page()) {
    case SayPage::kAloud: return draw_aloud(desk);
    case SayPage::kPoints: return draw_points(desk);
    case SayPage::kText: return draw_answers(desk);
    case SayPage::kAsked: return draw_asked(desk);
    case SayPage::kDone: return draw_done(desk);
  }
}

}  // namespace

void draw_say(Desk& desk, const Rect& rect) {
  const SayPage now = desk.saying.page();
  const bool wide = rect.width() > px(kTwoColumns + 2 * kEdge);
  const bool two = wide && (now == SayPage::kText || now == SayPage::kDone);
  // In the middle of a wide room, never further from the left than a third.
  const float width = std::min(rect.width(), px(two ? 2 * kColumn + 120 : kColumn + 2 * kEdge));
  const float left = rect.min.x + std::min((rect.width() - width) / 2, rect.width() / 3);
  {
    // Where pages differ in width, the tabs stay where they are: in the middle.
    const float tab = wide ? (rect.min.x + rect.max.x - px(kTabs)) / 2 - px(12) : left + px(12);
    const Area area("say.pages", {{tab, rect.min.y}, {tab + px(kTabs + 24), rect.min.y + px(48)}}, false, 12);
    static const std::vector<ui::Tab> tabs = {
        {"aloud", tr("aloud")}, {"points", tr("points")}, {"text", tr("text")}, {"asked", tr("asked next")}};
    size_t page = std::min<size_t>(size_t(desk.saying.page()), tabs.size());
    if (ui::tab_row("say", tabs, page, px(kTabs))) desk.saying.go_to(static_cast<SayPage>(page));
  }
  const Area area("say", {{left, rect.min.y + px(48)}, {two ? left + width : rect.max.x, rect.max.y}}, true,
                  kEdge);
  draw_page(desk);
}

std::string say_sentence(Desk& desk) {
  static const std::string kSentences[] = {tr("What would you say in half a minute?"),
                                           tr("These are the points of a good answer."),
                                           tr("What you could say, in thirty seconds and in three minutes."),
                                           tr("Answer first, then look."), tr("You have said it.")};
  return kSentences[size_t(desk.saying.page())];
}

// ---- Keys and scripts --------------------------------------------------------------------

bool is_saying(const Desk& desk) { return desk.step() == Step::kSay; }

void say_space(Desk& desk) {
  SayState& saying = desk.saying;
  if (saying.page() == SayPage::kAloud) return saying.start(desk.seconds());
  if (saying.page() == SayPage::kPoints) return saying.tick(saying.chosen());
  if (saying.page() == SayPage::kAsked && !saying.shown()) saying.next(desk.record);
}

void say_command(Desk& desk, const std::string& rest) {
  const std::string act = rest.substr(0, rest.find(' '));
  SayState& saying = desk.saying;
  desk.go_to(Step::kSay);
  for (int i = 0; i < kSayPages; ++i)
    if (act == kSayPageNames[i]) return saying.go_to(static_cast<SayPage>(i));
  if (act == "start") return saying.start(desk.seconds());
  if (act == "had" || act == "missed") return saying.answer(act == "had", desk.record);
  if (act == "again") return saying.again(rest.size() > act.size() ? rest.substr(act.size() + 1) : "");
  if (act == "tick" && rest.size() == 6 && rest[5] >= '1' && rest[5] <= '9')
    return saying.tick(size_t(rest[5] - '1'));
  throw UsageError("say '" + rest +
                   "'; there are: aloud, points, text, asked, done, start, tick N, had, missed, again");
}

void run_from_answer(Desk& desk, size_t nth) {
  const SayPage page = desk.saying.page();
  const ui::Markdown* text = page == SayPage::kDone    ? desk.part(kAskedNextPart)
                             : page != SayPage::kAsked ? desk.part(kSayItPart)
                             : desk.saying.shown()     ? &desk.say_answers()[desk.saying.asked()]
                                                       : nullptr;
  const auto runs = text == nullptr ? std::vector<std::string>() : text->runs();
  if (nth >= runs.size()) return;
  desk.wishes.scenario = runs[nth];
  desk.go_to(Step::kWatch);
}

}  // namespace ringside::gui
