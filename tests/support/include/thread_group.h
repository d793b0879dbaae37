// A group over ranks of one process, all handles at once. A run has a World (ringside/world/world.h), which
// makes its groups on first use.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "ringside/comm/observed_group.h"
#include "stand_in_device.h"

namespace ringside::testing {

struct ThreadGroupOptions : GroupOptions {
  std::vector<Recorder*> recorders;      // of the group's ranks, in the order of their places, or empty
  std::vector<FlightRecorder*> flights;  // likewise
};

// One handle a rank, in the order of their places. ranks: of the world.
inline std::vector<std::unique_ptr<ProcessGroup>> make_thread_group(const std::vector<int>& ranks,
                                                                    const ThreadGroupOptions& options) {
  const auto wirings = connect_ranks(*std::ranges::max_element(ranks) + 1);
  std::vector<std::unique_ptr<ProcessGroup>> handles;
  for (int place = 0; place < std::ssize(ranks); ++place) {
    const auto at = static_cast<size_t>(place);
    const Observers observers{options.recorders.empty() ? nullptr : options.recorders.at(at),
                              options.flights.empty() ? nullptr : options.flights.at(at)};
    handles.push_back(std::make_unique<OnTestedDevice>(std::make_unique<ObservedGroup>(
        options, ranks, place, observers,
        wirings[static_cast<size_t>(ranks[at])]->connect(options.name, ranks, place))));
  }
  return handles;
}

// Over ranks 0 to size - 1.
inline std::vector<std::unique_ptr<ProcessGroup>> make_thread_group(int size,
                                                                    const ThreadGroupOptions& options) {
  return make_thread_group(all_ranks(size), options);
}

// Hands its calls to a handle that lives on.
class BorrowedGroup final : public ProcessGroup {
 public:
  explicit BorrowedGroup(ProcessGroup& group)
      : ProcessGroup(group.name(), group.ranks(), group.rank()), to_(group) {}
  WorkPtr start(Collective call) override { return to_.start(std::move(call)); }
  void abort(const std::string& reason) override { to_.abort(reason); }

 private:
  ProcessGroup& to_;
};

}  // namespace ringside::testing
