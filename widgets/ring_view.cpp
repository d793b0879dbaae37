#include "ringside/widgets/ring_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"

namespace ringside::ui {
namespace {

constexpr float kSeconds = 0.3f;  // of motion, a step

// Where the line from the middle of `from` to the middle of `to` leaves `from`.
ImVec2 edge_of(const Rect& from, ImVec2 to, float out) {
  const ImVec2 m = from.middle();
  const float dx = to.x - m.x, dy = to.y - m.y;
  const float sx = dx == 0 ? INFINITY : (from.width() / 2 + out) / std::abs(dx);
  const float sy = dy == 0 ? INFINITY : (from.height() / 2 + out) / std::abs(dy);
  const float s = std::min({sx, sy, 1.0f});
  return {m.x + dx * s, m.y + dy * s};
}

}  // namespace

Rect RingView::Layout::cell_of(int rank, int chunk) const {
  const Rect& node = nodes[size_t(rank)];
  const float step = (cell + gap) * float(chunk);
  const ImVec2 min = circle || flat ? ImVec2(node.min.x + step, node.max.y - cell)
                                    : ImVec2(std::round(node.middle().x - cell / 2),
                                             node.min.y + line_height() + gap + step);
  return {min, {min.x + cell, min.y + cell}};
}

// On a circle where the ranks find room there, in a row otherwise.
RingView::Layout RingView::lay_out(const Rect& rect, const RingData& data) const {
  Layout layout{};
  const auto n = float(std::max(data.ranks, 1));
  const float line = line_height(), bottom = line + px(26);
  layout.gap = px(2);
  layout.slider = {{rect.min.x + px(12), rect.max.y - bottom}, {rect.max.x - px(12), rect.max.y}};
  layout.picture = {{rect.min.x + px(6), rect.min.y + px(6)},
                    {rect.max.x - px(6), layout.slider.min.y - px(6)}};
  const float w = layout.picture.width(), h = layout.picture.height();
  for (layout.cell = px(36); layout.cell > px(14); layout.cell -= px(1))
    if (n * (layout.cell + layout.gap) * (n > 4 ? 3.4f : 3.0f) <= w && (line + layout.cell) * n * 0.7f <= h)
      break;
  const float wide = n * (layout.cell + layout.gap) - layout.gap, high = line + px(3) + layout.cell;
  layout.circle = data.ranks > 1 && wide * (n > 4 ? 3.2f : 2.6f) <= w && high * n * 0.7f <= h;
  for (int rank = 0; rank < data.ranks; ++rank) {
    if (layout.circle) {
      const double angle = 2 * std::numbers::pi * rank / data.ranks - std::numbers::pi / 2;
      const float x = layout.picture.min.x + wide / 2 + (w - wide) / 2 * (1 + float(std::cos(angle)));
      const float y = layout.picture.min.y + high / 2 + (h - high) / 2 * (1 + float(std::sin(angle)));
      const ImVec2 min(std::round(x - wide / 2), std::round(y - high / 2));
      layout.nodes.push_back({min, {min.x + wide, min.y + high}});
    } else {
      const float slot = w / n, arc = std::min(px(28), h * 0.15f);
      layout.cell = std::clamp(std::min(slot - px(6), (h - arc - line) / n - layout.gap), px(4), px(24));
      const ImVec2 min(layout.picture.min.x + slot * float(rank), layout.picture.min.y + arc);
      const float beside = std::min((slot - px(12)) / n - layout.gap, h - arc - line - layout.gap);
      if (beside > layout.cell) {  // a low picture: the cells in a row as well
        layout.flat = true;
        layout.cell = std::min(beside, px(24));
        const float width = n * (layout.cell + layout.gap) - layout.gap, left = min.x + (slot - width) / 2;
        layout.nodes.push_back(
            {{std::round(left), min.y}, {std::round(left) + width, min.y + line + layout.gap + layout.cell}});
        continue;
      }
      layout.nodes.push_back(
          {min, {min.x + slot, min.y + line + layout.gap + n * (layout.cell + layout.gap)}});
    }
  }
  return layout;
}

double RingView::shown_step(const RingData& data, int steps) {
  const double goal = std::clamp(data.step, 0.0, double(steps));
  const double reach = double(ImGui::GetIO().DeltaTime / kSeconds);
  const bool near = std::abs(goal - shown_) <= 1.5;  // a jump is no motion
  shown_ = !look().motion || !near || dragging_ ? goal : shown_ + std::clamp(goal - shown_, -reach, reach);
  return shown_;
}

std::vector<RingView::Moving> RingView::moving(const Layout& layout, const RingData& data,
                                               double step) const {
  std::vector<Moving> all;
  const int current = int(step);
  for (const Transfer& t : *data.transfers) {
    if (std::min({t.from, t.to, t.chunk}) < 0 || std::max({t.from, t.to, t.chunk}) >= data.ranks) continue;
    const auto p = float(t.step == current ? step - current : 0);
    if (p <= 0) continue;
    const Rect a = layout.cell_of(t.from, t.chunk), b = layout.cell_of(t.to, t.chunk);
    const float x = a.min.x + (b.min.x - a.min.x) * p, y = a.min.y + (b.min.y - a.min.y) * p;
    // Smaller on the way, where the paths of others cross.
    const float aside = layout.cell * 0.2f * std::sin(std::numbers::pi_v<float> * p);
    all.push_back({&t, p, {{x + aside, y + aside}, {x + layout.cell - aside, y + layout.cell - aside}}});
  }
  return all;
}

void RingView::draw_edges(ImDrawList& list, const Layout& layout, const RingData& data, int step) const {
  for (const Transfer& t : *data.transfers) {
    if (t.step != step || std::min(t.from, t.to) < 0 || std::max(t.from, t.to) >= data.ranks) continue;
    const Rect &from = layout.nodes[size_t(t.from)], &to = layout.nodes[size_t(t.to)];
    if (layout.circle) {
      const ImVec2 a = edge_of(from, to.middle(), px(4)), b = edge_of(to, from.middle(), px(4));
      arrow(list, a, b, colours().line);
      continue;
    }
    // Above the row; the way back from the last rank to the first is the highest.
    const float x0 = from.middle().x, x1 = to.middle().x, y = from.min.y - px(2);
    const float far = std::abs(float(t.to - t.from)) / float(std::max(data.ranks - 1, 1));
    const float top = y - 2 * (y - layout.picture.min.y - px(2)) * (0.35f + 0.65f * far);
    list.AddBezierQuadratic({x0, y}, {(x0 + x1) / 2, top}, {x1, y}, colours().line, px(1), 16);
    list.AddTriangleFilled({x1 - px(3), y - px(4)}, {x1 + px(3), y - px(4)}, {x1, y}, colours().line);
  }
}

void RingView::draw_ranks(ImDrawList& list, const std::string& id, const Layout& layout, const RingData& data,
                          int steps, const std::vector<Moving>& moving) const {
  const ImU32 hue = colour_of_tag(data.tag);
  auto held = contributions(data.ranks, data.op, *data.transfers, steps);
  const float line = line_height();
  const auto free = [&](const Rect& r, size_t until) {
    return std::none_of(moving.begin(), moving.begin() + std::ptrdiff_t(until),
                        [&](const Moving& m) { return m.rect.overlaps(r); });
  };
  for (int rank = 0; rank < data.ranks; ++rank) {
    const Rect& node = layout.nodes[size_t(rank)];
    const std::string number = std::to_string(rank), name = "rank " + number;
    const std::string text = text_width(name) <= node.width() - px(8) ? name : "r" + number;
    const float width = text_width(text), x = node.middle().x - width / 2;
    const Rect label{{x, node.min.y}, {x + width + 1, node.min.y + line}};
    if (width <= node.width() && free(label, moving.size())) draw_text_in(list, label, colours().dim, text);
    mark(id + ".r" + number, node.min, node.max);
    for (int chunk = 0; chunk < data.ranks; ++chunk) {
      const Rect cell = layout.cell_of(rank, chunk);
      const int count = held[size_t(rank)][size_t(chunk)];
      const bool all = count >= data.ranks;
      list.AddRectFilled(cell.min, cell.max, colours().raised);
      const float share = float(count) / float(data.ranks);
      const ImU32 fill = all ? hue : fade(hue, 0.45f);
      if (count > 0)
        list.AddRectFilled({cell.min.x, std::round(cell.max.y - cell.height() * share)}, cell.max, fill);
      if (all) list.AddRect(cell.min, cell.max, colours().text, 0, 0, px(1));
      const Rect letter{{cell.min.x, cell.min.y}, {cell.max.x + 1, cell.max.y}};
      if (layout.cell >= px(13) && free(cell, moving.size()))
        draw_text_in(list, letter, all ? text_on(hue) : colours().text, std::to_string(chunk));
      mark(id + ".r" + number + "." + std::to_string(chunk), cell.min, cell.max);
    }
  }
  for (size_t i = 0; i < moving.size(); ++i) {
    const Rect& r = moving[i].rect;
    list.AddRectFilled(r.min, r.max, hue, px(3));
    list.AddRect(r.min, r.max, colours().text, px(3), 0, px(1));
    if (r.height() >= px(13) && free(r, i))
      draw_text_in(list, {r.min, {r.max.x + 1, r.max.y}}, text_on(hue),
                   std::to_string(moving[i].transfer->chunk));
  }
}

std::optional<double> RingView::slider(const Canvas& canvas, const std::string& id, const Layout& layout,
                                       const RingData& data, double step, int steps) {
  ImDrawList& list = canvas.list();
  const Rect& r = layout.slider;
  const float y = r.min.y + px(10), width = r.width();
  const auto x_of = [&](double s) { return r.min.x + width * float(steps > 0 ? s / steps : 0); };
  list.AddLine({r.min.x, y}, {r.max.x, y}, colours().line, px(2));
  // As many dots as can be told apart.
  const int each = std::max(1, int(std::ceil(px(6) * float(steps) / std::max(width, 1.0f))));
  for (int s = 0; s <= steps; s += each)
    list.AddCircleFilled({x_of(s), y}, px(2.5f), s <= step ? colours().accent : colours().dim, 8);
  list.AddCircleFilled({x_of(step), y}, px(7), colours().accent, 16);
  mark(id + ".slider", {r.min.x, y - px(8)}, {r.max.x, y + px(8)});

  const int now = std::clamp(int(std::floor(step)), 0, std::max(steps - 1, 0));
  const auto found = std::find_if(data.transfers->begin(), data.transfers->end(),
                                  [&](const Transfer& t) { return t.step == now; });
  std::string text = "nothing moves";
  if (found != data.transfers->end() && step >= steps)
    text = steps == 1 ? tr("done in one step") : tr("done in {} steps", steps);
  else if (found != data.transfers->end())
    text = fmt::format("step {} of {}: {}", now + 1, steps,
                       found->adds ? "add what comes in" : "keep what comes in");
  draw_text_in(list, {{r.min.x, r.max.y - line_height() - px(2)}, {r.max.x, r.max.y - px(2)}}, colours().dim,
               text);

  const ImVec2 mouse = canvas.mouse();
  if (canvas.clicked() && std::abs(mouse.y - y) <= px(10)) dragging_ = true;
  if (!ImGui::IsMouseDown(0)) dragging_ = false;
  if (!dragging_ || steps == 0 || !ImGui::IsMousePosValid()) return std::nullopt;
  // Rests on whole steps, but can be held between them.
  const double at = std::clamp(double((mouse.x - r.min.x) / std::max(width, 1.0f)), 0.0, 1.0) * steps;
  const double whole = std::round(at);
  return std::abs(at - whole) < 0.12 ? whole : at;
}

std::optional<double> RingView::draw(const std::string& id, ImVec2 size, const RingData& data) {
  const Canvas canvas(id, size, focus_next_);
  focus_next_ = false;
  static const std::vector<Transfer> none;
  RingData shown = data;
  if (shown.transfers == nullptr) shown.transfers = &none;
  const int steps = steps_of(*shown.transfers);
  const double step = shown_step(data, steps);
  const Layout layout = lay_out(canvas.rect(), data);
  const std::vector<Moving> under_way = moving(layout, shown, step);
  if (data.ranks > 1) draw_edges(canvas.list(), layout, shown, std::min(int(step), steps - 1));
  draw_ranks(canvas.list(), id, layout, shown, int(step), under_way);
  std::optional<double> wish = slider(canvas, id, layout, shown, step, steps);
  if (canvas.focused()) {
    const auto ask = [&](double s) { wish = std::clamp(s, 0.0, double(steps)); };
    if (pressed({Key::kLeft}, true)) ask(std::ceil(data.step) - 1);
    if (pressed({Key::kRight}, true)) ask(std::floor(data.step) + 1);
    if (pressed({Key::kHome})) ask(0);
    if (pressed({Key::kEnd})) ask(steps);
  }
  return wish;
}

}  // namespace ringside::ui
