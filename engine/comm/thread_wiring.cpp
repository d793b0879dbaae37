#include <condition_variable>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "exchange.h"
#include "ringside/base/threads.h"
#include "ringside/comm/accumulator.h"
#include "ringside/comm/wiring.h"
#include "ringside/flight/recorder.h"
#include "ringside/flight/report.h"

namespace ringside::inline comm {
namespace {

// Of each rank's newest calls: an older one is no part of a cycle that closed just now.
constexpr size_t kLookedAt = 256;

using CallPtr = std::shared_ptr<TransportCall>;
using Lock = std::unique_lock<std::mutex>;
using Outcome = Transport::Outcome;

// Ranks that meet call by call, each at its own index.
struct Lane {
  std::vector<int> places;                          // (index)
  std::vector<CallPtr> arrived;                     // (index) null where not there yet
  std::vector<std::shared_ptr<Exchange>> exchange;  // (index) once all have arrived and agree
  std::condition_variable changed;

  explicit Lane(std::vector<int> of)
      : places(std::move(of)), arrived(places.size()), exchange(places.size()) {}
  size_t index_of(int place) const { return size_t(std::ranges::find(places, place) - places.begin()); }
  bool complete() const { return std::ranges::find(arrived, nullptr) == arrived.end(); }
  // Places that have not called what `call` calls.
  std::vector<int> missing(const TransportCall& call) const {
    std::vector<int> result;
    for (size_t i = 0; i < places.size(); ++i)
      if (!arrived[i] || !agree(arrived[i]->record(), call.record())) result.push_back(places[i]);
    return result;
  }
};

// What the ranks of one group share.
class Rendezvous {
 public:
  explicit Rendezvous(size_t size) : left_(size), listeners_(size) {}

  Outcome carry(const CallPtr& call, int place) {
    Lock lock(mutex_);
    if (failure_ || has_left(place)) return {};
    Lane& lane = lane_of(*call, place);
    const size_t me = lane.index_of(place);
    lane.arrived[me] = call;
    if (lane.complete()) match(lane);
    if (!wait_for_match(lock, lane, me, *call)) {
      lane.arrived[me] = nullptr;
      return {};
    }
    return run(lock, lane, me, *call);
  }

  std::optional<Failure> failure() {
    const Lock lock(mutex_);
    return failure_;
  }
  void listen(int place, std::function<void(const Failure&)> listener) {
    const Lock lock(mutex_);
    if (failure_) listener(*failure_);
    listeners_[size_t(place)] = std::move(listener);
  }
  void break_off(const Failure& failure) {
    const Lock lock(mutex_);
    break_locked(failure);
  }
  void leave(int place) {
    const Lock lock(mutex_);
    left_[size_t(place)] = true;
    listeners_[size_t(place)] = nullptr;
    wake_all();
  }

 private:
  bool has_left(int place) const { return left_[size_t(place)]; }

  Lane& lane_of(const TransportCall& call, int place) {
    const Collective& asked = call.asked();
    std::pair<int, int> key{-1, -1};
    if (asked.op == Op::kSend) key = {place, asked.peer};
    if (asked.op == Op::kRecv) key = {asked.peer, place};
    std::unique_ptr<Lane>& lane = lanes_[key];
    if (lane) return *lane;
    std::vector<int> places = {key.first, key.second};
    if (!is_p2p(asked.op)) {
      places.resize(left_.size());
      std::iota(places.begin(), places.end(), 0);
    }
    lane = std::make_unique<Lane>(std::move(places));
    return *lane;
  }

  // The last rank to arrive compares the records; if they agree it opens the exchange to all.
  void match(Lane& lane) {
    std::vector<const CallRecord*> records;
    for (const CallPtr& call : lane.arrived) records.push_back(&call->record());
    const TransportCall::Verdict verdict = lane.arrived.front()->judge(records);
    if (verdict.kind == TransportCall::Verdict::Kind::kBreak) return break_locked(*verdict.failure);
    if (verdict.kind == TransportCall::Verdict::Kind::kWait) return;
    const auto exchange = std::make_shared<Exchange>(std::move(lane.arrived));
    lane.arrived.assign(lane.places.size(), nullptr);
    std::ranges::fill(lane.exchange, exchange);
    if (exchange->held()) held_.push_back(exchange);
    lane.changed.notify_all();
  }

  // True once the exchange is there; false where the call ended without one.
  bool wait_for_match(Lock& lock, Lane& lane, size_t me, TransportCall& call) {
    if (lane.exchange[me]) return true;
    const WaitScope scope("peers, at " + to_string(call.record()));
    while (!lane.exchange[me]) {
      if (failure_ || has_left(lane.places[me])) return false;
      // Of several that have left the first is named; the others may have left because of it.
      const auto gone = std::ranges::find_if(lane.places, [&](int place) { return has_left(place); });
      if (gone != lane.places.end()) {
        break_locked(call.lost({*gone}));
      } else if (const TimePoint now = SteadyClock::now(); now >= call.deadline()) {
        break_locked(call.timed_out(lane.missing(call)));
      } else if (call.look_at() && now >= *call.look_at()) {
        const std::vector<int> missing = lane.missing(call);
        lock.unlock();
        call.waits_for(missing);
        lock.lock();
      } else {
        lane.changed.wait_until(lock, std::min(call.look_at().value_or(call.deadline()), call.deadline()));
      }
    }
    return true;
  }

