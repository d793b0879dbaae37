// Lines of source with their numbers; the current one lit, what each gave beside it.

#include "figure_parts.h"
#include "ringside/widgets/items.h"

namespace ringside {
namespace {

using ui::px;

constexpr ui::Type kMono = ui::Type::kMono;

// Tabs as four columns.
std::string without_tabs(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\t')
      out.append(4 - out.size() % 4, ' ');
    else if (c != '\n' && c != '\r')
      out += c;
  }
  return out;
}

class ListingDrawing : public CanvasDrawing<figure::Listing> {
  void picture(FigureFrame& frame, const ui::Canvas& canvas) override {
    take(frame);
    lay_out();
    follow();
    rows_.take_wheel(canvas);
    if (canvas.focused()) rows_.choose_by_keys(chosen_);
    if (canvas.hovered()) hovered_ = rows_.row_at(canvas.mouse().y);
    if (canvas.clicked()) chosen_ = hovered_;
    for (size_t line = rows_.first; line < rows_.end(); ++line) draw_line(frame, line);
    rows_.draw_extent(*list_, all_);
    frame.state["lines"] = std::to_string(value_->lines.size());
    frame.state["first"] = std::to_string(rows_.first);
    if (value_->current) frame.state["current"] = std::to_string(*value_->current);
  }

  // The widest text and value, measured once a value.
  void take(const FigureFrame& frame) {
    if (version_ == frame.version && scale_ == ui::look().scale && count_ == value_->lines.size()) return;
    version_ = frame.version, scale_ = ui::look().scale, count_ = value_->lines.size();
    text_width_ = value_width_ = 0;
    for (const figure::SourceLine& line : value_->lines) {
      text_width_ = std::max(text_width_, ui::text_width(kMono, without_tabs(line.text)));
      value_width_ = std::max(value_width_, ui::text_width(kMono, without_tabs(line.value)));
    }
  }

  void lay_out() {
    const float line = ui::line_height(kMono) + px(4);
    rows_.lay_out(value_->lines.size(), all_, line, line);
    const std::string last = std::to_string(value_->lines.size());
    text_ = all_.min.x + px(18) + ui::text_width(kMono, last) + px(12);
    const float room = all_.max.x - px(8) - text_;
    const float gap = value_width_ > 0 ? px(24) : 0;
    const float values = std::min(value_width_, std::max(room * 0.4f, room - text_width_ - gap));
    value_at_ = std::min(text_ + text_width_ + gap, all_.max.x - px(8) - values);
  }

  // Where the current line moves, the part that is shown goes with it: two lines of what comes next are seen.
  void follow() {
    if (current_ == value_->current) return;
    current_ = value_->current;
    if (!current_ || value_->lines.empty()) return;
    const size_t last = value_->lines.size() - 1, margin = rows_.shown > 5 ? 2 : 0;
    rows_.reveal(std::min(*current_ + margin, last));
    rows_.reveal(*current_ - std::min(*current_, margin));
  }

  void draw_line(const FigureFrame& frame, size_t index) {
    const figure::SourceLine& line = value_->lines[index];
    const bool current = value_->current == index;
    const float top = rows_.row_top(index), bottom = top + rows_.pitch;
    const ui::Rect row{{all_.min.x, top}, {all_.max.x - px(4), bottom}};
    if (current || hovered_ == index)
      list_->AddRectFilled(row.min, row.max,
                           current ? ui::fade(ui::colours().accent, 0.7f) : ui::colours().raised, px(2));
    if (chosen_ == index)
      list_->AddRect({row.min.x + 1, row.min.y}, {row.max.x - 1, row.max.y}, ui::colours().accent, px(2));
    if (current)
      ui::draw_text_in(*list_, {{row.min.x + px(3), top}, {row.min.x + px(18), bottom}}, ui::colours().accent,
                       "▶");
    const std::string number = std::to_string(index + 1);
    const float right = text_ - px(12);
    ui::draw_text(*list_, {right - ui::text_width(kMono, number), top + px(2)},
                  current ? ui::colours().text : ui::colours().dim, number, kMono);
    const float end = value_width_ > 0 ? value_at_ - px(12) : all_.max.x - px(8);
    ui::draw_text_in(*list_, {{text_, top}, {end, bottom}}, ui::colours().text, without_tabs(line.text),
                     kMono, false);
    ui::draw_text_in(*list_, {{value_at_, top}, {all_.max.x - px(8), bottom}},
                     current ? ui::colours().text : ui::colours().dim, without_tabs(line.value), kMono,
                     false);
    ui::mark(frame.id + "." + std::to_string(index), row.min, row.max);
  }

  bool is_there(const size_t& line) const override { return line < value_->lines.size(); }
  ImVec2 below(const size_t& line) const override { return {text_, rows_.row_top(line) + rows_.pitch}; }
  // Of a line that is cut.
  std::string detail(const size_t& index) const override {
    const figure::SourceLine& line = value_->lines[index];
    const float end = value_width_ > 0 ? value_at_ - px(12) : all_.max.x - px(8);
    if (ui::text_width(kMono, without_tabs(line.text)) <= end - text_ &&
        ui::text_width(kMono, without_tabs(line.value)) <= all_.max.x - px(8) - value_at_)
      return "";
    return line.value.empty() ? line.text : line.text + "\n" + line.value;
  }

  RowWindow rows_;
  std::optional<size_t> current_;
  uint64_t version_ = 0;
  size_t count_ = SIZE_MAX;
  float scale_ = 0, text_width_ = 0, value_width_ = 0;
  float text_ = 0, value_at_ = 0;  // where they begin, in this frame
};

}  // namespace

std::unique_ptr<FigureDrawing> listing_drawing() { return std::make_unique<ListingDrawing>(); }

}  // namespace ringside
