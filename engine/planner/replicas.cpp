#include "ringside/planner/replicas.h"

#include <fmt/format.h>

#include "ringside/base/error.h"

namespace ringside {

void check_replicas(int ranks, const Distribution& d) {
  if (d.replicas < 1 || ranks % d.replicas != 0)
    throw UsageError(fmt::format("replicas={}: it must divide ranks={}", d.replicas, ranks));
  if (d.stage == 0 && d.replicas != 1)
    throw UsageError(
        fmt::format("replicas={} with stage=0: it cuts nothing, so that every rank has all; allowed are "
                    "stages 1 to 3, or replicas=1",
                    d.replicas));
}

}  // namespace ringside
