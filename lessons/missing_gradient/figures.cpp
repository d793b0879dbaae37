// What the lesson reads of a run, and the pictures of it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "parts.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::missing_gradient {
namespace {

using namespace figure;

Value lanes(const FigureInput& input) {
  Lanes all{{tr("since the first backward began, ms")}, {}, {}};
  const auto rows = reduced(input.trace, kOne);
  double free_ms = 0;  // a rank's collectives come one after the other
  for (const Reduced& one : rows) {
    if (all.lanes.size() <= static_cast<size_t>(one.rank)) {
      all.lanes.push_back(tr("rank {}", one.rank));
      free_ms = 0;
    }
    all.items.push_back({static_cast<size_t>(one.rank), std::max(one.asked_ms, free_ms), one.done_ms,
                         bucket_name(one.bucket), one.bucket == kExpertBucket ? Ink::kOptimizer : hue(0),
                         one.in_backward});
    free_ms = one.done_ms;
  }
  if (all.items.empty()) return Nothing{tr("No bucket has been reduced.")};
  return all;
}

std::string order_sentence(const FigureInput& input) {
  const auto late = late_behind(input.trace);
  return late ? tr("Rank {} asks for the expert's bucket and {} more late, after its backward.",
                   absent_of(input.trace, kOne), *late)
              : "";
}

Value order(const FigureInput& input) {
  Table table{{{tr("rank")}}, {}};
  for (int bucket = 0; bucket < kBuckets; ++bucket) table.columns.push_back({bucket_name(bucket)});
  for (const Reduced& one : reduced(input.trace, kOne)) {
    const auto rank = static_cast<size_t>(one.rank);
    while (table.rows.size() <= rank) table.rows.push_back({{std::to_string(table.rows.size())}});
    table.rows[rank].push_back(
        {one.in_backward ? tr("{:.1f} ms", one.asked_ms) : tr("{:.1f} ms late", one.asked_ms)});
  }
  for (auto& row : table.rows) row.resize(table.columns.size(), {"—"});
  if (const int absent = absent_of(input.trace, kOne); absent >= 0 && !table.rows.empty())
    table.lit = {static_cast<size_t>(absent)};
  return or_nothing(table, tr("No bucket has been reduced."));
}

Value steps(const FigureInput& input) {
  Bars bars;
  bars.value = {tr("the expert's change in the last step")};
  bars.parts = {{tr("on rank 0"), hue(0)}, {tr("on the rank that left it out"), hue(1)}};
  bars.stacked = false;
  for (const char* section : {kAll, kOne, kSkipsNone, kUnused}) {
    double first = figure::kNone, absent = figure::kNone;
    for (const MoveRow& row : moves(input.trace, section)) {
      if (row.rank == 0) first = row.moved;
      if (row.rank == absent_of(input.trace, section)) absent = row.moved;
    }
    if (!std::isnan(first)) bars.rows.push_back({section, {first, absent}});
  }
  return or_nothing(bars, tr("No step has been taken."));
}

}  // namespace

std::vector<FigureSpec> figures() {
  auto all =
      with_tabs({figure_of_run("order", tr("When does each rank ask for each bucket?"), order, {"waits"}),
                 figure_of_run("lanes", tr("When does each rank reduce each bucket?"), lanes, {"waits"}),
                 figure_of_run("steps", tr("How far does the expert move?"), steps, {"share", "moves"})},
                {tr("order"), tr("time"), tr("steps")});
  all[0].sentence = order_sentence;
  all[0].section = all[1].section = kOne;
  return all;
}

int absent_of(const Trace& trace, const char* section) {
  const SectionView* view = trace.find(section);
  return view == nullptr || !view->has(kAbsent) ? -1 : static_cast<int>(view->integer(kAbsent));
}

// Buckets behind the expert's that the absent rank asked for only after its backward.
std::optional<int> late_behind(const Trace& trace) {
  int all = 0, late = 0;
  for (const Reduced& one : reduced(trace, kOne)) {
    if (one.rank != absent_of(trace, kOne)) continue;
    ++all;
    if (one.bucket > kExpertBucket && !one.in_backward) ++late;
  }
  return all == kBuckets ? std::optional(late) : std::nullopt;
}

std::string bucket_name(int bucket) {
  return bucket == 0 ? "top" : bucket == kExpertBucket ? "expert" : tr("layer {}", kBuckets - 1 - bucket);
}

std::vector<Reduced> reduced(const Trace& trace, const char* section) {
  std::vector<Reduced> all;
  const SectionView* view = trace.find(section);
  const int ranks = view == nullptr ? 0 : view->ranks();
  int64_t first_ns = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> ended_ns(static_cast<size_t>(ranks), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    for (const SpanEvent& span : view->spans(rank)) {
      if (trace.name(span.name) != "backward") continue;
      first_ns = std::min(first_ns, span.start_ns);
      ended_ns[static_cast<size_t>(rank)] = span.end_ns;
    }
  }
  const auto ms = [&](int64_t ns) { return static_cast<double>(ns - first_ns) * 1e-6; };
  for (int rank = 0; rank < ranks; ++rank) {
    int bucket = 0;
    for (const CollectiveEvent& event : view->collectives(rank)) {
      if (event.state != CollectiveState::kCompleted || trace.name(event.tag) != "gradients") continue;
      all.push_back({rank, bucket++, ms(event.time_created_ns), ms(event.time_completed_ns),
                     event.time_created_ns <= ended_ns[static_cast<size_t>(rank)]});
    }
  }
  return all;
}

std::vector<MoveRow> moves(const Trace& trace, const char* section) {
  return rows_in<MoveRow>(trace.find(section));
}

}  // namespace ringside::missing_gradient
