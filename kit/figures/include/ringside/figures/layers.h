// Columns of a graph that is drawn from left to right: each edge leads to a later one.
#pragma once

#include <cstddef>
#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside::figure {

// An edge from its earlier layer to its later one.
struct Arc {
  size_t edge = 0, from = 0, to = 0;
  bool backwards = false;  // the edge leads the other way: it closes a cycle
};
struct Layers {
  std::vector<size_t>
      of_node;            // the most arcs on a way to it; a node without one stands before what it leads to
  std::vector<Arc> arcs;  // an edge to itself or to no node has none
};
Layers layers_of(const Graph& graph);

}  // namespace ringside::figure
