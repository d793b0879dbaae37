#include "ringside/comm/thread_transport.h"

#include <algorithm>
#include <condition_variable>

#include "exchange.h"
#include "ringside/base/check.h"
#include "ringside/base/threads.h"

namespace ringside {

// Ranks that meet call by call, each at its own index.
struct Rendezvous::Lane {
  std::vector<int> places;                          // (index)
  std::vector<CallPtr> arrived;                     // (index) null where not there yet
  std::vector<std::shared_ptr<Exchange>> exchange;  // (index) once all have arrived and agree
  std::condition_variable changed;

  explicit Lane(std::vector<int> of)
      : places(std::move(of)), arrived(places.size()), exchange(places.size()) {}
  size_t index_of(int place) const {
    return static_cast<size_t>(std::find(places.begin(), places.end(), place) - places.begin());
  }
  bool complete() const { return std::find(arrived.begin(), arrived.end(), nullptr) == arrived.end(); }
  // Places that have not called what `call` calls.
  std::vector<int> missing(const TransportCall& call) const {
    std::vector<int> result;
    for (size_t i = 0; i < places.size(); ++i)
      if (!arrived[i] || !agree(arrived[i]->record(), call.record())) result.push_back(places[i]);
    return result;
  }
};

class Rendezvous::End final : public Transport {
 public:
  End(std::shared_ptr<Rendezvous> all, int place) : all_(std::move(all)), place_(place) {}
  ~End() override { all_->leave(place_); }
  std::string description() const override { return "ranks as threads"; }
  Outcome carry(const std::shared_ptr<TransportCall>& call) override { return all_->carry(call, place_); }
  void break_off(const Failure& failure) override { all_->break_off(failure); }
  std::optional<Failure> failure() override {
    const std::lock_guard lock(all_->mutex_);
    return all_->failure_;
  }
  void on_broken(std::function<void(const Failure&)> listener) override {
    const std::lock_guard lock(all_->mutex_);
    if (all_->failure_) listener(*all_->failure_);
    all_->listeners_[static_cast<size_t>(place_)] = std::move(listener);
  }
  void leave() override { all_->leave(place_); }

