#include "ringside/parameter_server/thread_network.h"

#include "ringside/base/check.h"
#include "ringside/base/clock.h"

namespace ringside::inline ps {

class ThreadNetwork::Place final : public Endpoint {
 public:
  Place(ThreadNetwork& network, NodeId id, std::shared_ptr<Inbox> inbox)
      : network_(network), id_(id), inbox_(std::move(inbox)) {}
  ~Place() override {
    const std::lock_guard lock(network_.mutex_);
    network_.inboxes_.erase(id_);
  }

  NodeId id() const override { return id_; }
  int64_t now_ns() const override { return ringside::now_ns(); }

  void send(NodeId to, Bytes packet) override {
    const std::shared_ptr<Inbox> inbox = network_.inbox_of(to);
    if (!inbox) return;
    {
      const std::lock_guard lock(inbox->mutex);
      inbox->packets.push_back({id_, std::move(packet)});
    }
    inbox->changed.notify_one();
  }

  std::optional<Packet> receive(int64_t deadline_ns) override {
    std::unique_lock lock(inbox_->mutex);
    const auto has_one = [&] { return !inbox_->packets.empty(); };
    if (deadline_ns == kNever)
      inbox_->changed.wait(lock, has_one);
    else if (!inbox_->changed.wait_until(lock, TimePoint(std::chrono::nanoseconds(deadline_ns)), has_one))
      return std::nullopt;
    Packet packet = std::move(inbox_->packets.front());
    inbox_->packets.pop_front();
    return packet;
  }

 private:
  ThreadNetwork& network_;
  NodeId id_;
  std::shared_ptr<Inbox> inbox_;
};

std::unique_ptr<Endpoint> ThreadNetwork::connect(NodeId id) {
  auto inbox = std::make_shared<Inbox>();
  {
    const std::lock_guard lock(mutex_);
    RINGSIDE_CHECK(inboxes_.emplace(id, inbox).second, "node " << id << " is there already");
  }
  return std::make_unique<Place>(*this, id, std::move(inbox));
}

std::shared_ptr<ThreadNetwork::Inbox> ThreadNetwork::inbox_of(NodeId id) {
  const std::lock_guard lock(mutex_);
  const auto found = inboxes_.find(id);
  return found == inboxes_.end() ? nullptr : found->second;
}

}  // namespace ringside::inline ps
