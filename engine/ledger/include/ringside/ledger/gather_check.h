// Whether each unit was whole when it was used, where units are gathered for a while (ZeRO-3), by the trace.
#pragma once

#include "ringside/trace/trace.h"

namespace ringside::inline ledger {

// Gathers and drops of one section, checked against the units' forward and backward spans.
struct GatherCheck {
  int64_t gathers = 0, drops = 0;  // all ranks
  int64_t uses = 0;                // forward and backward passes of a unit
  int64_t late = 0;                // uses that began before the unit's gather had completed
  int64_t most_at_once = 0;        // units held whole on a rank at any moment
  int64_t left_over = 0;           // still held at a step's end
};
GatherCheck check_gathers(const Trace& trace, const SectionView& section);

}  // namespace ringside::inline ledger
