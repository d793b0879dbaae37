// The proof: which trainings end with the same bits, as the lesson's figure; below, large, those that do not.
// A click on one of them falls through model, tensor and element down to the bits, and to the two orders of
// the sum.
#include <fmt/format.h>

#include <algorithm>

#include "panel_parts.h"
#include "parted.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/canvas.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::zero_panel {
namespace {

using ui::px;
using ui::Type;
using zero_lesson::ProvenRun;

constexpr double kStair = 0.3;  // seconds from one level to the next
constexpr int kLevels = 5;      // model, tensor, element, bits, sums
constexpr size_t kShown = 2;    // cards

std::string number(double value) { return fmt::format("{:.9g}", value); }

ui::Rect row_of(const ui::Rect& all, float& y, float height, float gap) {
  const ui::Rect row{{all.min.x, y}, {all.max.x, y + height}};
  y += height + gap;
  return row;
}

// From a part of the upper bar to the whole of the lower one.
void zoom(ImDrawList& list, const ui::Rect& part, const ui::Rect& whole) {
  list.AddLine({part.min.x, part.max.y}, whole.min, ui::colours().line, px(1));
  list.AddLine({part.max.x, part.max.y}, {whole.max.x, whole.min.y}, ui::colours().line, px(1));
}

void level(ImDrawList& list, const ui::Rect& bar, const std::string& text) {
  list.AddRectFilled(bar.min, bar.max, ui::colours().raised, px(3));
  ui::draw_text_in(list, {{bar.min.x + px(8), bar.min.y}, {bar.max.x - px(8), bar.max.y}}, ui::colours().text,
                   text, Type::kBody);
}

// 32 cells: sign, exponent, fraction; those that the other value has not are red.
void bit_row(ImDrawList& list, const ui::Rect& row, const std::string& name, float value, float other) {
  const std::string mine = zero_lesson::bits_of(value), theirs = zero_lesson::bits_of(other);
  const float label = std::min(px(200), row.width() * 0.34f);
  const float cell = std::min(px(16), (row.width() - label) / static_cast<float>(mine.size()));
  ui::draw_text_in(list, {row.min, {row.min.x + label, row.max.y}}, ui::colours().text, name, Type::kLabel,
                   false);
  for (size_t i = 0; i < mine.size(); ++i) {
    if (mine[i] == ' ') continue;
    const float x = row.min.x + label + cell * static_cast<float>(i);
    const ui::Rect box{{x, row.min.y + px(1)}, {x + cell - 1, row.max.y - px(1)}};
    const bool differs = mine[i] != theirs[i];
    const ImU32 fill = differs ? ui::colours().alarm : ui::colours().panel;
    list.AddRectFilled(box.min, box.max, fill);
    ui::draw_text_in(list, box, ui::text_on(fill), std::string(1, mine[i]), Type::kLabel);
  }
}

void sum_column(ImDrawList& list, const ui::Rect& room, const std::string& title,
                const zero_lesson::OrderedSum& sum) {
  const float line = ui::line_height(Type::kLabel) + px(2);
  float y = room.min.y;
  const auto put = [&](const std::string& left, const std::string& right, ImU32 colour, Type type) {
    const float middle = room.min.x + room.width() * 0.62f;
    ui::draw_text_in(list, {{room.min.x, y}, {middle - px(6), y + line}}, colour, left, type, false);
    ui::draw_text_in(list, {{middle, y}, {room.max.x, y + line}}, colour, right, type, false);
    y += line;
  };
  ui::draw_text_in(list, {{room.min.x, y}, {room.max.x, y + line}}, ui::colours().text, title, Type::kLabel,
                   false);
  y += line;
  for (const zero_lesson::SumStep& step : sum.steps)
    put(fmt::format("+ {}  {}", number(step.added), step.name), "= " + number(step.sum), ui::colours().dim,
        Type::kLabel);
  put(tr("the sum"), "= " + number(sum.total), ui::colours().text, Type::kLabel);
}

float sums_height(const ProvenRun& run) {
  size_t steps = 0;
  for (const bool at_end : {true, false})
    steps = std::max(steps, zero_lesson::sum_of(run.addends, at_end).steps.size());
  return static_cast<float>(steps + 2) * (ui::line_height(Type::kLabel) + px(2));
}

}  // namespace

void Bits::see(const View& view) {
  if (seen_ == view.run && complete_) return;
  seen_ = view.run;
  complete_ = view.trace.complete();
  parted_.clear();
  for (ProvenRun& run : zero_lesson::proven_runs(view.trace))
    if (run.parted) parted_.push_back(std::move(run));
  if (fallen_ && *fallen_ >= parted_.size()) fallen_.reset();
}

bool Bits::moves() const {
  return fallen_ && ui::look().motion && ImGui::GetTime() - fallen_at_ < kStair * kLevels;
}