  // A matched call is carried out also where the group broke meanwhile: peers read this rank's buffers.
  Outcome run(Lock& lock, Lane& lane, size_t me, TransportCall& call) {
    const std::shared_ptr<Exchange> exchange = std::exchange(lane.exchange[me], nullptr);
    if (call.asked().hold) {
      const WaitScope scope("the end of a planned fault, inside " + to_string(call.record()));
      const auto released = [&] { return failure_ || has_left(lane.places[me]); };
      lane.changed.wait_for(lock, *call.asked().hold, released);
    }
    lock.unlock();
    if (exchange->run(int(me), call.deadline()))
      return {.done = true, .start = exchange->start(), .most_bytes_sent = exchange->most_bytes_sent()};
    std::vector<int> absent;
    for (const int index : exchange->absent()) absent.push_back(lane.places[size_t(index)]);
    break_off(call.timed_out(absent));  // where it is broken already this changes nothing
    return {};
  }

  void break_locked(const Failure& failure) {
    if (failure_) return;
    failure_ = failure;
    for (const auto& listener : listeners_)
      if (listener) listener(failure);
    for (const auto& held : held_)
      if (const auto exchange = held.lock()) exchange->break_off();
    wake_all();
  }

  void wake_all() {
    for (const auto& [key, lane] : lanes_) lane->changed.notify_all();
  }

  std::mutex mutex_;                                            // guards all below
  std::map<std::pair<int, int>, std::unique_ptr<Lane>> lanes_;  // (source, destination); (-1, -1)
  std::vector<bool> left_;                                      // (place)
  std::vector<std::function<void(const Failure&)>> listeners_;  // (place)
  std::vector<std::weak_ptr<Exchange>> held_;                   // that a planned fault holds up
  std::optional<Failure> failure_;
};

// One rank's end of a group.
class ThreadTransport final : public Transport {
 public:
  ThreadTransport(std::shared_ptr<Rendezvous> all, int place) : all_(std::move(all)), place_(place) {}
  ~ThreadTransport() override { all_->leave(place_); }
  std::string description() const override { return "ranks as threads"; }
  bool reaches(Device device) const override { return device == Device::kCpu || device_memory() != nullptr; }
  Outcome carry(const CallPtr& call) override { return all_->carry(call, place_); }
  void break_off(const Failure& failure) override { all_->break_off(failure); }
  std::optional<Failure> failure() override { return all_->failure(); }
  void on_broken(std::function<void(const Failure&)> listener) override {
    all_->listen(place_, std::move(listener));
  }
  void leave() override { all_->leave(place_); }

 private:
  const std::shared_ptr<Rendezvous> all_;
  const int place_;
};

class ThreadWiring final : public Wiring {
 public:
  explicit ThreadWiring(std::vector<FlightRecorder*> flights) : flights_(std::move(flights)) {}

  std::unique_ptr<Transport> connect(const std::string& name, const std::vector<int>& ranks,
                                     int place) override {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Rendezvous>& group = groups_[{name, ranks}];
    if (!group) {
      group = std::make_shared<Rendezvous>(ranks.size());
      for (const auto& [rank, failure] : aborted_)
        if (holds(ranks, rank)) group->break_off(failure);
    }
    return std::make_unique<ThreadTransport>(group, place);
  }

  void abort(int rank, const Failure& failure) override {
    const std::lock_guard lock(mutex_);
    aborted_.emplace(rank, failure);
    for (const auto& [key, group] : groups_)
      if (holds(key.second, rank)) group->break_off(failure);
  }

  void look_for_cycle() override {
    // Held to the end: who learns of the cycle in one group must not abort another before it is told there.
    const std::lock_guard lock(mutex_);
    if (groups_.size() < 2) return;  // the calls of one group are in one order
    std::vector<FlightDump> looks;
    for (const FlightRecorder* flight : flights_) looks.push_back(flight->look(kLookedAt));
    const FlightReport report = find_live_cycle(looks);
    if (report.cycle.empty()) return;
    const std::vector<int>& ranks = report.suspects.empty() ? report.possible : report.suspects;
    const Failure failure{Failure::Kind::kMismatch, ranks, report.sentence};
    for (const auto& [key, group] : groups_) group->break_off(failure);
  }

 private:
  using Key = std::pair<std::string, std::vector<int>>;
  const std::vector<FlightRecorder*> flights_;  // (rank)
  std::mutex mutex_;                            // guards what follows
  std::map<Key, std::shared_ptr<Rendezvous>> groups_;
  std::map<int, Failure> aborted_;  // by rank
};

}  // namespace

std::unique_ptr<Wiring> make_thread_wiring(std::vector<FlightRecorder*> flights) {
  return std::make_unique<ThreadWiring>(std::move(flights));
}

}  // namespace ringside::inline comm
