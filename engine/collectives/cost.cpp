#include "ringside/collectives/cost.h"

#include "ringside/comm/link_model.h"
#include "ringside/comm/process_group.h"

namespace ringside {
namespace {

int64_t chunk_count(const Payload& payload, int rank) {
  return chunk_of(payload.elements, payload.size, rank % payload.size).count;
}

Cost cost(const Payload& payload, int64_t elements_sent, int64_t steps) {
  return {elements_sent * size_of(payload.dtype), steps};
}

}  // namespace

namespace direct {

Cost all_reduce(const Payload& p) {
  return cost(p, p.elements + (p.size - 2) * chunk_count(p, p.rank), hops(Op::kAllReduce, p.size));
}
Cost reduce_scatter(const Payload& p) {
  return cost(p, p.elements - chunk_count(p, p.rank), hops(Op::kReduceScatter, p.size));
}
Cost all_gather(const Payload& p) {
  return cost(p, (p.size - 1) * chunk_count(p, p.rank), hops(Op::kAllGather, p.size));
}
Cost broadcast(const Payload& p) {
  return cost(p, p.rank == p.root ? (p.size - 1) * p.elements : 0, hops(Op::kBroadcast, p.size));
}
Cost all_to_all(const Payload& p) {
  return cost(p, p.elements - chunk_count(p, p.rank), hops(Op::kAllToAll, p.size));
}

}  // namespace direct

namespace ring {

Cost reduce_scatter(const Payload& p) { return cost(p, p.elements - chunk_count(p, p.rank), p.size - 1); }
Cost all_gather(const Payload& p) { return cost(p, p.elements - chunk_count(p, p.rank + 1), p.size - 1); }
Cost all_reduce(const Payload& p) {
  const Cost reduce = reduce_scatter(p), gather = all_gather(p);
  return {reduce.bytes_sent + gather.bytes_sent, reduce.steps + gather.steps};
}
Cost broadcast(const Payload& p) {
  const bool last = (p.rank + 1) % p.size == p.root;
  return cost(p, last ? 0 : p.elements, 2 * (p.size - 1));
}

}  // namespace ring
}  // namespace ringside
