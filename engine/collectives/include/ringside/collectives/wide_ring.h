// An all-reduce of bfloat16 whose sum travels in float32.
//
//   wide = buffer;  wide = ring_all_reduce(wide);  buffer = round(wide)
//
// ring_all_reduce on bfloat16 (ring.h) rounds the partial sum at each of its N-1 hops. Here the sum is
// rounded to bfloat16 once, at its end; on its way it has float32's rounding, 2^-24 of the partial sum a hop.
// Each hop carries 4 bytes an element instead of 2, so a rank sends twice as much: 2(N-1)/N n elements of 4
// bytes. Megatron core calls it grad_reduce_in_fp32 (DistributedDataParallelConfig), DeepSpeed
// communication_data_type fp32; these keep the float32 sum, which rounds once less still.
#pragma once

#include "ringside/collectives/ring.h"

namespace ringside {

// buffer: (n) bfloat16, replaced by the sum. wide: (n) float32. scratch: at least ceil(n / N) float32.
void ring_all_reduce_in_fp32(ProcessGroup& group, MutableView buffer, MutableView wide, MutableView scratch,
                             const Tag& tag, const RingObserver& observer = {});

}  // namespace ringside
