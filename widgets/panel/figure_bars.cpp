// Bars from left to right, a row each: its parts stacked or below each other, a word behind.
#include <cmath>

#include "figure_parts.h"
#include "ringside/lesson/suggest.h"
#include "ringside/widgets/items.h"

namespace ringside {
namespace {

using ui::px;

double value_of(const figure::BarRow& row, size_t part) {
  return part < row.values.size() ? row.values[part] : figure::kNone;
}

// Of bars below each other: all values, or the one that they share.
std::string values_of(const figure::BarRow& row, const AxisAcross& axis) {
  std::vector<std::string> all;
  for (const double value : row.values)
    if (std::isfinite(value)) all.push_back(axis.text(value));
  const bool alike = std::ranges::all_of(all, [&](const std::string& one) { return one == all.front(); });
  return alike && all.size() > 1 ? all.front() : join(all);
}

// What stands behind a row: its word, else the sum of a stacked one, or the values of two bars.
std::string word_of(const figure::Bars& bars, const figure::BarRow& row, const AxisAcross& axis) {
  if (row.word.empty() && !bars.stacked && bars.parts.size() <= 2) return values_of(row, axis);
  if (!row.word.empty() || !bars.stacked) return row.word;
  double sum = 0;
  bool any = false;
  for (const double value : row.values)
    if (std::isfinite(value)) sum += value, any = true;
  return any ? axis.text(sum) : "";
}

void widen_by(std::optional<figure::Range>& range, const figure::Bars& bars) {
  for (const figure::BarRow& row : bars.rows) {
    double up = 0, down = 0;
    for (const double value : row.values) {
      if (!std::isfinite(value)) continue;
      if (bars.value.log && value > 0) widen(range, value / 2);  // the shortest bar is seen too
      if (bars.value.log && !(value > 0)) continue;
      if (!bars.stacked) widen(range, value);
      (value > 0 ? up : down) += value;
    }
    if (bars.stacked && (!bars.value.log || up > 0)) widen(range, up);
    if (bars.stacked && !bars.value.log) widen(range, down);
  }
  if (bars.limit) widen(range, bars.limit->at);
  if (!bars.value.log) widen(range, 0);
}

class BarsDrawing : public CanvasDrawing<figure::Bars> {
  void picture(FigureFrame& frame, const ui::Canvas& canvas) override {
    lay_out(frame);
    rows_.take_wheel(canvas);
    if (canvas.focused()) rows_.choose_by_keys(chosen_);
    if (canvas.hovered()) hovered_ = rows_.row_at(canvas.mouse().y);
    if (canvas.clicked()) chosen_ = hovered_;
    if (has_axis_) draw_axis(*list_, plot_, axis_);
    ends_.clear();
    for (size_t row = rows_.first; row < rows_.end(); ++row) draw_row(frame, row);
    draw_limit();
    for (size_t row = rows_.first; row < rows_.end(); ++row) draw_word(row);
    rows_.draw_extent(*list_, {{all_.min.x, plot_.min.y}, {all_.max.x, plot_.max.y}});
    frame.state["rows"] = std::to_string(value_->rows.size());
    frame.state["parts"] = std::to_string(value_->parts.size());
  }

  void lay_out(const FigureFrame& frame) {
    const figure::Bars& bars = *value_;
    plot_ = all_;
    if (all_.height() >= px(120) && bars.parts.size() > 1) {
      std::vector<LegendEntry> entries;
      for (const figure::BarPart& part : bars.parts) entries.push_back({part.name, colour_of(part.ink)});
      plot_.min.y += draw_legend(*list_, all_, entries);
    }
    const float line = ui::line_height();
    if (bars.limit && !bars.limit->name.empty()) plot_.min.y += line + px(4);
    has_axis_ = all_.height() >= px(80);
    if (has_axis_) plot_.max.y -= axis_height(bars.value);
    std::optional<figure::Range> found;
    widen_by(found, bars);
    bool whole = figure::is_whole(bars);
    if (const auto* other = beside<figure::Bars>(frame)) {
      widen_by(found, *other);
      whole = whole && figure::is_whole(*other);
    }
    axis_ = {bars.value, range_of(bars.value, found, whole), 0, 1, whole};
    const auto name = [](const figure::BarRow& row) -> const std::string& { return row.name; };
    const auto word = [&](const figure::BarRow& row) { return word_of(bars, row, axis_); };
    const float names = widest(bars.rows, name, all_.width() * 0.4f);
    words_ = widest(bars.rows, word, std::max(all_.width() / 3, all_.width() * 0.7f - names));
    if (has_own_values())
      for (const figure::BarRow& row : bars.rows)
        for (const double value : row.values) words_ = std::max(words_, ui::text_width(axis_.text(value)));
    plot_.min.x += names > 1 ? names + px(8) : 0;
    plot_.max.x -= words_ + px(12);
    axis_.left = plot_.min.x;
    axis_.right = std::max(plot_.max.x, plot_.min.x + 1);
    const float each = bars.stacked ? px(16) : px(7) * float(bars.parts.size());
    rows_.lay_out(bars.rows.size(), plot_, each + px(4), std::max(px(110), each + px(24)));
    plot_.max.y = std::min(plot_.max.y, rows_.bottom() + px(4));
  }

