// Layers of a graph, after Sugiyama, Tagawa, Toda, "Methods for visual understanding of hierarchical system
// structures" (1981): each edge leads to a later layer, and the order within a layer has few crossings.
#pragma once

#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside {

inline constexpr size_t kNoNode = size_t(-1);

struct GraphSlot {
  size_t node = kNoNode;  // none: an edge passes through
  size_t layer = 0;
  std::vector<size_t> before, after;  // slots of the layers beside it
};
// An edge as the slots that it passes, from the earlier layer to the later one.
struct GraphChain {
  size_t edge = 0;
  bool backwards = false;  // its head is at the first slot: it closes a cycle
  std::vector<size_t> slots;
};
struct GraphLayers {
  std::vector<GraphSlot> slots;             // the first ones are the nodes, in their order
  std::vector<std::vector<size_t>> layers;  // slots from one side to the other
  std::vector<GraphChain> chains;           // edges to itself or to no node have none
};

GraphLayers layers_of(const figure::Graph& graph);
// Pairs of edges that cross between neighbouring layers.
size_t crossings(const GraphLayers& layers);

}  // namespace ringside
