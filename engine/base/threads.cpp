#include "ringside/base/threads.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ringside/base/clock.h"

namespace ringside {
namespace {

constexpr size_t kSystemNameLength = 15;

struct Wait {
  int64_t since_ns;
  std::string thread;
  std::string what;
};

struct WaitRegistry {
  std::mutex mutex;
  std::unordered_map<const WaitScope*, Wait> waits;
};

// Never destroyed: a detached thread may still wait while the program ends.
WaitRegistry& registry() {
  static auto* const waits = new WaitRegistry;
  return *waits;
}

std::string& mutable_thread_name() {
  thread_local std::string name = "main";
  return name;
}

}  // namespace

void set_thread_name(const std::string& name) {
  mutable_thread_name() = name;
  pthread_setname_np(pthread_self(), name.substr(0, kSystemNameLength).c_str());
}

const std::string& thread_name() { return mutable_thread_name(); }

WaitScope::WaitScope(std::string what) {
  Wait wait{now_ns(), thread_name(), std::move(what)};
  WaitRegistry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.waits.emplace(this, std::move(wait));
}

WaitScope::~WaitScope() {
  WaitRegistry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.waits.erase(this);
}

std::string wait_report() {
  std::vector<Wait> waits;
  {
    WaitRegistry& all = registry();
    const std::lock_guard lock(all.mutex);
    for (const auto& [scope, wait] : all.waits) waits.push_back(wait);
  }
  std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) { return a.since_ns < b.since_ns; });
  const int64_t now = now_ns();
  std::string report;
  for (const Wait& wait : waits)
    report += fmt::format("{}: {} (for {} ms)\n", wait.thread, wait.what, (now - wait.since_ns) / 1'000'000);
  return report;
}

}  // namespace ringside
