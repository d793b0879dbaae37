#include "ringside/widgets/block_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::ui {
namespace {

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
    grid.a_row = std::max(1, int((rect.width() + gap) / (grid.side + gap)));
    grid.height = 0;
    for (const int count : counts) {
      const auto rows = float((count + grid.a_row - 1) / grid.a_row);
      grid.height += head + px(kGap) + rows * (grid.side + gap);
    }
  } while (grid.height > rect.height() && grid.side > px(6));
  return grid;
}

}  // namespace

float BlockBuilder::Layout::y(double value) const {
  const double share = whole > 0 ? value / whole : 0;
  return std::round(column.max.y - float(share) * column.height());
}
double BlockBuilder::Layout::value_at(float y) const {
  return double((column.max.y - y) / std::max(column.height(), 1.0f)) * whole;
}

BlockBuilder::Layout BlockBuilder::lay_out(const Rect& rect, const std::vector<StateBlock>& blocks,
                                           const std::string& unit) {
  Layout layout{};
  const float handle = px(9), least = px(26) * float(std::max<size_t>(blocks.size(), 1));
  const float width = std::clamp(rect.width() * 0.28f, std::min(least, rect.width() - px(8)), px(168));
  layout.column = {{rect.min.x + px(4), rect.min.y + handle},
                   {rect.min.x + px(4) + width, std::max(rect.max.y - handle, rect.min.y + handle + 1)}};
  const float left = layout.column.max.x + px(24);
  // The question has named the unit: where it would be cut off, the cells take its line.
  layout.names_unit = text_width(unit) <= rect.max.x - px(4) - left;
  const float number = line_height(Type::kNumber) + (layout.names_unit ? line_height() : 0) + px(4);
  layout.number = {{left, rect.max.y - number}, {rect.max.x - px(4), rect.max.y}};
  layout.cells = {{left, rect.min.y + px(4)}, {rect.max.x - px(4), layout.number.min.y - px(kGap)}};
  for (const StateBlock& block : blocks) layout.whole += block.whole;
  return layout;
}

double BlockBuilder::Built::sum_until(size_t end) const {
  return std::accumulate(values.begin(), values.begin() + static_cast<ptrdiff_t>(end), 0.0);
}

void BlockBuilder::Built::set(size_t block, double value) const {
  values[block] = std::clamp(std::round(value / kStep) * kStep, 0.0, blocks[block].whole);
}

// Handles of empty categories lie at the same height: so each has its own share of the width.
Rect BlockBuilder::Built::handle_of(size_t block) const {
  const float y = layout.y(sum_until(block + 1)), share = layout.column.width() / float(blocks.size());
  const float x = layout.column.min.x + share * (float(block) + 0.5f);
  const float half = std::min(px(14), share / 2 - 1);
  return {{x - half, y - px(8)}, {x + half, y + px(8)}};
}

void BlockBuilder::drag(const Canvas& canvas, const Built& built) {
  const Layout& layout = built.layout;
  const size_t count = built.blocks.size();
  const ImVec2 mouse = canvas.mouse();
  if (!ImGui::IsMouseDown(0)) dragged_ = -1;
  if (canvas.clicked()) {
    float nearest = px(8);
    for (size_t i = 0; i < count; ++i) {
      const float edge = layout.y(built.sum_until(i + 1));
      const bool on_edge = mouse.x >= layout.column.min.x && mouse.x < layout.column.max.x;
      // A handle wins over an edge beside it.
      float away = on_edge ? std::abs(mouse.y - edge) : INFINITY;
      if (built.handle_of(i).contains(mouse)) away = -1;
      if (away >= nearest) continue;
      nearest = away;
      dragged_ = int(i);
      grab_ = mouse.y - edge;
    }
    if (dragged_ >= 0) chosen_ = size_t(dragged_);
  }
  if (dragged_ < 0 || size_t(dragged_) >= count || !ImGui::IsMousePosValid()) return;
  const auto i = size_t(dragged_);
  built.set(i, layout.value_at(mouse.y - grab_) - built.sum_until(i));
}

void BlockBuilder::take_keys(const Built& built) {
  const size_t now = chosen_;
  const double value = built.values[now];
  if (pressed({Key::kLeft}, true) && chosen_ > 0) --chosen_;
  if (pressed({Key::kRight}, true) && chosen_ + 1 < built.blocks.size()) ++chosen_;
  if (pressed({Key::kUp}, true)) built.set(now, value + kStep);
  if (pressed({Key::kDown}, true)) built.set(now, value - kStep);
  if (pressed({Key::kHome})) built.values[now] = 0;
  if (pressed({Key::kEnd})) built.values[now] = built.blocks[now].whole;
}

