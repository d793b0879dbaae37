// Where things stand, and what mouse and keys do; the strokes are in timeline_draw.cpp.
#include "ringside/widgets/timeline.h"

#include <algorithm>
#include <cmath>

#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::ui {
namespace {

constexpr int64_t kShortest = 1000;  // nanoseconds on the whole width
// So many rectangles fit the vertices that one list can number, with room for letters.
constexpr float kRectangles = 9000;

}  // namespace

bool Timeline::alone(const TimelineIndex& index) {
  return index.ranks() == 1 && index.rank(0).comm.empty() && index.rank(0).open.empty();
}

void Timeline::show(int64_t from_ns, int64_t to_ns) {
  from_ = from_ns;
  to_ = std::max(to_ns, from_ns + kShortest);
  whole_ = false;
  panned_ = true;
}

void Timeline::follow_time(const TimelineIndex& index, int64_t playhead_ns, bool follow) {
  if (index.identity() != section_) {
    if (section_ != nullptr) whole_ = true;  // of the first one a stretch may have been asked for already
    section_ = index.identity();
    panned_ = false;
    first_row_ = 0;
    pinned_.reset();
    drag_ = Drag::kNone;
  }
  const int64_t first = index.first_ns(), last = std::max(index.last_ns(), first + kShortest);
  if (whole_) {
    from_ = first;
    to_ = last;
    panned_ = false;
  } else if (!panned_ && follow) {
    pan(last - to_);
  } else if (playhead_ns != last_playhead_ && drag_ != Drag::kSeek &&
             (playhead_ns < from_ || playhead_ns > to_)) {
    // Played or stepped out of sight: turns the page.
    pan(playhead_ns - (to_ - from_) / 10 - from_);
  }
  last_playhead_ = playhead_ns;
}

void Timeline::pan(int64_t by_ns) {
  from_ += by_ns;
  to_ += by_ns;
}

void Timeline::zoom(double factor, int64_t around_ns, const TimelineIndex& index) {
  const int64_t first = index.first_ns(), last = std::max(index.last_ns(), first + kShortest);
  const double share = double(around_ns - from_) / double(to_ - from_);
  const double most = double(last - first);
  const double length = std::clamp(double(to_ - from_) * factor, double{kShortest}, most);
  whole_ = length >= most;
  panned_ = true;
  from_ = around_ns - int64_t(std::llround(share * length));
  to_ = from_ + int64_t(std::llround(length));
  if (from_ < first) pan(first - from_);
  if (to_ > last) pan(last - to_);
}

float Timeline::x_of(const Frame& frame, int64_t time_ns) const {
  const double x = double(time_ns - from_) / frame.ns_per_pixel;
  return frame.rows.min.x + float(std::clamp(x, -4.0, double(frame.rows.width()) + 4));
}

int64_t Timeline::time_at(const Frame& frame, float x) const {
  return from_ + int64_t(std::llround(double(x - frame.rows.min.x) * frame.ns_per_pixel));
}

int Timeline::rows_shown(const Frame& frame) const {
  return std::max(1, std::min(frame.index.ranks() - first_row_, int(frame.rows.height() / frame.row)));
}

Timeline::Bands Timeline::bands_of(const Frame& frame, int rank) const {
  const float top = std::round(frame.rows.min.y + frame.row * float(rank - first_row_));
  const float bottom = top + std::floor(frame.row) - (frame.row < px(24) ? px(1) : px(3)),
              split = alone(frame.index) ? bottom : std::round(top + (bottom - top) * 0.53f);
  return {{{frame.rows.min.x, top}, {frame.rows.max.x, split}},
          {{frame.rows.min.x, split + 1}, {frame.rows.max.x, bottom}}};
}

