// Nodes and the edges between them. Layers are found once a value, places once a size.
#include <cmath>
#include <map>

#include "figure_parts.h"
#include "graph_places.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside {
namespace {

using ui::px;

class GraphDrawing : public CanvasDrawing<figure::Graph> {
  void picture(FigureFrame& frame, const ui::Canvas& canvas) override {
    take(frame);
    scroll(canvas);
    if (canvas.focused()) take_keys();
    if (canvas.hovered()) hovered_ = at(canvas.mouse());
    if (canvas.clicked()) chosen_ = hovered_;
    const std::optional<size_t> held = in_hand(canvas);
    left_out_ = 0;
    for (size_t i = 0; i < layers_.chains.size(); ++i) draw_chain(i, held);
    draw_loops();
    for (size_t i = 0; i < value_->nodes.size(); ++i) draw_node(frame, i);
    name_edges(held);
    tell_left_out(frame);
    draw_extent();
    frame.state["nodes"] = std::to_string(value_->nodes.size());
    frame.state["edges"] = std::to_string(value_->edges.size());
    if (lit_) frame.state["lit"] = std::to_string(*lit_);
  }

  void take(const FigureFrame& frame) {
    const bool other = version_ != frame.version || places_.nodes.size() != value_->nodes.size() ||
                       edges_ != value_->edges.size();
    if (other) {
      layers_ = layers_of(*value_);
      version_ = frame.version, edges_ = value_->edges.size();
    }
    const ImVec2 room(all_.width() - px(12), all_.height() - px(12));
    if (other || room.x != room_.x || room.y != room_.y || scale_ != ui::look().scale) {
      places_ = places_of(*value_, layers_, room);
      set_apart();
      room_ = room, scale_ = ui::look().scale;
    }
    std::optional<size_t> lit;
    for (size_t i = 0; i < value_->nodes.size() && !lit; ++i)
      if (value_->nodes[i].lit) lit = i;
    if (lit && lit != lit_) reveal(*lit);
    lit_ = lit;
  }

  // Edges between the same two nodes stand beside each other, so that each has its line and its words.
  void set_apart() {
    std::map<std::pair<size_t, size_t>, std::vector<size_t>> alike;
    for (size_t i = 0; i < layers_.chains.size(); ++i)
      alike[{layers_.chains[i].slots.front(), layers_.chains[i].slots.back()}].push_back(i);
    for (const auto& [ends, chains] : alike) {
      if (chains.size() < 2) continue;
      const ui::Rect &a = places_.nodes[ends.first], &b = places_.nodes[ends.second];
      const float most =
          (places_.down ? std::min(a.width(), b.width()) : std::min(a.height(), b.height())) / 2 - px(6);
      const float step = std::min(px(places_.down ? 140 : 22), 2 * most / float(chains.size() - 1));
      for (size_t n = 0; n < chains.size(); ++n)
        for (ImVec2& point : places_.chains[chains[n]])
          (places_.down ? point.x : point.y) += step * (float(n) - float(chains.size() - 1) / 2);
    }
  }

  // What is larger than the room can be moved: by the wheel, by a drag.
  void scroll(const ui::Canvas& canvas) {
    const ImGuiIO& io = ImGui::GetIO();
    if (canvas.hovered() && io.MouseWheel != 0) {
      const bool sideways = io.KeyShift || places_.size.y <= room_.y;
      (sideways ? offset_.x : offset_.y) -= io.MouseWheel * px(60);
    }
    if (canvas.active()) offset_.x -= io.MouseDelta.x, offset_.y -= io.MouseDelta.y;
    const auto within = [](float offset, float size, float room) {
      return size <= room ? -std::floor((room - size) / 2) : std::clamp(offset, 0.0f, size - room);
    };
    offset_.x = within(offset_.x, places_.size.x, room_.x);
    offset_.y = within(offset_.y, places_.size.y, room_.y);
    corner_ = {std::floor(all_.min.x + px(6) - offset_.x), std::floor(all_.min.y + px(6) - offset_.y)};
  }
  void reveal(size_t node) {
    const ui::Rect& r = places_.nodes[node];
    offset_.x = std::min(std::max(offset_.x, r.max.x - room_.x), r.min.x);
    offset_.y = std::min(std::max(offset_.y, r.max.y - room_.y), r.min.y);
  }

  ImVec2 place(ImVec2 p) const { return {corner_.x + p.x, corner_.y + p.y}; }
  ui::Rect rect_of(size_t node) const {
    return {place(places_.nodes[node].min), place(places_.nodes[node].max)};
  }

  std::optional<size_t> at(ImVec2 mouse) const {
    for (size_t i = 0; i < places_.nodes.size(); ++i)
      if (rect_of(i).contains(mouse)) return i;
    return std::nullopt;
  }

