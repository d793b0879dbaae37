// Dumps of version 1, which PyTorch 2.3 wrote (torch/csrc/distributed/c10d/TraceUtils.h, "1.4"): no element
// types, no timeouts, groups by number, and one number for collectives, sends and receives alike.
#pragma once

#include "ringside/base/json.h"
#include "ringside/flight/dump.h"

namespace ringside::inline flight {

bool is_version_1(const Json& entry);
Json as_version_2(const Json& entry);  // JsonRejected naming the field

// Collectives and messages get numbers of their own, as version 2 has them. JsonRejected where that needs
// calls that the ring has forgotten.
void number_apart(FlightDump& dump);

}  // namespace ringside::inline flight
