// What the flight recorder of a rank of three has kept: `calls` all-reduces of the group "dp", of which the
// first four are completed.
#pragma once

#include "ringside/flight/dump.h"

namespace ringside::testing {

inline FlightDump dump_of(int rank, int calls) {
  FlightDump dump{.groups = {{"dp", "", {0, 1, 2}}}, .entries = {}, .forgotten = 0};
  dump.rank = rank;
  for (int64_t seq = 0; seq < calls; ++seq)
    dump.entries.push_back({.record_id = seq,
                            .group = "dp",
                            .collective_seq_id = seq,
                            .op = Op::kAllReduce,
                            .dtype = Dtype::kFloat32,
                            .elements_in = 8,
                            .elements_out = 8,
                            .time_created_ns = 1000 + seq,
                            .state = seq < 4 ? CollectiveState::kCompleted : CollectiveState::kStarted});
  return dump;
}

}  // namespace ringside::testing
