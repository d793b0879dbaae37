// The time that a line has: Kubernetes', Python's logging, glog's (PyTorch, NCCL's wrapper), Slurm's.
#pragma once

#include <optional>
#include <string_view>

#include "ringside/autopsy/event.h"

namespace ringside::inline logs {

// "2026-02-03T04:05:06.789Z", "2024-11-26 02:11:56,123", "E1126 02:11:56.123456", near its beginning.
std::optional<LineTime> time_of(std::string_view line);
// glog leaves out the year: that of `near`, or the one beside it that is nearer.
void give_year(LineTime& time, const LineTime& near);

}  // namespace ringside::inline logs
