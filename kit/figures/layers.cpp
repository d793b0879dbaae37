#include "ringside/figures/layers.h"

#include <algorithm>
#include <utility>

namespace ringside::figure {
namespace {

std::vector<Arc> arcs_of(const Graph& graph) {
  std::vector<Arc> arcs;
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const auto [from, to] = std::pair(graph.edges[e].from, graph.edges[e].to);
    if (from < graph.nodes.size() && to < graph.nodes.size() && from != to) arcs.push_back({e, from, to});
  }
  return arcs;
}

// Turns each arc that leads back to a node on the way to it, depth first.
void break_cycles(std::vector<Arc>& arcs, size_t nodes) {
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(nodes, kNew);
  std::vector<std::vector<size_t>> out(nodes);
  for (size_t a = 0; a < arcs.size(); ++a) out[arcs[a].from].push_back(a);
  for (size_t root = 0; root < nodes; ++root) {
    if (state[root] != kNew) continue;
    std::vector<std::pair<size_t, size_t>> path = {{root, 0}};  // a node, and which arc is next
    state[root] = kOpen;
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next == out[node].size()) {
        state[node] = kDone;
        path.pop_back();
        continue;
      }
      Arc& arc = arcs[out[node][next++]];
      const size_t to = arc.to;
      if (state[to] == kOpen) {
        arc.backwards = true;
      } else if (state[to] == kNew) {
        state[to] = kOpen;
        path.push_back({to, 0});
      }
    }
  }
  for (Arc& arc : arcs)
    if (arc.backwards) std::swap(arc.from, arc.to);
}

// The longest path to each node; one that nothing leads to stands right before what it leads to.
std::vector<size_t> depths(const std::vector<Arc>& arcs, size_t nodes) {
  std::vector<size_t> depth(nodes, 0), waiting(nodes, 0), ready;
  std::vector<std::vector<size_t>> out(nodes);
  for (const Arc& arc : arcs) ++waiting[arc.to], out[arc.from].push_back(arc.to);
  for (size_t n = 0; n < nodes; ++n)
    if (waiting[n] == 0) ready.push_back(n);
  const std::vector<size_t> first = ready;
  for (size_t i = 0; i < ready.size(); ++i) {
    for (const size_t to : out[ready[i]]) {
      depth[to] = std::max(depth[to], depth[ready[i]] + 1);
      if (--waiting[to] == 0) ready.push_back(to);
    }
  }
  constexpr auto kNone = size_t(-1);
  for (const size_t n : first) {
    size_t least = kNone;
    for (const size_t to : out[n]) least = std::min(least, depth[to]);
    if (least != kNone) depth[n] = least - 1;
  }
  return depth;
}

}  // namespace

Layers layers_of(const Graph& graph) {
  Layers found;
  found.arcs = arcs_of(graph);
  break_cycles(found.arcs, graph.nodes.size());
  found.of_node = depths(found.arcs, graph.nodes.size());
  return found;
}

}  // namespace ringside::figure
