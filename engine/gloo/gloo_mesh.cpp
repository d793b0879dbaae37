#include "gloo_mesh.h"

#include <fmt/format.h>
#include <gloo/transport/tcp/device.h>

#include <csignal>

#include "ringside/base/error.h"
#include "ringside/base/threads.h"

namespace ringside::inline gloo {
namespace {

constexpr std::chrono::milliseconds kLook{20};  // between two looks at whether a wait is over

// Gloo tells a pair that its connection stands also where the pair has gone (Pair::connectCallback is bound
// to a bare pointer). A context that ends before all are connected stays until the process ends.
void keep_for_ever(std::shared_ptr<::gloo::Context> context) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::shared_ptr<::gloo::Context>>;
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(context));
}

// Gloo's own way to connect ends with an error where one rank has died since it came. Here that one is lost
// to whoever calls it, and the others have each other. A wait ends by close() alone: a pair that has had an
// error, as a timeout of Gloo's is, ends the process at a second one.
class GlooContext final : public ::gloo::Context, public std::enable_shared_from_this<GlooContext> {
 public:
  using Context::Context;
  void connect(GlooMesh& mesh, const std::string& prefix, TimePoint deadline, const GlooWatch& watch) {
    setTimeout(kGlooForEver);
    device_ = mesh.device;
    transportContext_ = device_->createContext(rank, size);
    transportContext_->setTimeout(getTimeout());
    std::string places;  // where each of the others, in their order, reaches this rank: all of one length
    for (int peer = 0; peer < size; ++peer) {
      if (peer == rank) continue;
      const std::vector<char> place = transportContext_->createPair(peer)->address().bytes();
      places.append(place.begin(), place.end());
    }
    watch.begins(shared_from_this());
    const GlooAlarm::Until alarm(mesh.alarm, deadline, [&] { closeConnections(); });
    try {
      if (watch.is_over()) throw StoreTimeoutError("it is over before it begins");
      mesh.store->set(prefix + std::to_string(rank), places);
      for (int peer = 0; peer < size; ++peer) {
        if (peer == rank) continue;
        connect(peer, wait_for(*mesh.store, prefix + std::to_string(peer), deadline, watch));
        if (SteadyClock::now() >= deadline)
          throw StoreTimeoutError("rank {}: rank {} has come, and is not connected by the deadline", rank,
                                  peer);
        if (watch.is_over()) throw StoreTimeoutError("it is over before all are connected");
      }
    } catch (...) {
      keep_for_ever(shared_from_this());
      throw;
    }
  }

 private:
  static std::string wait_for(Store& store, const std::string& key, TimePoint deadline,
                              const GlooWatch& watch) {
    while (true) try {
        return store.get(key, std::min(deadline, SteadyClock::now() + kLook));
      } catch (const StoreTimeoutError&) {
        if (SteadyClock::now() >= deadline || watch.is_over()) throw;
      }
  }
  // Returns also once the pair is closed.
  void connect(int peer, const std::string& places) try {
    const size_t bytes = places.size() / size_t(size - 1);
    const char* const at = places.data() + bytes * size_t(rank - (rank > peer));
    getPair(peer)->connect(std::vector<char>(at, at + bytes));
  } catch (const std::exception&) {  // has died since it came
  }
};

// A write of Gloo's to a peer that has gone would end the process. Who has a handler keeps it.
void ignore_broken_pipes() {
  struct sigaction now {};
  if (::sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

GlooAlarm::GlooAlarm() : thread_([this](const std::stop_token& stop) { serve(stop); }) {}

void GlooAlarm::serve(const std::stop_token& stop) {
  set_thread_name("gloo alarm");
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    while (!to_ring_.empty() && to_ring_.begin()->first.first <= SteadyClock::now()) {
      to_ring_.begin()->second();
      to_ring_.erase(to_ring_.begin());
    }
    next_look_ = to_ring_.empty() ? TimePoint::max() : to_ring_.begin()->first.first;
    const TimePoint until = next_look_;  // a wait reads its time without the lock
    const auto is_earlier = [&] { return next_look_ < until; };
    if (to_ring_.empty())
      changed_.wait(lock, stop, is_earlier);
    else
      changed_.wait_until(lock, stop, until, is_earlier);
  }
}

GlooAlarm::Until::Until(GlooAlarm& alarm, TimePoint deadline, std::function<void()> ring)
    : alarm_(alarm), key_(deadline, this) {
  const std::lock_guard lock(alarm_.mutex_);
  alarm_.to_ring_.emplace(key_, std::move(ring));
  if (deadline >= alarm_.next_look_) return;
  alarm_.next_look_ = deadline;
  alarm_.changed_.notify_one();
}

GlooAlarm::Until::~Until() {
  const std::lock_guard lock(alarm_.mutex_);
  alarm_.to_ring_.erase(key_);
}

std::shared_ptr<::gloo::transport::Device> gloo_device(const GlooOptions& options) try {
  ignore_broken_pipes();
  ::gloo::transport::tcp::attr attributes;
  attributes.hostname = options.address;
  attributes.iface = options.interface;
  return ::gloo::transport::tcp::CreateDevice(attributes);
} catch (const std::exception& error) {
  throw UsageError(
      fmt::format("Gloo cannot listen on {}: {}",
                  options.interface.empty() ? "address " + options.address : "interface " + options.interface,
                  error.what()));
}

std::shared_ptr<::gloo::Context> gloo_context(GlooMesh& mesh, const std::string& prefix, int rank, int size,
                                              TimePoint deadline, const GlooWatch& watch) {
  const auto context = std::make_shared<GlooContext>(rank, size);
  context->connect(mesh, prefix, deadline, watch);
  return context;
}

std::shared_ptr<ChannelHub> connect_over_gloo(std::shared_ptr<Store> store, const GlooOptions& options) {
  const auto mesh = std::make_shared<GlooMesh>();
  const auto own = make_gloo_collectives(mesh, options.algorithm);
  mesh->store = std::move(store);
  mesh->device = gloo_device(options);
  mesh->context =
      gloo_context(*mesh, "gloo/", options.rank, options.size, SteadyClock::now() + options.timeout);
  std::vector<std::unique_ptr<Channel>> channels(size_t(options.size));
  for (int peer = 0; peer < options.size; ++peer)
    if (peer != options.rank) channels[size_t(peer)] = make_gloo_channel(mesh, peer);
  return std::make_shared<ChannelHub>(options.rank, std::move(channels), "ranks as processes, Gloo", own);
}

std::shared_ptr<OwnCollectives> connect_gloo_alone(std::shared_ptr<Store> store, const GlooOptions& options) {
  const auto mesh = std::make_shared<GlooMesh>();
  mesh->store = std::move(store);
  mesh->device = gloo_device(options);
  return make_gloo_collectives(mesh, options.algorithm);
}

}  // namespace ringside::inline gloo
