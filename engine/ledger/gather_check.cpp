// Replays one rank's events in order of time: which units are whole when.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "ringside/ledger/gather_check.h"
#include "ringside/ledger/ledger.h"
#include "ringside/trace/training_rows.h"

namespace ringside::inline ledger {
namespace {

struct Moment {
  enum Kind { kRequested, kGathered, kUse, kDropped, kStepEnd } kind;
  int64_t time_ns;
  std::string unit;
};

std::vector<Moment> moments_of(const Trace& trace, const SectionView& section, int rank, GatherCheck& check) {
  std::vector<Moment> moments;
  for (const RowEvent& event : section.rows(rank)) {
    const auto row = row_as<UnitGather>(event);
    if (!row) continue;
    ++(row->dropped ? check.drops : check.gathers);
    if (row->dropped) moments.push_back({Moment::kDropped, event.time_ns, row->unit});
  }
  for (const NoteEvent& note : section.notes(rank))
    if (trace.name(note.name) == kAfterStep) moments.push_back({Moment::kStepEnd, note.time_ns, ""});
  for (const CollectiveEvent& event : section.collectives(rank)) {
    const std::string& tag = trace.name(event.tag);
    if (event.op != Op::kAllGather || (tag != "parameters" && tag != "evaluation" && tag != "export"))
      continue;
    if (event.state == CollectiveState::kScheduled) {
      moments.push_back({Moment::kRequested, event.time_created_ns, trace.name(event.unit)});
    }
    if (event.state == CollectiveState::kCompleted) {
      moments.push_back({Moment::kGathered, event.time_completed_ns, trace.name(event.unit)});
    }
  }
  for (const SpanEvent& span : section.spans(rank)) {
    const std::string& name = trace.name(span.name);
    if (name == "forward" || name == "recompute" || name == "backward")
      moments.push_back({Moment::kUse, span.start_ns, trace.name(span.unit)});
  }
  std::ranges::stable_sort(moments, {}, &Moment::time_ns);
  return moments;
}

}  // namespace

GatherCheck check_gathers(const Trace& trace, const SectionView& section) {
  GatherCheck check;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    std::map<std::string, int> under_way;  // a unit may be several buckets, each a gather of its own
    std::set<std::string> held;
    const auto is_whole = [&](const std::string& unit) {
      return held.contains(unit) && under_way[unit] == 0;
    };
    for (const Moment& moment : moments_of(trace, section, rank, check)) {
      switch (moment.kind) {
        case Moment::kRequested:
          ++under_way[moment.unit];
          held.insert(moment.unit);
          break;
        case Moment::kGathered: --under_way[moment.unit]; break;
        case Moment::kDropped: held.erase(moment.unit); break;
        case Moment::kUse:
          ++check.uses;
          check.late += is_whole(moment.unit) ? 0 : 1;
          break;
        case Moment::kStepEnd: check.left_over += int64_t(held.size()); break;
      }
      check.most_at_once = std::max(check.most_at_once, int64_t(held.size()));
    }
  }
  return check;
}

}  // namespace ringside::inline ledger
