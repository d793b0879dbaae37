#include "ringside/comm/thread_group.h"

#include <thread>

#include "ringside/base/check.h"
#include "ringside/base/threads.h"
#include "ringside/comm/accumulator.h"

#include "hub.h"

namespace ringside {
namespace {

constexpr std::chrono::nanoseconds kLongestTimeout = std::chrono::hours(24);

// One rank's handle: turns arguments into calls, and owns the communication thread.
class ThreadGroupRank final : public ProcessGroup {
 public:
  ThreadGroupRank(std::shared_ptr<Hub> hub, int rank)
      : hub_(std::move(hub)), rank_(rank), sent_(hub_->size()), received_(hub_->size()) {
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
  const std::string& name() const override { return hub_->name(); }

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
    return std::make_shared<Call>(Call::Request{rank_, peer, std::move(fingerprint), input, output},
                                  hub_->recorder(rank_), tag);
  }

  const std::shared_ptr<Hub> hub_;
  const int rank_;
  std::thread thread_;

  std::mutex mutex_;  // keeps numbers and queue in the same order; guards the counters
  int64_t collectives_ = 0;
  std::vector<int64_t> sent_, received_;  // (peer)
};

}  // namespace

std::vector<std::unique_ptr<ProcessGroup>> make_thread_group(int size, const ThreadGroupOptions& options) {
  RINGSIDE_CHECK_GE(size, 1);
  RINGSIDE_CHECK_GE(options.timeout.count(), 1);
  RINGSIDE_CHECK_LE(options.timeout.count(), kLongestTimeout.count());
  if (!options.recorders.empty()) RINGSIDE_CHECK_EQ(static_cast<int>(options.recorders.size()), size);
  const auto hub = std::make_shared<Hub>(size, options);
  std::vector<std::unique_ptr<ProcessGroup>> handles;
  for (int rank = 0; rank < size; ++rank) handles.push_back(std::make_unique<ThreadGroupRank>(hub, rank));
  return handles;
}

}  // namespace ringside