Timeline::Frame Timeline::lay_out(const Canvas& canvas, const std::string& id, const Trace& trace,
                                  const TimelineIndex& index, int64_t playhead_ns) {
  const Rect& all = canvas.rect();
  const float line = line_height();
  const float label = all.width() < px(400) ? px(30) : text_width("rank 888") + px(kGap);
  const float left = all.min.x + label, right = std::max(all.max.x - px(10), left + px(8));
  const float ruler = 2 * line + px(4);
  const bool memory =
      memory_rank >= 0 && memory_rank < index.ranks() && all.height() > px(index.ranks() == 1 ? 90 : 140);
  const float below = memory ? std::clamp(all.height() * 0.25f, px(36), px(80)) : 0;
  Frame frame{canvas, id, trace, index, {}, {}, {}, {}, 0, 0, 0, playhead_ns};
  frame.overview = {{left, all.min.y}, {right, all.min.y + px(6)}};
  frame.ruler = {{left, frame.overview.max.y + px(2)}, {right, frame.overview.max.y + px(2) + ruler}};
  frame.rows = {{left, frame.ruler.max.y + px(2)},
                {right, std::max(all.max.y - below - px(2), frame.ruler.max.y + px(12))}};
  if (memory) frame.memory = {{left, frame.rows.max.y + px(4)}, {right, all.max.y - px(2)}};
  // As many ranks as fit, if need be without letters; the others are a scroll away.
  const int most = std::max(1, std::min(max_rows, int(frame.rows.height() / px(14))));
  const int shown = std::max(1, std::min(index.ranks(), most));
  frame.row = std::min(frame.rows.height() / float(shown), px(72));
  first_row_ = std::clamp(first_row_, 0, std::max(0, index.ranks() - shown));
  size_t lanes = 0;
  for (int rank = first_row_; rank < std::min(first_row_ + shown, index.ranks()); ++rank)
    lanes += index.rank(rank).compute.size() + index.rank(rank).waits.size() + index.rank(rank).comm.size() +
             size_t(index.only_steps());
  frame.cell = std::max(px(1), frame.rows.width() * float(lanes) / kRectangles);
  frame.ns_per_pixel = double(to_ - from_) / double(std::max(frame.rows.width(), 1.0f));
  return frame;
}

// Where the playhead is dragged to.
std::optional<int64_t> Timeline::take_mouse(const Frame& frame) {
  std::optional<int64_t> seek;
  const ImVec2 mouse = frame.canvas.mouse();
  const bool inside = frame.canvas.hovered(), rows = inside && frame.rows.contains(mouse);
  const bool any_down = ImGui::IsMouseDown(0) || ImGui::IsMouseDown(1) || ImGui::IsMouseDown(2);
  if (const float wheel = ImGui::GetIO().MouseWheel; inside && wheel != 0)
    zoom(std::pow(0.8, double(wheel)), time_at(frame, mouse.x), frame.index);
  const bool left = inside && ImGui::IsMouseClicked(0);
  const bool at_playhead = std::abs(mouse.x - x_of(frame, frame.playhead_ns)) <= px(4);
  if (left && frame.overview.contains(mouse)) {
    drag_ = Drag::kOverview;
  } else if (left && mouse.x >= frame.rows.min.x && (frame.ruler.contains(mouse) || at_playhead)) {
    drag_ = Drag::kSeek;
  } else if (inside && (left || ImGui::IsMouseClicked(1) || ImGui::IsMouseClicked(2))) {
    drag_ = Drag::kPan;
    moved_ = false;
    drag_from_ = mouse;
    drag_view_ = from_;
  }
  if (drag_ == Drag::kSeek && ImGui::IsMousePosValid())
    seek = std::clamp(time_at(frame, mouse.x), frame.index.first_ns(), frame.index.last_ns());
  if (drag_ == Drag::kOverview && ImGui::IsMousePosValid() && !whole_) {
    // What is seen comes to lie around the mouse.
    const int64_t first = frame.index.first_ns(), last = frame.index.last_ns(), half = (to_ - from_) / 2;
    const double share = double((mouse.x - frame.overview.min.x) / frame.overview.width());
    const int64_t middle = first + int64_t(share * double(last - first));
    panned_ = true;
    pan(std::clamp(middle, first + half, std::max(first + half, last - half)) - half - from_);
  }
  if (drag_ == Drag::kPan && ImGui::IsMousePosValid()) {
    moved_ = moved_ || std::abs(mouse.x - drag_from_.x) > px(4);
    if (moved_) {
      whole_ = false;
      panned_ = true;
      const double by = double(drag_from_.x - mouse.x) * frame.ns_per_pixel;
      pan(drag_view_ + int64_t(std::llround(by)) - from_);
    }
  }
  if (!any_down) {
    // Let go where it went down: that was a click.
    if (drag_ == Drag::kPan && !moved_ && ImGui::IsMouseReleased(0)) {
      pinned_.reset();
      if (const auto below = rows ? hit(frame, mouse) : std::nullopt) pin(frame, *below);
    }
    drag_ = Drag::kNone;
  }
  return seek;
}

