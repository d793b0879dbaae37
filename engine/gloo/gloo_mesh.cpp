#include "gloo_mesh.h"

#include <fmt/format.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>

#include <csignal>

#include "ringside/base/error.h"
#include "ringside/base/threads.h"

namespace ringside {
namespace {

// Gloo asks for addresses by a rank's number, and where its timeout has passed it goes on asking.
class GlooStore final : public ::gloo::rendezvous::Store {
 public:
  GlooStore(ringside::Store& store, std::string prefix, TimePoint deadline)
      : store_(store), prefix_(std::move(prefix)), deadline_(deadline) {}
  void set(const std::string& key, const std::vector<char>& value) override {
    store_.set(prefix_ + key, std::as_bytes(std::span(value)));
  }
  std::vector<char> get(const std::string& key) override {
    const std::vector<std::byte> value = store_.get(prefix_ + key, deadline_);
    const auto* bytes = reinterpret_cast<const char*>(value.data());
    return {bytes, bytes + value.size()};
  }
  void wait(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) get(key);
  }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) override { wait(keys); }

 private:
  ringside::Store& store_;
  const std::string prefix_;
  const TimePoint deadline_;
};

// Gloo of 2022 takes the store by reference, of 2024 by shared pointer.
template <typename Context>
void connect_all(Context& context, const std::shared_ptr<::gloo::rendezvous::Store>& store,
                 std::shared_ptr<::gloo::transport::Device>& device) {
  if constexpr (requires { context.connectFullMesh(*store, device); })
    context.connectFullMesh(*store, device);
  else
    context.connectFullMesh(store, device);
}

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
    const auto is_earlier = [this, until = next_look_] { return next_look_ < until; };
    if (to_ring_.empty())
      changed_.wait(lock, stop, is_earlier);
    else
      changed_.wait_until(lock, stop, next_look_, is_earlier);
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
} catch (const std::exception& error) {  // Gloo's own have no common base
  throw UsageError(
      fmt::format("Gloo cannot listen on {}: {}",
                  options.interface.empty() ? "address " + options.address : "interface " + options.interface,
                  error.what()));
}

std::shared_ptr<::gloo::Context> gloo_context(Store& store, const std::string& prefix,
                                              std::shared_ptr<::gloo::transport::Device> device, int rank,
                                              int size, TimePoint deadline) try {
  const auto context = std::make_shared<::gloo::rendezvous::Context>(rank, size);
  // Gloo waits for a connection 5 times as long.
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now()) / 5;
  context->setTimeout(std::max(left, std::chrono::milliseconds(1)));
  connect_all(*context, std::make_shared<GlooStore>(store, prefix, deadline), device);
  return context;
} catch (const Error&) {
  throw;
} catch (const std::exception& error) {
  throw StoreTimeoutError(
      fmt::format("rank {}: a rank that had come is not connected: {}", rank, error.what()));
}

std::shared_ptr<ChannelHub> connect_over_gloo(std::shared_ptr<Store> store, const GlooOptions& options) {
  const auto mesh = std::make_shared<GlooMesh>();
  const auto own = make_gloo_collectives(mesh, options.algorithm);
  mesh->store = std::move(store);
  mesh->device = gloo_device(options);
  mesh->context = gloo_context(*mesh->store, "gloo/", mesh->device, options.rank, options.size,
                               SteadyClock::now() + options.timeout);
  std::vector<std::unique_ptr<Channel>> channels(static_cast<size_t>(options.size));
  for (int peer = 0; peer < options.size; ++peer)
    if (peer != options.rank) channels[static_cast<size_t>(peer)] = make_gloo_channel(mesh, peer);
  return std::make_shared<ChannelHub>(options.rank, std::move(channels), "ranks as processes, Gloo", own);
}

}  // namespace ringside
