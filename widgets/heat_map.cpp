#include "ringside/widgets/heat_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "attention.h"
#include "ringside/widgets/axis.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::ui {
namespace {

using figure::Matrix;
using figure::MatrixCell;
using State = MatrixCell::State;

constexpr float kLeastCell = 14, kTallestCell = 64, kWidestCell = 128;  // points

// One hue from nearly nothing to full: the order of its lightness is that of the values for every eye.
ImU32 shade(float amount) { return mix(colours().raised, colours().accent, amount); }

std::string_view glyph_of(State state) {
  return state == State::kSame ? "=" : state == State::kEmpty || state == State::kValue ? "" : "≠";
}

float amount_of(double value, const Range& range) {
  return static_cast<float>(std::clamp(position_of(value, range), 0.0, 1.0));
}

bool has_shade(const MatrixCell& cell) { return cell.state == State::kValue && std::isfinite(cell.value); }

// From zero, as no value has no shade; or as the figure says.
Range range_of(const Matrix& matrix, const Matrix* beside) {
  std::optional<Range> found;
  for (const Matrix* one : {&matrix, beside}) {
    for (size_t i = 0; one != nullptr && i < one->cells.size(); ++i) {
      const double value = one->cells[i].value;
      if (!has_shade(one->cells[i])) continue;
      if (!found) found = Range{std::min(value, 0.0), value};
      found = Range{std::min(found->low, value), std::max(found->high, value)};
    }
  }
  const Range range = found.value_or(Range{});
  return usable({matrix.least.value_or(range.low), matrix.most.value_or(range.high)});
}

}  // namespace

struct HeatMap::Frame {
  std::string id;
  Rect all;
  const Matrix& matrix;
  Unit unit;
  Range range;     // of the shades
  bool any_value;  // that has a shade
  ImDrawList* list;
  double step = round_step(range.span(), 100, unit);
  Rect grid{};
  ImVec2 cell{};
  Place shown{};  // how many rows and columns
  Place next{};   // the upper left cell of the next frame
  Drawn drawn{};

  const MatrixCell& at(Place p) const {
    static const MatrixCell kNothing;
    const size_t at = static_cast<size_t>(p.row) * matrix.columns.size() + static_cast<size_t>(p.column);
    return at < matrix.cells.size() ? matrix.cells[at] : kNothing;
  }
  Rect rect(Place p) const {  // counted from the first shown one; a hairline apart
    const auto edge = [](float from, float each, int i) {
      return std::floor(from + each * static_cast<float>(i));
    };
    return {{edge(grid.min.x, cell.x, p.column), edge(grid.min.y, cell.y, p.row)},
            {edge(grid.min.x, cell.x, p.column + 1) - 1, edge(grid.min.y, cell.y, p.row + 1) - 1}};
  }
  std::string value_text(const MatrixCell& c) const {
    if (!c.word.empty()) return c.word;
    return c.state == State::kValue ? format_value(c.value, unit, step) : std::string(glyph_of(c.state));
  }
};

HeatMap::Drawn HeatMap::draw(std::string_view id, ImVec2 size, const Matrix& matrix, const Matrix* beside) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 whole(std::max(size.x, 1.0f), std::max(size.y, 1.0f));
  Frame f{std::string(id),
          {origin, {origin.x + whole.x, origin.y + whole.y}},
          matrix,
          figure::unit_of(matrix.unit),
          range_of(matrix, beside),
          std::any_of(matrix.cells.begin(), matrix.cells.end(), has_shade),
          ImGui::GetWindowDrawList()};
  ImGui::PushID(f.id.c_str());
  ImGui::PushClipRect(f.all.min, f.all.max, true);
  if (matrix.rows.empty() || matrix.columns.empty()) {
    draw_text_in(*f.list, f.all, colours().dim, "nothing to compare yet", Type::kBody);
    mark(f.id, f.all.min, f.all.max);
  } else {
    lay_out(f);
    act(f);
    labels(f);
    all_cells(f);
    scale(f);
    extents(f);
    if (f.drawn.hovered) readout(f);
    first_ = f.next;
  }
  ImGui::PopClipRect();
  ImGui::PopID();
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(whole);
  return f.drawn;
}

