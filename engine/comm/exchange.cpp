#include "exchange.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "ringside/base/check.h"
#include "ringside/comm/accumulator.h"

namespace ringside {
namespace {

// A phase only copies memory; this limit is for a thread that the system has stopped within one.
constexpr auto kCopyLimit = std::chrono::minutes(10);

// Up to here one rank runs every part.
constexpr int64_t kSmallBytes = 4096;

}  // namespace

Exchange::Exchange(std::vector<CallPtr> calls)
    : calls_(std::move(calls)),
      start_(SteadyClock::now()),
      held_(std::any_of(calls_.begin(), calls_.end(),
                        [](const CallPtr& call) { return call->asked().hold.has_value(); })),
      small_(!held_ && payload(asked(0)).bytes() <= kSmallBytes),
      phases_done_(calls_.size()) {
  if (!small_) return;
  for (int phase = 0; phase < phases(); ++phase)
    for (int rank = 0; rank < size(); ++rank) run_phase(phase, rank);
}

// A part of a peer's input, which the reader copies: it counts as sent by the peer.
ConstView Exchange::read(int reader, int peer, Chunk part) {
  const ConstView view = slice(asked(peer).input, part.offset, part.count);
  if (peer != reader) calls_[peer]->count_sent(view.bytes());
  return view;
}

// output[to] = peer's input[from]; nothing to do where they are the same memory.
void Exchange::copy(int reader, int peer, Chunk from, Chunk to) {
  const ConstView source = read(reader, peer, from);
  const MutableView target = slice(asked(reader).output, to.offset, to.count);
  if (target.count > 0 && target.data != source.data) std::memcpy(target.data, source.data, source.bytes());
}

// output = round(in_0[chunk] + in_1[chunk] + ... + in_{N-1}[chunk]), in that order, block by block:
// each block is read from all before it is written, so output may be this chunk of an input.
void Exchange::reduce(int rank, Chunk chunk, MutableView output) {
  const ReduceOp op = asked(rank).reduce;
  Accumulator acc;
  for (int64_t done = 0; done < chunk.count; done += Accumulator::kElements) {
    const Chunk block{chunk.offset + done, std::min(Accumulator::kElements, chunk.count - done)};
    acc.set(read(rank, 0, block));
    for (int peer = 1; peer < size(); ++peer) acc.add(read(rank, peer, block), op);
    acc.store(slice(output, done, block.count));
  }
}

int Exchange::phases() const {
  if (asked(0).op == Op::kBarrier) return held_ ? 1 : 0;
  return asked(0).op == Op::kAllReduce ? 2 : 1;
}

// What this rank copies in this phase. An all-reduce has two: each rank adds its chunk up, then fetches the
// others.
void Exchange::run_phase(int phase, int rank) {
  const Collective& call = asked(rank);
  const int64_t in = call.input.count, out = call.output.count;
  const auto part = [](int64_t index, int64_t count) { return Chunk{index * count, count}; };
  switch (call.op) {
    case Op::kAllReduce:
      for (int peer = 0; peer < size(); ++peer) {
        const Chunk chunk = chunk_of(out, size(), peer);
        if (phase == 0 && peer == rank) reduce(rank, chunk, slice(call.output, chunk.offset, chunk.count));
        if (phase == 1 && peer != rank) copy(rank, peer, chunk, chunk);
      }
      break;
    case Op::kReduceScatter:
      reduce(rank, part(rank, out), call.output);
      break;
    case Op::kAllGather:
      for (int peer = 0; peer < size(); ++peer) copy(rank, peer, part(0, in), part(peer, in));
      break;
    case Op::kAllToAll:
      for (int peer = 0; peer < size(); ++peer)
        copy(rank, peer, part(rank, in / size()), part(peer, in / size()));
      break;
    case Op::kBroadcast:
      if (rank != call.peer) copy(rank, call.peer, part(0, out), part(0, out));
      break;
    case Op::kRecv:
      copy(1, 0, part(0, out), part(0, out));
      break;
    case Op::kSend:
    case Op::kBarrier:
      break;
  }
}

bool Exchange::run(int rank, TimePoint deadline) {
  if (small_) return true;
  for (int phase = 0; phase < phases(); ++phase) {
    if (!begin_phase()) return false;
    run_phase(phase, rank);
    if (!meet(rank, deadline)) return false;
  }
  return true;
}

bool Exchange::begin_phase() {
  std::unique_lock lock(mutex_);
  if (broken_) {
    wait_until_quiet(lock);
    return false;
  }
  ++copying_;
  return true;
}

// After a phase: waits until every rank has done it.
bool Exchange::meet(int rank, TimePoint deadline) {
  std::unique_lock lock(mutex_);
  --copying_;
  const int done = ++phases_done_[static_cast<size_t>(rank)];
  changed_.notify_all();
  const auto all_met = [&] { return *std::min_element(phases_done_.begin(), phases_done_.end()) >= done; };
  changed_.wait_until(lock, deadline, [&] { return broken_ || all_met(); });
  if (all_met()) return true;
  break_locked();
  wait_until_quiet(lock);
  return false;
}

void Exchange::break_off() {
  const std::lock_guard lock(mutex_);
  break_locked();
}

void Exchange::break_locked() {
  if (broken_) return;
  broken_ = true;
  const int furthest = *std::max_element(phases_done_.begin(), phases_done_.end());
  for (int rank = 0; rank < size(); ++rank)
    if (phases_done_[static_cast<size_t>(rank)] < furthest) absent_.push_back(rank);
  changed_.notify_all();
}

void Exchange::wait_until_quiet(std::unique_lock<std::mutex>& lock) {
  const bool quiet = changed_.wait_for(lock, kCopyLimit, [&] { return copying_ == 0; });
  RINGSIDE_CHECK(quiet, to_string(calls_.front()->record()) << ": a rank stopped while copying");
}

std::vector<int> Exchange::absent() {
  const std::lock_guard lock(mutex_);
  return absent_;
}

int64_t Exchange::most_bytes_sent() const {
  int64_t most = 0;
  for (const CallPtr& call : calls_) most = std::max(most, call->bytes_sent());
  return most;
}

}  // namespace ringside
