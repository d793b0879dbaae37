// Lines of source with their numbers; the current one lit, what each gave beside it.
#include <cmath>

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

class ListingDrawing : public FigureDrawing {
 public:
  void draw(FigureFrame& frame) override {
    const ui::Canvas canvas(frame.id, frame.size, frame.focus);
    listing_ = &std::get<figure::Listing>(frame.value);
    list_ = &canvas.list();
    take(frame);
    lay_out(canvas.rect());
    follow();
    rows_.take_wheel(canvas);
    if (canvas.focused()) take_keys();
    const std::optional<size_t> hovered = canvas.hovered() ? rows_.row_at(canvas.mouse().y) : std::nullopt;
    if (canvas.clicked()) chosen_ = hovered;
    for (size_t line = rows_.first; line < rows_.end(); ++line) draw_line(frame, line, hovered == line);
    rows_.draw_extent(*list_, all_);
    if (canvas.focused()) canvas.draw_focus();
    if (hovered && cut(*hovered)) tell(*hovered);
    frame.drawn.hovered = canvas.hovered();
    frame.state["lines"] = std::to_string(listing_->lines.size());
    frame.state["first"] = std::to_string(rows_.first);
    if (listing_->current) frame.state["current"] = std::to_string(*listing_->current);
    if (hovered) frame.state["hovered"] = std::to_string(*hovered);
    if (chosen_) frame.state["chosen"] = std::to_string(*chosen_);
  }

 private:
  // The widest text and value, measured once a value.
  void take(const FigureFrame& frame) {
    if (version_ == frame.version && scale_ == ui::look().scale && count_ == listing_->lines.size()) return;
    version_ = frame.version, scale_ = ui::look().scale, count_ = listing_->lines.size();
    text_width_ = value_width_ = 0;
    for (const figure::SourceLine& line : listing_->lines) {
      text_width_ = std::max(text_width_, ui::text_width(kMono, without_tabs(line.text)));
      value_width_ = std::max(value_width_, ui::text_width(kMono, without_tabs(line.value)));
    }
  }

  void lay_out(const ui::Rect& rect) {
    all_ = rect;
    const float line = ui::line_height(kMono) + px(4);
    rows_.lay_out(listing_->lines.size(), all_, line, line);
    const std::string last = std::to_string(listing_->lines.size());
    text_ = all_.min.x + px(18) + ui::text_width(kMono, last) + px(12);
    const float room = all_.max.x - px(8) - text_;
    const float gap = value_width_ > 0 ? px(24) : 0;
    const float values = std::min(value_width_, std::max(room * 0.4f, room - text_width_ - gap));
    value_ = std::min(text_ + text_width_ + gap, all_.max.x - px(8) - values);
  }

  // Where the current line moves, the part that is shown goes with it: two lines of what comes next are seen.
  void follow() {
    if (current_ == listing_->current) return;
    current_ = listing_->current;
    if (!current_ || listing_->lines.empty()) return;
    const size_t last = listing_->lines.size() - 1, margin = rows_.shown > 5 ? 2 : 0;
    rows_.reveal(std::min(*current_ + margin, last));
    rows_.reveal(*current_ - std::min(*current_, margin));
  }

  void take_keys() {
    const int down = arrow_keys().down;
    if (down == 0 || listing_->lines.empty()) return;
    chosen_ = chosen_ ? moved(*chosen_, down, listing_->lines.size()) : rows_.first;
    rows_.reveal(*chosen_);
  }

  void draw_line(const FigureFrame& frame, size_t index, bool hovered) {
    const figure::SourceLine& line = listing_->lines[index];
    const bool current = listing_->current == index;
    const float top = rows_.row_top(index), bottom = top + rows_.pitch;
    const ui::Rect row{{all_.min.x, top}, {all_.max.x - px(4), bottom}};
    if (current || hovered)
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
    const float end = value_width_ > 0 ? value_ - px(12) : all_.max.x - px(8);
    ui::draw_text_in(*list_, {{text_, top}, {end, bottom}}, ui::colours().text, without_tabs(line.text),
                     kMono, false);
    ui::draw_text_in(*list_, {{value_, top}, {all_.max.x - px(8), bottom}},
                     current ? ui::colours().text : ui::colours().dim, without_tabs(line.value), kMono,
                     false);
    ui::mark(frame.id + "." + std::to_string(index), row.min, row.max);
  }

  bool cut(size_t index) const {
    const figure::SourceLine& line = listing_->lines[index];
    const float end = value_width_ > 0 ? value_ - px(12) : all_.max.x - px(8);
    return ui::text_width(kMono, without_tabs(line.text)) > end - text_ ||
           ui::text_width(kMono, without_tabs(line.value)) > all_.max.x - px(8) - value_;
  }

  void tell(size_t index) const {
    const figure::SourceLine& line = listing_->lines[index];
    ui::note(line.value.empty() ? line.text : line.text + "\n" + line.value);
  }

  RowWindow rows_;
  std::optional<size_t> chosen_, current_;
  uint64_t version_ = 0;
  size_t count_ = SIZE_MAX;
  float scale_ = 0, text_width_ = 0, value_width_ = 0;
  // Of this frame.
  const figure::Listing* listing_ = nullptr;
  ImDrawList* list_ = nullptr;
  ui::Rect all_{};
  float text_ = 0, value_ = 0;  // where they begin
};

}  // namespace

std::unique_ptr<FigureDrawing> listing_drawing() { return std::make_unique<ListingDrawing>(); }

}  // namespace ringside
