// From the calls of all ranks to what hangs, and from that to whom it points at.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "calls.h"
#include "judge.h"
#include "ringside/flight/report.h"
#include "stories.h"
#include "verdict.h"
#include "waits.h"

namespace ringside {
namespace {

using namespace flight;

StuckCollective stuck_of(const Calls& calls, const Call& call, const Judged& judged) {
  StuckCollective stuck;
  stuck.call = calls.shown(judged.majority, *call.by_rank.at(judged.majority));
  for (const auto& [rank, entry] : call.by_rank) stuck.in_it.push_back(rank);
  stuck.in_it.insert(stuck.in_it.end(), call.overwritten.begin(), call.overwritten.end());
  std::sort(stuck.in_it.begin(), stuck.in_it.end());
  stuck.missing = call.missing;
  stuck.disagreeing = judged.disagreeing;
  for (const int rank : call.waiting)
    stuck.waited_ns = std::max(stuck.waited_ns, calls.latest_ns - call.by_rank.at(rank)->time_created_ns);
  stuck.state = judged.state;
  if (!judged.disagreeing.empty()) return stuck;
  const bool seen =
      std::any_of(call.missing.begin(), call.missing.end(), [&](int rank) { return !calls.gone(rank); });
  if (seen)
    stuck.state = MatchState::kCollectiveStateMismatch;
  else if (!call.missing.empty())
    stuck.state = MatchState::kUndecided;  // those who could tell are gone
  else if (call.waiting.size() < call.by_rank.size())
    stuck.state = MatchState::kCollectiveStateMismatch;
  return stuck;
}

// All are in it and agree, and some have completed: the others complete next. It blocks no rank.
bool is_settling(const Call& call, const Judged& judged) {
  return call.missing.empty() && judged.disagreeing.empty() && call.waiting.size() < call.by_rank.size();
}

void find_stuck(const Calls& calls, FlightReport& report, Evidence& evidence) {
  std::set<Lane> blocked;
  std::vector<StuckCollective> causes, settling, queued;
  for (const Call& call : calls.calls) {
    if (!call.stuck() || call.skipped) continue;
    const Judged judged = judge(call);
    StuckCollective stuck = stuck_of(calls, call, judged);
    if (is_settling(call, judged)) {
      settling.push_back(stuck);
      evidence.settling.push_back(&call);
    } else if (blocked.insert(call.lane).second) {
      causes.push_back(stuck);
      evidence.heads.push_back(&call);
    } else {
      stuck.queued = true;
      queued.push_back(stuck);
    }
  }
  const auto longer = [](const auto& a, const auto& b) { return a.waited_ns > b.waited_ns; };
  for (auto* part : {&causes, &settling, &queued}) {
    std::stable_sort(part->begin(), part->end(), longer);
    report.stuck.insert(report.stuck.end(), part->begin(), part->end());
  }
  std::stable_sort(evidence.heads.begin(), evidence.heads.end(),
                   [](const Call* a, const Call* b) { return a->created_ns() < b->created_ns(); });
}

bool is_mispaired(const Call& call, bool is_head) {
  if (!judge(call).disagreeing.empty()) return !is_head;
  return !judge_contents(call).disagreeing.empty();
}

void find_mispaired(const Calls& calls, FlightReport& report, Evidence& evidence) {
  std::map<Lane, const Call*> heads;
  for (const Call* head : evidence.heads) heads[head->lane] = head;
  for (const Call& call : calls.calls) {
    // Behind the first stuck one of a lane numbers may be shifted by it: only what is before counts.
    const auto head = heads.find(call.lane);
    const bool known = head != heads.end();
    if (known && call.seq > head->second->seq) continue;
    if (!is_mispaired(call, known && head->second == &call)) continue;
    if (evidence.mispaired == nullptr || call.created_ns() < evidence.mispaired->created_ns())
      evidence.mispaired = &call;
  }
  if (evidence.mispaired == nullptr) return;
  const Judged by_kind = judge(*evidence.mispaired);
  const Judged judged = by_kind.disagreeing.empty() ? judge_contents(*evidence.mispaired) : by_kind;
  report.mispaired = stuck_of(calls, *evidence.mispaired, judged);
  report.mispaired->state = by_kind.state;
}

}  // namespace

std::string_view to_string(MatchState state) {
  constexpr std::array<std::string_view, 6> kNames = {
      "FULLY_MATCHED",           "COLLECTIVE_STATE_MISMATCH", "COLLECTIVE_TYPE_MISMATCH",
      "SIZE_OR_SYNTAX_MISMATCH", "COLLECTIVE_DTYPE_MISMATCH", "UNDECIDED"};
  return kNames[static_cast<size_t>(state)];
}

FlightReport merge_flights(const std::vector<FlightDump>& dumps) {
  const Calls calls(dumps);
  FlightReport report;
  for (const Group& group : calls.groups) {
    report.groups.push_back(group.name);
    report.members.push_back(group.ranks);
  }
  report.ranks = tell_stories(calls);
  Evidence evidence;
  find_stuck(calls, report, evidence);
  report.cycle = find_cycle(calls, evidence.heads);
  find_mispaired(calls, report, evidence);
  decide(calls, evidence, report);
  return report;
}

}  // namespace ringside
