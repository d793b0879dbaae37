#include "ringside/collectives/ring.h"

#include "ringside/base/bfloat16.h"
#include "ringside/base/check.h"
#include "ringside/comm/accumulator.h"

namespace ringside::inline collectives {
namespace {

// One rank's place in the ring, and its buffer cut into chunks.
struct Ring {
  ProcessGroup& group;
  MutableView buffer;
  const Tag& tag;
  int size = group.size();

  // Of the rank, or the chunk, k places on.
  int at(int k) const { return ((group.rank() + k) % size + size) % size; }
  MutableView chunk(int k) const { return slice(buffer, chunk_of(buffer.count, size, k)); }
  // Sends one chunk to the next neighbour while one comes in from the previous neighbour.
  void shift(ConstView sent, MutableView received) const {
    const WorkPtr send = group.send(sent, at(1), tag);
    wait_all({send, group.recv(received, at(-1), tag)});
  }
};

}  // namespace

void ring_reduce_scatter(ProcessGroup& group, MutableView buffer, MutableView scratch, const Tag& tag) {
  const Ring ring{group, buffer, tag};
  RINGSIDE_CHECK_GE(scratch.count, (buffer.count + ring.size - 1) / ring.size);
  for (int step = 0; step < ring.size - 1; ++step) {
    const MutableView sum = ring.chunk(ring.at(-step - 2)), incoming = slice(scratch, 0, sum.count);
    ring.shift(ring.chunk(ring.at(-step - 1)), incoming);
    add_into(sum, incoming);
  }
}

void ring_all_gather(ProcessGroup& group, MutableView buffer, const Tag& tag) {
  const Ring ring{group, buffer, tag};
  for (int step = 0; step < ring.size - 1; ++step)
    ring.shift(ring.chunk(ring.at(-step)), ring.chunk(ring.at(-step - 1)));
}

void ring_all_reduce(ProcessGroup& group, MutableView buffer, MutableView scratch, const Tag& tag) {
  ring_reduce_scatter(group, buffer, scratch, tag);
  ring_all_gather(group, buffer, tag);
}

void ring_all_reduce_in_fp32(ProcessGroup& group, MutableView buffer, MutableView wide, MutableView scratch,
                             const Tag& tag) {
  RINGSIDE_CHECK_EQ(to_string(buffer.dtype), to_string(Dtype::kBFloat16));
  RINGSIDE_CHECK_EQ(to_string(wide.dtype), to_string(Dtype::kFloat32));
  RINGSIDE_CHECK_EQ(buffer.count, wide.count);
  auto* narrow = static_cast<uint16_t*>(buffer.data);
  auto* sum = static_cast<float*>(wide.data);
  for (int64_t i = 0; i < buffer.count; ++i) sum[i] = bf16_to_float(narrow[i]);
  ring_all_reduce(group, wide, scratch, tag);
  for (int64_t i = 0; i < buffer.count; ++i) narrow[i] = float_to_bf16(sum[i]);
}

}  // namespace ringside::inline collectives
