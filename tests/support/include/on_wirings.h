// Runs a test body on the ranks of a group, each connected by a wiring of its own (connected_ranks.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ringside/comm/launch.h"
#include "ringside/comm/observed_group.h"
#include "ringside/comm/wiring.h"

namespace ringside::testing {

// wirings: (rank of the world); recorders: of `ranks`, or none. body(group) on each of `ranks`; one that
// throws aborts the group, and the first error is rethrown.
template <typename AnyWiring>
void on_wirings(const std::vector<std::shared_ptr<AnyWiring>>& wirings, const std::vector<int>& ranks,
                const GroupOptions& options, const std::function<void(ProcessGroup&)>& body,
                const std::vector<Recorder*>& recorders = {}) {
  std::vector<std::unique_ptr<ProcessGroup>> groups;
  for (int place = 0; place < std::ssize(ranks); ++place) {
    AnyWiring& wiring = *wirings[static_cast<size_t>(ranks[static_cast<size_t>(place)])];
    const Observers observers{recorders.empty() ? nullptr : recorders[static_cast<size_t>(place)]};
    groups.push_back(std::make_unique<ObservedGroup>(options, ranks, place, observers,
                                                     wiring.connect(options.name, ranks, place)));
  }
  run_ranks(
      static_cast<int>(ranks.size()), [&](int place) { body(*groups[static_cast<size_t>(place)]); },
      [&](int place, const std::string& reason) { groups[static_cast<size_t>(place)]->abort(reason); });
}

}  // namespace ringside::testing
