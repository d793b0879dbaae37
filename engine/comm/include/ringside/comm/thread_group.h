// A group over ranks of one process, all handles at once: for tests, benchmarks and small programs. A run of
// many groups has a World (ringside/world/world.h), which makes them on first use.
#pragma once

#include <memory>
#include <vector>

#include "ringside/comm/observed_group.h"

namespace ringside {

struct ThreadGroupOptions : GroupOptions {
  std::vector<Recorder*> recorders;      // of the group's ranks, in the order of their places, or empty
  std::vector<FlightRecorder*> flights;  // likewise
};

// One handle a rank, in the order of their places. ranks: of the world.
std::vector<std::unique_ptr<ProcessGroup>> make_thread_group(std::vector<int> ranks,
                                                             const ThreadGroupOptions& options);
// Over ranks 0 to size - 1.
std::vector<std::unique_ptr<ProcessGroup>> make_thread_group(int size, const ThreadGroupOptions& options);

}  // namespace ringside
