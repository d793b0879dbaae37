#include "graph_places.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace ringside {
namespace {

using ui::px;

// How closely a graph is set.
struct Setting {
  ui::Type type;
  bool details;
  float between_layers, between_nodes;  // points
  float widest = 1e9f;                  // pixels, of a node
};
constexpr Setting kLarge[] = {
    {ui::Type::kBody, true, 110, 40}, {ui::Type::kBody, true, 80, 28}, {ui::Type::kBody, true, 50, 18}};
constexpr Setting kSmall[] = {
    {ui::Type::kLabel, true, 40, 12}, {ui::Type::kLabel, true, 26, 8}, {ui::Type::kLabel, false, 24, 6}};
constexpr float kLeastWidth = 56;  // points, of a node whose words are cut
constexpr float kMostLength = 2;   // of a graph with whole words, in rooms
constexpr int kRounds = 24;

class Setter {
 public:
  Setter(const figure::Graph& graph, const GraphLayers& layers, const Setting& setting, bool down)
      : graph_(graph), layers_(layers), setting_(setting), down_(down) {}

  GraphPlaces set() {
    measure();
    across();
    GraphPlaces out;
    out.down = down_, out.details = setting_.details, out.type = setting_.type;
    along();
    float most_across = 0, most_along = 0;
    out.nodes.resize(graph_.nodes.size());
    for (size_t s = 0; s < layers_.slots.size(); ++s) {
      const size_t node = layers_.slots[s].node;
      most_across = std::max(most_across, centre_[s] + size_[s].across / 2);
      most_along = std::max(most_along, along_[s] + size_[s].along);
      if (node == kNoNode) continue;
      const ImVec2 a = point(along_[s], centre_[s] - size_[s].across / 2);
      const ImVec2 b = point(along_[s] + size_[s].along, centre_[s] + size_[s].across / 2);
      out.nodes[node] = {{std::floor(a.x), std::floor(a.y)}, {std::floor(b.x), std::floor(b.y)}};
    }
    out.size = point(most_along, most_across);
    join(out);
    return out;
  }

 private:
  struct Extent {
    float along = 0, across = 0;
  };
  ImVec2 point(float along, float across) const {
    return down_ ? ImVec2(across, along) : ImVec2(along, across);
  }

  void measure() {
    for (const GraphSlot& slot : layers_.slots) {
      if (slot.node == kNoNode) {
        size_.push_back({0, px(8)});
        continue;
      }
      const figure::Node& node = graph_.nodes[slot.node];
      const bool second = setting_.details && !node.detail.empty();
      float width = ui::text_width(setting_.type, node.text);
      if (second) width = std::max(width, ui::text_width(node.detail));
      width = std::min(std::ceil(width) + px(18), setting_.widest);
      const float height = ui::line_height(setting_.type) + px(10) + (second ? ui::line_height() + px(2) : 0);
      size_.push_back(down_ ? Extent{height, width} : Extent{width, height});
    }
  }

  // Towards the mean of the neighbours, again and again; the order and the gaps stay.
  void across() {
    centre_.assign(layers_.slots.size(), 0);
    for (const auto& layer : layers_.layers) {
      float at = 0;
      for (const size_t s : layer) {
        centre_[s] = at + size_[s].across / 2;
        at += size_[s].across + px(setting_.between_nodes);
      }
    }
    const size_t count = layers_.layers.size();
    for (int round = 0; round < kRounds; ++round)
      for (size_t k = 0; k < count; ++k) settle(layers_.layers[round % 2 == 0 ? k : count - 1 - k]);
    float least = 0;
    for (size_t s = 0; s < centre_.size(); ++s)
      least = s == 0 ? centre_[s] - size_[s].across / 2 : std::min(least, centre_[s] - size_[s].across / 2);
    for (float& c : centre_) c -= least;
  }

  // Once pushed from the first on, once from the last on: the middle of both keeps the gaps too.
  void settle(const std::vector<size_t>& layer) {
    std::vector<float> wanted, pushed;
    for (const size_t s : layer) {
      float sum = 0, weight = 0;
      for (const auto* side : {&layers_.slots[s].before, &layers_.slots[s].after}) {
        for (const size_t other : *side) {
          // Edges that pass through are drawn straight first of all.
          const float w = layers_.slots[s].node == kNoNode && layers_.slots[other].node == kNoNode ? 4 : 1;
          sum += w * centre_[other], weight += w;
        }
      }
      wanted.push_back(weight > 0 ? sum / weight : centre_[s]);
    }
    const auto gap = [&](size_t i) {
      return (size_[layer[i]].across + size_[layer[i + 1]].across) / 2 + px(setting_.between_nodes);
    };
    pushed = wanted;
    for (size_t i = 1; i < layer.size(); ++i) pushed[i] = std::max(pushed[i], pushed[i - 1] + gap(i - 1));
    for (size_t i = layer.size() - 1; i-- > 0;) wanted[i] = std::min(wanted[i], wanted[i + 1] - gap(i));
    for (size_t i = 0; i < layer.size(); ++i) centre_[layer[i]] = (wanted[i] + pushed[i]) / 2;
  }

