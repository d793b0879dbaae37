// The same nodes as threads of this process, over inproc: what the network between processes costs.
#pragma once

#include <functional>

#include "ps_options.h"

namespace ringside::ps {

struct Throughput {
  double seconds = 0;
  int64_t pushes = 0, pulls = 0;  // of a range: acknowledged, answered
  int64_t bytes = 0;              // of packets that workers sent and received
};

// Trains for that long, once all workers have begun. An Error of kTimeout where they do not.
Throughput train_on_threads(const PsNodeOptions& options, double seconds,
                            const std::function<bool()>& cancelled);

}  // namespace ringside::ps
