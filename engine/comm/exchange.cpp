#include "exchange.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "ringside/base/check.h"
#include "ringside/comm/accumulator.h"

namespace ringside {
namespace {

// Between two meetings ranks only copy memory. Their deadline has been met by then; this limit is for
// a thread that the system has stopped.
constexpr auto kCopyLimit = std::chrono::minutes(10);

}  // namespace

// A part of a peer's input. Whoever asks for it copies it, so it counts as sent by the peer.
ConstView Exchange::read(int reader, int peer, Chunk part) {
  const ConstView view = slice(request(peer).input, part.offset, part.count);
  if (peer != reader) calls_[peer]->count_sent(view.bytes());
  return view;
}

// output[to] = peer's input[from]; nothing to do where they are the same memory.
void Exchange::copy(int reader, int peer, Chunk from, Chunk to) {
  const ConstView source = read(reader, peer, from);
  const View target = slice(request(reader).output, to.offset, to.count);
  if (target.count > 0 && target.data != source.data) std::memcpy(target.data, source.data, source.bytes());
}

// output = round(in_0[chunk] + in_1[chunk] + ... + in_{N-1}[chunk]), in that order, block by block:
// each block is read from all before it is written, so output may be this chunk of an input.
void Exchange::reduce(int rank, Chunk chunk, View output) {
  const ReduceOp op = request(rank).fingerprint.reduce_op;
  Accumulator acc;
  for (int64_t done = 0; done < chunk.count; done += Accumulator::kElements) {
    const Chunk block{chunk.offset + done, std::min(Accumulator::kElements, chunk.count - done)};
    acc.set(read(rank, 0, block));
    for (int peer = 1; peer < size(); ++peer) acc.add(read(rank, peer, block), op);
    acc.store(slice(output, done, block.count));
  }
}

void Exchange::all_reduce(int rank) {
  const View buffer = request(rank).output;
  const Chunk mine = chunk_of(buffer.count, size(), rank);
  reduce(rank, mine, slice(buffer, mine.offset, mine.count));
  meet();
  for (int peer = 0; peer < size(); ++peer) {
    const Chunk chunk = chunk_of(buffer.count, size(), peer);
    if (peer != rank) copy(rank, peer, chunk, chunk);
  }
}

void Exchange::reduce_scatter(int rank) {
  const View output = request(rank).output;
  reduce(rank, {rank * output.count, output.count}, output);
}

void Exchange::all_gather(int rank) {
  const int64_t count = request(rank).input.count;
  for (int peer = 0; peer < size(); ++peer) copy(rank, peer, {0, count}, {peer * count, count});
}

void Exchange::broadcast(int rank) {
  const Chunk all{0, request(rank).output.count};
  const int root = request(rank).fingerprint.root;
  if (rank != root) copy(rank, root, all, all);
}

void Exchange::all_to_all(int rank) {
  const int64_t count = request(rank).input.count / size();
  for (int peer = 0; peer < size(); ++peer) copy(rank, peer, {rank * count, count}, {peer * count, count});
}

void Exchange::run(int rank) {
  switch (calls_[rank]->op()) {
    case Op::kAllReduce: all_reduce(rank); break;
    case Op::kReduceScatter: reduce_scatter(rank); break;
    case Op::kAllGather: all_gather(rank); break;
    case Op::kBroadcast: broadcast(rank); break;
    case Op::kAllToAll: all_to_all(rank); break;
    case Op::kBarrier: return;
    case Op::kSend:
    case Op::kRecv: RINGSIDE_CHECK(false, "sends and receives have no rendezvous");
  }
  meet();
}

void Exchange::meet() {
  std::unique_lock lock(mutex_);
  if (++met_ == size()) {
    met_ = 0;
    ++meetings_;
    all_met_.notify_all();
    return;
  }
  const int64_t meeting = meetings_;
  const bool met = all_met_.wait_for(lock, kCopyLimit, [&] { return meetings_ != meeting; });
  RINGSIDE_CHECK(met, to_string(request(0).fingerprint) << ": a rank stopped while copying");
}

int64_t Exchange::most_bytes_sent() const {
  int64_t most = 0;
  for (const CallPtr& call : calls_) most = std::max(most, call->bytes_sent());
  return most;
}

}  // namespace ringside