void HeatMap::lay_out(Frame& f) {
  const float label = line_height(Type::kLabel), rows = static_cast<float>(f.matrix.rows.size()),
              columns = static_cast<float>(f.matrix.columns.size());
  float widest = text_width(Type::kLabel, f.matrix.row_name + " ↓");
  for (size_t i = 0; i < std::min<size_t>(f.matrix.rows.size(), 200); ++i)
    widest = std::max(widest, text_width(Type::kLabel, f.matrix.rows[i]));
  f.grid = f.all;
  f.grid.min.x += std::min(widest + px(8), f.all.width() / 3);
  f.grid.min.y += label + px(4) + (f.matrix.column_name.empty() ? 0 : label + px(2));
  f.grid.max.x -= px(6);           // where in the whole
  f.grid.max.y -= label + px(14);  // that, and the scale
  const auto each = [](float room, float count, float most) {
    return std::clamp(room / count, px(kLeastCell), px(most));
  };
  f.cell = {each(f.grid.width(), columns, kWidestCell), each(f.grid.height(), rows, kTallestCell)};
  const auto fit = [](float room, float one, size_t count) {
    return std::clamp(static_cast<int>(room / one + 1e-3f), 1, static_cast<int>(count));
  };
  f.shown = {fit(f.grid.height(), f.cell.y, f.matrix.rows.size()),
             fit(f.grid.width(), f.cell.x, f.matrix.columns.size())};
  first_.row = std::clamp(first_.row, 0, static_cast<int>(f.matrix.rows.size()) - f.shown.row);
  first_.column = std::clamp(first_.column, 0, static_cast<int>(f.matrix.columns.size()) - f.shown.column);
  f.grid.max = {f.grid.min.x + f.cell.x * static_cast<float>(f.shown.column),
                f.grid.min.y + f.cell.y * static_cast<float>(f.shown.row)};
  f.next = first_;
}

void HeatMap::act(Frame& f) {
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetCursorScreenPos(f.grid.min);
  if (std::exchange(focus_next_, false)) focus_next_item();
  ImGui::InvisibleButton("cells", {std::max(f.grid.width(), 1.0f), std::max(f.grid.height(), 1.0f)});
  mark(f.id, f.grid.min, f.grid.max);
  if (ImGui::IsItemHovered()) {
    const auto index = [](float at, float one, int count) {
      return std::clamp(static_cast<int>(at / one), 0, count - 1);
    };
    f.drawn.hovered = Place{first_.row + index(io.MousePos.y - f.grid.min.y, f.cell.y, f.shown.row),
                            first_.column + index(io.MousePos.x - f.grid.min.x, f.cell.x, f.shown.column)};
    const bool more_rows = f.shown.row < static_cast<int>(f.matrix.rows.size());
    if (more_rows || f.shown.column < static_cast<int>(f.matrix.columns.size())) {
      keep_wheel();
      const int notches = static_cast<int>(std::lround(io.MouseWheel * 3));
      (more_rows && !io.KeyShift ? f.next.row : f.next.column) -= notches;  // held within at the next layout
    }
    if (ImGui::IsMouseClicked(0)) selected = f.drawn.chosen = f.drawn.hovered;
  }
  if (!ImGui::IsItemFocused()) return;
  if (io.NavVisible)
    f.list->AddRect({f.grid.min.x - px(2), f.grid.min.y - px(2)},
                    {f.grid.max.x + px(1), f.grid.max.y + px(1)}, colours().accent);
  move(f);
}

void HeatMap::move(Frame& f) {
  const int down = pressed({Key::kDown}, true) - pressed({Key::kUp}, true);
  const int right = pressed({Key::kRight}, true) - pressed({Key::kLeft}, true);
  if (down == 0 && right == 0) return;
  keep_arrows();
  Place p = selected.value_or(Place{first_.row - down, first_.column - right});
  p.row = std::clamp(p.row + down, 0, static_cast<int>(f.matrix.rows.size()) - 1);
  p.column = std::clamp(p.column + right, 0, static_cast<int>(f.matrix.columns.size()) - 1);
  f.next.row = std::clamp(first_.row, p.row - f.shown.row + 1, p.row);
  f.next.column = std::clamp(first_.column, p.column - f.shown.column + 1, p.column);
  selected = f.drawn.chosen = p;
}

