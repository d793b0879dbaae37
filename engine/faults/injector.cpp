#include "ringside/faults/injector.h"

#include <algorithm>
#include <utility>

#include "ringside/base/error.h"
#include "ringside/base/threads.h"

namespace ringside::inline faults {
namespace {

bool matches(const std::string& wanted, const std::string& name) { return wanted.empty() || wanted == name; }

}  // namespace

FaultInjector::FaultInjector(FaultPlan plan, int ranks)
    : plan_(std::move(plan)), step_(static_cast<size_t>(ranks), -1), matched_(plan_.faults.size()) {
  for (const Fault& fault : plan_.faults) {
    if (fault.rank >= ranks)
      throw UsageError("the fault plan strikes rank {}; there are ranks 0 to {}", fault.rank, ranks - 1);
  }
}

void FaultInjector::begin_step(int rank, int64_t step) {
  const std::lock_guard lock(mutex_);
  step_[static_cast<size_t>(rank)] = step;
}

const Fault* FaultInjector::next(int rank, const std::string& group, const Tag& tag) {
  const std::lock_guard lock(mutex_);
  const Fault* strikes = nullptr;
  for (size_t i = 0; i < plan_.faults.size(); ++i) {
    const Fault& fault = plan_.faults[i];
    if (fault.rank != rank || fault.step != step_[static_cast<size_t>(rank)] || is_of_loop(fault.kind))
      continue;
    if (!matches(fault.group, group) || !matches(fault.tag, tag.what) || !matches(fault.unit, tag.unit))
      continue;
    if (matched_[i]++ == fault.call && strikes == nullptr) strikes = &fault;
  }
  if (strikes != nullptr) ++struck_;
  return strikes;
}

bool FaultInjector::plans(FaultKind kind, int64_t step, std::optional<int> rank) const {
  return std::ranges::any_of(plan_.faults, [&](const Fault& fault) {
    return fault.kind == kind && fault.step == step && (!rank || fault.rank == *rank);
  });
}

void FaultInjector::sleep(std::chrono::nanoseconds time) {
  const WaitScope scope("the end of a planned fault");
  std::unique_lock lock(mutex_);
  woken_.wait_for(lock, time, [this] { return awake_; });
}

void FaultInjector::wake() {
  const std::lock_guard lock(mutex_);
  awake_ = true;
  woken_.notify_all();
}

int64_t FaultInjector::struck() const {
  const std::lock_guard lock(mutex_);
  return struck_;
}

}  // namespace ringside::inline faults
