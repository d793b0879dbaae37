// The record of one call of one rank: what it asks for, when it began and ended, how many bytes left the
// rank. The trace's CollectiveEvent and the flight recorder's FlightEntry are two views of it; an error names
// a call by it. Ranks must agree in part of it before data moves: what is compared, and what is said where
// they disagree.
#pragma once

#include <string>
#include <vector>

#include "ringside/comm/process_group.h"
#include "ringside/trace/events.h"

namespace ringside {

struct CallRecord {
  // Ranks must agree in these.
  std::string group{};
  int64_t seq = 0;  // in the group; of a send or recv: between the two ranks, per direction
  Op op = Op::kBarrier;
  Dtype dtype = Dtype::kUInt8;
  int64_t elements = 0;              // of the payload (process_group.h)
  int root = -1;                     // rank of the world: of a broadcast; of a send and a recv, the sender
  ReduceOp reduce = ReduceOp::kSum;  // of an all-reduce
  // Of this rank alone.
  int rank = 0;   // of the world
  int peer = -1;  // rank of the world: a broadcast's root, a send's or recv's other end
  int64_t elements_out = 0;
  Tag tag{};
  int64_t timeout_ms = 0;
  CollectiveState state = CollectiveState::kScheduled;
  int64_t time_created_ns = 0;
  int64_t time_started_ns = 0;    // 0: it has not started
  int64_t time_completed_ns = 0;  // 0: it has not ended
  int64_t bytes_sent = 0;         // counted where they left this rank; once completed
};
std::string to_string(const CallRecord& call);  // "dp #41 broadcast of 1024 float32 from rank 2"

bool agree(const CallRecord& a, const CallRecord& b);

// Places whose call is not the most frequent one; between equally frequent ones the lowest place's counts.
// Empty: all agree.
std::vector<int> disagreeing(const std::vector<const CallRecord*>& by_place);

// "ranks 0, 1 and 3 call dp #41 all_reduce of 8 float32; rank 2 calls dp #41 barrier"
std::string describe_disagreement(const std::vector<const CallRecord*>& by_place);

}  // namespace ringside
