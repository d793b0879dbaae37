// Who should hold a range, and the steps there.
#include <catch.h>

#include "ringside/base/random.h"
#include "ringside/parameter_server/ring.h"

using namespace ringside;

namespace {

using Nodes = std::vector<NodeId>;

}  // namespace

TEST_CASE("ring: a chain has distinct servers, and one that leaves changes its own chains only") {
  const Ring ring({1, 2, 3, 4});
  std::map<NodeId, int> owned;
  for (uint32_t range = 0; range < 256; ++range) {
    const Nodes chain = ring.chain(range, 256, 2);
    CHECK(chain.size() == 3);
    CHECK(std::set<NodeId>(chain.begin(), chain.end()).size() == 3);
    ++owned[chain.front()];
  }
  for (const auto& [server, count] : owned) CHECK(count > 16);
  CHECK(owned.size() == 4);
  CHECK(Ring({7}).chain(0, 1, 2) == Nodes{7});
  const Ring before({1, 2, 3, 4, 5}), after({1, 2, 4, 5});
  int kept = 0;
  for (uint32_t range = 0; range < 256; ++range) {
    const Nodes chain = before.chain(range, 256, 1);
    if (std::count(chain.begin(), chain.end(), 3) > 0) continue;
    CHECK(after.chain(range, 256, 1) == chain);
    ++kept;
  }
  CHECK(kept > 50);
}

TEST_CASE("ring: the steps of a range that moves, loses a member, or has no holder left") {
  // To another head: append, reorder with the old head at the end, drop.
  CHECK(next_chain({1, 2}, {1, 2}, {1, 2, 3}, {3, 2}) == Nodes{1, 2, 3});
  CHECK(next_chain({1, 2, 3}, {1, 2}, {1, 2, 3}, {3, 2}) == Nodes{1, 2, 3});  // 3 does not hold it yet
  CHECK(next_chain({1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {3, 2}) == Nodes{3, 2, 1});
  CHECK(next_chain({3, 2, 1}, {1, 2, 3}, {1, 2, 3}, {3, 2}) == Nodes{3, 2});
  CHECK(next_chain({3, 2}, {2, 3}, {1, 2, 3}, {3, 2}) == Nodes{3, 2});
  // A member died: who holds it comes first.
  CHECK(next_chain({1, 2}, {1, 2}, {2, 3}, {2, 3}) == Nodes{2, 3});
  CHECK(next_chain({1, 2, 3}, {1, 3}, {2, 3, 4}, {2, 3, 4}) == Nodes{3, 2, 4});
  // No holder lives.
  CHECK(next_chain({1, 2}, {1}, {2, 3}, {2, 3}) == Nodes{1, 2});
}

TEST_CASE("ring: whatever servers come and go, a range ends where it should, by steps that are safe") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomStream random(seed, "chains");
    const auto draw = [&] {
      std::set<NodeId> servers;
      for (NodeId id = 1; id <= 6; ++id)
        if (random.below(2) == 0) servers.insert(id);
      return servers;
    };
    std::set<NodeId> alive = {1, 2, 3, 4, 5, 6};
    const auto backups = static_cast<uint32_t>(random.below(3));
    Nodes chain = Ring(alive).chain(0, 1, backups);
    for (int change = 0; change < 4; ++change) {
      std::set<NodeId> staying = draw();
      if (staying.empty()) staying = {1};
      const Nodes wanted = Ring(staying).chain(0, 1, backups);
      std::set<NodeId> holders(chain.begin(), chain.end());
      int steps = 0;
      for (; chain != wanted && steps < 5; ++steps) {
        const Nodes next = next_chain(chain, holders, alive, wanted);
        CAPTURE(seed, change, steps);
        CHECK(holders.contains(next.front()));
        CHECK(std::count(next.begin(), next.end(), chain.front()) +
                  std::count(chain.begin(), chain.end(), next.front()) >
              1 - (next.front() == chain.front()));
        chain = next;
        holders.insert(chain.begin(), chain.end());
      }
      CHECK(steps <= 3);
    }
  }
}
