#include "ringside/parameter_server/ring.h"

#include <algorithm>

#include "ringside/base/random.h"

namespace ringside::inline ps {
namespace {

bool contains(const std::vector<NodeId>& nodes, NodeId id) { return std::ranges::count(nodes, id) > 0; }

void append_new(std::vector<NodeId>& chain, const std::vector<NodeId>& more, size_t most) {
  for (const NodeId id : more)
    if (chain.size() < most && !contains(chain, id)) chain.push_back(id);
}

}  // namespace

Ring::Ring(const std::set<NodeId>& servers, int points_per_server) {
  for (const NodeId server : servers)
    for (int i = 0; i < points_per_server; ++i)
      points_[mix_seed(server, "point on the ring", uint64_t(i))] = server;
}

std::vector<NodeId> Ring::chain(uint32_t range, uint32_t ranges, uint32_t backups) const {
  std::vector<NodeId> chain;
  auto point = points_.lower_bound(~uint64_t{0} / ranges * range);
  for (size_t seen = 0; seen < points_.size() && chain.size() <= backups; ++seen) {
    if (point == points_.end()) point = points_.begin();
    if (!contains(chain, point->second)) chain.push_back(point->second);
    ++point;
  }
  return chain;
}

std::vector<NodeId> next_chain(const std::vector<NodeId>& chain, const std::set<NodeId>& holders,
                               const std::set<NodeId>& alive, const std::vector<NodeId>& wanted) {
  std::vector<NodeId> next, newer;
  for (const NodeId id : chain)
    if (alive.contains(id)) (holders.contains(id) ? next : newer).push_back(id);
  if (next.empty()) return chain;
  const bool all_live = next.size() + newer.size() == chain.size();

  // A member died.
  append_new(next, newer, chain.size());
  if (!all_live) {
    append_new(next, wanted, std::max(wanted.size(), next.size()));
    return next;
  }
  // Not all hold it yet, or the chain is as wanted.
  if (!newer.empty() || chain == wanted) return chain;
  // The ring wants others: append, then reorder, then drop.
  append_new(next, wanted, chain.size() + wanted.size());
  if (next != chain) return next;
  next = wanted;
  if (!contains(wanted, chain.front())) next.push_back(chain.front());
  if (next == chain || wanted.front() == chain.front()) return wanted;
  return next;
}

}  // namespace ringside::inline ps
