#include "ringside/libtorch/watch_call.h"

#include <ATen/record_function.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Backtrace.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>
#include <sstream>

namespace ringside::inline kit {
namespace {

constexpr c10::DebugInfoKind kKind = c10::DebugInfoKind::PROFILER_STATE;

// "frame #9: at::TensorIteratorBase::build(...) + 0x8a (0x7f.. in /lib/libtorch_cpu.so.1.13)"
WatchedCall::Frame read_frame(const std::string& line) {
  const size_t name = line.find(": ") + 2, library = line.rfind('/') + 1;
  const std::string function = line.substr(name, line.find_first_of("(+", name) - name);
  return {function.starts_with('<') ? "" : function,
          line.substr(library, line.find(".so", library) - library)};
}

// What lies above the outermost call of an operator is not LibTorch's.
std::vector<WatchedCall::Frame> stack_from_operator() {
  std::istringstream lines(c10::get_backtrace());
  std::vector<WatchedCall::Frame> inner, stack;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(".so") == std::string::npos) continue;  // what watches is part of the program
    inner.push_back(read_frame(line));
    const std::string& function = inner.back().function;
    if (!function.starts_with("at::_ops::") || function.find("::call") == std::string::npos) continue;
    stack.insert(stack.begin(), inner.rbegin(), inner.rend());
    inner.clear();
  }
  return stack;
}

class Watch : public c10::MemoryReportingInfoBase {
 public:
  bool memoryProfilingEnabled() const override { return true; }
  // The integer types changed between LibTorch 1.13 and 2.x; one of the two is virtual.
  void reportMemoryUsage(void*, int64_t bytes, int64_t, int64_t, c10::Device) { change(bytes); }
  void reportMemoryUsage(void*, int64_t bytes, size_t, size_t, c10::Device) { change(bytes); }
  static std::unique_ptr<at::ObserverContext> started(const at::RecordFunction& function) {
    static_cast<Watch*>(c10::ThreadLocalDebugInfo::get(kKind))->seen.operators.emplace_back(function.name());
    return nullptr;
  }

  WatchedCall seen;

 private:
  void change(int64_t bytes) {
    if (bytes <= 0) return;
    const auto excluded = c10::impl::tls_local_dispatch_key_set().excluded_;
    seen.allocations.push_back({bytes, excluded.has(c10::DispatchKey::AutogradOther)});
    if (seen.allocations.size() == 1) seen.stack = stack_from_operator();
  }
};

// Callbacks of this thread, for as long as it lives.
class Callback {
 public:
  Callback()
      : handle_(at::addThreadLocalCallback(
            at::RecordFunctionCallback(Watch::started).scopes({at::RecordScope::FUNCTION}))) {}
  ~Callback() { at::removeCallback(handle_); }
  Callback& operator=(Callback&&) = delete;

 private:
  at::CallbackHandle handle_;
};

}  // namespace

WatchedCall watch_call(const std::function<void()>& call) {
  const auto watch = std::make_shared<Watch>();
  const c10::DebugInfoGuard guard(kKind, watch);
  const Callback callback;
  call();
  return watch->seen;
}

}  // namespace ringside::inline kit