void HeatMap::labels(Frame& f) {
  const float label = line_height(Type::kLabel), right = f.grid.min.x - px(6);
  const float row_of_names = f.grid.min.y - label - px(3);
  const std::string& across = f.matrix.column_name;
  if (!across.empty())
    draw_text_in(*f.list, {{f.grid.min.x, f.all.min.y}, {f.all.max.x, f.all.min.y + label}}, colours().dim,
                 across + " →", Type::kLabel, false);
  if (!f.matrix.row_name.empty())
    draw_text_in(*f.list, {{f.all.min.x, row_of_names}, {right, row_of_names + label}}, colours().dim,
                 f.matrix.row_name + " ↓", Type::kLabel, false);
  for (int i = 0; i < f.shown.row; ++i) {
    const Rect cell = f.rect({i, 0});
    const std::string name =
        elide(f.matrix.rows[static_cast<size_t>(first_.row + i)], right - f.all.min.x, Type::kLabel);
    const bool on = f.drawn.hovered && f.drawn.hovered->row == first_.row + i;
    draw_text(*f.list, {right - text_width(Type::kLabel, name), (cell.min.y + cell.max.y - label) / 2},
              on ? colours().text : colours().dim, name);
  }
  // Names wider than their cells would be cut to nothing: then each takes as many cells as it needs.
  float widest = 1;
  for (int i = 0; i < f.shown.column; ++i)
    widest =
        std::max(widest, text_width(Type::kLabel, f.matrix.columns[static_cast<size_t>(first_.column + i)]));
  const int every = std::max(1, static_cast<int>(std::ceil(std::min(widest + px(4), px(60)) / f.cell.x)));
  for (int i = 0; i < f.shown.column; i += every) {
    const Rect cell = f.rect({0, i});
    const float end = std::min(f.rect({0, std::min(i + every, f.shown.column) - 1}).max.x, f.all.max.x);
    const bool on = f.drawn.hovered && f.drawn.hovered->column == first_.column + i;
    draw_text_in(*f.list, {{cell.min.x, row_of_names}, {end, row_of_names + label}},
                 on ? colours().text : colours().dim,
                 f.matrix.columns[static_cast<size_t>(first_.column + i)], Type::kLabel, every == 1);
  }
}

void HeatMap::all_cells(Frame& f) {
  for (int row = 0; row < f.shown.row; ++row) {
    for (int column = 0; column < f.shown.column; ++column) {
      const Rect rect = f.rect({row, column});
      const Place place{first_.row + row, first_.column + column};
      draw_cell(f, f.at(place), rect);
      if (selected == place) f.list->AddRect(rect.min, rect.max, colours().text, 0, 0, px(2));
      mark(f.id + "." + std::to_string(place.row) + "." + std::to_string(place.column), rect.min, rect.max);
    }
  }
}

// A shade with its number; where that does not fit, a square that grows with the value.
void HeatMap::draw_cell(Frame& f, const MatrixCell& c, const Rect& rect) {
  const bool value = has_shade(c);
  const float amount = value ? amount_of(c.value, f.range) : 0;
  const std::string text = f.value_text(c);
  const bool small = c.state == State::kValue || !c.word.empty() || rect.height() < line_height(Type::kBody);
  const Type type = small ? Type::kLabel : Type::kBody;
  const bool fits = rect.height() >= line_height(type) && text_width(type, text) <= rect.width() - px(2);
  const ImU32 fill = c.state == State::kWrong       ? colours().alarm
                     : c.state == State::kDifferent ? colours().raised
                     : value && fits                ? shade(amount)
                                                    : colours().panel;
  f.list->AddRectFilled(rect.min, rect.max, fill);
  if (fits) return draw_text_in(*f.list, rect, text_on(fill), text, type);
  if (!value) return;
  const float half = std::max(0.5f, amount * (std::min(rect.width(), rect.height()) / 2 - 0.5f));
  const ImVec2 mid = rect.middle();
  f.list->AddRectFilled({mid.x - half, mid.y - half}, {mid.x + half, mid.y + half},
                        shade(0.3f + 0.7f * amount));
}

