#include "ringside/trace/measure.h"

#include "catch.h"
#include "sample_trace.h"

using namespace ringside;

TEST_CASE("Spans and completed calls by name, of a rank and of all") {
  const auto store = TraceStore::create("test");
  const auto pens = store->add_section("run", {}, 2);
  for (Recorder* pen : pens) record_sample_rank(*pen), pen->span("backward", 10 + pen->rank(), 20);
  pens[1]->collective({.tag = pens[1]->name("gradients"), .state = CollectiveState::kFailed});
  const Trace trace = store->snapshot();
  const SectionView& run = *trace.find("run");
  CHECK(spans_named(trace, run, "backward", kAllRanks).size() == 2);
  const SpanEvent span = spans_named(trace, run, "backward", 1).at(0);
  CHECK((!is_within(10, span) && is_within(11, span) && is_within(20, span) && !is_within(21, span)));
  CHECK(completed_calls(trace, run, "gradients", 1).at(0).rank == 1);
  CHECK(completed_calls(trace, run, "gradients", kAllRanks).size() == 2);
  CHECK(completed_calls(trace, run, "parameters", kAllRanks).empty());
}
