// What frames the picture: the steps, the sentence, the scenario line; and messages over it.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ringside/base/source_tree.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {

// ---- Title -----------------------------------------------------------------------

namespace {

const std::string& meaning_of(int step) {
  static const std::string kMeanings[] = {
      tr("answer a question before the run does"), tr("look at what the run recorded, at any instant"),
      tr("your guess, the measurement and the formula"), tr("change one setting and compare the two runs"),
      tr("say it as in an interview")};
  return kMeanings[step];
}

void step_tabs(Desk& desk, const Rect& rect, float width) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float each = width / kStepCount;
  // All in letters of one size: in a narrow window smaller ones, before a name is cut off.
  bool fits = true;
  for (int i = 0; i < kStepCount; ++i)
    fits = fits && ui::text_width(Type::kBold, fmt::format("{} {}", i + 1, kStepNames[i])) <= each - px(12);
  for (int i = 0; i < kStepCount; ++i) {
    const Rect tab{{rect.min.x + each * float(i), rect.min.y},
                   {rect.min.x + each * float(i + 1), rect.max.y}};
    const bool on = int(desk.step()) == i;
    if (ui::touch(std::string("step=") + kStepNames[i], tab)) desk.go_to(static_cast<Step>(i));
    const bool hovered = ImGui::IsItemHovered();
    if (!on) ui::tooltip(meaning_of(i), std::to_string(i + 1));
    if (hovered && !on) list.AddRectFilled(tab.min, tab.max, colours().raised);
    const Rect label{{tab.min.x + px(6), tab.min.y}, {tab.max.x - px(6), tab.max.y}};
    ui::draw_text_in(list, label, on ? colours().text : colours().dim,
                     fmt::format("{} {}", i + 1, kStepNames[i]),
                     !fits ? Type::kLabel
                     : on  ? Type::kBold
                           : Type::kBody);
    if (on)
      list.AddRectFilled({tab.min.x + px(6), tab.max.y - px(3)}, {tab.max.x - px(6), tab.max.y},
                         colours().accent);
  }
}

}  // namespace

void draw_title(Desk& desk, const Rect& rect) {
  const Area area("title", rect, false, 0);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float name_width = px(16) + ui::text_width(Type::kBold, desk.lesson().id);
  ui::draw_text(list, {rect.min.x + px(8), rect.min.y + (rect.height() - ui::line_height(Type::kBold)) / 2},
                colours().text, desk.lesson().id, Type::kBold);
  ImGui::SetCursorScreenPos(rect.min);
  ImGui::Dummy({name_width, rect.height()});
  ui::tooltip(desk.lesson().title);

  const float button = px(36),
              room_for_run = rect.width() < px(720) ? px(90) : std::max(px(150), rect.width() * 0.2f);
  const float tabs = std::min(px(560), rect.width() - name_width - room_for_run - 2 * button - px(16));
  step_tabs(desk, {{rect.min.x + name_width, rect.min.y}, {rect.min.x + name_width + tabs, rect.max.y}},
            tabs);

  const float left = rect.min.x + name_width + tabs + px(16), right = rect.max.x - 2 * button - px(8);
  const std::string status = desk.status();
  const FontScope font(Type::kLabel);
  ui::draw_label(list, {{left, rect.min.y}, {right, rect.max.y - (desk.runs.running() ? px(6) : 0)}},
                 colours().dim, status);
  ImGui::SetCursorScreenPos({left, rect.min.y});
  ImGui::Dummy({std::max(1.0f, right - left), rect.height()});
  ui::mark("status");
  ui::tooltip(status);
  if (const Progress done = desk.runs.progress(); desk.runs.running() && done.total > 0) {
    progress_bar(list, {{left, rect.max.y - px(8)}, {right, rect.max.y - px(5)}}, share_of(done));
  }
  ImGui::SetCursorScreenPos({rect.max.x - 2 * button, rect.min.y + px(8)});
  const bool runs = desk.runs.busy();
  if (ImGui::Button(runs ? "■" : "↻", {button - px(6), px(28)})) {
    if (runs)
      desk.runs.cancel();
    else
      desk.run(desk.config());
  }
  ui::mark(runs ? "stop" : "run");
  ui::tooltip(runs ? tr("stop the run at its next step") : tr("run it again"), runs ? "X" : "R");
  ImGui::SameLine(0, px(4));
  if (ImGui::Button("?", {button - px(6), px(28)})) desk.help = true;
  ui::mark("help");
  ui::tooltip(tr("every key"), "F1");
}

