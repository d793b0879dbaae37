// The Work of a GroupDecorator that changes calls: one that did not happen, or one that is followed by more.
#pragma once

#include <functional>
#include <utility>

#include "ringside/comm/process_group.h"

namespace ringside::inline comm {

// Ends when `work` ends; of none it is over at once. The first wait() then runs `then` on the waiting thread.
class ThenWork final : public Work {
 public:
  explicit ThenWork(WorkPtr work = nullptr, std::function<void()> then = nullptr)
      : work_(std::move(work)), then_(std::move(then)) {}
  void wait() override {
    if (work_) work_->wait();
    if (then_) std::exchange(then_, nullptr)();
  }
  bool done() const override { return !work_ || work_->done(); }

 private:
  WorkPtr work_;
  std::function<void()> then_;
};

}  // namespace ringside::inline comm
