// How PyTorch's Flight Recorder spells operations and element types, and how we do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ringside/flight/dump.h"

namespace ringside::flight {

// Who reads it: PyTorch's analyzer knows its own words only.
enum class Words : uint8_t { kOurs, kPyTorch };

// "ringside:all_gather", "nccl:_all_gather_base", "nccl:send 1->2", "nccl:recv 2<-1". `self` is the
// place of the dump's rank in the group.
std::string profiling_name(const FlightEntry& entry, int self, Words words);
std::string_view dtype_name(Dtype dtype, Words words);  // "bfloat16", "BFloat16"

// What stands behind the colon of any library's "LIBRARY:NAME".
struct ParsedName {
  Op op = Op::kBarrier;
  std::optional<int> peer;  // of a send or recv
};
std::optional<ParsedName> parse_profiling_name(std::string_view text);
std::optional<Dtype> parse_dtype_name(std::string_view text);  // of either

// The place of a rank in a group; the rank itself where the group is not known.
int place_in_group(const FlightDump& dump, const std::string& group);

}  // namespace ringside::flight