  // To the nearest node in that direction.
  void take_keys() {
    const KeySteps keys = arrow_keys();
    if (!keys || value_->nodes.empty()) return;
    if (!chosen_) {
      chosen_ = lit_.value_or(0);
      return reveal(*chosen_);
    }
    const auto middle = [&](size_t i) {
      const ui::Rect& r = places_.nodes[i];
      return ImVec2((r.min.x + r.max.x) / 2, (r.min.y + r.max.y) / 2);
    };
    const ImVec2 from = middle(*chosen_);
    std::optional<size_t> best;
    float least = 1e30f;
    for (size_t i = 0; i < value_->nodes.size(); ++i) {
      const ImVec2 to = middle(i), by(to.x - from.x, to.y - from.y);
      const float ahead = keys.right != 0 ? by.x * float(keys.right) : by.y * float(keys.down);
      const float aside = std::abs(keys.right != 0 ? by.y : by.x);
      if (i != *chosen_ && ahead > 1 && ahead + 2 * aside < least) least = ahead + 2 * aside, best = i;
    }
    if (!best) return;
    chosen_ = best;
    reveal(*best);
  }

  bool touches(size_t chain, const std::optional<size_t>& node) const {
    const figure::Edge& edge = value_->edges[layers_.chains[chain].edge];
    return node && (edge.from == *node || edge.to == *node);
  }

  // A curve through its points, level at each; the head where the edge leads to.
  void draw_chain(size_t index, const std::optional<size_t>& held) {
    const GraphChain& chain = layers_.chains[index];
    const std::vector<ImVec2>& points = places_.chains[index];
    const bool on = touches(index, held);
    if (!room_left(*list_)) {
      ++left_out_;
      return;
    }
    const ImU32 colour = on ? ui::colours().accent : ui::colours().dim;
    const float thick = px(on ? 2 : 1.3f), head = px(7);
    for (size_t i = 0; i + 1 < points.size(); ++i) {
      ImVec2 a = place(points[i]), b = place(points[i + 1]);
      float& from = places_.down ? a.y : a.x;
      float& to = places_.down ? b.y : b.x;
      if (i == 0 && chain.backwards) from += head;
      if (i + 2 == points.size() && !chain.backwards) to -= head;
      const float bend = (to - from) / 2;
      const ImVec2 c1 = places_.down ? ImVec2(a.x, a.y + bend) : ImVec2(a.x + bend, a.y);
      const ImVec2 c2 = places_.down ? ImVec2(b.x, b.y - bend) : ImVec2(b.x - bend, b.y);
      list_->AddBezierCubic(a, c1, c2, b, colour, thick);
    }
    const ImVec2 tip = place(chain.backwards ? points.front() : points.back());
    const float back = chain.backwards ? head : -head, half = head / 2;
    if (places_.down)
      list_->AddTriangleFilled(tip, {tip.x - half, tip.y + back}, {tip.x + half, tip.y + back}, colour);
    else
      list_->AddTriangleFilled(tip, {tip.x + back, tip.y - half}, {tip.x + back, tip.y + half}, colour);
  }

  // An edge from a node to itself: over its corner.
  void draw_loops() {
    for (const figure::Edge& edge : value_->edges) {
      if (edge.from != edge.to || edge.from >= value_->nodes.size()) continue;
      const ui::Rect r = rect_of(edge.from);
      const ImVec2 a(r.max.x - px(18), r.min.y), b(r.max.x, r.min.y + px(12));
      list_->AddBezierCubic(a, {a.x, a.y - px(14)}, {b.x + px(14), b.y - px(10)}, b, ui::colours().dim,
                            px(1.3f));
    }
  }

  void draw_node(const FigureFrame& frame, size_t index) {
    const figure::Node& node = value_->nodes[index];
    const ui::Rect r = rect_of(index);
    if (!all_.overlaps(r)) return;
    if (!room_left(*list_)) {
      ++left_out_;
      return;
    }
    const ImU32 colour = node.lit ? ui::colours().accent : colour_of(node.ink);
    const ImU32 fill = node.lit ? colour : ui::fade(colour, 0.75f);
    list_->AddRectFilled(r.min, r.max, fill, px(5));
    const bool chosen = chosen_ == index;
    list_->AddRect(r.min, r.max, chosen || hovered_ == index ? ui::colours().text : colour, px(5), 0,
                   px(chosen ? 2 : 1.3f));
    const bool second = places_.details && !node.detail.empty();
    const float split = second ? r.min.y + px(5) + ui::line_height(places_.type) : r.max.y;
    const ImU32 on = node.lit ? ui::text_on(fill) : ui::colours().text;
    const float left = std::max(r.min.x, all_.min.x) + px(4), right = std::min(r.max.x, all_.max.x) - px(4);
    const ui::Rect first{{left, second ? r.min.y + px(4) : r.min.y}, {right, split}};
    ui::draw_text_in(*list_, first, on, node.text, places_.type);
    if (second)
      ui::draw_text_in(*list_, {{left, split}, {right, r.max.y - px(3)}}, node.lit ? on : ui::colours().dim,
                       node.detail);
    ui::mark(frame.id + "." + std::to_string(index),
             {std::max(r.min.x, all_.min.x), std::max(r.min.y, all_.min.y)},
             {std::min(r.max.x, all_.max.x), std::min(r.max.y, all_.max.y)});
  }

