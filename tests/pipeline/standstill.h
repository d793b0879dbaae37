// Says at once when ranks that exchange messages stand still, without a deadline. A wait can end if the other
// end of its message has been posted: a transport pairs the messages of one direction in order (tests/comm).
// So the run stands still if every rank that has not finished waits, and none of these waits can end. The
// last rank to wait sees it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "ringside/comm/process_group.h"

namespace ringside::testing {

class StandStill {
 public:
  explicit StandStill(int ranks) : waits_(static_cast<size_t>(ranks)), unfinished_(ranks) {}

  bool seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  // The handle that a rank's code is to use.
  std::unique_ptr<ProcessGroup> wrap(std::unique_ptr<ProcessGroup> group) {
    return std::make_unique<Watched>(std::move(group), *this);
  }
  void finished(int rank, ProcessGroup* group) {
    const std::lock_guard lock(mutex_);
    --unfinished_;
    look(group);
  }

 private:
  struct Message {
    std::pair<int, int> lane;  // from, to
    bool send = false;
    int64_t number = 0;
  };
  class WatchedWork final : public Work {
   public:
    WatchedWork(WorkPtr inner, StandStill& all, ProcessGroup& group, Message message)
        : inner_(std::move(inner)), all_(all), group_(group), message_(std::move(message)) {}
    void wait() override {
      all_.begin_wait(group_, message_);
      inner_->wait();
      all_.end_wait(group_.rank());
    }
    bool done() const override { return inner_->done(); }

   private:
    const WorkPtr inner_;
    StandStill& all_;
    ProcessGroup& group_;
    const Message message_;
  };
  class Watched final : public GroupDecorator {
   public:
    Watched(std::unique_ptr<ProcessGroup> inner, StandStill& all)
        : GroupDecorator(std::move(inner)), all_(all) {}
    WorkPtr start(Collective call) override {
      const bool send = call.op == Op::kSend;
      const auto lane = send ? std::pair(rank(), call.peer) : std::pair(call.peer, rank());
      const Message message{lane, send, all_.post(lane, send)};
      return std::make_shared<WatchedWork>(inner_->start(std::move(call)), all_, *inner_, message);
    }

   private:
    StandStill& all_;
  };

  int64_t post(std::pair<int, int> lane, bool send) {
    const std::lock_guard lock(mutex_);
    return posted_[{lane, send}]++;
  }
  void begin_wait(ProcessGroup& group, const Message& message) {
    const std::lock_guard lock(mutex_);
    waits_[static_cast<size_t>(group.rank())] = message;
    look(&group);
  }
  void end_wait(int rank) {
    const std::lock_guard lock(mutex_);
    waits_[static_cast<size_t>(rank)].reset();
  }
  void look(ProcessGroup* group) {
    int waiting = 0;
    for (const auto& wait : waits_) {
      if (!wait) continue;
      if (posted_[{wait->lane, !wait->send}] > wait->number) return;  // its other end is there
      ++waiting;
    }
    if (seen_ || waiting == 0 || waiting < unfinished_) return;
    seen_ = true;
    if (group != nullptr) group->abort("the run stands still");
  }

  mutable std::mutex mutex_;
  std::map<std::pair<std::pair<int, int>, bool>, int64_t> posted_;  // by lane, and whether sends
  std::vector<std::optional<Message>> waits_;                       // (rank)
  int unfinished_;
  bool seen_ = false;
};

}  // namespace ringside::testing
