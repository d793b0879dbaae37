// When each training step of a rank began, kept up as its spans come.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside::figure {

// [start, end) of a step; the last one is open.
struct StepWindow {
  int64_t step, start_ns, end_ns;
  bool open;
};

class StepWindows {
 public:
  void update(const SectionView& section, int rank);    // O(new spans)
  std::optional<StepWindow> at(int64_t time_ns) const;  // none before the first
  std::optional<StepWindow> of(int64_t step) const;

 private:
  std::vector<int64_t> starts_;  // of step 0, 1, ...
  size_t spans_ = 0;
};

}  // namespace ringside::figure
