// Who waits for whom, and whose waits contradict each other.
//
// A rank that waits in one call and that another call misses makes the first one earlier: that is the order
// of its program. Ranks that follow one program never close a cycle by it, for of their stuck calls one is
// the first in the program, and who has not called that one yet waits in none. So every cycle holds a rank
// that did otherwise. Where one rank alone did, it is in every cycle, and no other rank says what it says.
#include <algorithm>
#include <deque>

#include "analysis.h"

namespace ringside::inline flight {
namespace {

// By place in `heads`: the heads in which a rank waits that this one misses.
using Graph = std::vector<std::vector<size_t>>;

Graph build_graph(const Calls& calls, const std::vector<const Call*>& heads, const Ranks& unheard) {
  // A dump may hold a hundred thousand sends that nobody receives, each the head of a lane of its own.
  constexpr size_t kMaxNodes = 500;
  Graph next(std::min(heads.size(), kMaxNodes));
  for (size_t here = 0; here < next.size(); ++here) {
    // The waits of a rank that is gone are not known.
    const Ranks missing = without(common(heads[here]->missing, calls.dumped), unheard);
    for (size_t there = 0; there < next.size(); ++there)
      if (there != here && !common(missing, heads[there]->waiting).empty()) next[here].push_back(there);
  }
  return next;
}

// Searches breadth first from `start` until it is met again. The nodes from start on; empty if it is not.
std::vector<size_t> shortest_cycle_through(size_t start, const Graph& next) {
  std::map<size_t, size_t> before;
  std::deque<size_t> queue = {start};
  while (!before.contains(start) && !queue.empty()) {
    const size_t here = queue.front();
    queue.pop_front();
    for (const size_t there : next[here])
      if (before.emplace(there, here).second) queue.push_back(there);
  }
  if (!before.contains(start)) return {};
  std::vector<size_t> path = {start};
  for (size_t node = before[start]; node != start; node = before[node]) path.push_back(node);
  std::reverse(path.begin() + 1, path.end());
  return path;
}

}  // namespace

std::vector<const Call*> shortest_cycle(const Calls& calls, const std::vector<const Call*>& heads,
                                        const Ranks& unheard) {
  const Graph next = build_graph(calls, heads, unheard);
  std::vector<size_t> shortest;
  for (size_t node = 0; node < next.size(); ++node) {
    std::vector<size_t> path = shortest_cycle_through(node, next);
    if (!path.empty() && (shortest.empty() || path.size() < shortest.size())) shortest = std::move(path);
  }
  std::vector<const Call*> cycle;
  for (const size_t node : shortest) cycle.push_back(heads[node]);
  return cycle;
}

std::vector<Wait> waits_of(const Calls& calls, const std::vector<const Call*>& cycle) {
  std::vector<Wait> waits;
  for (size_t i = 0; i < cycle.size(); ++i) {
    const Call& call = *cycle[i];
    const Call& after = *cycle[(i + 1) % cycle.size()];
    waits.push_back({call.waiting, calls.name_of(call.lane), call.seq, common(after.waiting, call.missing)});
  }
  return waits;
}

std::vector<Side> possible_sides(const Calls& calls, const Evidence& evidence) {
  std::vector<Side> sides;
  for (size_t i = 0; i < evidence.cycle.size(); ++i) {
    const Call& missed = *evidence.cycle[i];
    const Call& in = *evidence.cycle[(i + 1) % evidence.cycle.size()];
    sides.push_back({common(in.waiting, missed.missing), &in, &missed});
  }
  std::vector<Side> possible;
  for (const Side& side : sides)
    if (shortest_cycle(calls, evidence.heads, side.ranks).empty()) possible.push_back(side);
  if (possible.empty()) possible = std::move(sides);  // more than one side did otherwise
  const auto ranks_of = [](const Side& side) { return side.ranks.size(); };
  if (possible.empty()) return possible;
  const size_t fewest = ranks_of(*std::ranges::min_element(possible, {}, ranks_of));
  std::erase_if(possible, [&](const Side& side) { return side.ranks.size() > fewest; });
  return possible;
}

}  // namespace ringside::inline flight
