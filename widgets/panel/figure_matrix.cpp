// A matrix as a heat map. A value is a shade of one hue, a number where it fits and else a square that grows
// with it: never the shade alone. The shades of a pair have one scale.
#include <cmath>

#include "figure_parts.h"
#include "ringside/widgets/items.h"

namespace ringside {
namespace {

using figure::Matrix;
using figure::MatrixCell;
using State = MatrixCell::State;
using ui::px;
using ui::Type;

constexpr float kLeastCell = 14, kTallestCell = 64, kWidestCell = 128;  // points

// One hue from nearly nothing to full: the order of its lightness is that of the values for every eye.
ImU32 shade(float amount) { return ui::mix(ui::colours().raised, ui::colours().accent, amount); }

std::string_view glyph_of(State state) {
  return state == State::kSame ? "=" : state == State::kEmpty || state == State::kValue ? "" : "≠";
}

bool has_shade(const MatrixCell& cell) { return cell.state == State::kValue && std::isfinite(cell.value); }

// From zero, as no value has no shade; or as the figure says.
figure::Range shades_of(const Matrix& matrix, const Matrix* beside) {
  std::optional<figure::Range> found;
  for (const Matrix* one : {&matrix, beside}) {
    for (size_t i = 0; one != nullptr && i < one->cells.size(); ++i) {
      if (!has_shade(one->cells[i])) continue;
      widen(found, one->cells[i].value);
      found->low = std::min(found->low, 0.0);
    }
  }
  const figure::Range range = found.value_or(figure::Range{});
  return figure::usable({matrix.least.value_or(range.low), matrix.most.value_or(range.high)});
}

class MatrixDrawing : public CanvasDrawing<Matrix, Spot> {
  void picture(FigureFrame& frame, const ui::Canvas& canvas) override {
    frame.state["rows"] = std::to_string(value_->rows.size());
    frame.state["columns"] = std::to_string(value_->columns.size());
    if (value_->rows.empty() || value_->columns.empty())
      return ui::draw_text_in(*list_, all_, ui::colours().dim, "nothing to compare yet", Type::kBody);
    unit_ = unit_of(value_->unit);
    range_ = shades_of(*value_, beside<Matrix>(frame));
    step_ = figure::round_step(range_.span(), 100, unit_);
    lay_out();
    const bool sideways = ImGui::GetIO().KeyShift || rows_.shown == rows_.count;
    (sideways ? columns_ : rows_).take_wheel(canvas);
    const auto in_row = [&](size_t) { return value_->columns.size(); };
    if (canvas.focused() && move_by_keys(chosen_, value_->rows.size(), in_row, {rows_.first, columns_.first}))
      rows_.reveal(chosen_->first), columns_.reveal(chosen_->second);
    if (canvas.hovered() && grid_.contains(canvas.mouse())) {
      const auto row = rows_.row_at(canvas.mouse().y), column = columns_.row_at(canvas.mouse().x);
      if (row && column) hovered_ = Spot{*row, *column};
    }
    if (canvas.clicked()) chosen_ = hovered_;
    name_rows();
    name_columns();
    for (size_t row = rows_.first; row < rows_.end(); ++row) {
      for (size_t column = columns_.first; column < columns_.end(); ++column) draw_cell(frame, {row, column});
    }
    scale();
    rows_.draw_extent(*list_, {grid_.min, {grid_.max.x + px(5), grid_.max.y}});
    columns_.draw_extent(*list_, {grid_.min, {grid_.max.x, grid_.max.y + px(5)}}, false);
  }

  void lay_out() {
    const float label = ui::line_height();
    const auto itself = [](const std::string& name) -> const std::string& { return name; };
    const float names =
        std::max(ui::text_width(value_->row_name + " ↓"), widest(value_->rows, itself, all_.width()));
    grid_ = all_;
    grid_.min.x += std::min(names + px(8), all_.width() / 3);
    grid_.min.y += label + px(4) + (value_->column_name.empty() ? 0 : label + px(2));
    grid_.max.x -= px(6);           // where in the whole
    grid_.max.y -= label + px(14);  // that, and the scale
    rows_.lay_out(value_->rows.size(), grid_, px(kLeastCell), px(kTallestCell));
    columns_.lay_out(value_->columns.size(), grid_.min.x, grid_.width(), px(kLeastCell), px(kWidestCell));
    grid_.max = {columns_.bottom(), rows_.bottom()};
  }

