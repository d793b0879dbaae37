// The picture of a report: a row a rank, a column a group, and in it the last few numbers.
//
//             dp                          default
//    rank 0   ■42 ■43 ■44  ╎              ■8 ■9 □10
//   ▸rank 3   ■42 ■43 ■44 □45             ■8 ■9  ╎
#pragma once

#include <string>
#include <vector>

#include "ringside/flight/report.h"

namespace ringside::flight {

// Lines without line breaks. Ranks that look alike share a row where there are more than eight.
std::vector<std::string> draw_lanes(const FlightReport& report);

}  // namespace ringside::flight
