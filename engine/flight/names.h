// How PyTorch's Flight Recorder names operations and element types.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ringside/flight/dump.h"

namespace ringside::inline flight {

// PyTorch's analyzer knows PyTorch's words only.
enum class Words : uint8_t { kOurs, kPyTorch };

// "ringside:all_gather", "nccl:_all_gather_base", "nccl:send 1->2", "nccl:recv 2<-1". `self` is the dump's
// own rank, counted within the group.
std::string profiling_name(const FlightEntry& entry, int self, Words words);
std::string_view dtype_name(Dtype dtype, Words words);  // "bfloat16", "BFloat16"

// Reads what stands behind the colon of any library's "LIBRARY:NAME" into op and, of a send or recv, peer.
// False where it is not known.
bool parse_profiling_name(std::string_view text, FlightEntry& entry);
std::optional<Dtype> parse_dtype_name(std::string_view text);  // in either words

}  // namespace ringside::inline flight
