// Who should hold a range: a consistent-hash ring (Karger et al., STOC 1997; Li et al., OSDI 2014,
// section 4.4).
//
// Each server has points on a circle of 2^64 places, drawn from its number. Range i of R stands at i 2^64 /
// R. Its owner is the server of the next point, its backups are the next servers behind that are not in its
// chain yet. A server that comes or goes changes the chains beside its own points alone.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "ringside/parameter_server/messages.h"

namespace ringside::inline ps {

class Ring {
 public:
  explicit Ring(const std::set<NodeId>& servers, int points_per_server = 16);

  // Of range i of R: the owner, then k backups; fewer where there are not as many servers.
  std::vector<NodeId> chain(uint32_t range, uint32_t ranges, uint32_t backups) const;
  const std::map<uint64_t, NodeId>& points() const { return points_; }

 private:
  std::map<uint64_t, NodeId> points_;
};

// The next step of a range from the chain that it has to the one that the ring wants. What was acknowledged
// is with every holder, so the new head is one of them, and two chains in a row share a member that is needed
// in both; a head that is alive stays in the chain until the next head serves.
//
//   a member died          the holders that live, the others that live, and new ones from the ring
//   not all hold it yet    wait
//   the ring wants others  first append them; when they hold it put them first; then drop the rest
//
// `holders`: members known to have all that was acknowledged. None of them alive: the chain stays as it is.
std::vector<NodeId> next_chain(const std::vector<NodeId>& chain, const std::set<NodeId>& holders,
                               const std::set<NodeId>& alive, const std::vector<NodeId>& wanted);

}  // namespace ringside::inline ps
