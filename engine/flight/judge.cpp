#include "judge.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace ringside::flight {
namespace {

// What ranks must agree in. The two ends of a send are alike in what moves.
struct Kind {
  Op op = Op::kBarrier;
  int64_t in = 0, out = 0;
  int root = -1;
  Dtype dtype = Dtype::kUInt8;
  auto operator<=>(const Kind&) const = default;
};

Kind kind_of(const FlightEntry& entry) {
  Kind kind{.op = entry.op, .in = entry.elements_in, .out = entry.elements_out, .dtype = entry.dtype};
  if (entry.op == Op::kBroadcast) kind.root = entry.peer;
  if (!entry.is_p2p()) return kind;
  kind.in = kind.out = entry.op == Op::kSend ? entry.elements_in : entry.elements_out;
  kind.op = Op::kSend;
  return kind;
}

// An all-to-all whose chunks differ in size: right if as much arrives as leaves.
bool uneven_and_right(const Call& call) {
  bool uneven = false;
  int64_t in = 0, out = 0;
  for (const auto& [rank, entry] : call.by_rank) {
    if (entry->op != Op::kAllToAll) return false;
    uneven = uneven || entry->elements_in != entry->elements_out;
    in += entry->elements_in;
    out += entry->elements_out;
  }
  return uneven && in == out;
}

template <typename T>
Judged vote(const std::map<int, T>& by_rank) {
  std::map<T, size_t> votes;
  for (const auto& [rank, kind] : by_rank) ++votes[kind];
  Judged judged;
  size_t most = 0;
  for (const auto& [rank, kind] : by_rank) {  // ascending: of equals, the lowest rank's
    if (votes[kind] <= most) continue;
    most = votes[kind];
    judged.majority = rank;
  }
  for (const auto& [rank, kind] : by_rank) {
    if (kind == by_rank.at(judged.majority)) continue;
    judged.disagreeing.push_back(rank);
    judged.tie = judged.tie || votes[kind] == most;
  }
  return judged;
}

}  // namespace

Judged judge(const Call& call) {
  const bool sizes_may_differ = uneven_and_right(call);
  std::map<int, Kind> kinds;
  for (const auto& [rank, entry] : call.by_rank) {
    kinds[rank] = kind_of(*entry);
    if (sizes_may_differ) kinds[rank].in = kinds[rank].out = 0;
  }
  Judged judged = vote(kinds);
  if (judged.disagreeing.empty()) return judged;
  const Kind& right = kinds[judged.majority];
  judged.state = MatchState::kCollectiveDtypeMismatch;
  for (const int rank : judged.disagreeing) {
    const Kind& wrong = kinds[rank];
    if (wrong.op != right.op) {
      judged.state = MatchState::kCollectiveTypeMismatch;
      break;
    }
    if (std::tie(wrong.in, wrong.out, wrong.root) != std::tie(right.in, right.out, right.root))
      judged.state = MatchState::kSizeOrSyntaxMismatch;
  }
  return judged;
}

Judged judge_contents(const Call& call) {
  std::map<int, std::pair<std::string, std::string>> contents;
  for (const auto& [rank, entry] : call.by_rank)
    if (!entry->tag.empty() || !entry->unit.empty()) contents[rank] = {entry->tag, entry->unit};
  if (call.lane.p2p() || contents.empty()) return {};
  Judged judged = vote(contents);
  if (!judged.disagreeing.empty()) judged.state = MatchState::kUndecided;
  return judged;
}

}  // namespace ringside::flight
