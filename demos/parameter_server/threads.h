// The same nodes as threads of this process, over inproc: what the network between processes costs.
#pragma once

#include <functional>

#include "ps_options.h"

namespace ringside {

struct Throughput {
  double seconds = 0;
  int64_t pushes = 0;  // of a range, acknowledged; as many pulls were answered
  int64_t bytes = 0;   // of packets that workers sent and received
};

struct Counted {
  int64_t acknowledged = 0, bytes = 0;  // iterations and packets' bytes, of all workers
};
// What is counted more once `wait` has returned.
Throughput throughput_of(uint32_t ranges, const std::function<Counted()>& count,
                         const std::function<void()>& wait);

// Trains for that long, once all workers have begun. An Error of kTimeout where they do not.
Throughput train_on_threads(const PsNodeOptions& options, double seconds,
                            const std::function<bool()>& cancelled);

}  // namespace ringside
