#include "ringside/collectives/ring.h"

#include "ringside/base/check.h"
#include "ringside/comm/accumulator.h"

namespace ringside {
namespace {

// One rank's place in the ring, and its buffer cut into chunks.
struct Ring {
  ProcessGroup& group;
  MutableView buffer;
  const Tag& tag;
  int size = group.size();
  int next = modulo(group.rank() + 1);
  int previous = modulo(group.rank() - 1);

  int modulo(int k) const { return (k % size + size) % size; }
  MutableView chunk(int k) const {
    const Chunk part = chunk_of(buffer.count, size, k);
    return slice(buffer, part.offset, part.count);
  }
};

void report(const RingObserver& observer, const RingStep& step) {
  if (observer) observer(step);
}

// Sends one chunk to the next neighbour while one comes in from the previous neighbour.
void shift(const Ring& ring, ConstView sent, MutableView received) {
  const WorkPtr send = ring.group.send(sent, ring.next, ring.tag);
  wait_all({send, ring.group.recv(received, ring.previous, ring.tag)});
}

}  // namespace

void ring_reduce_scatter(ProcessGroup& group, MutableView buffer, MutableView scratch, const Tag& tag,
                         const RingObserver& observer) {
  const Ring ring{group, buffer, tag};
  const int rank = group.rank();
  RINGSIDE_CHECK_GE(scratch.count, (buffer.count + ring.size - 1) / ring.size);
  for (int step = 0; step < ring.size - 1; ++step) {
    const int sent = ring.modulo(rank - step - 1), received = ring.modulo(rank - step - 2);
    const MutableView incoming = slice(scratch, 0, ring.chunk(received).count);
    shift(ring, ring.chunk(sent), incoming);
    add_into(ring.chunk(received), incoming);
    report(observer, {RingStep::Phase::kReduceScatter, step, sent, received});
  }
}

void ring_all_gather(ProcessGroup& group, MutableView buffer, const Tag& tag, const RingObserver& observer) {
  const Ring ring{group, buffer, tag};
  const int rank = group.rank();
  for (int step = 0; step < ring.size - 1; ++step) {
    const int sent = ring.modulo(rank - step), received = ring.modulo(rank - step - 1);
    shift(ring, ring.chunk(sent), ring.chunk(received));
    report(observer, {RingStep::Phase::kAllGather, step, sent, received});
  }
}

void ring_all_reduce(ProcessGroup& group, MutableView buffer, MutableView scratch, const Tag& tag,
                     const RingObserver& observer) {
  ring_reduce_scatter(group, buffer, scratch, tag, observer);
  ring_all_gather(group, buffer, tag, observer);
}

void ring_broadcast(ProcessGroup& group, MutableView buffer, int root, const Tag& tag,
                    const RingObserver& observer) {
  const Ring ring{group, buffer, tag};
  if (ring.size == 1) return;
  const bool receives = group.rank() != root, sends = ring.next != root;
  // Step k: chunk k comes in while chunk k-1, which came in before, goes out.
  for (int step = 0; step <= ring.size; ++step) {
    const int received = receives && step < ring.size ? step : -1;
    const int sent = sends && step > 0 ? step - 1 : -1;
    std::vector<WorkPtr> works;
    if (sent >= 0) works.push_back(group.send(ring.chunk(sent), ring.next, tag));
    if (received >= 0) works.push_back(group.recv(ring.chunk(received), ring.previous, tag));
    wait_all(works);
    if (!works.empty()) report(observer, {RingStep::Phase::kBroadcast, step, sent, received});
  }
}

}  // namespace ringside