  void name_edges(const std::optional<size_t>& held) {
    PlacedWords words(all_);
    for (size_t i = 0; i < places_.nodes.size(); ++i) words.keep_free(rect_of(i));
    for (const bool on : {true, false}) {  // those of the node in hand first
      for (size_t i = 0; i < layers_.chains.size(); ++i) {
        const std::string& text = value_->edges[layers_.chains[i].edge].text;
        if (text.empty() || touches(i, held) != on) continue;
        const std::vector<ImVec2>& points = places_.chains[i];
        const size_t middle = (points.size() - 1) / 2;
        const ImVec2 a = place(points[middle]), b = place(points[middle + 1]);
        const float width = ui::text_width(text), line = ui::line_height();
        words.put(*list_, {(a.x + b.x - width) / 2, (a.y + b.y - line) / 2}, text,
                  on ? ui::colours().text : ui::colours().dim);
      }
    }
  }

  // Which part of a graph that is larger than the room is shown.
  void draw_extent() const {
    const ImVec2 from(all_.min.x + px(6), all_.min.y + px(6)), to(all_.max.x - px(3), all_.max.y - px(3));
    if (places_.size.x > room_.x) {
      const float part = room_.x / places_.size.x;
      list_->AddRectFilled({from.x + offset_.x * part, to.y - px(3)},
                           {from.x + (offset_.x + room_.x) * part, to.y}, ui::colours().raised, px(1.5f));
    }
    if (places_.size.y > room_.y) {
      const float part = room_.y / places_.size.y;
      list_->AddRectFilled({to.x - px(3), from.y + offset_.y * part},
                           {to.x, from.y + (offset_.y + room_.y) * part}, ui::colours().raised, px(1.5f));
    }
  }

  // A list of vertices is full: what it holds no more is counted, not passed over in silence.
  void tell_left_out(FigureFrame& frame) const {
    if (left_out_ == 0) return;
    const std::string text = tr("{} nodes and edges are not drawn: too many for one picture", left_out_);
    const float line = ui::line_height(), width = ui::text_width(text);
    const ImVec2 at(all_.min.x + px(6), all_.max.y - line - px(6));
    list_->AddRectFilled({at.x - px(4), at.y - px(2)}, {at.x + width + px(4), at.y + line + px(2)},
                         ui::colours().raised, px(3));
    ui::draw_text(*list_, at, ui::colours().text, text);
    frame.state["left_out"] = std::to_string(left_out_);
  }

  bool is_there(const size_t& node) const override { return node < value_->nodes.size(); }
  ImVec2 below(const size_t& node) const override {
    const ui::Rect rect = rect_of(node);
    return {rect.min.x, rect.max.y + px(4)};
  }
  std::string detail(const size_t& index) const override {
    const figure::Node& node = value_->nodes[index];
    std::string text = node.text;
    if (!node.detail.empty()) text += "\n" + node.detail;
    for (const figure::Edge& edge : value_->edges) {
      if (edge.from >= value_->nodes.size() || edge.to >= value_->nodes.size()) continue;
      if (edge.from != index && edge.to != index) continue;
      const size_t other = edge.from == index ? edge.to : edge.from;
      text += (edge.from == index ? "\n→ " : "\n← ") + value_->nodes[other].text;
      if (!edge.text.empty()) text += "  " + edge.text;
    }
    return text;
  }

  std::optional<size_t> lit_;
  ImVec2 offset_{};  // of the part that is shown
  uint64_t version_ = 0;
  size_t edges_ = 0;
  GraphLayers layers_;
  GraphPlaces places_;
  ImVec2 room_{};
  float scale_ = 0;
  ImVec2 corner_{};  // of this frame
  size_t left_out_ = 0;
};

}  // namespace

std::unique_ptr<FigureDrawing> graph_drawing() { return std::make_unique<GraphDrawing>(); }

}  // namespace ringside
