// One rank's batch leaves a parameter unused. What waits for it, and which gradient results?

#include "embedded.h"
#include "parts.h"
#include "ringside/trace/measure.h"

namespace ringside::lessons::missing_gradient {
namespace {

using namespace figure;

// By the last step of a section, on a rank; NaN where it was not run.
double moved(const Trace& trace, const char* section, int64_t rank) {
  const auto rows = rows_in<MoveRow>(trace.find(section));
  const auto last = std::find_if(rows.rbegin(), rows.rend(), having(&MoveRow::rank, rank));
  return last == rows.rend() ? NAN : last->moved;
}

// The rank; one that there is not where it was not run.
size_t absent_of(const Trace& trace, const char* section) {
  const SectionView* view = trace.find(section);
  return view == nullptr || !view->has(kAbsent) ? SIZE_MAX : size_t(view->integer(kAbsent));
}

// Buckets behind the expert's that the absent rank asked for only after its backward.
int64_t late_behind(const Trace& trace) {
  const auto all = reduced(trace, kOne);
  const size_t absent = absent_of(trace, kOne);
  if (absent >= all.size() || all[absent].size() != kBuckets) throw NotRun();
  return std::count_if(all[absent].begin() + kExpertBucket + 1, all[absent].end(),
                       [](auto& one) { return !one.in_backward; });
}

std::string bucket_name(size_t bucket) {
  return bucket == 0 ? "top" : bucket == kExpertBucket ? "expert" : tr("layer {}", kBuckets - 1 - bucket);
}

// The option that is right.
int what_waits(const Trace& trace) { return late_behind(trace) > 0 ? 3 : 2; }

// The expert's step with one rank left out, in percent of its step with all ranks.
double share_of_step(const Trace& trace) { return 100 * moved(trace, kOne, 0) / moved(trace, kAll, 0); }

// The option that is right.
int moves_unused(const Trace& trace) {
  return (needed(moved(trace, kUnused, 0)) > 0 ? 1 : 0) + (needed(moved(trace, kLikeDdp, 0)) > 0 ? 2 : 0);
}

bool ranks_agree(const std::vector<MoveRow>& rows) {
  return std::ranges::all_of(rows, [&](const MoveRow& row) { return row.value == rows[0].value; });
}
std::string in_words(bool agree) { return agree ? tr("equal") : tr("different"); }

ClaimResult only_delays(const Trace& trace) {
  const bool agree = ranks_agree(needed(rows_in<MoveRow>(trace.find(kOne))));
  return judged(agree, kBuckets, late_behind(trace), in_words(agree));
}

ClaimResult zero_is_none(const Trace& trace) {
  const double flat = needed(moved(trace, kUnused, 0)), ddp = needed(moved(trace, kLikeDdp, 0));
  const bool agree = ranks_agree(needed(rows_in<MoveRow>(trace.find(kSkipsNone))));
  return judged(flat == ddp && agree, flat, ddp, in_words(agree));
}

ClaimResult check_names_it(const Trace& trace) {
  const SectionView& section = *trace.find(kSkips);
  if (!section.has(kError)) return {Verdict::kFails, tr("the run came to its end")};
  const std::string error = section.text(kError), first = error.substr(0, error.find('\n'));
  return holds_if(first.find(tr("rank {}", absent_of(trace, kSkips))) != std::string::npos &&
                      first.find("timed out") == std::string::npos,
                  first);
}

ClaimResult noticed_at_once(const Trace& trace) {
  const int rank = absent_of(trace, kSilent) == 0 ? 1 : 0;  // one that skips nothing
  const size_t summed = completed_calls(trace, *trace.find(kSilent), "gradients", rank).size();
  return judged(summed <= kExpertBucket, summed, summed - std::min(summed, kExpertBucket));
}

std::vector<Attribute> order_sentence(const FigureInput& input) {
  return {absent_of(input.trace, kOne), late_behind(input.trace)};
}

Value order(const FigureInput& input) {
  Table table{{{tr("rank")}}, {}};
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) table.columns.push_back({bucket_name(bucket)});
  for (const auto& buckets : reduced(input.trace, kOne)) {
    auto& row = table.rows.emplace_back();
    row.push_back({std::to_string(table.rows.size() - 1)});
    for (const Reduced& one : buckets)
      row.push_back({one.in_backward ? tr("{:.1f}", one.asked_ms) : tr("{:.1f} late", one.asked_ms)});
    row.resize(table.columns.size(), {"—"});
  }
  if (const size_t absent = absent_of(input.trace, kOne); absent < table.rows.size()) table.lit = {absent};
  return table;
}

Value steps(const FigureInput& input) {
  Bars bars{{tr("the expert's change in the last step")},
            {{tr("on rank 0"), hue(0)}, {tr("on the rank that left it out"), hue(1)}},
            {},
            false};
  for (const char* section : {kAll, kOne, kSkipsNone, kUnused, kLikeDdp})
    if (const double first = moved(input.trace, section, 0); !std::isnan(first))
      bars.rows.push_back({section, {first, moved(input.trace, section, absent_of(input.trace, section))}});
  return bars;
}

}  // namespace

std::vector<std::vector<Reduced>> reduced(const Trace& trace, const char* section) {
  const SectionView* view = trace.find(section);
  if (view == nullptr) return {};
  const auto backward = spans_named(trace, *view, "backward", kAllRanks);
  if (backward.empty()) return {};
  const int64_t first_ns = std::ranges::min(backward, {}, &SpanEvent::start_ns).start_ns;
  std::vector<std::vector<Reduced>> all(size_t(view->ranks()));
  for (const SpanEvent& span : backward)
    for (const CollectiveEvent& sum : completed_calls(trace, *view, "gradients", span.rank))
      all[size_t(span.rank)].push_back(
          {double(sum.time_created_ns - first_ns) * 1e-6, sum.time_created_ns <= span.end_ns});
  return all;
}

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"),
                   {.run = run,
                    .questions = {{"waits", what_waits}, {"share", share_of_step}, {"moves", moves_unused}},
                    .claims = {{"delays", only_delays},
                               {"none", zero_is_none},
                               {"check", check_names_it},
                               {"silent", noticed_at_once}},
                    .figures = {{"order", order, order_sentence}, {"steps", steps}}});
}

}  // namespace ringside::lessons::missing_gradient
