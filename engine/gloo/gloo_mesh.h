// Gloo's connections between this rank and all others, and what ends a wait for them.
#pragma once

#include <gloo/context.h>
#include <gloo/transport/device.h>
#include <gloo/transport/unbound_buffer.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "ringside/base/clock.h"
#include "ringside/gloo/gloo_hub.h"

namespace ringside::inline gloo {

// Calls a function where a deadline comes before its owner is done: Gloo's own timeout ends every connection.
class GlooAlarm {
 public:
  GlooAlarm();
  // Once its destructor returns it does not ring any more.
  class Until {
   public:
    Until(GlooAlarm& alarm, TimePoint deadline, std::function<void()> ring);
    ~Until();
    Until& operator=(Until&&) = delete;

   private:
    GlooAlarm& alarm_;
    const std::pair<TimePoint, const void*> key_;
  };

 private:
  void serve(const std::stop_token& stop);
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::pair<TimePoint, const void*>, std::function<void()>> to_ring_;
  TimePoint next_look_ = TimePoint::max();
  std::jthread thread_;  // the last member: it stops before the others go
};

// As long as it takes: of a wait that something else ends.
inline constexpr std::chrono::milliseconds kGlooForEver = std::chrono::hours(24 * 365);

// A buffer of Gloo's is a place in memory: this one is all of it, so that one is enough for every call.
inline std::unique_ptr<::gloo::transport::UnboundBuffer> whole_memory(::gloo::Context& context) {
  return context.createUnboundBuffer(nullptr, SIZE_MAX);
}

// Whether what wait() waits for was done. Gloo throws where a connection has ended, at first also to who
// waits for what was done before: it is asked once more.
template <typename Wait>
bool was_done(const Wait& wait) {
  for (int asked = 0; asked < 2; ++asked) try {
      return wait();
    } catch (const std::exception&) {
    }
  return false;
}

std::shared_ptr<::gloo::transport::Device> gloo_device(const GlooOptions& options);

// Who may end the wait for a connection: closing the context ends the wait for a rank that has come.
struct GlooWatch {
  std::function<void(const std::shared_ptr<::gloo::Context>&)> begins = [](const auto&) {};
  std::function<bool()> is_over = [] { return false; };
};

struct GlooMesh {
  std::shared_ptr<Store> store;
  std::shared_ptr<::gloo::transport::Device> device;
  std::shared_ptr<::gloo::Context> context;
  GlooAlarm alarm{};
};
// Connected with its `size` ranks, but for those that have come and died. prefix: of its keys in the store.
// What the store throws; StoreTimeoutError, also once it is over.
std::shared_ptr<::gloo::Context> gloo_context(GlooMesh& mesh, const std::string& prefix, int rank, int size,
                                              TimePoint deadline, const GlooWatch& watch = {});
std::unique_ptr<Channel> make_gloo_channel(std::shared_ptr<GlooMesh> mesh, int peer);
// Those of that name, for whatever they take; "": large calls in rank order. UsageError for another.
std::shared_ptr<OwnCollectives> make_gloo_collectives(std::shared_ptr<GlooMesh> mesh,
                                                      const std::string& algorithm);

}  // namespace ringside::inline gloo
