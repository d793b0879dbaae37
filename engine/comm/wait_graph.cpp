#include "ringside/comm/wait_graph.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "ringside/base/check.h"

namespace ringside {
namespace {

constexpr std::chrono::milliseconds kOnTheirWay{20};

}  // namespace

WaitGraph::WaitGraph(int ranks) : ranks_(ranks), seats_(static_cast<size_t>(ranks)) {
  RINGSIDE_CHECK_GE(ranks, 1);
}

int WaitGraph::add_group(std::function<void(const WaitCycle&)> on_cycle) {
  const std::lock_guard lock(mutex_);
  const int group = groups_.empty() ? 0 : groups_.rbegin()->first + 1;
  groups_[group] = {std::vector<int64_t>(static_cast<size_t>(ranks_)), std::move(on_cycle)};
  return group;
}

void WaitGraph::remove_group(int group) {
  const std::lock_guard lock(mutex_);
  groups_.erase(group);
}

void WaitGraph::called(int rank, int group) {
  const std::lock_guard lock(mutex_);
  ++groups_.at(group).calls[static_cast<size_t>(rank)];
}

WaitGraph::Blocked::Blocked(WaitGraph& graph, int rank, int group, const Fingerprint& call)
    : graph_(graph), rank_(rank) {
  graph_.sit(rank, {group, call});
}

WaitGraph::Blocked::~Blocked() { graph_.rise(rank_); }

void WaitGraph::sit(int rank, Seat seat) {
  bool all_sit = false;
  {
    const std::lock_guard lock(mutex_);
    const Seat& mine = seats_[static_cast<size_t>(rank)].emplace(std::move(seat));
    // A new cycle goes through this rank: most often nobody that it waits for sits anywhere.
    if (!waits_for_a_sitting(mine) || stuck_ranks().empty()) return;
    all_sit = std::all_of(seats_.begin(), seats_.end(), [](const auto& one) { return one.has_value(); });
  }
  // This thread can only wait anyway. The others that are on their way into the cycle show who is alone.
  if (!all_sit) std::this_thread::sleep_for(kOnTheirWay);
  std::vector<std::function<void(const WaitCycle&)>> tell;
  WaitCycle cycle;
  {
    const std::lock_guard lock(mutex_);
    const std::vector<int> stuck = stuck_ranks();
    if (stuck.empty()) return;  // a group broke meanwhile
    cycle = describe(stuck);
    for (const auto& [id, group] : groups_) tell.push_back(group.on_cycle);
  }
  for (const auto& on_cycle : tell) on_cycle(cycle);
}

bool WaitGraph::waits_for_a_sitting(const Seat& seat) const {
  const auto group = groups_.find(seat.group);
  if (group == groups_.end()) return false;
  for (size_t rank = 0; rank < seats_.size(); ++rank)
    if (seats_[rank] && group->second.calls[rank] <= seat.call.seq) return true;
  return false;
}

void WaitGraph::rise(int rank) {
  const std::lock_guard lock(mutex_);
  seats_[static_cast<size_t>(rank)].reset();
}

std::vector<int> WaitGraph::missing(const Seat& seat) const {
  std::vector<int> ranks;
  const auto group = groups_.find(seat.group);
  if (group == groups_.end()) return ranks;
  for (int rank = 0; rank < ranks_; ++rank)
    if (group->second.calls[static_cast<size_t>(rank)] <= seat.call.seq) ranks.push_back(rank);
  return ranks;
}

// Starts from all that sit, and lets go whoever waits for nobody of the rest: those that remain wait for
// each other.
std::vector<int> WaitGraph::stuck_ranks() const {
  std::vector<std::vector<int>> waits_for(static_cast<size_t>(ranks_));
  std::vector<int> stuck;
  for (int rank = 0; rank < ranks_; ++rank) {
    const auto& seat = seats_[static_cast<size_t>(rank)];
    if (!seat) continue;
    waits_for[static_cast<size_t>(rank)] = missing(*seat);
    stuck.push_back(rank);
  }
  const auto goes_on = [&](int rank) {
    const std::vector<int>& others = waits_for[static_cast<size_t>(rank)];
    return std::none_of(others.begin(), others.end(), [&](int other) {
      return std::find(stuck.begin(), stuck.end(), other) != stuck.end();
    });
  };
  while (std::erase_if(stuck, goes_on) > 0) continue;
  return stuck;
}

WaitCycle WaitGraph::describe(const std::vector<int>& stuck) const {
  WaitCycle cycle;
  for (const int rank : stuck) {
    const Seat& seat = *seats_[static_cast<size_t>(rank)];
    const auto same = std::find_if(cycle.stuck.begin(), cycle.stuck.end(), [&](const StuckRanks& other) {
      return other.call.group == seat.call.group && other.call.seq == seat.call.seq;
    });
    if (same != cycle.stuck.end())
      same->ranks.push_back(rank);
    else
      cycle.stuck.push_back({{rank}, seat.call, missing(seat)});
  }
  const auto smaller = [](const StuckRanks& a, const StuckRanks& b) {
    return a.ranks.size() < b.ranks.size();
  };
  const auto least = std::min_element(cycle.stuck.begin(), cycle.stuck.end(), smaller);
  const auto as_few = std::count_if(cycle.stuck.begin(), cycle.stuck.end(), [&](const StuckRanks& other) {
    return other.ranks.size() == least->ranks.size();
  });
  cycle.fewest = as_few == 1 ? least->ranks : stuck;
  for (const StuckRanks& node : cycle.stuck) {
    cycle.text += (cycle.text.empty() ? "a cycle of waits: " : "; ") + name_ranks(node.ranks) +
                  (node.ranks.size() == 1 ? " waits at " : " wait at ") + to_string(node.call) + " for " +
                  name_ranks(node.missing);
  }
  return cycle;
}

}  // namespace ringside
