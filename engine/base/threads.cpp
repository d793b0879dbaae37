#include "ringside/base/threads.h"

#include <pthread.h>

#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ringside/base/clock.h"

namespace ringside::inline base {
namespace {

constexpr size_t kSystemNameLength = 15;

struct Wait {
  const WaitScope* scope;
  int64_t since_ns;
  std::string thread, what;
};

struct WaitRegistry {
  std::mutex mutex;
  std::vector<Wait> waits;  // the longest first
};

// Never destroyed: a detached thread may still wait while the program ends.
WaitRegistry& registry() {
  static auto* const waits = new WaitRegistry;
  return *waits;
}

thread_local std::string name_of_thread = "main";

}  // namespace

void set_thread_name(const std::string& name) {
  name_of_thread = name;
  pthread_setname_np(pthread_self(), name.substr(0, kSystemNameLength).c_str());
}

WaitScope::WaitScope(std::string what) {
  WaitRegistry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.waits.push_back({this, now_ns(), name_of_thread, std::move(what)});
}

WaitScope::~WaitScope() {
  WaitRegistry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.waits, [this](const Wait& wait) { return wait.scope == this; });
}

std::string wait_report() {
  WaitRegistry& all = registry();
  const std::lock_guard lock(all.mutex);
  const int64_t now = now_ns();
  std::string report;
  for (const Wait& wait : all.waits)
    report += fmt::format("{}: {} (for {} ms)\n", wait.thread, wait.what, (now - wait.since_ns) / 1'000'000);
  return report;
}

}  // namespace ringside::inline base