void Bits::fall(size_t nth) {
  fallen_ = nth;
  fallen_at_ = ImGui::GetTime();
  focus_next_ = true;
}

void Bits::draw(View& view, ImVec2 size, FigureBoard& figures) {
  see(view);
  const auto figure = figures.find("bits");
  if (fallen_) return draw_fall(size);
  const float high = parted_.empty() ? 0 : std::clamp(size.y * 0.36f, px(122), px(150));
  if (figure) figures.draw(view, *figure, {size.x, size.y - high - (high > 0 ? px(8) : 0)}, false);
  if (figure) take_click(figures, *figure);
  if (high > 0) draw_cards({size.x, high});
}

// A box that says "≠" was chosen in the figure, which has them in the order of the runs.
void Bits::take_click(const FigureBoard& figures, size_t figure) {
  const auto* boxes = std::get_if<figure::Boxes>(&figures.shown_value(figure));
  std::map<std::string, std::string> state;
  figures.add_state(figure, state);
  if (boxes == nullptr || std::exchange(chosen_, state["chosen"]) == state["chosen"]) return;
  size_t nth = 0;
  for (size_t row = 0; row < boxes->rows.size(); ++row) {
    for (size_t box = 0; box < boxes->rows[row].boxes.size(); ++box) {
      if (boxes->rows[row].boxes[box].text != "≠") continue;
      if (fmt::format("{}.{}", row, box) == chosen_ && nth < parted_.size()) return fall(nth);
      ++nth;
    }
  }
}

