// Acts 2 and 4: what the numbers in the source's logs can be. Shapes and arithmetic, no training.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "parts.h"
#include "ringside/base/units.h"
#include "ringside/lesson/config.h"

namespace ringside::nccl_lesson {

inline constexpr int kRanksOfTheCase = 8;
// What the source's first document says, as it says it: compared with, never computed with.
inline constexpr int64_t kBatch = 8, kLength = 2048, kHidden = 3584;
inline constexpr int64_t kClaimedProduct = 58'851'328;    // "8 x 2048 x 3584"
inline constexpr int64_t kClaimedOverGpus = 470'810'624;  // "x 8"

inline std::string whole(double value) { return format_count(static_cast<int64_t>(value)); }

// A bf16 all-reduce of so many elements over the case's ranks, in ms on each simulated link.
std::map<std::string, double> wire_ms(int64_t elements);

// Adds the sections "plan 7B" and "plan here": attributes and tables, and nothing that happens. Figures of
// both acts are the outcome's "arithmetic_..." and "explain_...".
void record_numbers(const Config& config, TraceStore& store, TraceRows& rows);

}  // namespace ringside::nccl_lesson
