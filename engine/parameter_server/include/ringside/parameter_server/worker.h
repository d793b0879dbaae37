// A worker: pull, compute, push, again and again. What it knows lies on the servers; a worker that joins asks
// them at which clock they are.
#pragma once

#include "ringside/parameter_server/client.h"

namespace ringside::inline ps {

struct WorkerTask {
  int64_t clocks = 0;  // iterations; a worker that has done them stays, so that nobody waits for it
  // Which keys it reads and changes in an iteration, rising; null: all.
  std::function<std::vector<uint64_t>(int64_t clock)> keys = {};
  // From the values of those keys to their gradients.
  std::function<std::vector<float>(int64_t clock, const std::vector<float>& values)> gradient = {};
  // How long it computes beyond the call of `gradient`, which takes no time on a virtual clock.
  std::function<int64_t(int64_t clock)> compute_ns = [](int64_t) { return int64_t{0}; };
  std::function<void(int64_t clock, const Client& client)> on_read = {};  // null: nobody looks
};

class Worker final : public Node {
 public:
  enum class State : uint8_t { kJoining, kPulling, kComputing, kDone };

  Worker(Endpoint& endpoint, const Cluster& cluster, uint32_t rank, WorkerTask task);

  void receive(const Packet& packet) override;
  void tick() override;
  int64_t deadline_ns() const override;

  State state() const { return state_; }
  int64_t clock() const { return clock_; }
  uint32_t rank() const { return rank_; }
  bool is_done() const { return state_ == State::kDone && !client_.pushing(); }
  int64_t waited_ns() const { return waited_ns_; }  // for values, while it had nothing to compute
  int64_t computed_ns() const { return computed_ns_; }
  const Client& client() const { return client_; }

 private:
  void go_on();
  void begin_pull();
  void begin_compute();
  void push_and_go_on();
  void tell_memory();

  Endpoint& endpoint_;
  Observer* observer_;
  uint32_t rank_;
  Client client_;
  WorkerTask task_;
  State state_ = State::kJoining;
  int64_t clock_ = 0, since_ns_ = 0, computed_at_ns_ = 0;
  int64_t waited_ns_ = 0, computed_ns_ = 0;
  bool asks_for_clock_ = false;
  std::vector<uint64_t> keys_ = {};
  std::vector<float> gradient_ = {};
  NodeMemory told_ = {};  // to the observer
};

}  // namespace ringside::inline ps