// ---- Caption -----------------------------------------------------------------------

namespace {

// What the next button waits for.
std::string missing_answer(Desk& desk) {
  const PredictionSpec& spec = *desk.guessing.question();
  if (is_answered_by_rows(spec)) return tr("choose an answer first");
  if (spec.words) return tr("type an answer first");
  return desk.guessing.answer(spec).kind == AnswerKind::kBlocks ? tr("build the answer first")
                                                                : tr("type a number first");
}

}  // namespace

void draw_caption(Desk& desk, const Rect& rect) {
  const Area area("caption", rect, false, 8);
  const std::string next = desk.next_label();
  const float width = ui::text_width(Type::kBody, next) + px(24);
  const std::string text = caption(desk);
  // Twenty points where it fits in a line, else sixteen in two, else thirteen.
  const float room = rect.width() - width - px(32);
  const bool large = ui::text_width(Type::kQuestion, text) <= room;
  const auto lines_of = [&](Type type) {
    const std::string lines = ui::broken(text, room, type);
    return 1 + std::ranges::count(lines, '\n');
  };
  const Type type = large ? Type::kQuestion : lines_of(Type::kBody) <= 2 ? Type::kBody : Type::kLabel;
  ImGui::PushTextWrapPos(px(8) + room);
  {
    const FontScope font(type);
    const std::string lines = ui::broken(text, room, type);
    const float height = float(lines_of(type)) * ui::line_height(type);
    ImGui::SetCursorPosY(std::max(0.0f, (rect.height() - height) / 2));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::TextUnformatted(lines.c_str());
    ui::mark("caption");
    desk.look.terms.explain(lines, at, px(8) + room - (at.x - rect.min.x), type);
  }
  ImGui::PopTextWrapPos();
  ImGui::SetCursorScreenPos({rect.max.x - width - px(8), rect.min.y + px(12)});
  const bool ready = desk.can_go_on();
  const std::string meaning = ready ? tr("what comes next in the lesson") : missing_answer(desk);
  if (ui::button(next.c_str(), "next", true, ready, meaning, "Enter")) desk.next();
}

// ---- Scenario ------------------------------------------------------------------------

namespace {

// A line that cannot run stays until it is corrected, or another scenario comes.
void follow_scenario(Desk& desk, const std::string& now) {
  auto& line = desk.scenario_field;
  if (now != line.shown) {
    line.text = line.shown = now;
    if (desk.line_mistake && desk.line_mistake->seen) desk.line_mistake.reset();
  }
  if (!desk.line_mistake) return;
  if (!std::exchange(desk.line_mistake->seen, true)) line.text = desk.line_mistake->line;
  if (line.text != desk.line_mistake->line) desk.line_mistake.reset();
}

// Where the word that is wrong stands in the field that was drawn last.
Rect place_of_mistake(const Desk::LineMistake& mistake) {
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax(),
               pad = ImGui::GetStyle().FramePadding;
  const std::string_view line = mistake.line;
  const float left = min.x + pad.x + ui::text_width(Type::kMono, line.substr(0, mistake.at));
  const float width = ui::text_width(Type::kMono, line.substr(mistake.at, mistake.size));
  const float end = max.x - pad.x;
  return {{std::min(left, end - px(8)), min.y},
          {std::clamp(left + width, min.x + px(8), end), max.y - px(2)}};
}

ImVec2 mistake_size(const std::string& why, float width) {
  ImFont* font = ui::font(Type::kBody);
  return font->CalcTextSizeA(font->FontSize, FLT_MAX, width - px(48), why.c_str());
}

// Above the line, where the word stands.
void draw_mistake(Desk& desk, const Rect& word, const Rect& line) {
  const std::string& why = desk.line_mistake->why;
  const ImVec2 size = mistake_size(why, line.width());
  const float left =
      std::max(line.min.x + px(8), std::min(word.min.x - px(12), line.max.x - size.x - px(32)));
  const float bottom = line.min.y - px(4);
  const Rect box{{left, bottom - size.y - px(16)}, {left + size.x + px(24), bottom}};
  const Area area("mistake", box, false, 8);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(box.min, box.max, colours().raised, px(3));
  list.AddRect({box.min.x + 1, box.min.y + 1}, {box.max.x - 1, box.max.y - 1}, colours().text, px(3));
  ImGui::SetCursorScreenPos({box.min.x + px(12), box.min.y + px(8)});
  ImGui::PushTextWrapPos(px(12) + size.x + 1);
  ImGui::TextUnformatted(why.c_str());
  ImGui::PopTextWrapPos();
  ui::mark("scenario.mistake", box.min, box.max);
}

void scenario_buttons(Desk& desk, const std::string& now) {
  const FontScope label(Type::kLabel);
  ImGui::SameLine();
  if (ui::button("copy", "scenario.copy", false, true, tr("copies the scenario line"), "Ctrl+C"))
    desk.to_copy = now;
  ImGui::SameLine();
  if (ui::button("paste", "scenario.paste", false, true, tr("runs the line of the clipboard"), "Ctrl+V"))
    run_clipboard(desk);
  ImGui::SameLine();
  const KeptRun* pinned = desk.comparison.pinned();
  const std::string meaning =
      pinned ? tr("lets go of {}", pinned->scenario) : tr("keeps this run; the next one is drawn over it");
  if (ui::button(pinned ? "unpin" : "pin", "pin", false, !desk.runs.trace().sections().empty() || pinned,
                 meaning, "P"))
    desk.pin();
}

}  // namespace

