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
  size_t row, box;
  ui::Rect rect;
};

double length_of(const figure::BoxRow& row) {
  double sum = 0;
  for (const figure::Box& box : row.boxes) {
    if (std::isfinite(box.width) && box.width > 0) sum += box.width;
  }
  return sum;
}

double longest(const figure::Boxes& boxes) {
  double most = 0;
  for (const figure::BoxRow& row : boxes.rows) most = std::max(most, length_of(row));
  return most;
}

class BoxesDrawing : public FigureDrawing {
 public:
  void draw(FigureFrame& frame) override {
    const ui::Canvas canvas(frame.id, frame.size, frame.focus);
    boxes_ = &std::get<figure::Boxes>(frame.value);
    list_ = &canvas.list();
    lay_out(frame, canvas);
    rows_.take_wheel(canvas);
    place_all();
    if (canvas.focused()) take_keys();
    hovered_ = canvas.hovered() ? at(canvas.mouse()) : nullptr;
    if (canvas.clicked())
      chosen_ = hovered_ ? std::optional(figure::BoxPlace{hovered_->row, hovered_->box}) : std::nullopt;
    const PlacedBox* chosen = chosen_ ? find(*chosen_) : nullptr;
    const PlacedBox* lit = hovered_ ? hovered_ : canvas.focused() ? chosen : nullptr;
    light(lit);
    for (size_t row = rows_.first; row < rows_.end(); ++row) name_row(row);
    for (const PlacedBox& box : placed_) {
      if (room_left(*list_)) draw_box(frame, box);
    }
    draw_links(lit);
    if (chosen) list_->AddRect(chosen->rect.min, chosen->rect.max, ui::colours().accent, px(2), 0, px(2));
    rows_.draw_extent(*list_, all_);
    if (canvas.focused()) canvas.draw_focus();
    if (lit) tell(*lit);
    tell_state(frame, canvas);
  }

 private:
  const figure::Box& box_of(const PlacedBox& p) const { return boxes_->rows[p.row].boxes[p.box]; }

  void lay_out(const FigureFrame& frame, const ui::Canvas& canvas) {
    all_ = canvas.rect();
    const auto name = [](const figure::BoxRow& row) -> const std::string& { return row.name; };
    const auto word = [](const figure::BoxRow& row) -> const std::string& { return row.word; };
    const float names = widest(boxes_->rows, name, all_.width() / 4);
    const float words = widest(boxes_->rows, word, all_.width() / 4);
    left_ = all_.min.x + (names > 1 ? names + px(10) : px(2));
    right_ = all_.max.x - px(6) - (words > 1 ? words + px(8) : 0);
    double length = longest(*boxes_);
    if (const auto* other = beside<figure::Boxes>(frame)) length = std::max(length, longest(*other));
    each_ = length > 0 ? std::max(right_ - left_, 1.0f) / length : 0;
    const bool linked = !boxes_->links.empty();
    rows_.lay_out(boxes_->rows.size(), all_, linked ? px(44) : px(22), linked ? px(110) : px(64));
    rows_.centre(all_);
  }

  // The boxes of the rows that are shown. One that is narrower than two points is part of the one before.
  void place_all() {
    placed_.clear();
    const float tall = std::min(rows_.pitch * (boxes_->links.empty() ? 0.8f : 0.5f), px(44));
    for (size_t r = rows_.first; r < rows_.end(); ++r) {
      const float top = std::floor(rows_.row_top(r) + (rows_.pitch - tall) / 2);
      double at = 0;
      float last = -1;
      for (size_t b = 0; b < boxes_->rows[r].boxes.size(); ++b) {
        const double width = boxes_->rows[r].boxes[b].width;
        if (!std::isfinite(width) || width <= 0) continue;
        const float from = std::floor(left_ + static_cast<float>(at * each_));
        at += width;
        const float to = std::max(from + 1, std::floor(left_ + static_cast<float>(at * each_)));
        if (last >= 0 && from < last + px(2) && to < last + px(4)) {
          placed_.back().rect.max.x = to;
          continue;
        }
        last = from;
        placed_.push_back({r, b, {{from, top}, {to, std::floor(top + tall)}}});
      }
    }
  }

  const PlacedBox* at(ImVec2 mouse) const {
    for (const PlacedBox& box : placed_) {
      if (box.rect.contains(mouse)) return &box;
    }
    return nullptr;
  }
  const PlacedBox* find(figure::BoxPlace place) const {
    for (const PlacedBox& box : placed_) {
      if (box.row == place.row && box.box == place.box) return &box;
    }
    return nullptr;
  }

  void take_keys() {
    const KeySteps keys = arrow_keys();
    if ((keys.right == 0 && keys.down == 0) || boxes_->rows.empty()) return;
    if (!chosen_) {
      chosen_ = figure::BoxPlace{rows_.first, 0};
    } else {
      chosen_->row = moved(std::min(chosen_->row, boxes_->rows.size() - 1), keys.down, boxes_->rows.size());
      chosen_->box = moved(chosen_->box, keys.right, boxes_->rows[chosen_->row].boxes.size());
    }
    rows_.reveal(chosen_->row);
  }

