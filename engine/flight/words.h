// Calls, ranks and waits in words.
#pragma once

#include <string>
#include <vector>

#include "ringside/flight/report.h"

namespace ringside::flight {

std::string name_ranks(const std::vector<int>& ranks);  // "rank 2", "ranks 0, 1 and 3"; of many: "ranks 0-62"
std::string brief_ranks(const std::vector<int>& ranks);  // "0-2, 5"
// The entry is one of a report: group and peer need no dump to be understood.
std::string short_name(int rank, const FlightEntry& entry);  // "dp #41", "dp 0->1 #3"
std::string what_it_is(
    const FlightEntry& entry);  // "all_reduce of 8 float32", "broadcast of 8 float32 from rank 2"
std::string contents(const FlightEntry& entry);  // "gradients, bucket 3", ""
// "dp #41 all_reduce of 8 float32 (gradients, bucket 3)"
std::string describe(int rank, const FlightEntry& entry);
std::string seconds(int64_t ns);  // "1.5 s"
std::string upper_first(std::string text);

}  // namespace ringside::flight
