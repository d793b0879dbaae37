// Rows of boxes as wide as they say, on one scale: storages, blocks, masks. Curves join those that are
// linked. The groups that a box lights stand out while it is pointed at.
#include <algorithm>
#include <cmath>

#include "figure_parts.h"
#include "ringside/widgets/items.h"

namespace ringside {
namespace {

using ui::px;

constexpr size_t kMostMarks = 4000;
constexpr size_t kMostRounded = 400;  // corners cost vertices, of which a draw list has 65,536

struct PlacedBox {
  Spot place;
  ui::Rect rect;
};

double length_of(const figure::BoxRow& row) {
  double sum = 0;
  for (const figure::Box& box : row.boxes)
    if (std::isfinite(box.width) && box.width > 0) sum += box.width;
  return sum;
}

double longest(const figure::Boxes& boxes) {
  double most = 0;
  for (const figure::BoxRow& row : boxes.rows) most = std::max(most, length_of(row));
  return most;
}

class BoxesDrawing : public CanvasDrawing<figure::Boxes, Spot> {
  void picture(FigureFrame& frame, const ui::Canvas& canvas) override {
    lay_out(frame);
    rows_.take_wheel(canvas);
    place_all();
    const auto in_row = [&](size_t row) { return value_->rows[row].boxes.size(); };
    if (canvas.focused() && move_by_keys(chosen_, value_->rows.size(), in_row, {rows_.first, 0}))
      rows_.reveal(chosen_->first);
    if (canvas.hovered()) hovered_ = at(canvas.mouse());
    if (canvas.clicked()) chosen_ = hovered_;
    const PlacedBox* lit = find(in_hand(canvas));
    light(lit);
    for (size_t row = rows_.first; row < rows_.end(); ++row) name_row(row);
    for (const PlacedBox& box : placed_)
      if (room_left(*list_)) draw_box(frame, box);
    draw_links(lit);
    if (const PlacedBox* chosen = find(chosen_))
      list_->AddRect(chosen->rect.min, chosen->rect.max, ui::colours().accent, px(2), 0, px(2));
    rows_.draw_extent(*list_, all_);
    tell_state(frame);
  }

  const figure::Box& box_of(const Spot& place) const { return value_->rows[place.first].boxes[place.second]; }

  void lay_out(const FigureFrame& frame) {
    const auto name = [](const figure::BoxRow& row) -> const std::string& { return row.name; };
    const auto word = [](const figure::BoxRow& row) -> const std::string& { return row.word; };
    const float names = widest(value_->rows, name, all_.width() / 4);
    const float words = widest(value_->rows, word, all_.width() / 4);
    left_ = all_.min.x + (names > 1 ? names + px(10) : px(2));
    right_ = all_.max.x - px(6) - (words > 1 ? words + px(8) : 0);
    double length = longest(*value_);
    if (const auto* other = beside<figure::Boxes>(frame)) length = std::max(length, longest(*other));
    each_ = length > 0 ? std::max(right_ - left_, 1.0f) / length : 0;
    const bool linked = !value_->links.empty();
    rows_.lay_out(value_->rows.size(), all_, linked ? px(44) : px(22), linked ? px(110) : px(64));
    rows_.centre(all_);
  }

  // The boxes of the rows that are shown. One that is narrower than two points is part of the one before.
  void place_all() {
    placed_.clear();
    const float tall = std::min(rows_.pitch * (value_->links.empty() ? 0.8f : 0.5f), px(44));
    for (size_t r = rows_.first; r < rows_.end(); ++r) {
      const float top = std::floor(rows_.row_top(r) + (rows_.pitch - tall) / 2);
      double at = 0;
      float last = -1;
      for (size_t b = 0; b < value_->rows[r].boxes.size(); ++b) {
        const double width = value_->rows[r].boxes[b].width;
        if (!std::isfinite(width) || width <= 0) continue;
        const float from = std::floor(left_ + float(at * each_));
        at += width;
        const float to = std::max(from + 1, std::floor(left_ + float(at * each_)));
        if (last >= 0 && from < last + px(2) && to < last + px(4)) {
          placed_.back().rect.max.x = to;
          continue;
        }
        last = from;
        placed_.push_back({{r, b}, {{from, top}, {to, std::floor(top + tall)}}});
      }
    }
  }

  std::optional<Spot> at(ImVec2 mouse) const {
    const auto found = std::ranges::find_if(placed_, [&](auto& box) { return box.rect.contains(mouse); });
    return found == placed_.end() ? std::nullopt : std::optional(found->place);
  }
  const PlacedBox* find(const std::optional<Spot>& place) const {
    const auto found = std::ranges::find_if(placed_, [&](auto& box) { return box.place == place; });
    return found == placed_.end() ? nullptr : &*found;
  }

  void light(const PlacedBox* held) {
    lit_text_.clear(), lit_groups_.clear();
    if (held == nullptr) return;
    const figure::Box& box = box_of(held->place);
    lit_text_ = box.text;
    if (!box.group.empty()) lit_groups_ = {box.group};
    if (!box.lights.empty()) lit_groups_ = box.lights;
  }
  bool is_lit(const figure::Box& box) const {
    return !box.group.empty() && std::ranges::find(lit_groups_, box.group) != lit_groups_.end();
  }

  void name_row(size_t index) {
    const figure::BoxRow& row = value_->rows[index];
    const float top = rows_.row_top(index), bottom = top + rows_.pitch;
    ui::draw_label(*list_, {{all_.min.x + px(2), top}, {left_ - px(6), bottom}}, ui::colours().text,
                   row.name);
    ui::draw_label(*list_, {{right_ + px(8), top}, {all_.max.x - px(5), bottom}}, ui::colours().dim,
                   row.word);
  }

