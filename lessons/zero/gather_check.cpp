// Replays one rank's events in order of time: which units are whole when.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "claims.h"
#include "ringside/ledger/ledger.h"

namespace ringside::zero_lesson {
namespace {

struct Moment {
  enum Kind { kRequested, kGathered, kUse, kDropped, kStepEnd } kind;
  int64_t time_ns;
  NameId unit;
};

std::vector<Moment> moments_of(const Trace& trace, const SectionView& section, int rank, GatherCheck& check) {
  std::vector<Moment> moments;
  for (const NoteEvent& note : section.notes(rank)) {
    const std::string& name = trace.name(note.name);
    if (name == "gather") ++check.gathers;
    if (name == "drop") {
      ++check.drops;
      moments.push_back({Moment::kDropped, note.time_ns, note.unit});
    }
    if (name == kAfterStep) moments.push_back({Moment::kStepEnd, note.time_ns, 0});
  }
  for (const CollectiveEvent& event : section.collectives(rank)) {
    if (event.op != Op::kAllGather) continue;
    if (event.state == CollectiveState::kScheduled) {
      moments.push_back({Moment::kRequested, event.time_created_ns, event.unit});
    }
    if (event.state == CollectiveState::kCompleted) {
      moments.push_back({Moment::kGathered, event.time_completed_ns, event.unit});
    }
  }
  for (const SpanEvent& span : section.spans(rank)) {
    const std::string& name = trace.name(span.name);
    if (name == "forward" || name == "backward") moments.push_back({Moment::kUse, span.start_ns, span.unit});
  }
  std::stable_sort(moments.begin(), moments.end(),
                   [](const Moment& a, const Moment& b) { return a.time_ns < b.time_ns; });
  return moments;
}

}  // namespace

GatherCheck check_gathers(const Trace& trace, const SectionView& section) {
  GatherCheck check;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    std::map<NameId, int> under_way;  // a unit may be several buckets, each a gather of its own
    std::set<NameId> held;
    const auto is_whole = [&](NameId unit) { return held.contains(unit) && under_way[unit] == 0; };
    for (const Moment& moment : moments_of(trace, section, rank, check)) {
      switch (moment.kind) {
        case Moment::kRequested:
          ++under_way[moment.unit];
          held.insert(moment.unit);
          break;
        case Moment::kGathered:
          --under_way[moment.unit];
          break;
        case Moment::kDropped:
          held.erase(moment.unit);
          break;
        case Moment::kUse:
          ++check.uses;
          check.late += is_whole(moment.unit) ? 0 : 1;
          break;
        case Moment::kStepEnd:
          check.left_over += static_cast<int64_t>(held.size());
          break;
      }
      check.most_at_once = std::max(check.most_at_once, static_cast<int64_t>(held.size()));
    }
  }
  return check;
}

}  // namespace ringside::zero_lesson
