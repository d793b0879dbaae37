#include "ringside/collectives/logarithmic.h"

#include <fmt/format.h>

#include <bit>

#include "ringside/base/error.h"
#include "ringside/comm/accumulator.h"

namespace ringside::inline collectives {
namespace {

// Chunks [first, first + chunks) of n elements over N ranks.
MutableView range(MutableView buffer, int ranks, int first, int chunks) {
  const int64_t begin = chunk_of(buffer.count, ranks, first).offset;
  const Chunk last = chunk_of(buffer.count, ranks, first + chunks - 1);
  return slice(buffer, begin, last.offset + last.count - begin);
}

void exchange(ProcessGroup& group, int peer, ConstView sent, MutableView received, const Tag& tag) {
  const WorkPtr send = group.send(sent, peer, tag);
  wait_all({send, group.recv(received, peer, tag)});
}

}  // namespace

void halving_doubling_all_reduce(ProcessGroup& group, MutableView buffer, MutableView scratch,
                                 const Tag& tag) {
  const int N = group.size(), rank = group.rank();
  if (!std::has_single_bit(unsigned(N)))
    throw UsageError("halving and doubling over {} ranks: allowed are powers of two", N);
  // Before a step with `half` the range begins at the rank without its lower bits, and has 2 half chunks.
  const auto begin = [&](int of, int half) { return of & ~(half - 1); };
  for (int half = N / 2; half > 0; half /= 2) {
    const int peer = rank ^ half;
    const MutableView kept = range(buffer, N, begin(rank, half), half);
    const MutableView incoming = slice(scratch, 0, kept.count);
    exchange(group, peer, range(buffer, N, begin(peer, half), half), incoming, tag);
    add_into(kept, incoming);
  }
  for (int half = 1; half < N; half *= 2) {
    const int peer = rank ^ half;
    exchange(group, peer, range(buffer, N, begin(rank, half), half),
             range(buffer, N, begin(peer, half), half), tag);
  }
}

void tree_all_reduce(ProcessGroup& group, MutableView buffer, MutableView scratch, const Tag& tag) {
  const int N = group.size(), rank = group.rank();
  int bit = 1;  // in the end that of the parent, or above all ranks
  for (; bit < N && (rank & bit) == 0; bit *= 2) {
    if (rank + bit >= N) continue;
    group.recv(slice(scratch, 0, buffer.count), rank + bit, tag)->wait();
    add_into(buffer, slice(scratch, 0, buffer.count));
  }
  if (rank != 0) {
    group.send(buffer, rank - bit, tag)->wait();
    group.recv(buffer, rank - bit, tag)->wait();
  }
  for (bit /= 2; bit > 0; bit /= 2)
    if (rank + bit < N) group.send(buffer, rank + bit, tag)->wait();
}

}  // namespace ringside::inline collectives
