// Whom the evidence points at, and the sentence that says so.
#pragma once

#include <vector>

#include "calls.h"
#include "ringside/flight/report.h"

namespace ringside::flight {

struct Evidence {
  std::vector<const Call*> heads;     // the first stuck call of each lane, the oldest first
  std::vector<const Call*> settling;  // not complete everywhere, but no cause
  const Call* mispaired = nullptr;
};

// Sets suspects, certain and sentence of a report whose rest is there.
void decide(const Calls& calls, const Evidence& evidence, FlightReport& report);

}  // namespace ringside::flight
