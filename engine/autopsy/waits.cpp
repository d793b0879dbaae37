// Who waits for whom, as a picture has it: by the merged dumps where there are some, else by the timeouts.
#include <algorithm>

#include "ringside/flight/report.h"
#include "ringside/flight/words.h"
#include "sides.h"

namespace ringside::inline logs {
namespace {

std::vector<int> without(std::vector<int> ranks, const std::vector<int>& others) {
  std::erase_if(ranks, [&](int rank) { return std::ranges::find(others, rank) != others.end(); });
  return ranks;
}

std::vector<WaitFor> of_dumps(const std::vector<FlightDump>& dumps, Sure sure) {
  std::vector<WaitFor> waits;
  if (dumps.empty()) return waits;
  for (const StuckCollective& stuck : merge_flights(dumps).stuck) {
    if (stuck.queued) continue;
    const std::vector<int> agreed = without(stuck.in_it, stuck.disagreeing);
    std::vector<int> on = stuck.missing;
    on.insert(on.end(), stuck.disagreeing.begin(), stuck.disagreeing.end());
    std::ranges::sort(on);
    waits.push_back({agreed, flight::describe(agreed.empty() ? -1 : agreed.front(), stuck.call), on, sure});
    if (!stuck.disagreeing.empty())
      waits.push_back({stuck.disagreeing, "another call under that number", agreed, sure});
  }
  return waits;
}

// Whom the report names first; nobody, where it names several causes that differ in it.
std::pair<std::vector<int>, Sure> blamed(const Diagnosis& diagnosis) {
  for (const Finding& finding : diagnosis.first)
    if (!finding.ranks.empty()) return {finding.ranks, finding.sure};
  return {{}, Sure::kCannotBeTold};
}

}  // namespace

void add_waits_for(const Clues& clues, const std::vector<FlightDump>& dumps, Diagnosis& diagnosis) {
  const auto [ranks, sure] = blamed(diagnosis);
  diagnosis.waits_for = of_dumps(dumps, sure);
  if (!diagnosis.waits_for.empty()) return;
  for (const auto& [group, members] : by_group(clues)) {
    const Sides sides = sides_of(heads_of(members));
    const bool differ = sides.all.size() > 1 && (sides.ops || sides.sizes || sides.seqs);
    const std::vector<int> all = ranks_of(members);
    for (const auto& [call, side] : sides.all) {
      const std::vector<int> from = ranks_of(side);
      if (from.empty()) continue;
      diagnosis.waits_for.push_back({from, call + in_group(group),
                                     differ ? without(all, from) : without(ranks, from),
                                     differ ? Sure::kCertain : sure});
    }
  }
}

}  // namespace ringside::inline logs
