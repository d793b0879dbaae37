// Collectives on a ring, step by step, on send and recv alone.
//
// Words. N ranks stand in a ring: rank r's `next` neighbour is r+1, its `previous` one r-1 (mod N). A buffer
// of n elements is cut into N chunks, chunk k = [k n / N, (k+1) n / N). In one step every rank sends one
// chunk to its next neighbour while it receives another from its previous one.
//
//   reduce-scatter, step s = 0 .. N-2:  send chunk r-s-1, receive chunk r-s-2 and add it to one's own
//   all-gather,     step s = 0 .. N-2:  send chunk r-s,   receive chunk r-s-1
//
// After the first, rank r holds the whole sum of chunk r; after the second, every rank holds every chunk.
// Chunk k is added in ring order, beginning at rank k+1, so its bits may differ from a sum in rank order, but
// not from run to run. bfloat16 is rounded at each step, because the wire carries bfloat16: N-1 roundings an
// element. NCCL's ring does so too: its maintainers say that a float32 sum inside the adder "would change
// nothing in most cases, as we're just adding two values at each step" (NVIDIA/nccl issue 1026).
// ring_all_reduce_in_fp32 rounds once.
//
// Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters
// of workstations", doi:10.1016/j.jpdc.2008.09.002. Costs: cost.h.
#pragma once

#include "ringside/comm/process_group.h"

namespace ringside::inline collectives {

// All block until this rank is done, and throw what send and recv throw (comm/errors.h).
// buffer: (n), any n. scratch: at least ceil(n / N) elements of the same type, for what comes in.

// Leaves the sum in chunk `rank` of buffer, partial sums in the others.
void ring_reduce_scatter(ProcessGroup& group, MutableView buffer, MutableView scratch, const Tag& tag);
// Chunk `rank` of buffer holds this rank's contribution; afterwards every chunk its owner's.
void ring_all_gather(ProcessGroup& group, MutableView buffer, const Tag& tag);
// Reduce-scatter, then all-gather.
void ring_all_reduce(ProcessGroup& group, MutableView buffer, MutableView scratch, const Tag& tag);

// An all-reduce of bfloat16 whose sum travels in float32.
//
//   wide = buffer;  wide = ring_all_reduce(wide);  buffer = round(wide)
//
// ring_all_reduce on bfloat16 rounds the partial sum at each of its N-1 hops. Here the sum is rounded to
// bfloat16 once, at its end; on its way it has float32's rounding, 2^-24 of the partial sum a hop. Each hop
// carries 4 bytes an element instead of 2, so a rank sends twice as much: 2(N-1)/N n elements of 4 bytes.
// Megatron core calls it grad_reduce_in_fp32 (DistributedDataParallelConfig), DeepSpeed
// communication_data_type fp32; these keep the float32 sum, which rounds once less still.
//
// buffer: (n) bfloat16, replaced by the sum. wide: (n) float32. scratch: at least ceil(n / N) float32.
void ring_all_reduce_in_fp32(ProcessGroup& group, MutableView buffer, MutableView wide, MutableView scratch,
                             const Tag& tag);

}  // namespace ringside::inline collectives
