// Where the nodes and edges of a layered graph stand, in pixels: from left to right, or from top to bottom
// where only so the words fit.
#pragma once

#include <vector>

#include "graph_layers.h"
#include "ringside/widgets/draw.h"

namespace ringside {

struct GraphPlaces {
  std::vector<ui::Rect> nodes;              // from the picture's corner
  std::vector<std::vector<ImVec2>> chains;  // the points of each chain, from node to node
  ImVec2 size{};                            // of all
  bool down = false;                        // from top to bottom
  bool details = true;                      // the second lines are shown
  ui::Type type = ui::Type::kBody;          // of the first ones
};

// Large words with their second lines where they fit into the room, else smaller ones; whole ones where the
// graph is then not much longer than the room, in one direction, else cut ones. What does not fit even so is
// larger than the room.
GraphPlaces places_of(const figure::Graph& graph, const GraphLayers& layers, ImVec2 room);

}  // namespace ringside
