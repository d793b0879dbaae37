#include "calls.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringside::flight {
namespace {

constexpr size_t kMaxQueued = 200;

int64_t seq_of(const FlightEntry& entry) {
  return entry.is_p2p() ? entry.p2p_seq_id : entry.collective_seq_id;
}

// A peer that is no place of the group is left as it is: a dump may hold anything.
int rank_at(const Group& group, int place) {
  const bool inside = place >= 0 && static_cast<size_t>(place) < group.ranks.size();
  return inside ? group.ranks[static_cast<size_t>(place)] : place;
}

}  // namespace

int64_t Call::created_ns() const {
  int64_t first = INT64_MAX;
  for (const auto& [rank, entry] : by_rank) first = std::min(first, entry->time_created_ns);
  return first;
}

Calls::Calls(const std::vector<FlightDump>& all) {
  for (const FlightDump& dump : all) dumps.emplace(dump.rank, &dump);
  add_groups();
  add_calls();
  find_missing();
}

void Calls::add_groups() {
  std::map<std::pair<std::string, std::vector<int>>, size_t> known;  // as torchfrtrace tells groups apart
  std::map<std::string, int> with_name;
  std::set<int> world;
  for (const auto& [rank, dump] : dumps) {
    world.insert(rank);
    for (const FlightGroup& group : dump->groups) {
      world.insert(group.ranks.begin(), group.ranks.end());
      const auto [at, added] = known.emplace(std::pair(group.name, group.ranks), groups.size());
      if (added) groups.push_back({group.name, group.ranks});
      if (added) ++with_name[group.name];
      group_index_.emplace(std::pair(rank, group.name), at->second);
    }
  }
  add_undeclared_groups();
  for (Group& group : groups)
    if (with_name[group.name] > 1) group.name += fmt::format(" [{}]", fmt::join(group.ranks, ", "));
  ranks.assign(world.begin(), world.end());
}

FlightEntry Calls::shown(int rank, const FlightEntry& entry) const {
  const Group& group = groups[group_of(rank, entry.group)];
  FlightEntry shown = entry;
  shown.group = group.name;
  shown.peer = rank_at(group, entry.peer);
  return shown;
}

Lane Calls::lane_of(int rank, const FlightEntry& entry) const {
  Lane lane{.group = group_index_.at({rank, entry.group})};
  if (!entry.is_p2p()) return lane;
  const int other = std::max(rank_at(groups[lane.group], entry.peer), 0);
  lane.from = entry.op == Op::kSend ? rank : other;
  lane.to = entry.op == Op::kSend ? other : rank;
  return lane;
}

// PyTorch's Gloo leaves its groups out of pg_config: then those are in a group that made calls in it.
void Calls::add_undeclared_groups() {
  std::map<std::string, size_t> undeclared;
  for (const auto& [rank, dump] : dumps)
    for (const FlightEntry& entry : dump->entries) {
      if (group_index_.contains({rank, entry.group})) continue;
      const auto [at, added] = undeclared.emplace(entry.group, groups.size());
      if (added) groups.push_back({entry.group, {}});
      groups[at->second].ranks.push_back(rank);
      group_index_.emplace(std::pair(rank, entry.group), at->second);
    }
}

void Calls::add_calls() {
  std::map<std::pair<Lane, int64_t>, Call> found;
  for (const auto& [rank, dump] : dumps) {
    latest_ns = std::max(latest_ns, dump->time_ns);
    for (const FlightEntry& entry : dump->entries) {
      const Lane lane = lane_of(rank, entry);
      const int64_t seq = seq_of(entry);
      Call& call = found[{lane, seq}];
      call.lane = lane;
      call.seq = seq;
      call.by_rank.emplace(rank, &entry);
      if (entry.state != CollectiveState::kCompleted) call.waiting.push_back(rank);
      const auto [oldest, first] = oldest_.emplace(std::pair(rank, lane), seq);
      if (!first) oldest->second = std::min(oldest->second, seq);
      latest_ns = std::max({latest_ns, entry.time_created_ns, entry.time_discovered_started_ns,
                            entry.time_discovered_completed_ns});
    }
  }
  for (auto& [key, call] : found) calls.push_back(std::move(call));
}

// A world may be large and a queue long: their product is not asked for.
void Calls::find_missing() {
  std::set<Lane> blocked;
  size_t queued = 0;
  for (Call& call : calls) {
    if (!call.stuck()) continue;
    call.skipped = blocked.contains(call.lane) && ++queued > kMaxQueued;
    if (!call.skipped) find_missing(call);
    if (!call.missing.empty()) blocked.insert(call.lane);
  }
}

void Calls::find_missing(Call& call) const {
  const std::vector<int> ends = {call.lane.from, call.lane.to};
  for (const int rank : call.lane.p2p() ? ends : groups[call.lane.group].ranks) {
    if (call.by_rank.contains(rank)) continue;
    const bool forgot = !gone(rank) && dumps.at(rank)->forgotten > 0;
    const auto oldest = oldest_.find({rank, call.lane});
    if (forgot && oldest != oldest_.end() && oldest->second > call.seq) {
      call.overwritten.push_back(rank);
    } else {
      call.missing.push_back(rank);
      call.unsure = call.unsure || (forgot && oldest == oldest_.end());
    }
  }
  std::sort(call.missing.begin(), call.missing.end());  // a group may name its ranks in any order
  std::sort(call.overwritten.begin(), call.overwritten.end());
}

}  // namespace ringside::flight
