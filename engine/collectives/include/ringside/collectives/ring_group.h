// A group whose all-reduces, reduce-scatters and all-gathers are rings (ring.h) in the order of its places:
// each byte goes from a rank to the next one, and the trace has a send for it. What a rank sends in all is
// what the direct ones send (cost.h); here it is known over which link. NCCL's rings do so in this order of
// ranks. A collective is over when start() returns: nothing overlaps. Other calls are handed on.
#pragma once

#include "ringside/comm/process_group.h"

namespace ringside::inline collectives {

class RingGroup final : public GroupDecorator {
 public:
  using GroupDecorator::GroupDecorator;
  WorkPtr start(Collective call) override;  // throws what send and recv throw
};

}  // namespace ringside::inline collectives
