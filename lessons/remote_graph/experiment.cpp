// A graph that crosses ranks: one backward through all of them, and a value whose gradient never comes.
#include "embedded.h"
#include "parts.h"
#include "ringside/figures/page.h"
#include "ringside/trace/measure.h"

namespace ringside::lessons::remote_graph {
namespace {

using namespace figure;

bool names_it(const DeadRow& row) { return row.sender == 0 && row.receiver == 1 && row.what == "aside"; }
int what_fast_does(const Trace& trace) {  // of the options
  const DeadRow row = row_of<DeadRow>(trace, kFast);
  return row.error.empty() ? 0 : row.ms < row.deadline ? 1 : 2;
}

ClaimResult dead_is_named(const Trace& trace) {
  const DeadRow fast = row_of<DeadRow>(trace, kFast), walked = row_of<DeadRow>(trace, kWalked);
  return judged(names_it(fast) && fast.ms < fast.deadline, fast.ms, fast.deadline, walked.ms);
}

// Forward and backward of each rank, and the messages between them.
Value across(const FigureInput& input) {
  const Trace& trace = input.trace;
  const SectionView& section = needed(trace.find(kAcross));
  const auto forward = needed(spans_named(trace, section, "forward", kAllRanks));
  const int64_t first_ns = std::ranges::min(forward, {}, &SpanEvent::start_ns).start_ns;
  const auto ms = [&](int64_t ns) { return double(ns - first_ns) * 1e-6; };
  Lanes lanes{{tr("since forward began"), "ms"}, {}, {}};
  for (int rank = 0; rank < section.ranks(); ++rank) lanes.lanes.push_back(tr("rank {}", rank));
  for (const auto& [name, ink] : {std::pair{"forward", Ink::kParameters}, {"backward", Ink::kActivations}})
    for (const SpanEvent& span : spans_named(trace, section, name, kAllRanks))
      lanes.items.push_back({size_t(span.rank), ms(span.start_ns), ms(span.end_ns), name, ink});
  for (const auto& [tag, before] : {std::pair{"value", ""}, {"gradient", "d"}}) {
    const auto calls = completed_calls(trace, section, tag, kAllRanks);
    for (const CollectiveEvent& sent : calls)
      for (const CollectiveEvent& taken : calls) {
        if (sent.op != Op::kSend || taken.op != Op::kRecv || sent.unit != taken.unit) continue;
        const std::string& unit = trace.name(sent.unit);  // "context 1: h0"
        lanes.arrows.push_back({size_t(sent.rank), size_t(taken.rank), ms(sent.time_created_ns),
                                ms(taken.time_completed_ns), before + unit.substr(unit.find(": ") + 2)});
      }
  }
  return lanes;
}

// The page's picture: the two times.
std::string summary(const Config& config, const Trace& trace, int width, bool colour) {
  return picture_text(find_lesson("remote_graph"), "dead", "", config, trace, width, colour);
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"), {.run = run,
                                           .questions = {{"aside", what_fast_does}},
                                           .claims = {{"dead", dead_is_named}},
                                           .figures = {{"across", across}},
                                           .summary = summary});
}

}  // namespace ringside::lessons::remote_graph
