#include "waits.h"

#include <algorithm>
#include <deque>
#include <set>

#include <fmt/format.h>

namespace ringside::flight {
namespace {

using Path = std::vector<const Call*>;

// A dump may hold a hundred thousand sends that nobody receives, each a lane of its own.
constexpr size_t kMaxNodes = 500;

// Breadth first from `start` until it is met again.
Path shortest_cycle_through(const Call* start, const std::vector<const Call*>& heads) {
  std::map<const Call*, const Call*> before;
  std::deque<const Call*> next = {start};
  while (!next.empty()) {
    const Call* here = next.front();
    next.pop_front();
    for (const Call* there : heads) {
      if (there == here || common(here->missing, there->waiting).empty()) continue;
      if (there == start) {
        Path path = {here};
        while (path.back() != start) path.push_back(before.at(path.back()));
        std::reverse(path.begin(), path.end());
        return path;
      }
      if (before.emplace(there, here).second) next.push_back(there);
    }
  }
  return {};
}

}  // namespace

std::vector<int> common(const std::vector<int>& ranks, const std::vector<int>& others) {
  std::vector<int> both;
  for (const int rank : ranks)
    if (std::find(others.begin(), others.end(), rank) != others.end()) both.push_back(rank);
  return both;
}

std::vector<int> without(const std::vector<int>& ranks, const std::vector<int>& others) {
  std::vector<int> rest;
  for (const int rank : ranks)
    if (std::find(others.begin(), others.end(), rank) == others.end()) rest.push_back(rank);
  return rest;
}

void add_ranks(std::vector<int>& ranks, const std::vector<int>& more) {
  std::set<int> all(ranks.begin(), ranks.end());
  all.insert(more.begin(), more.end());
  ranks.assign(all.begin(), all.end());
}

std::vector<Wait> find_cycle(const Calls& calls, std::vector<const Call*> heads) {
  if (heads.size() > kMaxNodes) heads.resize(kMaxNodes);
  Path shortest;
  for (const Call* head : heads) {
    const Path path = shortest_cycle_through(head, heads);
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
