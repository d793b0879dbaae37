// What one rank sends in a collective, from its arguments alone: coded once here, tested against counted
// events. In elements, with c_r the size of chunk r of n (comm/process_group.h; n / N where N divides n), and
// root the root of a broadcast:
//
//                     direct                   ring                      steps in a row
//   all_reduce        n + (N-2) c_r            2n - c_r - c_{r+1}        2(N-1)
//   reduce_scatter    n - c_r                  n - c_r                   N-1
//   all_gather        (N-1) c_r                n - c_{r+1}               N-1
//   broadcast         (N-1) n from the root                              1
//   all_to_all        n - c_r                                            N-1
//
// Where N divides n, both all-reduces send 2(N-1)/N n from each rank, which is the least possible:
// Patarasuk and Yuan 2009, doi:10.1016/j.jpdc.2008.09.002. Steps: hops() in comm/link_model.h.
#pragma once

#include <cstdint>

#include "ringside/trace/events.h"

namespace ringside::inline collectives {

struct Payload {
  int64_t elements = 0;  // n, the whole buffer: a reduce_scatter's input, an all_gather's output
  Dtype dtype = Dtype::kFloat32;
  int size = 1;  // N
  int rank = 0;  // r
  int root = 0;
};

// All in bytes.
namespace direct {  // comm/wiring.h
int64_t all_reduce(const Payload& payload);
int64_t reduce_scatter(const Payload& payload);
int64_t all_gather(const Payload& payload);
int64_t broadcast(const Payload& payload);
int64_t all_to_all(const Payload& payload);
}  // namespace direct

namespace ring {  // ring.h
int64_t all_reduce(const Payload& payload);
int64_t reduce_scatter(const Payload& payload);
int64_t all_gather(const Payload& payload);
}  // namespace ring

}  // namespace ringside::inline collectives
