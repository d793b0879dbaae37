// Ranks and calls in words, as errors and reports write them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ringside/flight/dump.h"

namespace ringside::inline flight {

std::string brief_ranks(const std::vector<int>& ranks);  // "0-2, 5"
std::string name_ranks(const std::vector<int>& ranks);  // "rank 2", "ranks 0, 1 and 3"; above 8: "ranks 0-62"

// Ranks by what is said of them, in the order in which it is first said.
using RanksByText = std::vector<std::pair<std::string, std::vector<int>>>;
void add_alike(RanksByText& all, const std::string& text, int rank);

// For an entry of a report, whose group has its full name and whose peer is a rank of the world.
std::string short_name(int rank, const FlightEntry& entry);  // "dp #41", "dp 0->1 #3"
std::string what_it_is(const FlightEntry& entry);  // "all_reduce of 8 float32", "broadcast ... from rank 2"
std::string contents(const FlightEntry& entry);    // "gradients, bucket 3", ""
// "all_reduce of 8 float32 (gradients, bucket 3)"
std::string with_contents(const FlightEntry& entry);
// "dp #41 all_reduce of 8 float32 (gradients, bucket 3)"
std::string describe(int rank, const FlightEntry& entry);

std::string seconds(int64_t ns);  // "1.5 s"
std::string upper_first(std::string text);

}  // namespace ringside::inline flight