  // Behind each layer. From left to right the names of edges stand there.
  std::vector<float> gaps() const {
    std::vector<float> gaps(layers_.layers.size(), px(setting_.between_layers));
    if (down_ || !setting_.details) return gaps;
    for (const GraphChain& chain : layers_.chains) {
      float& gap = gaps[layers_.slots[chain.slots[(chain.slots.size() - 1) / 2]].layer];
      const std::string& text = graph_.edges[chain.edge].text;
      if (!text.empty()) gap = std::max(gap, std::min(ui::text_width(text) + px(28), px(200)));
    }
    return gaps;
  }

  // The layers one after the other, each as deep as its deepest node.
  void along() {
    along_.assign(layers_.slots.size(), 0);
    const std::vector<float> behind = gaps();
    size_t nth = 0;
    float at = 0;
    for (const auto& layer : layers_.layers) {
      float deepest = 0;
      for (const size_t s : layer) deepest = std::max(deepest, size_[s].along);
      for (const size_t s : layer) along_[s] = at + (deepest - size_[s].along) / 2;
      at += deepest + behind[nth++];
    }
  }

  // Edges leave and reach a node at places of their own, in the order of their other ends.
  void join(GraphPlaces& out) const {
    for (const GraphChain& chain : layers_.chains) {
      std::vector<ImVec2> points;
      for (size_t i = 0; i < chain.slots.size(); ++i) {
        const size_t s = chain.slots[i];
        const bool first = i == 0, last = i + 1 == chain.slots.size();
        if (!first && !last) {
          points.push_back(point(along_[s] + size_[s].along / 2, centre_[s]));
          continue;
        }
        const auto& ends = first ? layers_.slots[s].after : layers_.slots[s].before;
        const float port =
            centre_[s] + size_[s].across * 0.6f * port_of(ends, chain.slots[first ? 1 : i - 1]);
        points.push_back(point(along_[s] + (first ? size_[s].along : 0), port));
      }
      out.chains.push_back(std::move(points));
    }
  }
  // From -1/2 to 1/2.
  float port_of(const std::vector<size_t>& ends, size_t slot) const {
    float before = 0, same = 0;
    for (const size_t other : ends) {
      before += centre_[other] < centre_[slot];
      same += centre_[other] == centre_[slot];
    }
    const auto all = float(std::max<size_t>(ends.size(), 1));
    return (before + same / 2) / all - 0.5f;
  }

  const figure::Graph& graph_;
  const GraphLayers& layers_;
  Setting setting_;
  bool down_;
  std::vector<Extent> size_;
  std::vector<float> centre_, along_;
};

}  // namespace

GraphPlaces places_of(const figure::Graph& graph, const GraphLayers& layers, ImVec2 room) {
  const auto fits = [&](const GraphPlaces& p) { return p.size.x <= room.x && p.size.y <= room.y; };
  for (const std::span<const Setting> settings : {std::span(kLarge), std::span(kSmall)}) {
    for (const bool down : {false, true}) {
      for (const Setting& setting : settings) {
        GraphPlaces places = Setter(graph, layers, setting, down).set();
        if (fits(places)) return places;
      }
    }
  }
  for (const bool down : {false, true}) {
    GraphPlaces whole = Setter(graph, layers, kSmall[std::size(kSmall) - 1], down).set();
    const ImVec2 longer = down ? ImVec2(room.x, room.y * kMostLength) : ImVec2(room.x * kMostLength, room.y);
    if (whole.size.x <= longer.x && whole.size.y <= longer.y) return whole;
  }
  size_t most = 1;  // nodes beside each other
  for (const auto& layer : layers.layers) {
    size_t nodes = 0;
    for (const size_t s : layer) nodes += layers.slots[s].node != kNoNode;
    most = std::max(most, nodes);
  }
  const auto cut = [&](bool down) {
    Setting setting = kSmall[std::size(kSmall) - 1];
    const auto count = float(down ? most : std::max<size_t>(layers.layers.size(), 1));
    const float gap = px(down ? setting.between_nodes : setting.between_layers);
    setting.widest = std::max(px(kLeastWidth), std::floor((room.x + gap) / count - gap));
    return Setter(graph, layers, setting, down).set();
  };
  GraphPlaces right = cut(false), down = cut(true);
  return fits(right) || !fits(down) ? right : down;
}

}  // namespace ringside