  ui::Rect rect_of(const Spot& place) const {  // a hairline apart
    const auto& [row, column] = place;
    return {{std::floor(columns_.row_top(column)), std::floor(rows_.row_top(row))},
            {std::floor(columns_.row_top(column + 1)) - 1, std::floor(rows_.row_top(row + 1)) - 1}};
  }
  const MatrixCell& cell_of(const Spot& place) const {
    static const MatrixCell kNothing;
    const size_t at = place.first * value_->columns.size() + place.second;
    return at < value_->cells.size() ? value_->cells[at] : kNothing;
  }
  std::string text_of(const MatrixCell& cell) const {
    if (!cell.word.empty()) return cell.word;
    return cell.state == State::kValue ? figure::format_value(cell.value, unit_, step_)
                                       : std::string(glyph_of(cell.state));
  }

  float names_at() const { return grid_.min.y - ui::line_height() - px(3); }

  void name_rows() const {
    const float label = ui::line_height(), right = grid_.min.x - px(6), top = names_at();
    if (!value_->row_name.empty())
      ui::draw_label(*list_, {{all_.min.x, top}, {right, top + label}}, ui::colours().dim,
                     value_->row_name + " ↓");
    for (size_t row = rows_.first; row < rows_.end(); ++row) {
      const ui::Rect cell = rect_of({row, columns_.first});
      const std::string name = ui::elide(value_->rows[row], right - all_.min.x);
      const bool on = hovered_ && hovered_->first == row;
      ui::draw_text(*list_, {right - ui::text_width(name), cell.middle().y - label / 2},
                    on ? ui::colours().text : ui::colours().dim, name);
    }
  }

  // Names wider than their cells would be cut to nothing: then each takes as many cells as it needs.
  void name_columns() const {
    const float label = ui::line_height(), top = names_at();
    if (!value_->column_name.empty())
      ui::draw_label(*list_, {{grid_.min.x, all_.min.y}, {all_.max.x, all_.min.y + label}}, ui::colours().dim,
                     value_->column_name + " →");
    float needs = 1;
    for (size_t column = columns_.first; column < columns_.end(); ++column)
      needs = std::max(needs, ui::text_width(value_->columns[column]));
    const auto every = size_t(std::max(1.0f, std::ceil(std::min(needs + px(4), px(60)) / columns_.pitch)));
    for (size_t column = columns_.first; column < columns_.end(); column += every) {
      const size_t last = std::min(column + every, columns_.end()) - 1;
      const float left = rect_of({rows_.first, column}).min.x;
      const float right = std::min(rect_of({rows_.first, last}).max.x, all_.max.x);
      const bool on = hovered_ && hovered_->second == column;
      ui::draw_text_in(*list_, {{left, top}, {right, top + label}},
                       on ? ui::colours().text : ui::colours().dim, value_->columns[column], Type::kLabel,
                       every == 1);
    }
  }

  // A shade with its number; where that does not fit, a square that grows with the value.
  void draw_cell(const FigureFrame& frame, const Spot& place) const {
    const MatrixCell& cell = cell_of(place);
    const ui::Rect rect = rect_of(place);
    const bool value = has_shade(cell);
    const float amount = value ? float(std::clamp(figure::position_of(cell.value, range_), 0.0, 1.0)) : 0;
    std::string text = text_of(cell);
    const bool small =
        cell.state == State::kValue || !cell.word.empty() || rect.height() < ui::line_height(Type::kBody);
    const Type type = small ? Type::kLabel : Type::kBody;
    const auto fits_in = [&] {
      return rect.height() >= ui::line_height(type) && ui::text_width(type, text) <= rect.width() - px(2);
    };
    // Fewer decimals say more than a square, as long as two digits are left.
    for (double step = 10 * step_;
         value && cell.word.empty() && !fits_in() && 10 * step <= std::abs(cell.value); step *= 10)
      text = figure::format_value(cell.value, unit_, step);
    const bool fits = fits_in();
    const ImU32 fill = cell.state == State::kWrong       ? ui::colours().alarm
                       : cell.state == State::kDifferent ? ui::colours().raised
                       : value && fits                   ? shade(amount)
                                                         : ui::colours().panel;
    list_->AddRectFilled(rect.min, rect.max, fill);
    if (fits) {
      ui::draw_text_in(*list_, rect, ui::text_on(fill), text, type);
    } else if (value) {
      const float half = std::max(0.5f, amount * (std::min(rect.width(), rect.height()) / 2 - 0.5f));
      const ImVec2 middle = rect.middle();
      list_->AddRectFilled({middle.x - half, middle.y - half}, {middle.x + half, middle.y + half},
                           shade(0.3f + 0.7f * amount));
    }
    if (chosen_ == place) list_->AddRect(rect.min, rect.max, ui::colours().text, 0, 0, px(2));
    ui::mark(frame.id + "." + std::to_string(place.first) + "." + std::to_string(place.second), rect.min,
             rect.max);
  }

