#include "ringside/widgets/block_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::ui {
namespace {

double snapped(double value, double step, double whole) {
  if (step > 0) value = std::round(value / step) * step;
  return std::clamp(value, 0.0, whole);
}

double sum_until(const std::vector<BuilderPart>& parts, size_t end) {
  double sum = 0;
  for (size_t i = 0; i < end; ++i) sum += parts[i].value;
  return sum;
}

struct CellGrid {
  float side, height;  // of a cell; of all rows
  int a_row;           // cells
};

// Cells as large as the height allows, rows broken where the width ends; `head` stands over each part's rows.
CellGrid fit_cells(const Rect& rect, const std::vector<int>& counts, float head) {
  const float gap = px(2);
  CellGrid grid{px(20), 0, 1};
  do {
    grid.side -= px(1);
    grid.a_row = std::max(1, static_cast<int>((rect.width() + gap) / (grid.side + gap)));
    grid.height = 0;
    for (const int count : counts) {
      const auto rows = static_cast<float>((count + grid.a_row - 1) / grid.a_row);
      grid.height += head + px(kGap) + rows * (grid.side + gap);
    }
  } while (grid.height > rect.height() && grid.side > px(6));
  return grid;
}

}  // namespace

float BlockBuilder::Layout::y(double value) const {
  const double share = whole > 0 ? value / whole : 0;
  return std::round(column.max.y - static_cast<float>(share) * column.height());
}
double BlockBuilder::Layout::value_at(float y) const {
  return static_cast<double>((column.max.y - y) / std::max(column.height(), 1.0f)) * whole;
}

BlockBuilder::Layout BlockBuilder::lay_out(const Rect& rect, const std::vector<BuilderPart>& parts,
                                           const std::string& unit) const {
  Layout layout{};
  const float handle = px(9), least = px(26) * static_cast<float>(std::max<size_t>(parts.size(), 1));
  const float width = std::clamp(rect.width() * 0.28f, std::min(least, rect.width() - px(8)), px(168));
  layout.column = {{rect.min.x + px(4), rect.min.y + handle},
                   {rect.min.x + px(4) + width, std::max(rect.max.y - handle, rect.min.y + handle + 1)}};
  const float left = layout.column.max.x + px(24);
  // The question has named the unit: where it would be cut off, the cells take its line.
  layout.names_unit = text_width(Type::kLabel, unit) <= rect.max.x - px(4) - left;
  const float number =
      line_height(Type::kNumber) + (layout.names_unit ? line_height(Type::kLabel) : 0) + px(4);
  layout.number = {{left, rect.max.y - number}, {rect.max.x - px(4), rect.max.y}};
  layout.cells = {{left, rect.min.y + px(4)}, {rect.max.x - px(4), layout.number.min.y - px(kGap)}};
  for (const BuilderPart& part : parts) layout.whole += part.whole;
  return layout;
}

// Handles of empty categories lie at the same height: so each has its own share of the width.
Rect BlockBuilder::handle_of(const Layout& layout, const std::vector<BuilderPart>& parts, size_t part) const {
  const float y = layout.y(sum_until(parts, part + 1)),
              share = layout.column.width() / static_cast<float>(parts.size());
  const float x = layout.column.min.x + share * (static_cast<float>(part) + 0.5f);
  const float half = std::min(px(14), share / 2 - 1);
  return {{x - half, y - px(8)}, {x + half, y + px(8)}};
}

