// How PyTorch's Flight Recorder names operations and element types, and what its first version has otherwise.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ringside/base/json.h"
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

// Dumps of version 1, which PyTorch 2.3 wrote (torch/csrc/distributed/c10d/TraceUtils.h, "1.4"): no element
// types, no timeouts, groups by number, and one number for collectives, sends and receives alike.
bool is_version_1(const Json& entry);
Json as_version_2(const Json& entry);  // JsonRejected naming the field

// Collectives and messages get numbers of their own, as version 2 has them. JsonRejected where that needs
// calls that the ring has forgotten.
void number_apart(FlightDump& dump);

}  // namespace ringside::inline flight