void Timeline::take_keys(const Frame& frame) {
  const int64_t length = to_ - from_, middle = from_ + length / 2;
  const bool seen = frame.playhead_ns >= from_ && frame.playhead_ns <= to_;
  const int64_t around = seen ? frame.playhead_ns : middle;
  const auto shift = [&](int64_t by) {
    whole_ = false;
    panned_ = true;
    pan(by);
  };
  if (pressed({Key::kMinus}, true)) zoom(1.5, around, frame.index);
  if (pressed({Key::kEqual}, true) || pressed({Key::kEqual, false, true}, true))
    zoom(1 / 1.5, around, frame.index);
  if (pressed({Key::kLeft}, true)) shift(-length / 10);
  if (pressed({Key::kRight}, true)) shift(length / 10);
  if (pressed({Key::kUp}, true)) --first_row_;
  if (pressed({Key::kDown}, true)) ++first_row_;
  if (pressed({Key::kHome})) whole_ = true;
  if (pressed({Key::kEscape})) pinned_.reset();
}

std::optional<int64_t> Timeline::draw(const std::string& id, ImVec2 size, const Trace& trace,
                                      const SectionView& section, const TimelineIndex& index,
                                      int64_t playhead_ns, bool follow) {
  const Canvas canvas(id, size, focus_next_);
  focus_next_ = false;
  looked_at_ = 0;
  colours_.clear();
  if (!index.is_of(section)) return {};
  follow_time(index, playhead_ns, follow);
  std::optional<int64_t> seek;
  {
    const Frame before = lay_out(canvas, id, trace, index, playhead_ns);
    seek = take_mouse(before);
    if (canvas.focused()) take_keys(before);
  }
  // As zoomed and panned by now; a dragged playhead is drawn where the mouse is.
  const Frame frame = lay_out(canvas, id, trace, index, seek.value_or(playhead_ns));
  hovered_.reset();
  if (canvas.hovered() && drag_ == Drag::kNone && frame.rows.contains(canvas.mouse()))
    hovered_ = hit(frame, canvas.mouse());
  if (drag_ == Drag::kSeek || (canvas.hovered() && frame.ruler.contains(canvas.mouse())))
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);

  draw_overview(frame);
  draw_ruler(frame);
  canvas.list().PushClipRect(frame.rows.min, frame.rows.max, true);
  const int last = std::min(first_row_ + rows_shown(frame), index.ranks());
  for (int rank = first_row_; rank < last; ++rank) draw_row(frame, rank);
  for (int rank = first_row_; rank < last; ++rank) {  // one collective seen from many sides
    if (!hovered_ || hovered_->lane != Lane::kComm || hovered_->count > 1) break;
    const CollectiveEvent& event = index.section().collectives(hovered_->rank)[hovered_->event];
    if (const auto same = same_collective(frame, event, rank)) outline(frame, *same, 2);
  }
  if (pinned_) {
    outline(frame, pinned_->hit, 2);
    for (const Hit& partner : pinned_->partners) outline(frame, partner, 1);
  }
  canvas.list().PopClipRect();
  draw_labels(frame);
  if (frame.memory.height() > 0) draw_memory(frame);
  draw_playhead(frame);
  draw_pinned(frame);
  const bool read_already = pinned_ && hovered_ && pinned_->hit.lane == hovered_->lane &&
                            pinned_->hit.rank == hovered_->rank && pinned_->hit.event == hovered_->event;
  if (hovered_ && !read_already) note(describe(frame, *hovered_));
  mark(id + ".ruler", frame.ruler.min, frame.ruler.max);
  return seek;
}

}  // namespace ringside::ui