 private:
  const std::shared_ptr<Rendezvous> all_;
  const int place_;
};

Rendezvous::Rendezvous(std::vector<int> ranks)
    : ranks_(std::move(ranks)), left_(ranks_.size()), listeners_(ranks_.size()) {}
Rendezvous::~Rendezvous() = default;

std::unique_ptr<Transport> Rendezvous::end_of(int place) {
  return std::make_unique<End>(shared_from_this(), place);
}

Rendezvous::Lane& Rendezvous::lane_of(const TransportCall& call, int place) {
  std::pair<int, int> key{-1, -1};
  const Collective& asked = call.asked();
  if (asked.op == Op::kSend) key = {place, asked.peer};
  if (asked.op == Op::kRecv) key = {asked.peer, place};
  std::unique_ptr<Lane>& lane = lanes_[key];
  if (!lane) {
    std::vector<int> places = {key.first, key.second};
    if (!is_p2p(asked.op)) {
      places.clear();
      for (int other = 0; other < std::ssize(ranks_); ++other) places.push_back(other);
    }
    lane = std::make_unique<Lane>(std::move(places));
  }
  return *lane;
}

Transport::Outcome Rendezvous::carry(const CallPtr& call, int place) {
  Lock lock(mutex_);
  if (failure_) return {.kind = Outcome::Kind::kBroken};
  if (left_[static_cast<size_t>(place)]) return {.kind = Outcome::Kind::kLeft};
  Lane& lane = lane_of(*call, place);
  const size_t me = lane.index_of(place);
  lane.arrived[me] = call;
  if (lane.complete()) match(lane);
  if (auto ended = wait_for_match(lock, lane, me, call)) {
    lane.arrived[me] = nullptr;
    return *std::move(ended);
  }
  return run(lock, lane, me, call);
}

// The last rank to arrive compares the records; if they agree it opens the exchange to all.
void Rendezvous::match(Lane& lane) {
  std::vector<const CallRecord*> records;
  for (const CallPtr& call : lane.arrived) records.push_back(&call->record());
  const TransportCall::Verdict verdict = lane.arrived.front()->judge(records);
  if (verdict.kind == TransportCall::Verdict::Kind::kBreak) return break_locked(*verdict.failure);
  if (verdict.kind == TransportCall::Verdict::Kind::kWait) return;
  const auto exchange = std::make_shared<Exchange>(std::move(lane.arrived));
  lane.arrived.assign(lane.places.size(), nullptr);
  std::fill(lane.exchange.begin(), lane.exchange.end(), exchange);
  if (exchange->held()) held_.push_back(exchange);
  lane.changed.notify_all();
}

// Empty once the exchange is there; else how the call ended without one.
std::optional<Transport::Outcome> Rendezvous::wait_for_match(Lock& lock, Lane& lane, size_t me,
                                                             const CallPtr& call) {
  if (lane.exchange[me]) return std::nullopt;
  const WaitScope scope("peers, at " + to_string(call->record()));
  std::optional<TimePoint> late_at = call->late_at();
  while (!lane.exchange[me]) {
    if (failure_) return Outcome{.kind = Outcome::Kind::kBroken};
    if (left_[static_cast<size_t>(lane.places[me])]) return Outcome{.kind = Outcome::Kind::kLeft};
    if (const std::vector<int> gone = gone_from(lane); !gone.empty()) {
      break_locked(call->lost(gone));
    } else if (const TimePoint now = SteadyClock::now(); now >= call->deadline()) {
      break_locked(call->timed_out(lane.missing(*call)));
    } else if (late_at && now >= *late_at) {
      late_at.reset();
      call->note_late(lane.missing(*call));
    } else {
      lane.changed.wait_until(lock, late_at ? std::min(*late_at, call->deadline()) : call->deadline());
    }
  }
  return std::nullopt;
}

std::vector<int> Rendezvous::gone_from(const Lane& lane) const {
  std::vector<int> gone;
  for (const int place : lane.places)
    if (left_[static_cast<size_t>(place)]) gone.push_back(place);
  if (gone.size() > 1) gone.resize(1);  // the others may have left because of it
  return gone;
}

// A matched call is carried out also where the group broke meanwhile: its peers already read this rank's
// buffers.
Transport::Outcome Rendezvous::run(Lock& lock, Lane& lane, size_t me, const CallPtr& call) {
  const std::shared_ptr<Exchange> exchange = std::move(lane.exchange[me]);
  lane.exchange[me] = nullptr;
  if (call->asked().hold) {
    const WaitScope scope("the end of a planned fault, inside " + to_string(call->record()));
    const auto place = static_cast<size_t>(lane.places[me]);
    lane.changed.wait_for(lock, *call->asked().hold, [&] { return failure_ || left_[place]; });
  }
  lock.unlock();
  const Exchange::Outcome outcome = exchange->run(static_cast<int>(me), call->deadline());
  if (outcome == Exchange::Outcome::kDone)
    return {.kind = Outcome::Kind::kDone,
            .start = exchange->start(),
            .most_bytes_sent = exchange->most_bytes_sent()};
  std::vector<int> absent;
  for (const int index : exchange->absent()) absent.push_back(lane.places[static_cast<size_t>(index)]);
  break_off(call->timed_out(absent));  // where it is broken already this changes nothing
  return {.kind = Outcome::Kind::kBroken};
}

void Rendezvous::break_off(const Failure& failure) {
  const std::lock_guard lock(mutex_);
  break_locked(failure);
}

void Rendezvous::break_locked(const Failure& failure) {
  if (failure_) return;
  failure_ = failure;
  for (const auto& listener : listeners_)
    if (listener) listener(failure);
  for (const auto& held : held_)
    if (const auto exchange = held.lock()) exchange->break_off();
  for (const auto& [key, lane] : lanes_) lane->changed.notify_all();
}

void Rendezvous::leave(int place) {
  const std::lock_guard lock(mutex_);
  left_[static_cast<size_t>(place)] = true;
  listeners_[static_cast<size_t>(place)] = nullptr;
  for (const auto& [key, lane] : lanes_) lane->changed.notify_all();
}

}  // namespace ringside
