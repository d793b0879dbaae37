// Columns of a graph that is drawn from left to right.
#pragma once

#include <cstddef>
#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside::figure {

// Of each node, the most edges on a way to it; edges that close a cycle do not count.
std::vector<size_t> layers_of(const Graph& graph);

}  // namespace ringside::figure
