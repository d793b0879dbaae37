#include "ringside/figures/step_windows.h"

#include <algorithm>
#include <limits>

namespace ringside::figure {

void StepWindows::update(const SectionView& section, int rank) {
  const auto spans = section.spans(rank);
  for (; spans_ < spans.size(); ++spans_) {
    const SpanEvent& span = spans[spans_];
    if (span.step < 0) continue;
    const auto step = size_t(span.step);
    if (step > starts_.size()) continue;  // a step that began before anything was recorded
    if (step == starts_.size()) starts_.push_back(span.start_ns);
    starts_[step] = std::min(starts_[step], span.start_ns);
  }
}

std::optional<StepWindow> StepWindows::at(int64_t time_ns) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), time_ns);
  return of(after - starts_.begin() - 1);
}

std::optional<StepWindow> StepWindows::of(int64_t step) const {
  if (step < 0 || step >= std::ssize(starts_)) return std::nullopt;
  const auto nth = size_t(step);
  const bool open = nth + 1 == starts_.size();
  return StepWindow{step, starts_[nth], open ? std::numeric_limits<int64_t>::max() : starts_[nth + 1], open};
}

}  // namespace ringside::figure
