#include "ringside/comm/launch.h"

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "ringside/base/check.h"
#include "ringside/base/threads.h"
#include "ringside/comm/errors.h"

namespace ringside {
namespace {

// The error to rethrow: the first in time, but an echo (PeerLostError) gives way to a cause.
class FirstError {
 public:
  void add(std::exception_ptr error, bool echo) {
    const std::lock_guard lock(mutex_);
    if (!error_ || (echo_ && !echo)) {
      error_ = error;
      echo_ = echo;
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
  bool echo_ = false;
};

using OnFailure = std::function<void(int rank, const std::string& reason)>;

// Runs `body`; what it throws is noted, then reported.
void run_guarded(int rank, const std::function<void()>& body, const OnFailure& on_failure, FirstError& first_error) {
  std::string reason;
  try {
    body();
    return;
  } catch (const PeerLostError& error) {
    first_error.add(std::current_exception(), true);
    reason = error.what();
  } catch (const std::exception& error) {
    first_error.add(std::current_exception(), false);
    reason = error.what();
  } catch (...) {
    first_error.add(std::current_exception(), false);
    reason = "an exception that is no std::exception";
  }
  try {
    on_failure(rank, reason);
  } catch (...) {
    first_error.add(std::current_exception(), false);
  }
}

}  // namespace

void run_ranks(int size, const std::function<void(int rank)>& body, const OnFailure& on_failure) {
  RINGSIDE_CHECK_GE(size, 1);
  FirstError first_error;
  {
    std::vector<std::jthread> threads;  // joined at the end of this block
    for (int rank = 0; rank < size; ++rank) {
      const auto start_rank = [&, rank] {
        threads.emplace_back([&, rank] {
          set_thread_name("rank" + std::to_string(rank));
          run_guarded(rank, [&] { body(rank); }, on_failure, first_error);
        });
      };
      run_guarded(rank, start_rank, on_failure, first_error);  // a system out of threads is a failed rank
    }
  }
  first_error.rethrow();
}

}  // namespace ringside
