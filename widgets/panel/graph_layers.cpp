#include "graph_layers.h"

#include <algorithm>

#include "ringside/figures/layers.h"

namespace ringside {
namespace {

constexpr int kSweeps = 12;
constexpr size_t kMostThrough = 2000;  // slots that edges pass: a longer edge than that is drawn straight

size_t add_slot(GraphLayers& all, size_t node, size_t layer) {
  if (layer >= all.layers.size()) all.layers.resize(layer + 1);
  all.slots.push_back({node, layer, {}, {}});
  all.layers[layer].push_back(all.slots.size() - 1);
  return all.slots.size() - 1;
}

void add_chain(GraphLayers& all, const figure::Arc& arc) {
  GraphChain chain{arc.edge, arc.backwards, {arc.from}};
  if (all.slots.size() < kMostThrough) {
    for (size_t layer = all.slots[arc.from].layer + 1; layer < all.slots[arc.to].layer; ++layer)
      chain.slots.push_back(add_slot(all, kNoNode, layer));
  }
  chain.slots.push_back(arc.to);
  for (size_t i = 0; i + 1 < chain.slots.size(); ++i) {
    all.slots[chain.slots[i]].after.push_back(chain.slots[i + 1]);
    all.slots[chain.slots[i + 1]].before.push_back(chain.slots[i]);
  }
  all.chains.push_back(std::move(chain));
}

std::vector<double> positions(const GraphLayers& all) {
  std::vector<double> at(all.slots.size(), 0);
  for (const auto& layer : all.layers) {
    for (size_t i = 0; i < layer.size(); ++i) at[layer[i]] = (double(i) + 0.5) / double(layer.size());
  }
  return at;
}

// Each layer by the mean place of its neighbours in the layer before, or after.
void sweep(GraphLayers& all, bool forwards) {
  std::vector<double> at = positions(all);
  const size_t count = all.layers.size();
  for (size_t k = 0; k < count; ++k) {
    auto& layer = all.layers[forwards ? k : count - 1 - k];
    for (const size_t s : layer) {
      const auto& beside = forwards ? all.slots[s].before : all.slots[s].after;
      if (beside.empty()) continue;
      double sum = 0;
      for (const size_t other : beside) sum += at[other];
      at[s] = sum / double(beside.size());
    }
    std::ranges::stable_sort(layer, [&](size_t a, size_t b) { return at[a] < at[b]; });
    for (size_t i = 0; i < layer.size(); ++i) at[layer[i]] = (double(i) + 0.5) / double(layer.size());
  }
}

}  // namespace

size_t crossings(const GraphLayers& all) {
  const std::vector<double> at = positions(all);
  size_t count = 0;
  for (const auto& layer : all.layers) {
    std::vector<std::pair<double, double>> edges;
    for (const size_t s : layer)
      for (const size_t to : all.slots[s].after) edges.emplace_back(at[s], at[to]);
    for (size_t a = 0; a < edges.size(); ++a) {
      for (size_t b = a + 1; b < edges.size(); ++b)
        count += (edges[a].first - edges[b].first) * (edges[a].second - edges[b].second) < 0;
    }
  }
  return count;
}

GraphLayers layers_of(const figure::Graph& graph) {
  const figure::Layers found = figure::layers_of(graph);
  GraphLayers all;
  for (size_t n = 0; n < graph.nodes.size(); ++n) add_slot(all, n, found.of_node[n]);
  for (const figure::Arc& arc : found.arcs) add_chain(all, arc);
  if (all.slots.size() > kMostThrough) return all;  // nobody reads it; its order is that of the figure
  std::vector<std::vector<size_t>> best = all.layers;
  size_t fewest = crossings(all);
  for (int i = 0; i < kSweeps && fewest > 0; ++i) {
    sweep(all, i % 2 == 0);
    const size_t now = crossings(all);
    if (now < fewest) fewest = now, best = all.layers;
  }
  all.layers = std::move(best);
  return all;
}

}  // namespace ringside
