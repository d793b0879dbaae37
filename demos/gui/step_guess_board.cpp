// Guess, of questions that are asked side by side: a column to build for each, or a bar to drag and a field
// to type into. One commit answers all of them.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

std::vector<size_t> drawn_together(const Desk& desk) {
  std::vector<size_t> all;
  const auto [first, last] = desk.guessing.board();
  for (size_t i = first; i < last; ++i)
    if (is_drawn_together(desk.lesson().predictions[i])) all.push_back(i);
  return all;
}

// "stage 2", of a column or a row: lit where its question is the one that is asked.
void board_title(Desk& desk, size_t nth, const Rect& rect) {
  const PredictionSpec& spec = desk.lesson().predictions[nth];
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (ui::touch("board=" + spec.id, rect)) desk.ask(nth);
  const bool asked = nth == desk.guessing.asked, given = desk.guessing.answer(spec).given;
  ui::draw_text_in(list, rect, asked ? colours().text : colours().dim,
                   (given ? "✓ " : "") + (spec.name.empty() ? spec.id : spec.name),
                   asked ? Type::kBold : Type::kBody, false);
}

// ---- Columns to build ---------------------------------------------------------

void built_column(Desk& desk, size_t nth, ImVec2 size) {
  const PredictionSpec& spec = desk.lesson().predictions[nth];
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = ui::line_height(Type::kBody) + px(4);
  board_title(desk, nth, {at, {at.x + size.x, at.y + line}});
  ImGui::SetCursorScreenPos({at.x, at.y + line});
  if (build(desk, spec, "build." + spec.id, {size.x, size.y - line})) desk.guessing.asked = nth;
}

void built_columns(Desk& desk, const std::vector<size_t>& all, float height) {
  const bool had_keys = desk.picture_has_keys;
  if (height > px(220)) {
    ui::remark(tr("Drag the edges, or click the cells. One cell is {:g} {}.", ui::BlockBuilder::kCell,
                  desk.guessing.question()->unit));
    height -= ui::line_height() + ImGui::GetStyle().ItemSpacing.y;
  }
  const auto count = float(all.size());
  const float gap = px(16), width = (ImGui::GetContentRegionAvail().x - gap * (count - 1)) / count;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  for (size_t i = 0; i < all.size(); ++i) {
    ImGui::PushID(int(i));
    ImGui::SetCursorScreenPos({at.x + float(i) * (width + gap), at.y});
    built_column(desk, all[i], {std::min(width, px(420)), height});
    ImGui::PopID();
  }
  ImGui::SetCursorScreenPos({at.x, at.y + height});
  go_on_by_enter(desk, had_keys);
}

// ---- Bars to drag ---------------------------------------------------------------

// How wide a row's parts are, in points: its name, the field.
constexpr float kRowName = 140, kField = 220, kValue = 110;

double board_end(Desk& desk, const std::vector<size_t>& all) {
  double end = 0;
  for (const size_t nth : all) end = std::max(end, bar_end(desk.lesson().predictions[nth], desk.config()));
  return end;
}

void dragged_bar(Desk& desk, size_t nth, Answer& answer, double end, float width) {
  const PredictionSpec& spec = desk.lesson().predictions[nth];
  const Reading reading = read_answer(spec, desk.config(), answer);
  auto value = float(reading.value.value_or(0));
  ImGui::SetNextItemWidth(width);
  if (ImGui::SliderFloat("##drag", &value, 0, float(end), "", ImGuiSliderFlags_AlwaysClamp)) {
    answer.text = fmt::format("{:.2f}", value);
    desk.guessing.asked = nth;
  }
  ui::mark("answer.drag." + spec.id);
  if (nth == desk.guessing.asked) ui::mark("answer.drag");
  const Rect rect{ImGui::GetItemRectMin(), ImGui::GetItemRectMax()};
  if (reading.value && *reading.value > 0) {  // dashed, as everything that is the learner's
    const float part = float(std::clamp(*reading.value / end, 0.0, 1.0));
    ui::dashed_rect(*ImGui::GetWindowDrawList(), {rect.min, {rect.min.x + part * rect.width(), rect.max.y}},
                    colours().accent, 1.5f);
  }
  ImGui::SameLine();
  const std::string text =
      reading.wrong ? tr("✗ not a formula") : words_of({reading.value, {}, "", false}, spec);
  ui::draw_label(*ImGui::GetWindowDrawList(),
                 {ImGui::GetCursorScreenPos(), {rect.max.x + px(kValue), rect.max.y}}, colours().text, text);
  if (reading.wrong) ui::tooltip(reading.note);
  ImGui::NewLine();
}

void bars_to_drag(Desk& desk, const std::vector<size_t>& all) {
  const double end = board_end(desk, all);
  const float width =
      std::clamp(ImGui::GetContentRegionAvail().x - px(kRowName + kField + kValue + 24), px(60), px(420));
  bool entered = false;
  for (const size_t nth : all) {
    const PredictionSpec& spec = desk.lesson().predictions[nth];
    Answer& answer = desk.guessing.answer(spec);
    const std::string before = answer.text;
    ImGui::PushID(spec.id.c_str());
    const ImVec2 at = ImGui::GetCursorScreenPos();
    board_title(desk, nth, {at, {at.x + px(kRowName), at.y + ImGui::GetFrameHeight()}});
    ImGui::SetCursorScreenPos({at.x + px(kRowName), at.y});
    entered |= answer_field(desk, spec, answer, answer_hint(spec, desk.config(), answer), px(kField));
    if (ImGui::IsItemActivated()) desk.guessing.asked = nth;
    ImGui::SameLine();
    dragged_bar(desk, nth, answer, end, width);
    if (answer.text != before) answer.given = false;
    ImGui::PopID();
  }
  if (!entered) return;
  keep_typed(desk, desk.guessing.answer(*desk.guessing.question()));
  if (!desk.guessing.answer(*desk.guessing.question()).given) return;
  if (const auto open = desk.guessing.open_on_board()) desk.ask(*open);
}

}  // namespace

bool build(Desk& desk, const PredictionSpec& spec, const std::string& mark, ImVec2 size) {
  Answer& answer = desk.guessing.answer(spec);
  ui::BlockBuilder& builder = desk.guessing.builders[spec.id];
  if (&spec == desk.guessing.question() && std::exchange(desk.focus_answer, false)) {
    builder.focus();
    desk.picture_has_keys = true;  // the arrows build, until Enter or Escape
  }
  if (!builder.draw(mark, size, spec.blocks(desk.config()), answer.blocks, spec.unit)) return false;
  answer.given = false;
  return true;
}

void go_on_by_enter(Desk& desk, bool had_keys) {
  if (!had_keys || !desk.picture_has_keys || !ui::pressed({ui::Key::kEnter})) return;
  desk.picture_has_keys = false;
  desk.next();
}

// None where the question stands alone, or is answered in another way than its board is.
float board_height(Desk& desk) {
  const auto all = drawn_together(desk);
  const PredictionSpec* spec = desk.guessing.question();
  if (spec == nullptr || all.size() < 2 || !is_drawn_together(*spec)) return 0;
  if (!spec->blocks) return px(84) + float(all.size()) * (ui::line_height(Type::kBody) + px(14));
  return desk.guessing.answer(*spec).kind == AnswerKind::kBlocks ? px(330) : 0;
}

void draw_board(Desk& desk, float height) {
  const auto all = drawn_together(desk);
  if (desk.guessing.question()->blocks)
    built_columns(desk, all, height);
  else
    bars_to_drag(desk, all);
}

}  // namespace ringside::gui
