#include "ringside/comm/thread_group.h"

#include <numeric>

#include "ringside/base/check.h"
#include "ringside/comm/thread_transport.h"

namespace ringside {

std::vector<std::unique_ptr<ProcessGroup>> make_thread_group(std::vector<int> ranks,
                                                             const ThreadGroupOptions& options) {
  RINGSIDE_CHECK(options.recorders.empty() || options.recorders.size() == ranks.size(),
                 "group " << options.name << ": a recorder for each rank, or none");
  RINGSIDE_CHECK(options.flights.empty() || options.flights.size() == ranks.size(),
                 "group " << options.name << ": a flight recorder for each rank, or none");
  const auto rendezvous = std::make_shared<Rendezvous>(ranks);
  std::vector<std::unique_ptr<ProcessGroup>> handles;
  for (int place = 0; place < std::ssize(ranks); ++place) {
    const auto at = static_cast<size_t>(place);
    const Observers observers{options.recorders.empty() ? nullptr : options.recorders[at],
                              options.flights.empty() ? nullptr : options.flights[at]};
    handles.push_back(
        std::make_unique<ObservedGroup>(options, ranks, place, observers, rendezvous->end_of(place)));
  }
  return handles;
}

std::vector<std::unique_ptr<ProcessGroup>> make_thread_group(int size, const ThreadGroupOptions& options) {
  RINGSIDE_CHECK_GE(size, 1);
  std::vector<int> ranks(static_cast<size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return make_thread_group(std::move(ranks), options);
}

}  // namespace ringside