void BlockBuilder::drag(const Canvas& canvas, const Layout& layout, std::vector<BuilderPart>& parts,
                        double step) {
  const ImVec2 mouse = canvas.mouse();
  if (!ImGui::IsMouseDown(0)) dragged_ = -1;
  if (canvas.clicked()) {
    float nearest = px(8);
    for (size_t i = 0; i < parts.size(); ++i) {
      const float edge = layout.y(sum_until(parts, i + 1));
      const bool on_edge = mouse.x >= layout.column.min.x && mouse.x < layout.column.max.x;
      // A handle wins over an edge beside it.
      float away = on_edge ? std::abs(mouse.y - edge) : INFINITY;
      if (handle_of(layout, parts, i).contains(mouse)) away = -1;
      if (away >= nearest) continue;
      nearest = away;
      dragged_ = static_cast<int>(i);
      grab_ = mouse.y - edge;
    }
    if (dragged_ >= 0) chosen_ = static_cast<size_t>(dragged_);
  }
  if (dragged_ < 0 || static_cast<size_t>(dragged_) >= parts.size() || !ImGui::IsMousePosValid()) return;
  const auto i = static_cast<size_t>(dragged_);
  parts[i].value = snapped(layout.value_at(mouse.y - grab_) - sum_until(parts, i), step, parts[i].whole);
}

void BlockBuilder::take_keys(std::vector<BuilderPart>& parts, double step) {
  BuilderPart& part = parts[chosen_];
  if (pressed({Key::kLeft}, true) && chosen_ > 0) --chosen_;
  if (pressed({Key::kRight}, true) && chosen_ + 1 < parts.size()) ++chosen_;
  if (pressed({Key::kUp}, true)) part.value = snapped(part.value + step, step, part.whole);
  if (pressed({Key::kDown}, true)) part.value = snapped(part.value - step, step, part.whole);
  if (pressed({Key::kHome})) part.value = 0;
  if (pressed({Key::kEnd})) part.value = part.whole;
}

void BlockBuilder::draw_column(ImDrawList& list, const std::string& id, const Layout& layout,
                               const std::vector<BuilderPart>& parts) const {
  list.AddRectFilled(layout.column.min, layout.column.max, colours().panel);
  for (size_t i = 0; i < parts.size(); ++i) {
    const ImU32 hue = colour_of(parts[i].category);
    const Rect r{{layout.column.min.x, layout.y(sum_until(parts, i + 1))},
                 {layout.column.max.x, layout.y(sum_until(parts, i))}};
    if (r.height() < 1) continue;
    list.AddRectFilled(r.min, r.max, fade(hue, 0.55f));
    dashed_rect(list, r, hue, 1.5f);
  }
  dashed_line(list, layout.column.min, {layout.column.max.x, layout.column.min.y}, colours().line);
  list.AddLine({layout.column.min.x, layout.column.max.y}, layout.column.max, colours().dim, px(1));
  for (size_t i = 0; i < parts.size(); ++i) {
    const Rect h = handle_of(layout, parts, i);
    const ImU32 hue = colour_of(parts[i].category);
    list.AddRectFilled(h.min, h.max, hue, px(3));
    if (i == chosen_ && focused_)
      list.AddRect({h.min.x - px(2), h.min.y - px(2)}, {h.max.x + px(2), h.max.y + px(2)}, colours().text,
                   px(4), 0, px(2));
    draw_text_in(list, h, text_on(hue), letter_of(parts[i].category));
    mark(id + "." + std::string(letter_of(parts[i].category)), h.min, h.max);
  }
}

