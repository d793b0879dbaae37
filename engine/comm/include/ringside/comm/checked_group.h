// The fingerprint of a collective, and what is said when ranks disagree on it.
// Pure functions: a process group collects one fingerprint a rank before any
// data moves, and asks here who is wrong.
#pragma once

#include <string>
#include <vector>

#include "ringside/comm/process_group.h"
#include "ringside/trace/events.h"

namespace ringside {

struct Fingerprint {
  std::string group{};
  int64_t seq = 0;
  Op op = Op::kBarrier;
  Dtype dtype = Dtype::kUInt8;
  int64_t count = 0;                    // elements of the input
  int root = -1;                        // of a broadcast; of a send and a recv, the sender
  ReduceOp reduce_op = ReduceOp::kSum;  // of an all-reduce
  bool operator==(const Fingerprint&) const = default;
};
std::string to_string(const Fingerprint& fingerprint);  // "dp #41 broadcast of 1024 float32 from rank 2"

// Ranks (indices) whose fingerprint is not the most frequent one; between equally frequent ones the
// lowest rank's counts. Empty: all agree.
std::vector<int> disagreeing_ranks(const std::vector<Fingerprint>& by_rank);

// "ranks 0, 1 and 3 call dp #41 all_reduce of 8 float32; rank 2 calls dp #41 barrier"
std::string describe_disagreement(const std::vector<Fingerprint>& by_rank);

// "rank 2", "ranks 0 and 2", "ranks 0, 1 and 3"
std::string name_ranks(const std::vector<int>& ranks);

}  // namespace ringside
