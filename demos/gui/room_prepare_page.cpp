// Prepare: its bar of parts, its button in the rail, its keys, and what scripts say to it.
#include <imgui.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

constexpr float kBar = 48, kPageColumn = 768;

void draw_bar(Desk& desk, const Rect& rect) {
  Prepare& prepare = desk.prepare;
  const Area area("prepare.bar", rect, false, 8);
  static const std::vector<ui::Tab> tabs = {
      {"map", tr("map")}, {"today", tr("today's review")}, {"interview", tr("mock interview")}};
  auto part = size_t(prepare.part);
  const float back = px(150);
  if (ui::tab_row("prepare", tabs, part, std::min(px(420), rect.width() - back - px(24))))
    prepare.show(static_cast<PreparePart>(part));
  ImGui::SameLine();
  ImGui::SetCursorPosX(rect.width() - back);
  if (ui::button(tr("back to {}", desk.lesson().id).c_str(), "prepare.close", false, true, "", "Escape"))
    desk.show_lesson();
}

// A column of text, in the middle of a wide room.
void draw_column(Desk& desk, const Rect& rect) {
  const float width = std::min(rect.width(), px(kPageColumn));
  const float left = rect.min.x + std::min((rect.width() - width) / 2, rect.width() / 4);
  const Area area("prepare.column", {{left, rect.min.y}, rect.max}, true, 24);
  if (desk.prepare.part == PreparePart::kToday)
    draw_today(desk);
  else
    draw_interview(desk);
}

}  // namespace

void draw_prepare(Desk& desk, const Rect& rect) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float cut = rect.min.y + px(kBar);
  list.AddRectFilled(rect.min, {rect.max.x, cut}, colours().panel);
  draw_bar(desk, {rect.min, {rect.max.x, cut}});
  float top = cut;
  if (!desk.prepare.fault.empty()) {
    const Area area("prepare.fault", {{rect.min.x, cut}, {rect.max.x, cut + px(48)}}, true, 8);
    ui::paragraph(desk.prepare.fault, colours().alarm, Type::kLabel);
    top += px(48);
  }
  const Rect below{{rect.min.x, top}, rect.max};
  if (desk.prepare.part != PreparePart::kMap) desk.picture_has_keys = false;
  if (desk.prepare.part == PreparePart::kMap)
    draw_map(desk, below);
  else
    draw_column(desk, below);
}

void prepare_button(Desk& desk, const Rect& rect) {
  Prepare& prepare = desk.prepare;
  if (ui::touch("prepare", rect)) toggle_prepare(desk);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(rect.min, rect.max,
                     prepare.open || ImGui::IsItemHovered() ? colours().raised : colours().panel, px(3));
  list.AddRect(rect.min, rect.max, prepare.open ? colours().accent : colours().line, px(3));
  const float half = prepare.due > 0 ? rect.min.y + rect.height() / 2 : rect.max.y;
  ui::draw_text_in(list, {rect.min, {rect.max.x, half}}, colours().text, tr("Prepare"));
  if (prepare.due > 0)
    ui::draw_text_in(list, {{rect.min.x, half}, rect.max}, colours().accent, tr("{} due", prepare.due));
  ui::tooltip(tr("for an interview: the map, today's review, a mock"), "S");
}

void toggle_prepare(Desk& desk) {
  desk.on_call.open = false;
  if (desk.prepare.open)
    desk.prepare.open = false;
  else
    desk.prepare.show(desk.prepare.part);
  desk.picture_has_keys = false;
}

// ---- Keys ----------------------------------------------------------------------------

void prepare_enter(Desk& desk) {
  Prepare& prepare = desk.prepare;
  if (prepare.part == PreparePart::kMap) {
    if (!prepare.topic) return take_step(desk, 0);
    return prepare.review(prepare.path.topics[*prepare.topic].topic);
  }
  if (prepare.part == PreparePart::kToday) {
    if (!prepare.reviewing()) return prepare.review("");
    if (prepare.session->shown()) return prepare.rate(prepare.session->proposed());
    return prepare.by_rows() ? prepare.answer_words() : prepare.show_answer();
  }
  if (!prepare.mock) return begin_prepared(desk);
  if (prepare.mock->stage() == MockStage::kHadIt) return;
  if (!prepare.said_back.empty()) return prepare.go_on();
  if (prepare.mock->stage() == MockStage::kReport) return prepare.mock.reset();
  if (prepare.by_rows()) prepare.answer_words();
}

void prepare_part(Desk& desk, int direction) {
  desk.prepare.show(static_cast<PreparePart>((int(desk.prepare.part) + 3 + direction) % 3));
}

// ---- For scripts and tests -----------------------------------------------------------

void prepare_command(Desk& desk, const std::string& rest) {
  Prepare& prepare = desk.prepare;
  const size_t blank = rest.find(' ');
  const std::string act = rest.substr(0, blank), word = blank == rest.npos ? "" : rest.substr(blank + 1);
  for (int i = 0; i < 3; ++i)
    if (act == kPrepareParts[i]) return prepare.show(static_cast<PreparePart>(i));
  if (act == "review") return prepare.review(word);
  if (act == "placement") return prepare.place();
  if (act == "mock") return prepare.hold_mock(read_number<uint64_t>(word).value_or(0));
  if (act == "answer") return prepare.answer(word);
  if (act == "rate")
    return prepare.rate(static_cast<Rating>(std::clamp(read_number<int>(word).value_or(3), 1, 4) - 1));
  if (act == "had" || act == "missed") return mock_had_it(desk, act == "had");
  if (act == "enter") return prepare_enter(desk);
  if (act == "day") return prepare.set_day(word, prepare.preparation.get().minutes);
  throw UsageError("prepare '" + rest +
                   "'; there are: map, today, interview, review TOPIC, placement, mock SEED, answer LINE, "
                   "rate N, had, missed, enter, day DATE");
}

nlohmann::json prepare_state(const Desk& desk) {
  const Prepare& prepare = desk.prepare;
  nlohmann::json out = {{"open", prepare.open},
                        {"part", kPrepareParts[int(prepare.part)]},
                        {"fault", prepare.fault},
                        {"mistake", prepare.mistake},
                        {"due", prepare.due},
                        {"days", prepare.days.size()},
                        {"topic", prepare.topic ? prepare.path.topics[*prepare.topic].topic : ""},
                        {"next", prepare.path.next.empty() ? "" : prepare.path.next.front().command()}};
  if (prepare.session) {
    out["reviewed"] = prepare.session->reviewed();
    out["card"] = prepare.session->over() ? "" : prepare.session->card().id;
    out["shown"] = prepare.session->shown();
    out["judged"] = prepare.session->judgement().has_value();
  }
  if (prepare.mock) {
    out["heading"] = prepare.mock->heading();
    out["stage"] = int(prepare.mock->stage());
    out["parts"] = prepare.mock->parts().size();
    out["found"] = prepare.mock->found();
  }
  return out;
}

}  // namespace ringside::gui
