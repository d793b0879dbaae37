// What each rank was about, by the order of FlightReport::groups.
#pragma once

#include "calls.h"
#include "ringside/flight/report.h"

namespace ringside::flight {

std::vector<RankStory> tell_stories(const Calls& calls);

}  // namespace ringside::flight