  void draw_row(const FigureFrame& frame, size_t index) {
    const figure::BarRow& row = value_->rows[index];
    const float top = rows_.row_top(index), bottom = top + rows_.pitch,
                gap = std::max({px(2), rows_.pitch * 0.18f, (rows_.pitch - px(60)) / 2});
    if (hovered_ == index)
      list_->AddRectFilled({all_.min.x, top}, {all_.max.x - px(4), bottom}, ui::colours().raised, px(3));
    if (chosen_ == index)
      list_->AddRect({all_.min.x + 1, top}, {all_.max.x - px(4), bottom}, ui::colours().accent, px(3));
    ui::draw_label(*list_, {{all_.min.x + px(2), top}, {plot_.min.x - px(4), bottom}}, ui::colours().text,
                   row.name);
    ends_.push_back(value_->stacked ? stacked(row, top + gap, bottom - gap)
                                    : grouped(row, top + gap, bottom - gap));
    ui::mark(frame.id + "." + std::to_string(index), {all_.min.x, top}, {all_.max.x, bottom});
  }

  // Behind the bar, above the line of the limit.
  void draw_word(size_t index) {
    const std::string word = word_of(*value_, value_->rows[index], axis_);
    const float left = ends_[index - rows_.first] + px(6), line = ui::line_height();
    const float width = std::min(ui::text_width(word), words_ + 1);
    const float top = rows_.row_top(index), middle = top + rows_.pitch / 2;
    if (word.empty() || rows_.pitch < line - px(2)) return;
    list_->AddRectFilled({left - px(2), middle - line / 2}, {left + width + px(2), middle + line / 2},
                         hovered_ == index ? ui::colours().raised : ui::colours().background);
    ui::draw_label(*list_, {{left, top}, {left + words_ + 1, top + rows_.pitch}}, ui::colours().text, word);
  }

  float zero() const {
    return axis_.axis.log ? axis_.left : std::clamp(axis_.at(0), axis_.left, axis_.right);
  }

  // One bar between two values; where it ends at the right. A log axis has no place for what is not positive.
  float bar(double from, double to, float top, float bottom, ImU32 colour) {
    if (axis_.axis.log && !(to > 0)) return axis_.left;
    float a = axis_.axis.log && from == 0 ? axis_.left : axis_.at(from), b = axis_.at(to);
    if (a > b) std::swap(a, b);
    a = std::clamp(a, axis_.left, axis_.right);
    b = std::clamp(b, axis_.left, axis_.right);
    if (to != from) b = std::max(b, a + 1);
    list_->AddRectFilled({std::floor(a), std::floor(top)},
                         {std::floor(b), std::floor(std::max(bottom, top + 1))}, colour);
    return b;
  }

  float stacked(const figure::BarRow& row, float top, float bottom) {
    double up = 0, down = 0;
    float end = zero();
    for (size_t part = 0; part < value_->parts.size(); ++part) {
      const double value = value_of(row, part);
      if (!std::isfinite(value) || value == 0) continue;
      double& sum = value > 0 ? up : down;
      end = std::max(end, bar(sum, sum + value, top, bottom, colour_of(value_->parts[part].ink)));
      sum += value;
    }
    return end;
  }

  // More than two bars a row, and no word: each has its value at its end, where a line is high enough.
  bool has_own_values() const {
    return !value_->stacked && value_->parts.size() > 2 &&
           std::ranges::all_of(value_->rows, [](auto& row) { return row.word.empty(); });
  }

  float grouped(const figure::BarRow& row, float top, float bottom) {
    const float each = (bottom - top) / float(std::max<size_t>(value_->parts.size(), 1));
    float end = zero();
    for (size_t part = 0; part < value_->parts.size(); ++part) {
      const double value = value_of(row, part);
      const float from = top + each * float(part);
      if (!std::isfinite(value)) continue;
      const float to = bar(0, value, from, from + each - 1, colour_of(value_->parts[part].ink));
      if (has_own_values() && each >= ui::line_height() - px(2))
        ui::draw_label(*list_, {{to + px(6), from}, {to + px(6) + words_ + 1, from + each}},
                       ui::colours().text, axis_.text(value));
      end = std::max(end, to);
    }
    return end;
  }

  void draw_limit() {
    if (!value_->limit || !std::isfinite(value_->limit->at)) return;
    const float x = std::floor(axis_.at(value_->limit->at)), line = ui::line_height();
    if (x < axis_.left - 1 || x > axis_.right + 1) return;
    ui::dashed_line(*list_, {x, plot_.min.y - px(2)}, {x, plot_.max.y}, ui::colours().text, 1.5f);
    const std::string name = ui::elide(value_->limit->name, all_.width());
    const float width = ui::text_width(name);
    const float left = std::clamp(x - width / 2, all_.min.x, std::max(all_.min.x, all_.max.x - width));
    ui::draw_text(*list_, {left, plot_.min.y - line - px(3)}, ui::colours().text, name);
  }

  bool is_there(const size_t& row) const override { return row < value_->rows.size(); }
  std::string name(const size_t& row) const override { return value_->rows[row].name; }
  ImVec2 below(const size_t& row) const override { return {plot_.min.x, rows_.row_top(row) + rows_.pitch}; }
  std::string detail(const size_t& index) const override {
    const figure::BarRow& row = value_->rows[index];
    std::string text = row.name;
    if (!row.word.empty()) text += (text.empty() ? "" : "  ") + row.word;
    for (size_t part = 0; part < value_->parts.size(); ++part) {
      const std::string& name = value_->parts[part].name;
      text += "\n" + name + (name.empty() ? "" : "  ") + axis_.text(value_of(row, part));
    }
    if (value_->limit) text += "\n" + value_->limit->name + "  " + axis_.text(value_->limit->at);
    return text;
  }

  RowWindow rows_;
  ui::Rect plot_{};  // of this frame, as what follows
  AxisAcross axis_;
  float words_ = 0;          // the widest behind a bar
  std::vector<float> ends_;  // of the bars that are shown
  bool has_axis_ = false;
};

}  // namespace

std::unique_ptr<FigureDrawing> bars_drawing() { return std::make_unique<BarsDrawing>(); }

}  // namespace ringside
