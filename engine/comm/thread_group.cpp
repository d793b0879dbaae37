#include "ringside/comm/thread_group.h"

#include <numeric>
#include <thread>

#include "ringside/base/check.h"
#include "ringside/base/threads.h"
#include "ringside/comm/accumulator.h"

#include "hub.h"

namespace ringside {
namespace {

// The group's place in the wait graph, for as long as a handle lives.
class Membership {
 public:
  explicit Membership(const std::shared_ptr<Hub>& hub) : waits_(hub->options().waits) {
    if (waits_ == nullptr) return;
    group_ = waits_->add_group([weak = std::weak_ptr(hub)](const WaitCycle& cycle) {
      if (const auto alive = weak.lock()) alive->report_cycle(cycle);
    });
  }
  ~Membership() {
    if (waits_ != nullptr) waits_->remove_group(group_);
  }
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;
  int group() const { return group_; }

 private:
  const std::shared_ptr<WaitGraph> waits_;
  int group_ = -1;
};

// One rank's handle: turns arguments into calls, and owns the communication thread.
class ThreadGroupRank final : public ProcessGroup {
 public:
  ThreadGroupRank(std::shared_ptr<Hub> hub, std::shared_ptr<const Membership> membership, int rank)
      : hub_(std::move(hub)),
        membership_(std::move(membership)),
        rank_(rank),
        observers_(observers_of(rank)),
        sent_(hub_->size()),
        received_(hub_->size()) {
    thread_ = std::thread([hub = hub_, rank] {
      set_thread_name("rank" + std::to_string(rank) + ".comm");
      hub->serve(rank);
    });
  }
  ~ThreadGroupRank() override {
    hub_->leave(rank_);
    thread_.join();
  }
  int rank() const override { return rank_; }
  int size() const override { return hub_->size(); }
  const std::string& name() const override { return hub_->options().name; }

  WorkPtr all_reduce(View buffer, Tag tag, ReduceOp op) override {
    RINGSIDE_CHECK(has_sum(buffer.dtype), "all_reduce of " << to_string(buffer.dtype));
    return collective({.op = Op::kAllReduce, .reduce_op = op}, buffer, buffer, tag);
  }
  WorkPtr reduce_scatter(ConstView input, View output, Tag tag) override {
    RINGSIDE_CHECK(has_sum(input.dtype), "reduce_scatter of " << to_string(input.dtype));
    RINGSIDE_CHECK_EQ(input.count, output.count * size());
    return collective({.op = Op::kReduceScatter}, input, output, tag);
  }
  WorkPtr all_gather(ConstView input, View output, Tag tag) override {
    RINGSIDE_CHECK_EQ(input.count * size(), output.count);
    return collective({.op = Op::kAllGather}, input, output, tag);
  }
  WorkPtr broadcast(View buffer, int root, Tag tag) override {
    check_peer(root);
    return collective({.op = Op::kBroadcast, .root = root}, buffer, buffer, tag);
  }
  WorkPtr all_to_all(ConstView input, View output, Tag tag) override {
    RINGSIDE_CHECK_EQ(input.count, output.count);
    RINGSIDE_CHECK_EQ(input.count % size(), 0);
    return collective({.op = Op::kAllToAll}, input, output, tag);
  }
  WorkPtr barrier(Tag tag) override { return collective({.op = Op::kBarrier}, {}, {}, tag); }

  WorkPtr send(ConstView buffer, int peer, Tag tag) override {
    return message(Op::kSend, peer, buffer, {}, buffer, tag);
  }
  WorkPtr recv(View buffer, int peer, Tag tag) override {
    return message(Op::kRecv, peer, {}, buffer, buffer, tag);
  }

  void abort(const std::string& reason) override { hub_->abort(rank_, reason); }

 private:
  void check_peer(int peer) const {
    RINGSIDE_CHECK_GE(peer, 0);
    RINGSIDE_CHECK_LT(peer, size());
  }

  WorkPtr collective(Fingerprint fingerprint, ConstView input, View output, const Tag& tag) {
    RINGSIDE_CHECK_EQ(to_string(input.dtype), to_string(output.dtype));
    const std::lock_guard lock(mutex_);
    fingerprint.seq = collectives_++;
    if (observers_.waits != nullptr) observers_.waits->called(rank_, observers_.group);
    const CallPtr call = make_call(std::move(fingerprint), -1, input, output, input, tag);
    hub_->enqueue(call);
    return call;
  }

