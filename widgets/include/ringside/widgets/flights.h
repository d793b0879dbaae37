// Collectives on their way at one instant, as something that moves between ranks.
#pragma once

#include <string>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside::ui {

struct Flight {
  int from = 0, to = 0;  // ranks; the same one for what only waits
  Op op = Op::kBarrier;
  std::string tag;       // what it carries, for its colour
  std::string label;     // "L2", "b3": short; may be ""
  float progress = 0;    // 0 to 1: the share of its time that has passed
  bool waiting = false;  // scheduled and not started
};

// What every rank's collectives do at that instant. A finished one is no flight. How long one
// that never ended takes is not known: it slows down without arriving. Looks at the events around
// the instant only, whatever the length of the trace.
std::vector<Flight> flights_at(const SectionView& section, const Trace& trace, int64_t time_ns);

// "layer 2" -> "L2", "bucket 3" -> "b3", "model.layers.3.mlp.up_proj.weight" -> "L3 up_proj".
std::string short_name(const std::string& unit, const std::string& tensor);

}  // namespace ringside::ui
