// The curves of a run, small enough for one document.
#pragma once

#include <string>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside {

struct Series {
  std::string name, unit;  // "stage 2/loss", "stage 2/memory/gradients"
  int rank = 0;
  std::vector<double> x;  // scalars: step; memory: seconds since the section's first event
  std::vector<double> y;
};

inline constexpr size_t kMemoryPoints = 200;

// Every scalar at every step it was recorded; memory per category as it was, or, of
// more than kMemoryPoints changes, the highest in each of as many equal stretches of time.
std::vector<Series> series_of(const Trace& trace);

}  // namespace ringside
