#include "thread_wiring.h"

#include <set>

#include "ringside/flight/report.h"

namespace ringside {
namespace {

// Of each rank's newest calls: a call that is older and has not completed is no part of a cycle that closed
// just now.
constexpr size_t kLookedAt = 256;

}  // namespace

std::unique_ptr<Transport> ThreadWiring::connect(const std::string& name, const std::vector<int>& ranks,
                                                 int place) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Rendezvous>& group = groups_[{name, ranks}];
  if (!group) {
    group = std::make_shared<Rendezvous>(ranks);
    for (const auto& [rank, failure] : aborted_)
      if (holds(ranks, rank)) group->break_off(failure);
  }
  return group->end_of(place);
}

void ThreadWiring::abort(int rank, const Failure& failure) {
  const std::lock_guard lock(mutex_);
  aborted_.emplace(rank, failure);
  for (const auto& [key, group] : groups_)
    if (holds(key.second, rank)) group->break_off(failure);
}

void ThreadWiring::look_for_cycle() {
  // Held to the end: a rank that learns of the cycle in one group must not abort another before it is told
  // there.
  const std::lock_guard lock(mutex_);
  if (groups_.size() < 2) return;  // the calls of one group are in one order
  std::vector<FlightDump> looks;
  for (const FlightRecorder* flight : flights_) looks.push_back(flight->look(kLookedAt));
  const FlightReport report = find_live_cycle(looks);
  if (report.cycle.empty()) return;
  std::set<int> ranks(report.suspects.begin(), report.suspects.end());
  if (ranks.empty())
    for (const Wait& wait : report.cycle) ranks.insert(wait.from.begin(), wait.from.end());
  const Failure failure{Failure::Kind::kMismatch, {ranks.begin(), ranks.end()}, report.sentence};
  for (const auto& [key, group] : groups_) group->break_off(failure);
}

}  // namespace ringside
