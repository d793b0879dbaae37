#include "ringside/comm/launch.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "ringside/base/check.h"
#include "ringside/base/threads.h"
#include "ringside/comm/errors.h"

namespace ringside {
namespace {

// What the ranks threw, in the order of time. All are kept until the ranks are joined: libstdc++ counts
// references to an exception in code without instrumentation, so ThreadSanitizer would report a race that is
// none.
class Errors {
 public:
  void add(std::exception_ptr error, bool echo) {
    const std::lock_guard lock(mutex_);
    errors_.push_back({std::move(error), echo});
  }
  // The first; an echo (PeerLostError) only if there is nothing else.
  void rethrow_cause() const {
    if (errors_.empty()) return;
    const auto cause =
        std::find_if(errors_.begin(), errors_.end(), [](const Entry& entry) { return !entry.echo; });
    std::rethrow_exception((cause == errors_.end() ? errors_.begin() : cause)->error);
  }

 private:
  struct Entry {
    std::exception_ptr error;
    bool echo = false;
  };
  std::mutex mutex_;
  std::vector<Entry> errors_;
};

using OnFailure = std::function<void(int rank, const std::string& reason)>;

// Runs `body`; what it throws is noted, then reported.
void run_guarded(int rank, const std::function<void()>& body, const OnFailure& on_failure, Errors& errors) {
  std::string reason;
  try {
    body();
    return;
  } catch (const PeerLostError& error) {
    errors.add(std::current_exception(), true);
    reason = error.what();
  } catch (const std::exception& error) {
    errors.add(std::current_exception(), false);
    reason = error.what();
  } catch (...) {
    errors.add(std::current_exception(), false);
    reason = "an exception that is no std::exception";
  }
  try {
    on_failure(rank, reason);
  } catch (...) {
    errors.add(std::current_exception(), false);
  }
}

}  // namespace

void run_ranks(int size, const std::function<void(int rank)>& body, const OnFailure& on_failure) {
  RINGSIDE_CHECK_GE(size, 1);
  Errors errors;
  {
    std::vector<std::jthread> threads;  // joined at the end of this block
    for (int rank = 0; rank < size; ++rank) {
      const auto start_rank = [&, rank] {
        threads.emplace_back([&, rank] {
          set_thread_name("rank" + std::to_string(rank));
          run_guarded(
              rank, [&] { body(rank); }, on_failure, errors);
        });
      };
      run_guarded(rank, start_rank, on_failure, errors);  // a system out of threads is a failed rank
    }
  }
  errors.rethrow_cause();
}

}  // namespace ringside