  void draw_box(const FigureFrame& frame, const PlacedBox& placed) {
    const figure::Box& box = box_of(placed.place);
    const ui::Rect& r = placed.rect;
    const float gap = r.width() >= px(4) ? 1 : 0;  // between neighbours
    const ui::Rect inner{r.min, {r.max.x - gap, r.max.y}};
    const bool lit = is_lit(box);
    const ImU32 colour = lit ? ui::colours().accent : colour_of(box.ink);
    const bool filled = lit_groups_.empty() || box.group.empty() ? box.filled : lit;
    if (filled)
      list_->AddRectFilled(inner.min, inner.max, colour,
                           placed_.size() <= kMostRounded && r.width() > px(8) ? px(2) : 0);
    else if (r.width() >= px(3) && !box.blank)
      ui::dashed_rect(*list_, {{inner.min.x + 0.5f, inner.min.y + 0.5f}, {inner.max.x - 1, inner.max.y - 1}},
                      colour);
    if (!box.text.empty() && box.text == lit_text_)
      list_->AddRect(inner.min, inner.max, ui::colours().text, px(2), 0, px(2));
    const float width = ui::text_width(box.text);
    const float room = inner.width() + (box.blank ? px(14) : -px(2));  // a blank one has no edge to cross
    if (!box.text.empty() && width <= room)
      ui::draw_text_in(*list_, {{inner.min.x - px(7), inner.min.y}, {inner.max.x + px(7), inner.max.y}},
                       filled ? ui::text_on(colour) : ui::colours().text, box.text);
    const size_t nth = size_t(&placed - placed_.data());
    if (nth < kMostMarks) ui::mark(frame.id + "." + name(placed.place), r.min, r.max);
  }

  void draw_links(const PlacedBox* lit) {
    PlacedWords words(all_);
    for (const PlacedBox& box : placed_) words.keep_free(box.rect);
    for (const bool on : {false, true}) {  // those of the box in hand above the others
      for (const figure::BoxLink& link : value_->links) {
        const PlacedBox *a = find(place_of(link.from)), *b = find(place_of(link.to));
        if (a && b && (a == lit || b == lit) == on) draw_link(words, link, a->rect, b->rect, on);
      }
    }
  }

  void draw_link(PlacedWords& words, const figure::BoxLink& link, const ui::Rect& a, const ui::Rect& b,
                 bool on) {
    const ImU32 colour = on ? ui::colours().accent : ui::colours().dim;
    const float ax = (a.min.x + a.max.x) / 2, bx = (b.min.x + b.max.x) / 2;
    const bool same_row = a.min.y == b.min.y, down = b.min.y > a.min.y;
    const ImVec2 from(ax, same_row || down ? a.max.y : a.min.y),
        to(bx, same_row || !down ? b.max.y : b.min.y);
    const float bend = same_row ? rows_.pitch * 0.3f : (to.y - from.y) / 2;
    const ImVec2 c1(from.x, from.y + bend), c2(to.x, same_row ? to.y + bend : to.y - bend);
    list_->AddBezierCubic(from, c1, c2, to, colour, px(on ? 2 : 1.5f));
    list_->AddCircleFilled(from, px(2.5f), colour, 12);
    list_->AddCircleFilled(to, px(2.5f), colour, 12);
    const ImVec2 middle((from.x + to.x) / 2, (from.y + to.y) / 2 + (same_row ? bend * 0.75f : 0));
    const float width = ui::text_width(link.name), line = ui::line_height();
    words.put(*list_, {middle.x - width / 2, middle.y - line / 2}, link.name,
              on ? ui::colours().text : ui::colours().dim);
  }

  static Spot place_of(figure::BoxPlace place) { return {place.row, place.box}; }
  bool is_there(const Spot& place) const override {
    return place.first < value_->rows.size() && place.second < value_->rows[place.first].boxes.size();
  }
  ImVec2 below(const Spot& place) const override {
    const PlacedBox* placed = find(place);
    return placed ? ImVec2(placed->rect.min.x, placed->rect.max.y + px(4)) : all_.min;
  }
  std::string detail(const Spot& place) const override {
    const figure::Box& box = box_of(place);
    std::string text = box.text;
    if (!box.detail.empty()) text += (text.empty() ? "" : "\n") + box.detail;
    for (const figure::BoxLink& link : value_->links) {
      const bool is_its_own = place_of(link.from) == place || place_of(link.to) == place;
      if (is_its_own && !link.name.empty()) text += (text.empty() ? "" : "\n") + link.name;
    }
    return text.empty() ? value_->rows[place.first].name : text;
  }

  void tell_state(FigureFrame& frame) const {
    size_t count = 0, lit = 0;
    for (const figure::BoxRow& row : value_->rows) {
      count += row.boxes.size();
      lit += size_t(std::ranges::count_if(row.boxes, [&](auto& box) { return is_lit(box); }));
    }
    frame.state["rows"] = std::to_string(value_->rows.size());
    frame.state["boxes"] = std::to_string(count);
    frame.state["links"] = std::to_string(value_->links.size());
    if (!lit_groups_.empty()) frame.state["lit"] = std::to_string(lit);
  }

  RowWindow rows_;
  // Of this frame.
  float left_ = 0, right_ = 0;
  double each_ = 0;  // pixels, of one unit of width
  std::vector<PlacedBox> placed_;
  std::string lit_text_;
  std::vector<std::string> lit_groups_;
};

}  // namespace

std::unique_ptr<FigureDrawing> boxes_drawing() { return std::make_unique<BoxesDrawing>(); }

}  // namespace ringside
