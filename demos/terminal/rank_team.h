// Threads that wait for the next thing to do, so that what is timed does not start them.
#pragma once

#include <barrier>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ringside {

class RankTeam {
 public:
  explicit RankTeam(int members) : gate_(members + 1) {
    for (int member = 0; member < members; ++member) threads_.emplace_back([this, member] { serve(member); });
  }
  ~RankTeam() {
    body_ = nullptr;
    gate_.arrive_and_wait();
  }
  RankTeam& operator=(RankTeam&&) = delete;

  // body(member) on each at once; returns when all are through, and rethrows what one of them threw.
  void run(const std::function<void(int member)>& body) {
    body_ = &body;
    gate_.arrive_and_wait();
    gate_.arrive_and_wait();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void serve(int member) {
    while (true) {
      gate_.arrive_and_wait();
      if (body_ == nullptr) return;
      try {
        (*body_)(member);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
      }
      gate_.arrive_and_wait();
    }
  }

  std::barrier<> gate_;
  const std::function<void(int)>* body_ = nullptr;
  std::mutex mutex_;
  std::exception_ptr error_;
  std::vector<std::jthread> threads_;  // the last member: they end before the others go
};

}  // namespace ringside
