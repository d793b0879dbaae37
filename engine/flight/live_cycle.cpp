// A rank that waits for a call of one group, and is waited for in another, cannot go on. While a run is alive
// a call that has not completed proves nothing: its rank may be computing, and call the other group next. So
// only ranks whose own thread is blocked in a wait count. A lane's calls are carried out in order: who is
// blocked in a later one waits for the earlier ones too.
#include <map>
#include <set>

#include "calls.h"
#include "ringside/flight/report.h"
#include "verdict.h"
#include "waits.h"

namespace ringside {
namespace {

using namespace flight;

struct Blocked {
  Lane lane;
  int64_t seq = 0;
};

std::map<int, Blocked> blocked_ranks(const Calls& calls) {
  std::map<int, Blocked> blocked;
  for (const Call& call : calls.calls)
    for (const auto& [rank, entry] : call.by_rank)
      if (calls.dumps.at(rank)->blocked_in == entry->record_id) blocked[rank] = {call.lane, call.seq};
  return blocked;
}

}  // namespace

FlightReport find_live_cycle(const std::vector<FlightDump>& looks) {
  Calls calls(looks);
  const std::map<int, Blocked> blocked = blocked_ranks(calls);
  Evidence evidence;
  std::set<Lane> seen;
  for (Call& call : calls.calls) {
    std::erase_if(call.waiting, [&](int rank) {
      const auto at = blocked.find(rank);
      return at == blocked.end() || at->second.lane != call.lane || at->second.seq < call.seq;
    });
    if (!call.stuck() || call.missing.empty() || call.unsure || call.skipped) continue;
    if (seen.insert(call.lane).second) evidence.heads.push_back(&call);
  }
  FlightReport report;
  report.cycle = find_cycle(calls, evidence.heads);
  if (!report.cycle.empty()) decide(calls, evidence, report);
  return report;
}

}  // namespace ringside
