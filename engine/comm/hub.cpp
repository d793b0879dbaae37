#include "hub.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "ringside/base/units.h"

#include "finite.h"

namespace ringside {

void Hub::enqueue(CallPtr call) {
  const std::lock_guard lock(mutex_);
  Rank& mine = ranks_[call->rank()];
  mine.queue.push_back(std::move(call));
  mine.wake.notify_one();
}

void Hub::post(CallPtr call) {
  const std::lock_guard lock(mutex_);
  if (failure_) return call->failed(*failure_);
  const auto match = mailbox_.post({call, SteadyClock::now() + options_.timeout});
  ranks_[call->rank()].wake.notify_one();  // it has one more deadline to watch
  if (!match) return;
  const auto& [send, recv] = match->transfer;
  if (match->agrees) {
    ranks_[recv->rank()].transfers.push_back(match->transfer);
    ranks_[recv->rank()].wake.notify_one();
  } else if (options_.check) {
    fail({Failure::Kind::kMismatch,
          {send->rank(), recv->rank()},
          "rank " + std::to_string(send->rank()) + " calls " + to_string(send->request().fingerprint) +
              "; rank " + std::to_string(recv->rank()) + " calls " + to_string(recv->request().fingerprint)});
  }
}

void Hub::abort(int rank, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  fail({Failure::Kind::kPeerLost, {rank}, "rank " + std::to_string(rank) + " aborted: " + reason});
}

bool Hub::broken() {
  const std::lock_guard lock(mutex_);
  return failure_.has_value();
}

void Hub::leave(int rank) {
  const std::lock_guard lock(mutex_);
  ranks_[rank].left = true;
  wake_all();
}

// What has a partner is run to its end, even in a broken group: the partner counts on it.
void Hub::serve(int rank) {
  Lock lock(mutex_);
  Rank& mine = ranks_[rank];
  while (true) {
    if (run_matched(lock, rank)) continue;
    if (mine.left) break;
    if (failure_)
      fail_unmatched(rank, *failure_);
    else if (start_next(lock, rank) || find_failure(rank))
      continue;
    wait_for_peers(lock, rank);
  }
  fail_unmatched(rank, {Failure::Kind::kPeerLost,
                        {rank},
                        "rank " + std::to_string(rank) + " destroyed its handle of " + options_.name});
}

bool Hub::run_matched(Lock& lock, int rank) {
  Rank& mine = ranks_[rank];
  if (!mine.transfers.empty()) {
    run_transfer(lock, mine);
    return true;
  }
  if (mine.exchange) {
    run_exchange(lock, mine);
    return true;
  }
  return false;
}

bool Hub::start_next(Lock& lock, int rank) {
  Rank& mine = ranks_[rank];
  if (mine.current || mine.queue.empty()) return false;
  mine.current = std::move(mine.queue.front());
  mine.queue.pop_front();
  mine.current->started();
  const TimePoint now = SteadyClock::now();
  mine.deadline = now + options_.timeout;
  mine.late.reset();
  if (options_.late_after.count() > 0) mine.late = now + options_.late_after;
  if (is_finite(lock, rank) && !failure_) arrive(rank);
  return true;
}

// Looks without the lock. If it finds something the group is broken: the input is still this rank's alone.
bool Hub::is_finite(Lock& lock, int rank) {
  const CallPtr call = ranks_[rank].current;
  if (!call->request().must_be_finite) return true;
  const ConstView input = call->request().input;
  lock.unlock();
  const auto place = first_non_finite(input);
  lock.lock();
  if (!place) return true;
  fail({Failure::Kind::kNotFinite,
        {rank},
        "rank " + std::to_string(rank) + "'s own input is not finite at element " + std::to_string(*place) +
            ", before anything was added to it",
        to_string(call->request().fingerprint)});
  return false;
}

// The rendezvous. The last rank to arrive compares the fingerprints; if they agree, it opens the
// exchange to all.
void Hub::arrive(int rank) {
  arrived_[rank] = ranks_[rank].current;
  if (std::find(arrived_.begin(), arrived_.end(), nullptr) != arrived_.end()) return;
  std::vector<Fingerprint> fingerprints;
  for (const CallPtr& call : arrived_) fingerprints.push_back(call->request().fingerprint);
  const std::vector<int> disagreeing = disagreeing_ranks(fingerprints);
  if (disagreeing.empty()) {
    const auto exchange = std::make_shared<Exchange>(arrived_);
    for (Rank& peer : ranks_) peer.exchange = exchange;
    std::fill(arrived_.begin(), arrived_.end(), nullptr);
    wake_all();
  } else if (options_.check) {
    fail({Failure::Kind::kMismatch, disagreeing, describe_disagreement(fingerprints)});
  }
}

void Hub::run_exchange(Lock& lock, Rank& mine) {
  const auto exchange = mine.exchange;
  const CallPtr call = mine.current;
  mine.waiting.reset();
  if (call->request().hold) stay_inside(lock, mine);
  lock.unlock();
  const Exchange::Outcome outcome = exchange->run(call->rank(), mine.deadline);
  lock.lock();
  mine.exchange.reset();
  mine.current.reset();
  if (outcome != Exchange::Outcome::kDone) {
    fail(late(*call, exchange->absent()));
    call->failed(*failure_);
    return;
  }
  const auto interrupted =
      wait_for_link(lock, mine, exchange->start(), hops(call->op(), size_), exchange->most_bytes_sent());
  interrupted ? call->failed(*interrupted) : call->completed();
}

// A planned fault: this rank has entered, its peers may be copying from it, and it does not go on.
void Hub::stay_inside(Lock& lock, Rank& mine) {
  const WaitScope scope("the end of a planned fault, inside " +
                        to_string(mine.current->request().fingerprint));
  mine.wake.wait_for(lock, *mine.current->request().hold, [&] { return failure_ || mine.left; });
}

void Hub::run_transfer(Lock& lock, Rank& mine) {
  const auto [send, recv] = std::move(mine.transfers.front());
  mine.transfers.pop_front();
  lock.unlock();
  const TimePoint start = SteadyClock::now();
  const ConstView source = send->request().input;
  send->started();
  recv->started();
  if (source.count > 0) std::memcpy(recv->request().output.data, source.data, source.bytes());
  send->count_sent(source.bytes());
  lock.lock();
  const auto interrupted = wait_for_link(lock, mine, start, hops(Op::kSend, size_), source.bytes());
  for (const CallPtr& call : {send, recv}) interrupted ? call->failed(*interrupted) : call->completed();
}

// Waits until the simulated link has carried the bytes; ends early, with the failure, if the group breaks.
std::optional<Failure> Hub::wait_for_link(Lock& lock, Rank& mine, TimePoint start, int64_t hops,
                                          int64_t bytes) {
  if (!options_.link.simulated()) return std::nullopt;
  const std::chrono::duration<double> carried(options_.link.seconds(hops, bytes));
  const TimePoint end = start + std::chrono::ceil<std::chrono::nanoseconds>(carried);
  const WaitScope scope("the simulated link " + options_.link.name);
  if (!mine.wake.wait_until(lock, end, [&] { return failure_ || mine.left; })) return std::nullopt;
  return failure_.value_or(Failure{Failure::Kind::kPeerLost, {}, "the handle was destroyed"});
}

// Sleeps until something is posted, matched, broken or due.
void Hub::wait_for_peers(Lock& lock, int rank) {
  Rank& mine = ranks_[rank];
  if (mine.current && !mine.waiting)
    mine.waiting.emplace("peers, at " + to_string(mine.current->request().fingerprint));
  note_late(rank);
  std::optional<TimePoint> due;
  if (mine.current) due = mine.late ? std::min(*mine.late, mine.deadline) : mine.deadline;
  if (const auto letter = mailbox_.most_urgent(rank))
    due = std::min(due.value_or(letter->deadline), letter->deadline);
  if (due) {
    mine.wake.wait_until(lock, *due);
  } else {
    mine.wake.wait(lock);  // idle: nothing is under way that could be late
  }
}

// Late is not wrong: it is noted once, and the wait goes on.
void Hub::note_late(int rank) {
  Rank& mine = ranks_[rank];
  if (!mine.current || !mine.late || SteadyClock::now() < *mine.late) return;
  mine.late.reset();
  const std::vector<int> ranks = missing(*mine.current);
  if (recorder(rank) == nullptr || ranks.empty()) return;
  const double seconds = std::chrono::duration<double>(options_.late_after).count();
  recorder(rank)->note("late", -1,
                       to_string(mine.current->request().fingerprint) + " waits for " + name_ranks(ranks) +
                           " after " + format_duration(seconds));
}

// Whether one of this rank's calls can never complete; if so, the group is broken.
bool Hub::find_failure(int rank) {
  auto failure = find_lost_peer(rank);
  if (!failure) failure = find_timeout(rank);
  if (!failure) return false;
  fail(std::move(*failure));
  return true;
}

std::optional<Failure> Hub::find_lost_peer(int rank) const {
  for (int peer = 0; peer < size_; ++peer) {
    if (ranks_[peer].left && (ranks_[rank].current || mailbox_.waits_for(rank, peer)))
      return Failure{
          Failure::Kind::kPeerLost,
          {peer},
          "rank " + std::to_string(peer) + " went away: it destroyed its handle of " + options_.name};
  }
  return std::nullopt;
}

std::optional<Failure> Hub::find_timeout(int rank) const {
  const TimePoint now = SteadyClock::now();
  const Call* overdue = nullptr;
  if (ranks_[rank].current && now >= ranks_[rank].deadline) overdue = ranks_[rank].current.get();
  const auto letter = mailbox_.most_urgent(rank);
  if (letter && now >= letter->deadline) overdue = letter->call.get();
  if (overdue == nullptr) return std::nullopt;
  return late(*overdue, missing(*overdue));
}

Failure Hub::late(const Call& call, const std::vector<int>& ranks) const {
  const double seconds = std::chrono::duration<double>(options_.timeout).count();
  return {
      Failure::Kind::kTimeout, ranks,
      "timed out after " + format_duration(seconds) + " without " + name_ranks(ranks) + "\n" + wait_report(),
      to_string(call.request().fingerprint)};
}

// The ranks that have not called what `call` calls.
std::vector<int> Hub::missing(const Call& call) const {
  if (call.op() == Op::kSend || call.op() == Op::kRecv) return {call.request().peer};
  std::vector<int> ranks;
  for (int rank = 0; rank < size_; ++rank)
    if (!arrived_[rank] || arrived_[rank]->request().fingerprint != call.request().fingerprint)
      ranks.push_back(rank);
  return ranks;
}

void Hub::fail(Failure failure) {
  if (failure_) return;
  failure_ = std::move(failure);
  const FlightBreak broken{options_.name, kind_name(failure_->kind), failure_->ranks,
                           failure_->text.substr(0, failure_->text.find('\n'))};
  for (FlightRecorder* flight : options_.flights) flight->freeze(broken);
  for (const Rank& rank : ranks_)
    if (rank.exchange && rank.exchange->held()) rank.exchange->break_off();
  wake_all();
}

void Hub::report_cycle(const WaitCycle& cycle) {
  const std::lock_guard lock(mutex_);
  fail({Failure::Kind::kMismatch, cycle.fewest, cycle.text});
}

// Ends every call of `rank` that has no partner. It is taken out of the rendezvous and the mailbox
// first: from then on nobody touches its buffers.
void Hub::fail_unmatched(int rank, const Failure& failure) {
  Rank& mine = ranks_[rank];
  std::vector<CallPtr> calls = mailbox_.withdraw(rank);
  arrived_[rank] = nullptr;
  mine.waiting.reset();
  if (mine.current) calls.push_back(std::move(mine.current));
  std::move(mine.queue.begin(), mine.queue.end(), std::back_inserter(calls));
  mine.queue.clear();
  for (const CallPtr& call : calls) call->failed(failure);
}

void Hub::wake_all() {
  for (Rank& rank : ranks_) rank.wake.notify_one();
}

}  // namespace ringside
