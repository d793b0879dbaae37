#include "ringside/parameter_server/worker.h"

#include <algorithm>
#include <utility>

namespace ringside::inline ps {

Worker::Worker(Endpoint& endpoint, const Cluster& cluster, uint32_t rank, WorkerTask task)
    : endpoint_(endpoint),
      observer_(cluster.observer),
      rank_(rank),
      client_(endpoint, cluster, rank),
      task_(std::move(task)) {}

void Worker::receive(const Packet& packet) {
  client_.receive(packet);
  go_on();
  tell_memory();
}

void Worker::tick() {
  client_.tick();
  go_on();
  tell_memory();
}

void Worker::tell_memory() {
  if (observer_ == nullptr) return;
  NodeMemory memory{.node = endpoint_.id(), .gradients = bytes_in(gradient_), .buffers = bytes_in(keys_)};
  client_.add_to(memory);
  if (memory != std::exchange(told_, memory)) observer_->holds(memory);
}

int64_t Worker::deadline_ns() const {
  return std::min(client_.deadline_ns(), state_ == State::kComputing ? computed_at_ns_ : kNever);
}

// As far as it gets without waiting.
void Worker::go_on() {
  if (state_ == State::kJoining && client_.membership()) {
    asks_for_clock_ = *client_.membership() == kNoClock;
    if (asks_for_clock_) {
      client_.pull(kNoClock);
      since_ns_ = endpoint_.now_ns();
      state_ = State::kPulling;
    } else {
      begin_pull();
    }
  }
  if (state_ == State::kPulling && !client_.pulling()) begin_compute();
  if (state_ == State::kComputing && endpoint_.now_ns() >= computed_at_ns_) push_and_go_on();
}

void Worker::begin_pull() {
  state_ = clock_ < task_.clocks ? State::kPulling : State::kDone;
  if (state_ == State::kDone && observer_ != nullptr) observer_->done(endpoint_.id());
  if (state_ == State::kDone) return;
  since_ns_ = endpoint_.now_ns();
  keys_ = task_.keys ? task_.keys(clock_) : std::vector<uint64_t>();
  client_.pull(clock_, keys_);
}

void Worker::begin_compute() {
  waited_ns_ += endpoint_.now_ns() - since_ns_;
  if (asks_for_clock_) {  // it begins where the others are
    asks_for_clock_ = false;
    clock_ = client_.newest();
    return begin_pull();
  }
  if (task_.on_read) task_.on_read(clock_, client_);
  if (observer_ != nullptr)
    observer_->read({endpoint_.id(), rank_, clock_, client_.oldest(), since_ns_, endpoint_.now_ns()});
  since_ns_ = endpoint_.now_ns();
  gradient_ = task_.gradient(clock_, client_.values());
  computed_at_ns_ = endpoint_.now_ns() + task_.compute_ns(clock_);
  computed_ns_ += computed_at_ns_ - since_ns_;
  state_ = State::kComputing;
}

void Worker::push_and_go_on() {
  if (observer_ != nullptr) observer_->pushes({endpoint_.id(), rank_, clock_, since_ns_, endpoint_.now_ns()});
  client_.push(clock_, gradient_, keys_);
  ++clock_;
  begin_pull();
}

}  // namespace ringside::inline ps
