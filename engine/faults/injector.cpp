#include "ringside/faults/injector.h"

#include <algorithm>
#include <utility>

#include "ringside/base/error.h"
#include "ringside/base/threads.h"

namespace ringside::inline faults {
namespace {

bool matches(const std::string& wanted, const std::string& name) { return wanted.empty() || wanted == name; }
bool matches(int64_t wanted, int64_t number) { return wanted == kEvery || wanted == number; }

}  // namespace

FaultInjector::FaultInjector(FaultPlan plan, int ranks)
    : plan_(std::move(plan)),
      step_(size_t(ranks), -1),
      matched_(plan_.faults.size(), std::vector<int64_t>(size_t(ranks))) {
  for (const Fault& fault : plan_.faults) {
    if (fault.rank >= ranks)
      throw UsageError("the fault plan strikes rank {}; there are ranks 0 to {}", fault.rank, ranks - 1);
  }
}

void FaultInjector::begin_step(int rank, int64_t step) {
  const std::lock_guard lock(mutex_);
  int64_t& now = step_[size_t(rank)];
  if (now == step) return;
  now = step;
  for (std::vector<int64_t>& calls : matched_) calls[size_t(rank)] = 0;
}

const Fault* FaultInjector::next(int rank, const std::string& group, const Tag& tag) {
  const std::lock_guard lock(mutex_);
  const Fault* strikes = nullptr;
  for (size_t i = 0; i < plan_.faults.size(); ++i) {
    const Fault& fault = plan_.faults[i];
    if (!matches(fault.rank, rank) || !matches(fault.step, step_[size_t(rank)])) continue;
    if (is_of_loop(fault.kind)) continue;
    if (!matches(fault.group, group) || !matches(fault.tag, tag.what) || !matches(fault.unit, tag.unit))
      continue;
    if (matches(fault.call, matched_[i][size_t(rank)]++) && strikes == nullptr) strikes = &fault;
  }
  if (strikes != nullptr) ++struck_;
  return strikes;
}

bool FaultInjector::plans(FaultKind kind, int64_t step, std::optional<int> rank) const {
  return std::ranges::any_of(plan_.faults, [&](const Fault& fault) {
    return fault.kind == kind && matches(fault.step, step) && (!rank || matches(fault.rank, *rank));
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
