// Who does what, and when: a row a lane over one axis, items on it and arrows between them.
#include <cmath>

#include "figure_parts.h"
#include "lane_tracks.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside {
namespace {

using ui::px;

constexpr double kZoomStep = 1.25;
constexpr size_t kMostDots = 200;  // at the arrows' beginnings

void widen_by(std::optional<figure::Range>& range, const figure::Lanes& lanes) {
  for (const figure::LaneItem& item : lanes.items) widen(range, item.from), widen(range, item.to);
  for (const figure::LaneArrow& arrow : lanes.arrows) widen(range, arrow.from), widen(range, arrow.to);
}

class LanesDrawing : public CanvasDrawing<figure::Lanes> {
  void picture(FigureFrame& frame, const ui::Canvas& canvas) override {
    take(frame);
    lay_out(frame);
    act(frame, canvas);
    draw_lanes();
    list_->PushClipRect({plot_.min.x, all_.min.y}, {plot_.max.x, all_.max.y}, true);
    places_.assign(value_->items.size(), {});
    for (size_t i = 0; i < value_->items.size(); ++i) draw_item(frame, canvas, i);
    PlacedWords words(plot_);
    for (size_t i = 0; i < value_->arrows.size(); ++i) draw_arrow(words, canvas, i);
    if (frame.cursor_x) draw_cursor(*list_, plot_, axis_.at(*frame.cursor_x));
    list_->PopClipRect();
    rows_.draw_extent(*list_, {{all_.min.x, plot_.min.y}, {all_.max.x, plot_.max.y}});
    if (canvas.clicked() && !on_cursor_) chosen_ = hovered_;
    frame.state["lanes"] = std::to_string(value_->lanes.size());
    frame.state["items"] = std::to_string(value_->items.size());
    frame.state["arrows"] = std::to_string(value_->arrows.size());
  }

  void take(const FigureFrame& frame) {
    if (version_ == frame.version && tracks_.items.size() == value_->items.size() &&
        tracks_.lanes.size() == value_->lanes.size() && tracks_.arrows.size() == value_->arrows.size())
      return;
    version_ = frame.version;
    tracks_ = tracks_of(*value_);
  }

  void lay_out(const FigureFrame& frame) {
    plot_ = all_;
    const float names = widest(
        value_->lanes, [](const std::string& name) { return name; }, all_.width() / 4);
    plot_.min.x += names > 1 ? names + px(10) : 0;
    plot_.max.x -= px(8);
    has_axis_ = all_.height() >= px(70);
    if (has_axis_) plot_.max.y -= axis_height(value_->at);
    plot_.min.y += px(4);
    std::optional<figure::Range> found;
    widen_by(found, *value_);
    if (const auto* other = beside<figure::Lanes>(frame)) widen_by(found, *other);
    figure::Range range = figure::usable(found.value_or(figure::Range{0, 1}), value_->at.log);
    if (!value_->at.log)
      range.high += range.span() * (std::ranges::any_of(value_->items, is_open) ? 0.08 : 0.01);
    range = {value_->at.least.value_or(range.low), value_->at.most.value_or(range.high)};
    axis_ = {value_->at, view_.value_or(figure::usable(range, value_->at.log)), plot_.min.x, plot_.max.x,
             figure::is_whole(*value_)};
    rows_.lay_out(value_->lanes.size(), plot_, px(24), px(value_->arrows.empty() ? 80 : 110));
    plot_.max.y = std::min(plot_.max.y, rows_.bottom() + px(4));
  }

