#include "ringside/comm/launch.h"

#include <mutex>
#include <thread>
#include <vector>

#include "ringside/base/check.h"
#include "ringside/base/threads.h"
#include "ringside/comm/errors.h"

namespace ringside::inline comm {
namespace {

// What the ranks threw, in the order of time; a PeerLostError is the echo of another rank's end. All are kept
// until the ranks are joined: libstdc++ counts references to an exception in code without instrumentation, so
// ThreadSanitizer would report a race that is none.
class Errors {
 public:
  // What `body` throws is kept, and returned.
  std::exception_ptr run(const std::function<void()>& body) try {
    body();
    return nullptr;
  } catch (const PeerLostError&) {
    return keep(echoes_);
  } catch (...) {
    return keep(causes_);
  }
  // The first; an echo only if there is nothing else.
  void rethrow_cause() const {
    for (const auto* errors : {&causes_, &echoes_})
      if (!errors->empty()) std::rethrow_exception(errors->front());
  }

 private:
  std::exception_ptr keep(std::vector<std::exception_ptr>& errors) {
    const std::lock_guard lock(mutex_);
    return errors.emplace_back(std::current_exception());
  }

  std::mutex mutex_;
  std::vector<std::exception_ptr> causes_, echoes_;
};

}  // namespace

std::string reason_of(const std::exception_ptr& error) try {
  std::rethrow_exception(error);
} catch (const std::exception& known) {
  return known.what();
} catch (...) {
  return "an exception that is no std::exception";
}

void run_ranks(int size, const std::function<void(int rank)>& body,
               const std::function<void(int rank, const std::string& reason)>& on_failure) {
  RINGSIDE_CHECK_GE(size, 1);
  Errors errors;
  const auto run_guarded = [&](int rank, const std::function<void()>& part) {
    if (const auto error = errors.run(part)) errors.run([&] { on_failure(rank, reason_of(error)); });
  };
  {
    std::vector<std::jthread> threads;  // joined at the end of this block
    for (int rank = 0; rank < size; ++rank) {
      const auto run_rank = [&, rank] {
        set_thread_name("rank" + std::to_string(rank));
        run_guarded(rank, [&] { body(rank); });
      };
      run_guarded(rank, [&] { threads.emplace_back(run_rank); });  // a system out of threads is a failed rank
    }
  }
  errors.rethrow_cause();
}

}  // namespace ringside::inline comm