  // Numbered per pair and direction, so that both ends of a message carry the same number.
  WorkPtr message(Op op, int peer, ConstView input, View output, ConstView what, const Tag& tag) {
    check_peer(peer);
    RINGSIDE_CHECK_NE(peer, rank_);
    const std::lock_guard lock(mutex_);
    const int source = op == Op::kSend ? rank_ : peer;
    const int64_t seq = op == Op::kSend ? sent_[peer]++ : received_[peer]++;
    const CallPtr call = make_call({.seq = seq, .op = op, .root = source}, peer, input, output, what, tag);
    hub_->post(call);
    return call;
  }

  CallPtr make_call(Fingerprint fingerprint, int peer, ConstView input, View output, ConstView what,
                    const Tag& tag) {
    RINGSIDE_CHECK(what.device == Device::kCpu, "thread_group moves memory of the CPU only");
    RINGSIDE_CHECK_GE(what.count, 0);
    fingerprint.group = name();
    fingerprint.dtype = what.dtype;
    fingerprint.count = what.count;
    Call::Request request{rank_, peer, std::move(fingerprint), input, output};
    const ThreadGroupOptions& options = hub_->options();
    request.must_be_finite = options.check_finite && tag.what == "gradients";
    if (options.hold) request.hold = options.hold(rank_);
    // What is called on a broken group is refused, and no part of what happened.
    return std::make_shared<Call>(std::move(request), hub_->broken() ? Call::Observers{} : observers_, tag);
  }

  Call::Observers observers_of(int rank) const {
    const ThreadGroupOptions& options = hub_->options();
    return {hub_->recorder(rank), options.flights.empty() ? nullptr : options.flights[rank],
            options.waits.get(), membership_->group(), options.timeout};
  }

  const std::shared_ptr<Hub> hub_;
  const std::shared_ptr<const Membership> membership_;
  const int rank_;
  const Call::Observers observers_;
  std::thread thread_;

  std::mutex mutex_;  // keeps numbers and queue in the same order; guards the counters
  int64_t collectives_ = 0;
  std::vector<int64_t> sent_, received_;  // (peer)
};

// Whatever observes a group calls its ranks 0 to size - 1. In a part of a run's ranks these are others.
template <typename Observer>
void check_observers(const std::vector<Observer*>& observers, const char* what, int size,
                     const std::string& group) {
  if (observers.empty()) return;
  RINGSIDE_CHECK_EQ(static_cast<int>(observers.size()), size);
  for (int rank = 0; rank < size; ++rank) {
    const int of = observers[static_cast<size_t>(rank)]->rank();
    RINGSIDE_CHECK(of == rank, "group " << group << ": rank " << rank << " was given the " << what
                                        << " of rank " << of << ", which would name wrong ranks");
  }
}

void check_ranks(int size, const ThreadGroupOptions& options) {
  check_observers(options.recorders, "recorder", size, options.name);
  check_observers(options.flights, "flight recorder", size, options.name);
  if (options.waits == nullptr) return;
  const int ranks = options.waits->ranks();
  RINGSIDE_CHECK(ranks == size, "group " << options.name << " has " << size << " of " << ranks
                                         << " ranks; the wait graph takes groups of all ranks only");
}

}  // namespace

std::vector<std::unique_ptr<ProcessGroup>> make_thread_group(int size, const ThreadGroupOptions& options) {
  RINGSIDE_CHECK_GE(size, 1);
  RINGSIDE_CHECK_GE(options.timeout.count(), 1);
  RINGSIDE_CHECK_LE(options.timeout.count(), kLongestTimeout.count());
  check_ranks(size, options);
  const auto hub = std::make_shared<Hub>(size, options);
  const auto membership = std::make_shared<const Membership>(hub);
  std::vector<int> ranks(static_cast<size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<std::unique_ptr<ProcessGroup>> handles;
  for (const int rank : ranks) {
    if (!options.flights.empty()) options.flights[rank]->join({options.name, "ranks as threads", ranks});
    handles.push_back(std::make_unique<ThreadGroupRank>(hub, membership, rank));
  }
  return handles;
}

}  // namespace ringside
