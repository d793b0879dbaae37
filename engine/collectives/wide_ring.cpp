#include "ringside/collectives/wide_ring.h"

#include "ringside/base/bfloat16.h"
#include "ringside/base/check.h"

namespace ringside {

void ring_all_reduce_in_fp32(ProcessGroup& group, MutableView buffer, MutableView wide, MutableView scratch,
                             const Tag& tag, const RingObserver& observer) {
  RINGSIDE_CHECK_EQ(to_string(buffer.dtype), to_string(Dtype::kBFloat16));
  RINGSIDE_CHECK_EQ(to_string(wide.dtype), to_string(Dtype::kFloat32));
  RINGSIDE_CHECK_EQ(buffer.count, wide.count);
  auto* narrow = static_cast<uint16_t*>(buffer.data);
  auto* sum = static_cast<float*>(wide.data);
  for (int64_t i = 0; i < buffer.count; ++i) sum[i] = bf16_to_float(narrow[i]);
  ring_all_reduce(group, wide, scratch, tag, observer);
  for (int64_t i = 0; i < buffer.count; ++i) narrow[i] = float_to_bf16(sum[i]);
}

}  // namespace ringside
