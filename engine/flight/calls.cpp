#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis.h"
#include "ringside/flight/words.h"

namespace ringside::inline flight {
namespace {

// What ranks must agree in.
struct Kind {
  Op op = Op::kBarrier;
  int64_t in = 0, out = 0;
  int root = -1;
  Dtype dtype = Dtype::kUInt8;
  auto operator<=>(const Kind&) const = default;
};

Kind kind_of(const FlightEntry& entry) {
  if (entry.is_p2p()) {  // the two ends agree if as much arrives as leaves
    const int64_t moved = entry.op == Op::kSend ? entry.elements_in : entry.elements_out;
    return {.op = Op::kSend, .in = moved, .out = moved, .dtype = entry.dtype};
  }
  const int root = entry.op == Op::kBroadcast ? entry.peer : -1;
  return {entry.op, entry.elements_in, entry.elements_out, root, entry.dtype};
}

MatchState mismatch(const Kind& a, const Kind& b) {
  if (a.op != b.op) return MatchState::kCollectiveTypeMismatch;
  const bool sizes = std::tie(a.in, a.out, a.root) != std::tie(b.in, b.out, b.root);
  return sizes ? MatchState::kSizeOrSyntaxMismatch : MatchState::kCollectiveDtypeMismatch;
}

// An all-to-all whose chunks differ in size is right if as much arrives as leaves.
bool uneven_and_right(const Call& call) {
  bool uneven = false;
  int64_t surplus = 0;
  for (const auto& [rank, entry] : call.by_rank) {
    if (entry->op != Op::kAllToAll) return false;
    uneven = uneven || entry->elements_in != entry->elements_out;
    surplus += entry->elements_in - entry->elements_out;
  }
  return uneven && surplus == 0;
}

template <typename T>
Agreement vote(const std::map<int, T>& by_rank) {
  Agreement agreement;
  if (by_rank.empty()) return agreement;
  std::map<T, size_t> votes;
  for (const auto& [rank, kind] : by_rank) ++votes[kind];
  const auto votes_of = [&](const auto& one) { return votes.at(one.second); };
  const auto most = std::ranges::max_element(by_rank, {}, votes_of);  // of equals, the lowest rank's
  agreement.majority = most->first;
  for (const auto& one : by_rank) {
    if (one.second == most->second) continue;
    agreement.disagreeing.push_back(one.first);
    agreement.tie = agreement.tie || votes_of(one) == votes_of(*most);
  }
  return agreement;
}

}  // namespace

Agreement agreement_in_kind(const Call& call) {
  const bool sizes_may_differ = uneven_and_right(call);
  std::map<int, Kind> kinds;
  for (const auto& [rank, entry] : call.by_rank) {
    kinds[rank] = kind_of(*entry);
    if (sizes_may_differ) kinds[rank].in = kinds[rank].out = 0;
  }
  Agreement agreement = vote(kinds);
  if (agreement.disagreeing.empty()) return agreement;
  agreement.state = MatchState::kCollectiveDtypeMismatch;
  for (const int rank : agreement.disagreeing)
    agreement.state = std::min(agreement.state, mismatch(kinds[rank], kinds[agreement.majority]));
  return agreement;
}

Agreement agreement_in_contents(const Call& call) {
  std::map<int, std::string> carried;
  for (const auto& [rank, entry] : call.by_rank)
    if (std::string text = contents(*entry); !text.empty()) carried[rank] = std::move(text);
  return vote(carried);
}

Calls::Calls(const std::vector<FlightDump>& all) {
  for (const FlightDump& dump : all) dumps.emplace(dump.rank, &dump);
  for (const auto& [rank, dump] : dumps) dumped.push_back(rank);
  add_groups();
  add_calls();
}

// Groups of one name on other ranks are different groups, as torchfrtrace has it.
void Calls::add_groups() {
  std::map<std::pair<std::string, Ranks>, size_t> known;
  std::map<std::string, int> with_name;
  std::set<int> world(dumped.begin(), dumped.end());
  for (const auto& [rank, dump] : dumps)
    for (const FlightGroup& group : dump->groups) {
      world.insert(group.ranks.begin(), group.ranks.end());
      const auto [at, added] = known.emplace(std::pair(group.name, group.ranks), groups.size());
      if (added) {
        groups.push_back(group);
        ++with_name[group.name];
      }
      group_index_.emplace(std::pair(rank, group.name), at->second);
    }
  ranks.assign(world.begin(), world.end());
  add_undeclared_groups();
  for (FlightGroup& group : groups)
    if (with_name[group.name] > 1) group.name += fmt::format(" [{}]", fmt::join(group.ranks, ", "));
}

// PyTorch's Gloo leaves its groups out of pg_config. Such a group then has the ranks that made calls in it.
void Calls::add_undeclared_groups() {
  std::map<std::string, size_t> undeclared;
  for (const auto& [rank, dump] : dumps)
    for (const FlightEntry& entry : dump->entries) {
      if (group_index_.contains({rank, entry.group})) continue;
      const auto [at, added] = undeclared.emplace(entry.group, groups.size());
      if (added) groups.push_back({entry.group, "", {}});
      groups[at->second].ranks.push_back(rank);
      group_index_.emplace(std::pair(rank, entry.group), at->second);
    }
}

// A peer that is no place of the group is left as it is: a dump may hold anything.
int Calls::peer_of(int rank, const FlightEntry& entry) const {
  const Ranks& members = groups[group_of(rank, entry.group)].ranks;
  const bool inside = entry.peer >= 0 && size_t(entry.peer) < members.size();
  return inside ? members[size_t(entry.peer)] : entry.peer;
}

FlightEntry Calls::shown(int rank, const FlightEntry& entry) const {
  FlightEntry shown = entry;
  shown.group = groups[group_of(rank, entry.group)].name;
  shown.peer = peer_of(rank, entry);
  return shown;
}

Lane Calls::lane_of(int rank, const FlightEntry& entry) const {
  const size_t group = group_of(rank, entry.group);
  if (!entry.is_p2p()) return {.group = group};
  const int other = std::max(peer_of(rank, entry), 0);
  return entry.op == Op::kSend ? Lane{group, rank, other} : Lane{group, other, rank};
}

std::string Calls::name_of(const Lane& lane) const {
  const std::string& group = groups[lane.group].name;
  return lane.p2p() ? fmt::format("{} {}->{}", group, lane.from, lane.to) : group;
}

void Calls::add_calls() {
  std::map<std::pair<Lane, int64_t>, Call> found;
  for (const auto& [rank, dump] : dumps) {
    latest_ns = std::max(latest_ns, dump->time_ns);
    for (const FlightEntry& entry : dump->entries) {
      const Lane lane = lane_of(rank, entry);
      const int64_t seq = entry.is_p2p() ? entry.p2p_seq_id : entry.collective_seq_id;
      Call& call = found[{lane, seq}];
      call.lane = lane;
      call.seq = seq;
      call.created_ns = std::min(call.created_ns, entry.time_created_ns);
      call.by_rank.emplace(rank, &entry);
      if (entry.state != CollectiveState::kCompleted) call.waiting.push_back(rank);
      int64_t& oldest = oldest_.emplace(std::pair(rank, lane), seq).first->second;
      oldest = std::min(oldest, seq);
      latest_ns = std::max({latest_ns, entry.time_created_ns, entry.time_discovered_started_ns,
                            entry.time_discovered_completed_ns});
    }
  }
  for (auto& [key, call] : found) calls.push_back(std::move(call));
}

void Calls::find_missing(Call& call) const {
  const Ranks ends = {call.lane.from, call.lane.to};
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
  std::ranges::sort(call.missing);  // a group may name its ranks in any order
  std::ranges::sort(call.overwritten);
}

Ranks Call::callers() const {
  Ranks ranks;
  for (const auto& [rank, entry] : by_rank) ranks.push_back(rank);
  return ranks;
}

Ranks common(const Ranks& ranks, const Ranks& others) {
  Ranks both;
  std::ranges::set_intersection(ranks, others, std::back_inserter(both));
  return both;
}

Ranks without(const Ranks& ranks, const Ranks& others) {
  Ranks rest;
  std::ranges::set_difference(ranks, others, std::back_inserter(rest));
  return rest;
}

}  // namespace ringside::inline flight