void Bits::draw_cards(ImVec2 size) {
  const ui::Canvas canvas("bits.parted", size, std::exchange(focus_next_, false));
  const size_t count = std::min(parted_.size(), kShown);
  const float gap = px(12),
              width = (size.x - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
  for (size_t i = 0; i < count; ++i) {
    const float left = canvas.rect().min.x + (width + gap) * static_cast<float>(i);
    const ui::Rect card{{left, canvas.rect().min.y}, {left + width, canvas.rect().max.y - 1}};
    draw_card(canvas.list(), card, parted_[i], canvas.focused() && i == at_);
    ui::mark("bits.parted." + std::to_string(i), card.min, card.max);
    if (canvas.clicked() && card.contains(canvas.mouse())) fall(i);
  }
  if (!canvas.focused()) return;
  canvas.draw_focus();
  if (ui::pressed({ui::Key::kRight})) at_ = std::min(at_ + 1, count - 1);
  if (ui::pressed({ui::Key::kLeft}) && at_ > 0) --at_;
  if (ui::pressed({ui::Key::kEnter})) fall(std::min(at_, count - 1));
}

void Bits::draw_card(ImDrawList& list, const ui::Rect& card, const ProvenRun& run, bool lit) const {
  const zero_lesson::PartedAt& at = *run.parted;
  list.AddRectFilled(card.min, card.max, ui::colours().panel, px(3));
  list.AddRect(card.min, card.max, lit ? ui::colours().accent : ui::colours().line, px(3), 0,
               px(lit ? 2 : 1));
  const ui::Rect room{{card.min.x + px(12), card.min.y + px(8)}, {card.max.x - px(12), card.max.y}};
  float y = room.min.y;
  const auto put = [&](const std::string& text, Type type, ImU32 colour) {
    if (y + ui::line_height(type) > card.max.y) return;
    ui::draw_text_in(list, row_of(room, y, ui::line_height(type), px(3)), colour, text, type, false);
  };
  put(tr("≠ {} parts at step {}   ▸ down to the bits", at.stage, at.step), Type::kBold, ui::colours().text);
  put(fmt::format("{}[{}]", at.tensor, at.element), Type::kLabel, ui::colours().dim);
  const bool wide =
      room.width() > ui::text_width(Type::kQuestion, "5.61331399e-05 and 5.61330235e-05") + px(8);
  const Type type = wide ? Type::kQuestion : Type::kBold;
  put(tr("{} and {}", number(at.mine), number(at.reference)), type, ui::colours().text);
  const auto ulps = zero_lesson::ulps_between(static_cast<float>(at.mine), static_cast<float>(at.reference));
  put(tr("{} ulp apart; {} of {} elements differ", ulps, at.elements, format_count(at.of_elements)),
      Type::kLabel, ui::colours().text);
  put(wide ? tr("Nothing is wrong: the order of the sums is another one.")
           : tr("Nothing is wrong: another order of sums."),
      Type::kLabel, ui::colours().dim);
}

void Bits::draw_fall(ImVec2 size) {
  const ProvenRun& run = parted_[*fallen_];
  if (ui::button(tr("◂ back").c_str(), "bits.back", false, true, tr("(Enter, after K)"))) {
    fallen_.reset();
    return;
  }
  const float above = ImGui::GetItemRectSize().y + ImGui::GetStyle().ItemSpacing.y;
  ImGui::BeginChild("fall", {size.x, size.y - above});
  const float line = ui::line_height(Type::kLabel);
  const float need = 3 * px(42) + 2 * px(26) + px(24) + sums_height(run) + 2 * line + px(72);
  const float bar = ImGui::GetStyle().ScrollbarSize;
  {
    const ui::Canvas canvas("bits.fall", {size.x - bar, std::max(need, size.y - above - px(4))},
                            std::exchange(focus_next_, false));
    const double t = ui::look().motion ? ImGui::GetTime() - fallen_at_ : kStair * kLevels;
    draw_levels(canvas.list(), canvas.rect(), run, static_cast<int>(t / kStair) + 1);
    if (canvas.focused()) canvas.draw_focus();
    if (canvas.focused() && t > kStair && (ui::pressed({ui::Key::kEnter}) || ui::pressed({ui::Key::kUp})))
      fallen_.reset();
  }
  ImGui::EndChild();
}

void Bits::draw_levels(ImDrawList& list, const ui::Rect& all, const ProvenRun& run, int levels) const {
  const zero_lesson::PartedAt& at = *run.parted;
  const float high = px(26), gap = px(16);
  float y = all.min.y + px(4);
  const ui::Rect model = row_of(all, y, high, gap);
  level(list, model, tr("the small model after step {}: {} beside one process", at.step, at.stage));
  if (levels < 2) return;
  const ui::Rect tensor = row_of(all, y, high, gap);
  zoom(list, {{model.min.x + model.width() / 3, model.min.y}, {model.max.x - model.width() / 3, model.max.y}},
       tensor);
  level(list, tensor,
        tr("{}: {} of {} elements differ", at.tensor, at.elements, format_count(at.of_elements)));
  const float part =
      static_cast<float>(at.element) / static_cast<float>(std::max<int64_t>(at.of_elements, 1));
  const float x = tensor.min.x + part * tensor.width();
  const ui::Rect slice{{x - px(2), tensor.min.y}, {x + px(2), tensor.max.y}};
  list.AddRectFilled(slice.min, slice.max, ui::colours().alarm);
  if (levels < 3) return;
  const ui::Rect element = row_of(all, y, high, gap);
  zoom(list, slice, element);
  const auto mine = static_cast<float>(at.mine), reference = static_cast<float>(at.reference);
  level(list, element,
        tr("element {}: {} and {}, {} ulp apart", at.element, number(at.mine), number(at.reference),
           zero_lesson::ulps_between(mine, reference)));
  if (levels < 4) return;
  bit_row(list, row_of(all, y, px(22), px(4)), at.stage, mine, reference);
  bit_row(list, row_of(all, y, px(22), px(12)), tr("one process"), reference, mine);
  ui::mark("bits.patterns", {all.min.x, element.max.y}, {all.max.x, y});
  if (levels < kLevels) return;
  draw_sums(list, {{all.min.x, y}, all.max}, run);
}

void Bits::draw_sums(ImDrawList& list, const ui::Rect& room, const ProvenRun& run) const {
  const float line = ui::line_height(Type::kBold), middle = (room.min.x + room.max.x) / 2;
  float y = room.min.y;
  if (!run.addends.empty()) {
    const auto at_end = zero_lesson::sum_of(run.addends, true),
               each = zero_lesson::sum_of(run.addends, false);
    const float bottom = y + sums_height(run);
    sum_column(list, {{room.min.x, y}, {middle - px(12), bottom}},
               tr("stages 0, 1: (a + b) on each rank, then all"), at_end);
    sum_column(list, {{middle + px(12), y}, {room.max.x, bottom}},
               tr("stages 2, 3: all a, then all b, then both"), each);
    ui::mark("bits.sums", {room.min.x, y}, {room.max.x, bottom});
    y = bottom + px(6);
    const int64_t apart = zero_lesson::ulps_between(at_end.total, each.total);
    ui::draw_text_in(list, {{room.min.x, y}, {room.max.x, y + line}}, ui::colours().text,
                     apart > 0
                         ? tr("The two sums are {} ulp apart.", apart)
                         : tr("These two sums are equal; the element parts by the norm of all gradients."),
                     Type::kBody, false);
    y += line + px(4);
    if (apart > 0) {
      const ui::Rect whole{room.min, room.max};
      bit_row(list, row_of(whole, y, px(20), px(2)), tr("the sum, stages 0 and 1"), at_end.total, each.total);
      bit_row(list, row_of(whole, y, px(20), px(8)), tr("the sum, stages 2 and 3"), each.total, at_end.total);
    }
  }
  ui::draw_text_in(list, {{room.min.x, y}, {room.max.x, y + line}}, ui::colours().text,
                   tr("Nothing is wrong: the order of the sums is another one."), Type::kBold, false);
}

void Bits::add_state(std::map<std::string, std::string>& state) const {
  state["parted"] = std::to_string(parted_.size());
  state["fallen"] = fallen_ ? parted_[*fallen_].proof.label() : "";
}

}  // namespace ringside::zero_panel