void BlockBuilder::draw_column(ImDrawList& list, const Built& built) const {
  const auto& [id, blocks, values, layout] = built;
  list.AddRectFilled(layout.column.min, layout.column.max, colours().panel);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const ImU32 hue = colour_of(blocks[i].category);
    const Rect r{{layout.column.min.x, layout.y(built.sum_until(i + 1))},
                 {layout.column.max.x, layout.y(built.sum_until(i))}};
    if (r.height() < 1) continue;
    list.AddRectFilled(r.min, r.max, fade(hue, 0.55f));
    dashed_rect(list, r, hue, 1.5f);
  }
  dashed_line(list, layout.column.min, {layout.column.max.x, layout.column.min.y}, colours().line);
  list.AddLine({layout.column.min.x, layout.column.max.y}, layout.column.max, colours().dim, px(1));
  for (size_t i = 0; i < blocks.size(); ++i) {
    const Rect h = built.handle_of(i);
    const ImU32 hue = colour_of(blocks[i].category);
    list.AddRectFilled(h.min, h.max, hue, px(3));
    if (i == chosen_ && focused_)
      list.AddRect({h.min.x - px(2), h.min.y - px(2)}, {h.max.x + px(2), h.max.y + px(2)}, colours().text,
                   px(4), 0, px(2));
    draw_text_in(list, h, text_on(hue), letter_of(blocks[i].category));
    mark(id + "." + std::string(letter_of(blocks[i].category)), h.min, h.max);
  }
}

void BlockBuilder::cell_rows(const Canvas& canvas, const Built& built) {
  const auto& [id, blocks, values, layout] = built;
  const float line = line_height(), gap = px(2);
  if (layout.cells.width() < px(60)) return;
  const auto count_of = [&](const StateBlock& block) {
    return std::clamp(int(std::ceil(block.whole / kCell - 1e-9)), 0, 128);
  };
  std::vector<int> counts;
  for (const StateBlock& block : blocks) counts.push_back(count_of(block));
  float head = line + px(2);
  CellGrid grid = fit_cells(layout.cells, counts, head);
  // In a low room the names give way: the column's handles have the same colours and letters.
  if (grid.height > layout.cells.height()) grid = fit_cells(layout.cells, counts, head = 0);
  if (grid.height > layout.cells.height()) return;
  const float side = grid.side;
  const int a_row = grid.a_row;

  ImDrawList& list = canvas.list();
  float y = layout.cells.min.y;
  for (size_t i = 0; i < blocks.size(); ++i) {
    double& value = values[i];
    const std::string letter(letter_of(blocks[i].category));
    const ImU32 hue = colour_of(blocks[i].category);
    if (head > 0)
      draw_label(list, {{layout.cells.min.x, y}, {layout.cells.max.x, y + line}},
                 i == chosen_ ? colours().text : colours().dim,
                 fmt::format("{} {:.2f}", to_string(blocks[i].category), value));
    y += head;
    const int count = counts[i];
    for (int k = 0; k < count; ++k) {
      const float x = layout.cells.min.x + float(k % a_row) * (side + gap);
      const Rect cell{{x, y + float(k / a_row) * (side + gap)},
                      {x + side, y + float(k / a_row) * (side + gap) + side}};
      const double filled = std::clamp(value / kCell - k, 0.0, 1.0);
      list.AddRectFilled(cell.min, cell.max, colours().raised);
      if (filled > 0) list.AddRectFilled(cell.min, {x + side * float(filled), cell.max.y}, fade(hue, 0.25f));
      if (filled >= 1 && side >= px(13)) draw_text_in(list, cell, text_on(fade(hue, 0.25f)), letter);
      mark(id + "." + letter + "." + std::to_string(k), cell.min, cell.max);
      if (!canvas.clicked() || !cell.contains(canvas.mouse())) continue;
      // The last filled cell empties itself, so that one click undoes another.
      const bool last = filled > 0 && value <= (k + 1) * kCell;
      value = std::clamp((last ? k : k + 1) * kCell, 0.0, blocks[i].whole);
      chosen_ = i;
    }
    y += float((count + a_row - 1) / a_row) * (side + gap) + px(kGap);
  }
}

bool BlockBuilder::draw(const std::string& id, ImVec2 size, const std::vector<StateBlock>& blocks,
                        std::vector<double>& values, const std::string& unit) {
  const Canvas canvas(id, size, focus_next_);
  focus_next_ = false;
  focused_ = canvas.focused();
  if (blocks.empty()) return false;
  chosen_ = std::min(chosen_, blocks.size() - 1);
  const std::vector<double> before = values;
  const Built built{id, blocks, values, lay_out(canvas.rect(), blocks, unit)};
  if (focused_) take_keys(built);
  drag(canvas, built);
  if (dragged_ >= 0 || (canvas.hovered() && built.layout.column.contains(canvas.mouse())))
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  cell_rows(canvas, built);
  draw_column(canvas.list(), built);
  const Rect& number = built.layout.number;
  const float split = number.min.y + line_height(Type::kNumber);
  draw_text_in(canvas.list(), {number.min, {number.max.x, split}}, colours().text,
               fmt::format("{:.2f}", built.sum_until(blocks.size())), Type::kNumber, false);
  if (built.layout.names_unit)
    draw_label(canvas.list(), {{number.min.x, split}, number.max}, colours().dim, unit);
  return values != before;
}

}  // namespace ringside::ui
