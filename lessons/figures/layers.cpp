#include "ringside/figures/layers.h"

#include <algorithm>

namespace ringside::figure {

// Kahn (1962): nodes whose sources all have a layer come next. Where a cycle leaves none, its first node
// begins.
std::vector<size_t> layers_of(const Graph& graph) {
  const size_t size = graph.nodes.size();
  std::vector<size_t> layers(size), sources(size), ready;
  std::vector<std::vector<size_t>> out(size);
  for (const Edge& edge : graph.edges) {
    if (edge.from == edge.to) continue;
    out[edge.from].push_back(edge.to);
    ++sources[edge.to];
  }
  std::vector<bool> done(size);
  for (size_t i = size; i-- > 0;)
    if (sources[i] == 0) ready.push_back(i);
  for (size_t next = 0;;) {
    if (ready.empty()) {
      while (next < size && done[next]) ++next;
      if (next == size) return layers;
      ready.push_back(next);
    }
    const size_t node = ready.back();
    ready.pop_back();
    if (done[node]) continue;
    done[node] = true;
    for (const size_t to : out[node]) {
      if (done[to]) continue;
      layers[to] = std::max(layers[to], layers[node] + 1);
      if (--sources[to] == 0) ready.push_back(to);
    }
  }
}

}  // namespace ringside::figure