  // Below: what the shades mean, and which part is shown.
  void scale() const {
    const float label = ui::line_height(), y = std::min(all_.max.y - label - px(2), grid_.max.y + px(12));
    if (y < grid_.max.y) return;
    float x = grid_.min.x;
    if (std::ranges::any_of(value_->cells, has_shade)) {
      const std::string low = figure::format_value(range_.low, unit_, step_),
                        high = figure::format_value(range_.high, unit_, step_);
      const float bar = px(60), wide = ui::text_width(low) + ui::text_width(high);
      if (x + wide + bar + px(8) > all_.max.x) x = all_.min.x;
      if (x + wide + bar + px(8) > all_.max.x) return;
      ui::draw_text(*list_, {x, y}, ui::colours().dim, low);
      x += ui::text_width(low) + px(4);
      for (int i = 0; i < 6; ++i) {
        const float from = x + bar * float(i) / 6;
        list_->AddRectFilled({from, y + px(2)}, {from + bar / 6 - 1, y + label - px(1)}, shade(float(i) / 5));
      }
      ui::draw_text(*list_, {x + bar + px(4), y}, ui::colours().dim, high);
      x += bar + px(20) + ui::text_width(high);
    }
    std::string part;
    for (const auto& [what, window] : {std::pair("rows", &rows_), {"columns", &columns_}}) {
      if (window->shown == window->count) continue;
      part += (part.empty() ? "" : ", ") + std::string(what) + " " + std::to_string(window->first + 1) + "–" +
              std::to_string(window->end()) + " of " + std::to_string(window->count);
    }
    if (ui::text_width(part) <= all_.max.x - x) ui::draw_text(*list_, {x, y}, ui::colours().dim, part);
  }

  bool is_there(const Spot& place) const override {
    return place.first < value_->rows.size() && place.second < value_->columns.size();
  }
  std::string name(const Spot& place) const override {
    return value_->rows[place.first] + ", " + value_->columns[place.second];
  }
  ImVec2 below(const Spot& place) const override {
    const ui::Rect rect = rect_of(place);
    return {rect.min.x, rect.max.y + px(4)};
  }
  std::string detail(const Spot& place) const override {
    const MatrixCell& cell = cell_of(place);
    const auto named = [](const std::string& axis, const std::string& value) {
      return axis.empty() ? value : axis + " " + value;
    };
    std::string what = text_of(cell);
    if (cell.state == State::kValue && !cell.word.empty())
      what += "  " + figure::format_value(cell.value, unit_, step_ / 10);
    if (cell.state == State::kSame) what += " same";
    if (cell.state == State::kDifferent) what += " different, as expected";
    if (cell.state == State::kWrong) what += " different, and should not be";
    return named(value_->row_name, value_->rows[place.first]) + ", " +
           named(value_->column_name, value_->columns[place.second]) + "\n" + (what.empty() ? "—" : what) +
           (cell.detail.empty() ? "" : "\n" + cell.detail);
  }

  RowWindow rows_, columns_;
  // Of this frame.
  figure::Unit unit_;
  figure::Range range_;  // of the shades
  double step_ = 0;
  ui::Rect grid_{};
};

}  // namespace

std::unique_ptr<FigureDrawing> matrix_drawing() { return std::make_unique<MatrixDrawing>(); }

}  // namespace ringside
