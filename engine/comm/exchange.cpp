#include "exchange.h"

#include <algorithm>
#include <chrono>

#include "ringside/base/check.h"
#include "ringside/comm/accumulator.h"

namespace ringside::inline comm {
namespace {

// A phase only copies memory; this limit is for a thread that the system has stopped within one.
constexpr auto kCopyLimit = std::chrono::minutes(10);

// Up to here, of all ranks together, one rank runs every part: to wake the others takes as long.
constexpr int64_t kSmallBytes = int64_t{128} << 10;

}  // namespace

Exchange::Exchange(std::vector<CallPtr> calls)
    : calls_(std::move(calls)),
      start_(SteadyClock::now()),
      held_(std::ranges::any_of(calls_, [](const CallPtr& call) { return call->asked().hold.has_value(); })),
      small_(!held_ && payload(asked(0)).bytes() * size() <= kSmallBytes),
      phases_done_(calls_.size()) {
  if (!small_) return;
  for (int phase = 0; phase < phases(); ++phase)
    for (int rank = 0; rank < size(); ++rank) run_phase(phase, rank);
}

// A part of a peer's input, which the reader copies: it counts as sent by the peer.
ConstView Exchange::read(int reader, int peer, Chunk part) {
  const ConstView view = slice(asked(peer).input, part);
  if (peer != reader) calls_[peer]->count_sent(view.bytes());
  return view;
}

void Exchange::copy(int reader, int peer, const TakenPart& part) {
  copy_into(slice(asked(reader).output, part.to), read(reader, peer, part.from));
}

void Exchange::reduce(int rank, const TakenPart& part) {
  std::vector<ConstView> inputs;
  for (int peer = 0; peer < size(); ++peer) inputs.push_back(read(rank, peer, part.from));
  reduce_into(slice(asked(rank).output, part.to), inputs, asked(rank).reduce);
}

// What this rank copies in this phase.
void Exchange::run_phase(int phase, int rank) {
  const Collective& call = asked(rank);
  if (adds_up(call.op, phase)) return reduce(rank, *part_taken(call, size(), phase, rank, rank));
  if (call.op == Op::kRecv) return copy(rank, 0, {{0, call.output.count}, {0, call.output.count}});
  for (int peer = 0; peer < size() && call.op != Op::kSend; ++peer)
    if (const auto part = part_taken(call, size(), phase, rank, peer)) copy(rank, peer, *part);
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
  const int done = ++phases_done_[size_t(rank)];
  changed_.notify_all();
  const auto all_met = [&] { return std::ranges::min(phases_done_) >= done; };
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
  const int furthest = std::ranges::max(phases_done_);
  for (int rank = 0; rank < size(); ++rank)
    if (phases_done_[size_t(rank)] < furthest) absent_.push_back(rank);
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

}  // namespace ringside::inline comm