void run_clipboard(Desk& desk) {
  if (const char* text = ImGui::GetClipboardText()) desk.wishes.scenario = std::string(text).substr(0, 2000);
}

float mistake_height(Desk& desk, float width) {
  return desk.line_mistake ? mistake_size(desk.line_mistake->why, width).y + px(24) : 0;
}

void draw_scenario(Desk& desk, const Rect& rect) {
  std::optional<Rect> wrong;
  {
    const Area area("scenario", rect, false, 4);
    const std::string now = desk.drafted().scenario();
    follow_scenario(desk, now);
    const FontScope font(Type::kMono);
    ImGui::SetNextItemWidth(std::max(px(80), rect.width() - px(246)));
    if (std::exchange(desk.focus_scenario, false)) ui::focus_next_item();
    std::string& line = desk.scenario_field.text;
    const bool entered = ImGui::InputText(
        "##scenario", &line, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    ui::mark("scenario");
    desk.look.fonts.need(line);
    if (entered) desk.wishes.scenario = line;
    if (desk.line_mistake) {
      wrong = place_of_mistake(*desk.line_mistake);
      ImGui::GetWindowDrawList()->AddRectFilled({wrong->min.x, wrong->max.y - px(2)}, wrong->max,
                                                colours().text);
    } else if (!ImGui::IsItemActive() && !ImGui::IsItemFocused()) {
      line = desk.scenario_field.shown;
    }
    ui::tooltip(tr("the whole state of the room; Enter runs it. In a terminal: {}", run_line(now)), "L");
    scenario_buttons(desk, now);
  }
  if (wrong) draw_mistake(desk, *wrong, rect);
}

// ---- Messages --------------------------------------------------------------------------

void draw_messages(Desk& desk, const Rect& rect) {
  float bottom = rect.max.y - px(8);
  for (size_t i = desk.messages.size(); i-- > 0;) {
    const Desk::Message& message = desk.messages[i];
    const float button = ui::text_width(Type::kBody, "put away") + px(16);
    const float width = rect.width() - px(32), wrap = width - button - px(32);
    ImFont* font = ui::font(Type::kBody);
    const float height = font->CalcTextSizeA(font->FontSize, FLT_MAX, wrap, message.text.c_str()).y + px(20);
    const Rect box{{rect.min.x + px(16), bottom - height}, {rect.min.x + px(16) + width, bottom}};
    if (box.min.y < rect.min.y - px(200)) return;
    const Area area(("message" + std::to_string(i)).c_str(), box, false, 8);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(box.min, box.max, colours().panel, px(3));
    list.AddRect(box.min, box.max, colours().line, px(3));
    // Inside the padding, half of which a child window clips.
    list.AddRectFilled({box.min.x + px(4), box.min.y + px(4)}, {box.min.x + px(8), box.max.y - px(4)},
                       message.alarm ? colours().alarm : colours().accent);
    ImGui::SetCursorPosX(px(16));
    ImGui::PushTextWrapPos(px(16) + wrap);
    ImGui::TextUnformatted(message.text.c_str());
    ImGui::PopTextWrapPos();
    ui::mark("message");
    ImGui::SetCursorScreenPos({box.max.x - button - px(8), box.min.y + px(4)});
    if (ui::button("put away", "message.close")) {
      desk.messages.erase(desk.messages.begin() + std::ptrdiff_t(i));
      return;
    }
    bottom = box.min.y - px(4);
  }
}

}  // namespace ringside::gui
