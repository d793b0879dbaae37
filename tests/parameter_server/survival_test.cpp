// What is left of acknowledged pushes when servers die.
#include "ringside/parameter_server/survival.h"

#include <catch.h>

using namespace ringside;
using namespace ringside::ps;

TEST_CASE("survival: k copies keep every acknowledged push when any k servers die at once, and none twice") {
  for (const uint32_t backups : {1, 2})
    for (NodeId first = 1; first <= 4; ++first)
      for (NodeId second = first; second <= (backups == 2 ? 4 : first); ++second) {
        const Survival result = kill_servers(4, backups, {first, second}, first * 10 + second);
        CAPTURE(backups, first, second);
        CHECK(result.acknowledged > 100);
        CHECK(result.lost == 0);
        CHECK(result.twice == 0);
        CHECK(result.seconds < 1);
      }
}

TEST_CASE("survival: without copies what a server had acknowledged is lost, and counted") {
  int64_t lost = 0;
  double longest = 0;
  for (NodeId server = 1; server <= 4; ++server) {
    const Survival result = kill_servers(4, 0, {server}, 1);
    lost += result.lost;
    longest = std::max(longest, result.seconds);
  }
  CHECK(lost > 100);
  CHECK(longest > 2);  // the range waits for its server to come back
}
