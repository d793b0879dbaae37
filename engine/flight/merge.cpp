// From the calls of all ranks to what hangs: the stuck calls, and a wrong pairing before them.
#include <algorithm>
#include <array>
#include <set>

#include "analysis.h"

namespace ringside::inline flight {
namespace {

StuckCollective stuck_of(const Calls& calls, const Call& call, const Agreement& agreement) {
  StuckCollective stuck{.state = agreement.state,
                        .call = calls.shown(agreement.majority, *call.by_rank.at(agreement.majority)),
                        .in_it = call.overwritten,
                        .missing = call.missing,
                        .disagreeing = agreement.disagreeing};
  for (const auto& [rank, entry] : call.by_rank) stuck.in_it.push_back(rank);
  std::ranges::sort(stuck.in_it);
  for (const int rank : call.waiting)
    stuck.waited_ns = std::max(stuck.waited_ns, calls.latest_ns - call.by_rank.at(rank)->time_created_ns);
  if (!agreement.disagreeing.empty()) return stuck;
  if (!call.missing.empty() && common(call.missing, calls.dumped).empty())
    stuck.state = MatchState::kUndecided;  // those who could tell are gone
  else if (!call.missing.empty() || call.waiting.size() < call.by_rank.size())
    stuck.state = MatchState::kCollectiveStateMismatch;
  return stuck;
}

enum class Part : uint8_t { kCause, kSettling, kQueued };  // in the order of FlightReport::stuck

class Findings {
 public:
  explicit Findings(Calls& calls) : calls_(calls) {
    for (Call& call : calls.calls) look_at(call);
    std::ranges::stable_sort(evidence.heads, {}, &Call::created_ns);
  }

  std::vector<StuckCollective> stuck() && {
    std::vector<StuckCollective> sorted;
    for (auto& [place, stuck] : stuck_) sorted.push_back(std::move(stuck));
    return sorted;
  }

  Evidence evidence;

 private:
  void look_at(Call& call) {
    // A world may be large and a queue long, so not all of a queue is asked who is missing.
    constexpr size_t kMaxQueued = 200;
    const bool stuck = call.stuck(), behind = blocked_.contains(call.lane);
    if (behind && (!stuck || ++queued_ > kMaxQueued)) return;
    if (stuck) calls_.find_missing(call);
    const Agreement agreement = agreement_in_kind(call);
    // All ranks are in it and agree, and it has completed on some.
    const bool settling = stuck && call.missing.empty() && agreement.disagreeing.empty() &&
                          call.waiting.size() < call.by_rank.size();
    const bool head = stuck && !settling && !behind;
    if (settling) evidence.settling.push_back(&call);
    if (head) {
      evidence.heads.push_back(&call);
      blocked_.insert(call.lane);
    }
    if (stuck) {
      const Part part = settling ? Part::kSettling : head ? Part::kCause : Part::kQueued;
      StuckCollective of_call = stuck_of(calls_, call, agreement);
      of_call.queued = part == Part::kQueued;
      stuck_.emplace(std::pair(part, -of_call.waited_ns), std::move(of_call));
    }
    // Calls behind the head tell nothing: a call left out there shifts their numbers. Where ranks disagree on
    // the head, that is what holds them up; where they disagree before it, they went on in silence.
    const bool in_silence =
        agreement.disagreeing.empty() ? !agreement_in_contents(call).disagreeing.empty() : !head;
    const Call*& first = evidence.mispaired;
    if (!behind && in_silence && (first == nullptr || call.created_ns < first->created_ns)) first = &call;
  }

  const Calls& calls_;
  size_t queued_ = 0;
  std::set<Lane> blocked_;                                          // their head has been seen
  std::multimap<std::pair<Part, int64_t>, StuckCollective> stuck_;  // of each part, the longest wait first
};

}  // namespace

std::string_view to_string(MatchState state) {
  constexpr std::array<std::string_view, 6> kNames = {
      "FULLY_MATCHED",           "COLLECTIVE_STATE_MISMATCH", "COLLECTIVE_TYPE_MISMATCH",
      "SIZE_OR_SYNTAX_MISMATCH", "COLLECTIVE_DTYPE_MISMATCH", "UNDECIDED"};
  return kNames[size_t(state)];
}

FlightReport merge_flights(const std::vector<FlightDump>& dumps) {
  Calls calls(dumps);
  Findings findings(calls);
  Evidence& evidence = findings.evidence;
  evidence.cycle = shortest_cycle(calls, evidence.heads);
  FlightReport report;
  for (const FlightGroup& group : calls.groups) {
    report.groups.push_back(group.name);
    report.members.push_back(group.ranks);
  }
  report.stuck = std::move(findings).stuck();
  report.ranks = tell_stories(calls);
  report.cycle = waits_of(calls, evidence.cycle);
  if (const Call* call = evidence.mispaired) {
    Agreement agreement = agreement_in_kind(*call);
    const MatchState state = agreement.state;
    if (agreement.disagreeing.empty()) agreement = agreement_in_contents(*call);
    report.mispaired = stuck_of(calls, *call, agreement);
    report.mispaired->state = state;
  }
  decide(calls, evidence, report);
  return report;
}

// While a run is alive, a call that has not completed proves nothing: its rank may be computing, and call the
// other group next. Only a rank whose own thread is blocked in a call waits: in that one, and in the earlier
// ones of its lane.
FlightReport find_live_cycle(const std::vector<FlightDump>& looks) {
  Calls calls(looks);
  std::map<int, std::pair<Lane, int64_t>> blocked;  // by rank: in which call
  for (const Call& call : calls.calls)
    for (const auto& [rank, entry] : call.by_rank)
      if (calls.dumps.at(rank)->blocked_in == entry->record_id) blocked[rank] = {call.lane, call.seq};
  Evidence evidence;
  std::set<Lane> seen;
  for (Call& call : calls.calls) {
    std::erase_if(call.waiting, [&](int rank) {
      const auto at = blocked.find(rank);
      return at == blocked.end() || at->second.first != call.lane || at->second.second < call.seq;
    });
    if (!call.stuck() || seen.contains(call.lane)) continue;
    calls.find_missing(call);
    if (call.missing.empty() || call.unsure) continue;
    seen.insert(call.lane);
    evidence.heads.push_back(&call);
  }
  evidence.cycle = shortest_cycle(calls, evidence.heads);
  FlightReport report;
  report.cycle = waits_of(calls, evidence.cycle);
  if (!report.cycle.empty()) decide(calls, evidence, report);
  return report;
}

}  // namespace ringside::inline flight
