// The record of one call: what its ranks must agree in before data moves, and whose call it is. An error
// names a call by it. What is compared, and what is said where ranks disagree.
#pragma once

#include <string>
#include <vector>

#include "ringside/comm/process_group.h"

namespace ringside::inline comm {

struct CallRecord {
  // Ranks must agree in these.
  std::string group{};
  int64_t seq = 0;  // in the group; of a send or recv: between the two ranks, per direction
  Op op = Op::kBarrier;
  Dtype dtype = Dtype::kUInt8;
  int64_t elements = 0;              // of the payload (process_group.h)
  int root = -1;                     // rank of the world: of a broadcast; of a send and a recv, the sender
  ReduceOp reduce = ReduceOp::kSum;  // of an all-reduce
  // A hash of what a collective carries, its tag and unit; 0: it does not say. It tells a call that one rank
  // has left out from the next of the same size. Threads leave it 0.
  uint64_t contents = 0;
  // Not compared.
  int rank = 0;  // of the world: whose call it is
};
std::string to_string(const CallRecord& call);  // "dp #41 broadcast of 1024 float32 from rank 2"

bool agree(const CallRecord& a, const CallRecord& b);

// Places whose call is not the most frequent one; all places where several are as frequent, as it cannot be
// told then who is wrong. Empty: all agree.
std::vector<int> disagreeing(const std::vector<const CallRecord*>& by_place);

// "ranks 0, 1 and 3 call dp #41 all_reduce of 8 float32; rank 2 calls dp #41 barrier"
std::string describe_disagreement(const std::vector<const CallRecord*>& by_place);

}  // namespace ringside::inline comm