  // The wheel zooms at the mouse (with Shift it moves lanes), a drag moves the cursor or the view.
  void act(FigureFrame& frame, const ui::Canvas& canvas) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.KeyShift) rows_.take_wheel(canvas);
    if (canvas.hovered() && io.MouseWheel != 0 && !io.KeyShift)
      zoom(std::pow(kZoomStep, -io.MouseWheel), axis_.value(io.MousePos.x));
    if (canvas.hovered() && ImGui::IsMouseDoubleClicked(0)) view_.reset();
    if (canvas.clicked())
      on_cursor_ = frame.cursor_x && std::abs(axis_.at(*frame.cursor_x) - io.MousePos.x) <= px(6);
    if (!canvas.active()) {
      on_cursor_ = on_cursor_ && canvas.clicked();
    } else if (on_cursor_) {
      frame.drawn.dragged = axis_.value(std::clamp(io.MousePos.x, plot_.min.x, plot_.max.x));
    } else if (io.MouseDelta.x != 0) {
      pan(-io.MouseDelta.x);
    }
    if (!canvas.focused()) return;
    const double middle = axis_.value((plot_.min.x + plot_.max.x) / 2);
    if (ui::pressed({ui::Key::kEqual}, true)) zoom(1 / kZoomStep, middle);
    if (ui::pressed({ui::Key::kMinus}, true)) zoom(kZoomStep, middle);
    if (ui::pressed({ui::Key::k0})) view_.reset();
    choose_by_keys();
  }

  void zoom(double factor, double centre) {
    if (value_->at.log) return;
    view_ = figure::usable(
        {centre - (centre - axis_.range.low) * factor, centre + (axis_.range.high - centre) * factor});
  }
  void pan(float pixels) {
    const double by = pixels / std::max(plot_.width(), 1.0f) * axis_.range.span();
    if (!value_->at.log) view_ = figure::usable({axis_.range.low + by, axis_.range.high + by});
  }

  // Left and right: the neighbour in the lane; up and down: the nearest item of the next lane that has one.
  void choose_by_keys() {
    const KeySteps keys = arrow_keys();
    if (!keys || value_->items.empty()) return;
    if (!chosen_) {
      chosen_ = 0;
      return;
    }
    const figure::LaneItem& now = value_->items[*chosen_];
    std::optional<size_t> best;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < value_->items.size(); ++i) {
      const figure::LaneItem& item = value_->items[i];
      const auto lanes_on = double(int64_t(item.lane) - int64_t(now.lane));
      const double along = (item.from - now.from) / std::max(axis_.range.span(), 1e-300);
      if (i == *chosen_ ||
          !(keys.down != 0 ? lanes_on * keys.down > 0 : lanes_on == 0 && along * keys.right > 0))
        continue;
      const double cost = std::abs(along) + 1e6 * std::abs(lanes_on);
      if (cost < least) least = cost, best = i;
    }
    if (!best) return;
    chosen_ = best;
    rows_.reveal(value_->items[*best].lane);
  }

  void draw_lanes() {
    if (has_axis_) draw_axis(*list_, plot_, axis_);
    for (size_t lane = rows_.first; lane < rows_.end(); ++lane) {
      const float top = rows_.row_top(lane), bottom = top + rows_.pitch;
      ui::draw_label(*list_, {{all_.min.x + px(2), top}, {plot_.min.x - px(6), bottom}}, ui::colours().text,
                     value_->lanes[lane]);
      list_->AddLine({plot_.min.x, std::floor(bottom)}, {plot_.max.x, std::floor(bottom)},
                     ui::fade(ui::colours().line, 0.4f));
    }
  }

  // Where the bars of a lane lie between its lines.
  ui::Rect lane_bar(size_t lane) const {
    const float top = rows_.row_top(lane);
    const float tall =
        std::min(rows_.pitch * (value_->arrows.empty() ? 0.8f : 0.55f), px(36) * float(tracks_.lanes[lane]));
    return {{plot_.min.x, top + (rows_.pitch - tall) / 2}, {plot_.max.x, top + (rows_.pitch + tall) / 2}};
  }
  // Of what the arrow begins or ends at: the items there, else the middle of the lane.
  ui::Rect arrow_end(size_t index, bool begin) const {
    const figure::LaneArrow& arrow = value_->arrows[index];
    const size_t lane = begin ? arrow.from_lane : arrow.to_lane;
    const ui::Rect bar = lane_bar(lane);
    const TrackRange& tracks = begin ? tracks_.arrows[index].from : tracks_.arrows[index].to;
    const float each = bar.height() / float(tracks_.lanes[lane]), middle = (bar.min.y + bar.max.y) / 2;
    if (tracks.end == 0) return {{bar.min.x, middle}, {bar.max.x, middle}};
    return {{bar.min.x, bar.min.y + each * float(tracks.begin)},
            {bar.max.x, bar.min.y + each * float(tracks.end)}};
  }
  bool shown(size_t lane) const { return lane >= rows_.first && lane < rows_.end(); }

  void draw_item(const FigureFrame& frame, const ui::Canvas& canvas, size_t index) {
    const figure::LaneItem& item = value_->items[index];
    if (!shown(item.lane) || !std::isfinite(item.from) || !room_left(*list_)) return;
    const ui::Rect bar = lane_bar(item.lane);
    const float each = bar.height() / float(tracks_.lanes[item.lane]);
    const float left = std::floor(axis_.at(item.from)), top = bar.min.y + each * float(tracks_.items[index]);
    const float right = is_open(item) ? plot_.max.x : std::max(std::floor(axis_.at(item.to)), left + px(3));
    const ui::Rect r{{std::max(left, plot_.min.x - px(4)), std::floor(top)},
                     {std::min(right, plot_.max.x + px(4)), std::floor(top + std::max(each - 1, 1.0f))}};
    if (r.max.x <= plot_.min.x || r.min.x >= plot_.max.x) return;
    places_[index] = r;
    if (canvas.hovered() && r.contains(canvas.mouse())) hovered_ = index;
    fill(item, r);
    if (chosen_ == index || hovered_ == index)
      list_->AddRect(r.min, r.max, chosen_ == index ? ui::colours().accent : ui::colours().text, px(2), 0,
                     px(1.5f));
    const ui::Rect seen{{std::max(r.min.x, plot_.min.x) + px(3), r.min.y},
                        {std::min(r.max.x, plot_.max.x) - px(3), r.max.y}};
    const ImU32 on = item.filled && !is_open(item) ? ui::text_on(colour_of(item.ink)) : ui::colours().text;
    if (seen.width() >= std::min(px(28), ui::text_width(item.name)))
      ui::draw_text_in(*list_, seen, on, item.name, ui::Type::kLabel, !is_open(item));
    ui::mark(frame.id + "." + std::to_string(index), r.min, r.max);
  }

  void fill(const figure::LaneItem& item, const ui::Rect& r) {
    const ImU32 colour = colour_of(item.ink), none = ui::colours().background & ~IM_COL32_A_MASK;
    if (!item.filled) {
      ui::dashed_rect(*list_, {{r.min.x + 0.5f, r.min.y + 0.5f}, {r.max.x - 0.5f, r.max.y - 0.5f}}, colour,
                      1.5f);
    } else if (is_open(item)) {  // its end is not known: a strong edge, then less and less
      const ImU32 begin = ui::fade(colour, 0.35f);
      list_->AddRectFilledMultiColor(r.min, r.max, begin, none, none, begin);
      list_->AddRectFilled(r.min, {std::min(r.min.x + px(3), r.max.x), r.max.y}, colour);
    } else {
      list_->AddRectFilled(r.min, r.max, colour, r.width() > px(6) ? px(2) : 0);
    }
  }

  void draw_arrow(PlacedWords& words, const ui::Canvas& canvas, size_t index) {
    const figure::LaneArrow& arrow = value_->arrows[index];
    if (!shown(arrow.from_lane) || !shown(arrow.to_lane) || !std::isfinite(arrow.from) || !room_left(*list_))
      return;
    const double arrives = std::isfinite(arrow.to) ? arrow.to : arrow.from + axis_.range.span() / 20;
    const ui::Rect a = arrow_end(index, true), b = arrow_end(index, false);
    const bool down = arrow.to_lane >= arrow.from_lane;
    const ImVec2 from(axis_.at(arrow.from), down ? a.max.y : a.min.y);
    ImVec2 to(axis_.at(arrives), arrow.from_lane == arrow.to_lane ? a.max.y + px(8)
                                 : down                           ? b.min.y
                                                                  : b.max.y);
    if (std::max(from.x, to.x) < plot_.min.x || std::min(from.x, to.x) > plot_.max.x) return;
    const ImU32 colour = ui::colours().text;
    if (value_->arrows.size() <= kMostDots) list_->AddCircleFilled(from, px(2.5f), colour, 12);
    if (arrow.lost) {
      to = {from.x + (to.x - from.x) * 0.6f, from.y + (to.y - from.y) * 0.6f};
      ui::dashed_line(*list_, from, to, colour, 1.5f);
      const float arm = px(5);
      list_->AddLine({to.x - arm, to.y - arm}, {to.x + arm, to.y + arm}, colour, px(2));
      list_->AddLine({to.x - arm, to.y + arm}, {to.x + arm, to.y - arm}, colour, px(2));
    } else {
      ui::arrow(*list_, from, to, colour, 1.5f);
    }
    const ImVec2 middle((from.x + to.x) / 2, (from.y + to.y) / 2 - ui::line_height() / 2);
    words.put(*list_, {middle.x + px(8), middle.y}, arrow.name, ui::colours().text);
    const ImVec2 near(canvas.mouse().x - middle.x, canvas.mouse().y - (from.y + to.y) / 2);
    if (canvas.hovered() && !hovered_ && std::hypot(near.x, near.y) < px(8) && !arrow.name.empty())
      ui::note(arrow.lost ? tr("{}: lost", arrow.name) : arrow.name);
  }

  bool is_there(const size_t& item) const override { return item < value_->items.size(); }
  ImVec2 below(const size_t& item) const override {
    return {std::max(places_[item].min.x, plot_.min.x), places_[item].max.y + px(4)};
  }
  std::string detail(const size_t& index) const override {
    const figure::LaneItem& item = value_->items[index];
    const std::string name =
        item.name.empty() ? value_->lanes[item.lane] : item.name + ", " + value_->lanes[item.lane];
    if (is_open(item)) return name + "\n" + tr("since {}, not ended", axis_.text(item.from));
    const std::string times = tr("{} to {}", axis_.text(item.from), axis_.text(item.to));
    return name + "\n" + times + "  (" + axis_.text(item.to - item.from) + ")";
  }

  RowWindow rows_;
  std::optional<figure::Range> view_;  // none: all
  bool on_cursor_ = false;
  uint64_t version_ = 0;
  LaneTracks tracks_;
  // Of this frame.
  ui::Rect plot_{};
  AxisAcross axis_;
  bool has_axis_ = false;
  std::vector<ui::Rect> places_;
};

}  // namespace

std::unique_ptr<FigureDrawing> lanes_drawing() { return std::make_unique<LanesDrawing>(); }

}  // namespace ringside