  void light(const PlacedBox* in_hand) {
    lit_text_.clear(), lit_groups_.clear();
    if (in_hand == nullptr) return;
    const figure::Box& box = box_of(*in_hand);
    lit_text_ = box.text;
    if (!box.group.empty()) lit_groups_ = {box.group};
    if (!box.lights.empty()) lit_groups_ = box.lights;
  }
  bool is_lit(const figure::Box& box) const {
    return !box.group.empty() && std::ranges::find(lit_groups_, box.group) != lit_groups_.end();
  }

  void name_row(size_t index) {
    const figure::BoxRow& row = boxes_->rows[index];
    const float top = rows_.row_top(index), bottom = top + rows_.pitch;
    ui::draw_text_in(*list_, {{all_.min.x + px(2), top}, {left_ - px(6), bottom}}, ui::colours().text,
                     row.name, ui::Type::kLabel, false);
    ui::draw_text_in(*list_, {{right_ + px(8), top}, {all_.max.x - px(5), bottom}}, ui::colours().dim,
                     row.word, ui::Type::kLabel, false);
  }

  void draw_box(const FigureFrame& frame, const PlacedBox& placed) {
    const figure::Box& box = box_of(placed);
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
    const float width = ui::text_width(ui::Type::kLabel, box.text);
    if (!box.text.empty() && width <= inner.width() - px(2))
      ui::draw_text_in(*list_, inner, filled ? ui::text_on(colour) : ui::colours().text, box.text);
    const size_t nth = static_cast<size_t>(&placed - placed_.data());
    if (nth < kMostMarks)
      ui::mark(frame.id + "." + std::to_string(placed.row) + "." + std::to_string(placed.box), r.min, r.max);
  }

  void draw_links(const PlacedBox* lit) {
    PlacedWords words(all_);
    for (const PlacedBox& box : placed_) words.keep_free(box.rect);
    const auto touches = [&](const figure::BoxLink& link) {
      const auto is = [&](figure::BoxPlace p) { return lit && p.row == lit->row && p.box == lit->box; };
      return is(link.from) || is(link.to);
    };
    for (const bool on : {false, true}) {  // those of the box in hand above the others
      for (const figure::BoxLink& link : boxes_->links) {
        const PlacedBox *a = find(link.from), *b = find(link.to);
        if (a && b && touches(link) == on) draw_link(words, link, a->rect, b->rect, on);
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
    const float width = ui::text_width(ui::Type::kLabel, link.name), line = ui::line_height(ui::Type::kLabel);
    words.put(*list_, {middle.x - width / 2, middle.y - line / 2}, link.name,
              on ? ui::colours().text : ui::colours().dim);
  }

  void tell(const PlacedBox& placed) const {
    const figure::Box& box = box_of(placed);
    std::string text = box.text;
    if (!box.detail.empty()) text += (text.empty() ? "" : "\n") + box.detail;
    for (const figure::BoxLink& link : boxes_->links) {
      const auto is = [&](figure::BoxPlace p) { return p.row == placed.row && p.box == placed.box; };
      if (!link.name.empty() && (is(link.from) || is(link.to)))
        text += (text.empty() ? "" : "\n") + link.name;
    }
    if (text.empty()) text = boxes_->rows[placed.row].name;
    const ImVec2 below(placed.rect.min.x, placed.rect.max.y + px(4));
    if (!text.empty()) ui::note(text, hovered_ ? nullptr : &below);
  }

  void tell_state(FigureFrame& frame, const ui::Canvas& canvas) const {
    frame.drawn.hovered = canvas.hovered();
    size_t count = 0, lit = 0;
    for (const figure::BoxRow& row : boxes_->rows) {
      count += row.boxes.size();
      lit += static_cast<size_t>(std::ranges::count_if(row.boxes, [&](auto& box) { return is_lit(box); }));
    }
    const auto place = [](size_t row, size_t box) { return std::to_string(row) + "." + std::to_string(box); };
    frame.state["rows"] = std::to_string(boxes_->rows.size());
    frame.state["boxes"] = std::to_string(count);
    frame.state["links"] = std::to_string(boxes_->links.size());
    if (!lit_groups_.empty()) frame.state["lit"] = std::to_string(lit);
    if (hovered_) frame.state["hovered"] = place(hovered_->row, hovered_->box);
    if (chosen_) frame.state["chosen"] = place(chosen_->row, chosen_->box);
  }

  RowWindow rows_;
  std::optional<figure::BoxPlace> chosen_;
  // Of this frame.
  const figure::Boxes* boxes_ = nullptr;
  ImDrawList* list_ = nullptr;
  ui::Rect all_{};
  float left_ = 0, right_ = 0;
  double each_ = 0;  // pixels, of one unit of width
  std::vector<PlacedBox> placed_;
  const PlacedBox* hovered_ = nullptr;
  std::string lit_text_;
  std::vector<std::string> lit_groups_;
};

}  // namespace

std::unique_ptr<FigureDrawing> boxes_drawing() { return std::make_unique<BoxesDrawing>(); }

}  // namespace ringside
