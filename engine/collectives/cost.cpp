#include "ringside/collectives/cost.h"

#include "ringside/comm/process_group.h"

namespace ringside::inline collectives {
namespace {

// Of chunk r + k.
int64_t chunk_bytes(const Payload& p, int k = 0) {
  return chunk_of(p.elements, p.size, (p.rank + k) % p.size).count * size_of(p.dtype);
}
int64_t whole_bytes(const Payload& p) { return p.elements * size_of(p.dtype); }

}  // namespace

namespace direct {

int64_t all_reduce(const Payload& p) { return whole_bytes(p) + (p.size - 2) * chunk_bytes(p); }
int64_t reduce_scatter(const Payload& p) { return whole_bytes(p) - chunk_bytes(p); }
int64_t all_gather(const Payload& p) { return (p.size - 1) * chunk_bytes(p); }
int64_t broadcast(const Payload& p) { return p.rank == p.root ? (p.size - 1) * whole_bytes(p) : 0; }
int64_t all_to_all(const Payload& p) { return whole_bytes(p) - chunk_bytes(p); }

}  // namespace direct

namespace ring {

int64_t reduce_scatter(const Payload& p) { return whole_bytes(p) - chunk_bytes(p); }
int64_t all_gather(const Payload& p) { return whole_bytes(p) - chunk_bytes(p, 1); }
int64_t all_reduce(const Payload& p) { return reduce_scatter(p) + all_gather(p); }

}  // namespace ring
}  // namespace ringside::inline collectives