// Below: what the shades mean, and which part is shown.
void HeatMap::scale(Frame& f) {
  const float label = line_height(Type::kLabel),
              y = std::min(f.all.max.y - label - px(2), f.grid.max.y + px(12));
  if (y < f.grid.max.y) return;
  float x = f.grid.min.x;
  if (f.any_value) {
    const std::string low = format_value(f.range.low, f.unit, f.step);
    const std::string high = format_value(f.range.high, f.unit, f.step);
    const float bar = px(60), wide = text_width(Type::kLabel, low) + text_width(Type::kLabel, high);
    if (x + wide + bar + px(8) > f.all.max.x) x = f.all.min.x;
    if (x + wide + bar + px(8) > f.all.max.x) return;
    draw_text(*f.list, {x, y}, colours().dim, low);
    x += text_width(Type::kLabel, low) + px(4);
    for (int i = 0; i < 6; ++i) {
      const float from = x + bar * static_cast<float>(i) / 6;
      f.list->AddRectFilled({from, y + px(2)}, {from + bar / 6 - 1, y + label - px(1)},
                            shade(static_cast<float>(i) / 5));
    }
    draw_text(*f.list, {x + bar + px(4), y}, colours().dim, high);
    x += bar + px(20) + text_width(Type::kLabel, high);
  }
  std::string part;
  const auto add = [&](std::string_view what, int first, int shown, size_t count) {
    if (shown == static_cast<int>(count)) return;
    part += (part.empty() ? "" : ", ") + std::string(what) + " " + std::to_string(first + 1) + "–" +
            std::to_string(first + shown) + " of " + std::to_string(count);
  };
  add("rows", first_.row, f.shown.row, f.matrix.rows.size());
  add("columns", first_.column, f.shown.column, f.matrix.columns.size());
  if (text_width(Type::kLabel, part) <= f.all.max.x - x) draw_text(*f.list, {x, y}, colours().dim, part);
}

// A bar beside and one below: which part of the whole is shown.
void HeatMap::extents(Frame& f) {
  const auto bar = [&](bool down, float from, float length, int first, int shown, size_t count) {
    if (shown == static_cast<int>(count)) return;
    const float each = length / static_cast<float>(count);
    const float a = from + each * static_cast<float>(first),
                b = a + std::max(px(4), each * static_cast<float>(shown));
    const float beside = (down ? f.grid.max.x : f.grid.max.y) + px(2), end = beside + px(3);
    if (down)
      f.list->AddRectFilled({beside, a}, {end, b}, colours().dim);
    else
      f.list->AddRectFilled({a, beside}, {b, end}, colours().dim);
  };
  bar(true, f.grid.min.y, f.grid.height(), first_.row, f.shown.row, f.matrix.rows.size());
  bar(false, f.grid.min.x, f.grid.width(), first_.column, f.shown.column, f.matrix.columns.size());
}

void HeatMap::readout(Frame& f) {
  const Place p = *f.drawn.hovered;
  const MatrixCell& c = f.at(p);
  const auto named = [](const std::string& name, const std::string& value) {
    return name.empty() ? value : name + " " + value;
  };
  const FontScope scope(Type::kLabel);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + px(320));
  ImGui::TextUnformatted((named(f.matrix.row_name, f.matrix.rows[static_cast<size_t>(p.row)]) + ", " +
                          named(f.matrix.column_name, f.matrix.columns[static_cast<size_t>(p.column)]))
                             .c_str());
  std::string what = f.value_text(c);
  if (c.state == State::kValue && !c.word.empty()) what += "  " + format_value(c.value, f.unit, f.step / 10);
  if (c.state == State::kSame) what += " same";
  if (c.state == State::kDifferent) what += " different, as expected";
  if (c.state == State::kWrong) what += " different, and should not be";
  if (what.empty()) what = "—";
  ImGui::TextUnformatted(what.c_str());
  if (!c.detail.empty()) ImGui::TextUnformatted(c.detail.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace ringside::ui
