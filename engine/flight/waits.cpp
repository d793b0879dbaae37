#include "waits.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>

#include <fmt/format.h>

namespace ringside::flight {
namespace {

using Path = std::vector<const Call*>;

// A dump may hold a hundred thousand sends that nobody receives, each a lane of its own.
constexpr size_t kMaxNodes = 500;

struct Graph {
  std::vector<const Call*> nodes;
  std::vector<std::vector<size_t>> next;  // by node
};

Graph build_graph(const Calls& calls, const std::vector<const Call*>& heads) {
  Graph graph;
  graph.nodes.assign(heads.begin(),
                     heads.begin() + static_cast<std::ptrdiff_t>(std::min(heads.size(), kMaxNodes)));
  std::vector<int> dumped;  // only they can wait
  for (const auto& [rank, dump] : calls.dumps) dumped.push_back(rank);
  for (const Call* here : graph.nodes) {
    const std::vector<int> missing = common(here->missing, dumped);
    graph.next.emplace_back();
    for (size_t there = 0; there < graph.nodes.size(); ++there)
      if (graph.nodes[there] != here && !common(missing, graph.nodes[there]->waiting).empty())
        graph.next.back().push_back(there);
  }
  return graph;
}

// Breadth first from `start` until it is met again.
Path shortest_cycle_through(size_t start, const Graph& graph) {
  std::map<size_t, size_t> before;
  std::deque<size_t> queue = {start};
  while (!queue.empty()) {
    const size_t here = queue.front();
    queue.pop_front();
    for (const size_t there : graph.next[here]) {
      if (there == start) {
        Path path;
        for (size_t node = here; node != start; node = before.at(node)) path.push_back(graph.nodes[node]);
        path.push_back(graph.nodes[start]);
        std::reverse(path.begin(), path.end());
        return path;
      }
      if (before.emplace(there, here).second) queue.push_back(there);
    }
  }
  return {};
}

}  // namespace

std::vector<int> common(const std::vector<int>& ranks, const std::vector<int>& others) {
  std::vector<int> both;
  std::set_intersection(ranks.begin(), ranks.end(), others.begin(), others.end(), std::back_inserter(both));
  return both;
}

std::vector<int> without(const std::vector<int>& ranks, const std::vector<int>& others) {
  std::vector<int> rest;
  std::set_difference(ranks.begin(), ranks.end(), others.begin(), others.end(), std::back_inserter(rest));
  return rest;
}

std::vector<Wait> find_cycle(const Calls& calls, const std::vector<const Call*>& heads) {
  const Graph graph = build_graph(calls, heads);
  Path shortest;
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    const Path path = shortest_cycle_through(node, graph);
    if (!path.empty() && (shortest.empty() || path.size() < shortest.size())) shortest = path;
  }
  std::vector<Wait> cycle;
  for (size_t i = 0; i < shortest.size(); ++i) {
    const Call& call = *shortest[i];
    std::string group = calls.groups[call.lane.group].name;
    if (call.lane.p2p()) group += fmt::format(" {}->{}", call.lane.from, call.lane.to);
    const Call& next = *shortest[(i + 1) % shortest.size()];
    cycle.push_back({call.waiting, group, call.seq, common(next.waiting, call.missing)});
  }
  return cycle;
}

}  // namespace ringside::flight