void BlockBuilder::cell_rows(const Canvas& canvas, const std::string& id, const Layout& layout,
                             std::vector<BuilderPart>& parts, const BuilderScale& scale) {
  const float line = line_height(Type::kLabel), gap = px(2);
  if (layout.cells.width() < px(60) || scale.cell <= 0) return;
  const auto count_of = [&](const BuilderPart& part) {
    return std::clamp(static_cast<int>(std::ceil(part.whole / scale.cell - 1e-9)), 0, 128);
  };
  std::vector<int> counts;
  for (const BuilderPart& part : parts) counts.push_back(count_of(part));
  float head = line + px(2);
  CellGrid grid = fit_cells(layout.cells, counts, head);
  // In a low room the names give way: the column's handles have the same colours and letters.
  if (grid.height > layout.cells.height()) grid = fit_cells(layout.cells, counts, head = 0);
  if (grid.height > layout.cells.height()) return;
  const float side = grid.side;
  const int a_row = grid.a_row;

  ImDrawList& list = canvas.list();
  float y = layout.cells.min.y;
  for (size_t i = 0; i < parts.size(); ++i) {
    BuilderPart& part = parts[i];
    const std::string letter(letter_of(part.category));
    const ImU32 hue = colour_of(part.category);
    if (head > 0)
      draw_text_in(list, {{layout.cells.min.x, y}, {layout.cells.max.x, y + line}},
                   i == chosen_ ? colours().text : colours().dim,
                   fmt::format("{} {:.2f}", to_string(part.category), part.value), Type::kLabel, false);
    y += head;
    const int count = counts[i];
    for (int k = 0; k < count; ++k) {
      const float x = layout.cells.min.x + static_cast<float>(k % a_row) * (side + gap);
      const Rect cell{{x, y + static_cast<float>(k / a_row) * (side + gap)},
                      {x + side, y + static_cast<float>(k / a_row) * (side + gap) + side}};
      const double filled = std::clamp(part.value / scale.cell - k, 0.0, 1.0);
      list.AddRectFilled(cell.min, cell.max, colours().raised);
      if (filled > 0)
        list.AddRectFilled(cell.min, {x + side * static_cast<float>(filled), cell.max.y}, fade(hue, 0.25f));
      if (filled >= 1 && side >= px(13)) draw_text_in(list, cell, text_on(fade(hue, 0.25f)), letter);
      mark(id + "." + letter + "." + std::to_string(k), cell.min, cell.max);
      if (!canvas.clicked() || !cell.contains(canvas.mouse())) continue;
      // The last filled cell empties itself, so that one click undoes another.
      const bool last = filled > 0 && part.value <= (k + 1) * scale.cell;
      part.value = std::clamp((last ? k : k + 1) * scale.cell, 0.0, part.whole);
      chosen_ = i;
    }
    y += static_cast<float>((count + a_row - 1) / a_row) * (side + gap) + px(kGap);
  }
}

void BlockBuilder::draw_number(ImDrawList& list, const Layout& layout, const std::vector<BuilderPart>& parts,
                               const BuilderScale& scale) const {
  const int decimals = scale.step >= 1                                             ? 0
                       : scale.step >= 0.1 && std::fmod(scale.step * 10, 1) < 1e-9 ? 1
                                                                                   : 2;
  const std::string number = fmt::format("{:.{}f}", sum_until(parts, parts.size()), decimals);
  const float split = layout.number.min.y + line_height(Type::kNumber);
  draw_text_in(list, {layout.number.min, {layout.number.max.x, split}}, colours().text, number, Type::kNumber,
               false);
  if (!layout.names_unit) return;
  draw_text_in(list, {{layout.number.min.x, split}, layout.number.max}, colours().dim, scale.unit,
               Type::kLabel, false);
}

bool BlockBuilder::draw(const std::string& id, ImVec2 size, std::vector<BuilderPart>& parts,
                        const BuilderScale& scale) {
  const Canvas canvas(id, size, focus_next_);
  focus_next_ = false;
  focused_ = canvas.focused();
  if (parts.empty()) return false;
  chosen_ = std::min(chosen_, parts.size() - 1);
  const auto values = [&] {
    std::vector<double> all;
    for (const BuilderPart& part : parts) all.push_back(part.value);
    return all;
  };
  const std::vector<double> before = values();
  const Layout layout = lay_out(canvas.rect(), parts, scale.unit);
  if (focused_) take_keys(parts, scale.step);
  drag(canvas, layout, parts, scale.step);
  if (dragged_ >= 0 || (canvas.hovered() && layout.column.contains(canvas.mouse())))
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  cell_rows(canvas, id, layout, parts, scale);
  draw_column(canvas.list(), id, layout, parts);
  draw_number(canvas.list(), layout, parts, scale);
  return values() != before;
}

}  // namespace ringside::ui
