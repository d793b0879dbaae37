// Collectives on a ring, step by step, on send and recv alone.
//
// Words. N ranks stand in a ring: rank r's `next` neighbour is r+1, its
// `previous` one r-1 (mod N). A buffer of n elements is cut into N chunks, chunk
// k = [k n / N, (k+1) n / N). In one step every rank sends one chunk to its next
// neighbour while it receives another from its previous one.
//
//   reduce-scatter, step s = 0 .. N-2:  send chunk r-s-1, receive chunk r-s-2 and add it to one's own
//   all-gather,     step s = 0 .. N-2:  send chunk r-s,   receive chunk r-s-1
//
// After the first, rank r holds the whole sum of chunk r; after the second,
// every rank holds every chunk. Chunk k is added in ring order, beginning at
// rank k+1, so its bits may differ from a sum in rank order, but not from run
// to run. bfloat16 is rounded at each step, because the wire carries bfloat16: N-1
// roundings an element. NCCL's ring does so too: its maintainers say that a float32
// sum inside the adder "would change nothing in most cases, as we're just adding two
// values at each step" (NVIDIA/nccl issue 1026). wide_ring.h rounds once.
//
// Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters
// of workstations", doi:10.1016/j.jpdc.2008.09.002. Costs: cost.h.
#pragma once

#include <functional>

#include "ringside/comm/process_group.h"

namespace ringside {

struct RingStep {
  enum class Phase { kReduceScatter, kAllGather, kBroadcast };
  Phase phase = Phase::kReduceScatter;
  int step = 0;             // 0, 1, ... of this phase
  int sent_chunk = -1;      // to the next neighbour; -1: none
  int received_chunk = -1;  // from the previous neighbour; -1: none
};
// Told after each step of this rank, on the caller's thread; may be empty.
using RingObserver = std::function<void(const RingStep&)>;

// All four block until this rank is done, and throw what send and recv throw (comm/errors.h).
// buffer: (n), any n. scratch: at least ceil(n / N) elements of the same type, for what comes in.

// Leaves the sum in chunk `rank` of buffer, partial sums in the others.
void ring_reduce_scatter(ProcessGroup& group, MutableView buffer, MutableView scratch, const Tag& tag,
                         const RingObserver& observer = {});
// Chunk `rank` of buffer holds this rank's contribution; afterwards every chunk its owner's.
void ring_all_gather(ProcessGroup& group, MutableView buffer, const Tag& tag,
                     const RingObserver& observer = {});
// Reduce-scatter, then all-gather.
void ring_all_reduce(ProcessGroup& group, MutableView buffer, MutableView scratch, const Tag& tag,
                     const RingObserver& observer = {});
// Chunk after chunk along the ring from the root, each rank passing on one while it receives the next.
void ring_broadcast(ProcessGroup& group, MutableView buffer, int root, const Tag& tag,
                    const RingObserver& observer = {});

}  // namespace ringside
