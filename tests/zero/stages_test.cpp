// Every stage against one process in a plain loop, on a toy model: not one bit may differ.
#include "catch.h"
#include "pairwise.h"
#include "ringside/base/error.h"
#include "ringside/zero/make_strategy.h"
#include "toy_model.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

ToyRun toy_run(int ranks, int stage) {
  ToyRun run;
  run.ranks = ranks;
  run.options.stage = stage;
  return run;
}

const std::vector<std::function<bool(int rank, int64_t step)>> kUses = {
    [](int, int64_t) { return true; }, [](int, int64_t) { return false; },
    [](int rank, int64_t) { return rank == 1; },
    [](int rank, int64_t step) { return rank != 0 && step % 2 == 0; }};

// In the order of kSizes. Eight ranks share parameters of 1, 2, 5 and 7 elements, so that shards are padding
// in part or whole; parameters without a gradient, on all ranks, on some or in some steps, count as zero; a
// micro-batch of one forward, or of two before its backward.
ToyRun run_of(const std::vector<size_t>& row) {
  constexpr int kRankCounts[] = {1, 2, 3, 5, 8};
  constexpr int64_t kBuckets[] = {1, 20, 1000};
  ToyRun run = toy_run(kRankCounts[row[0]], static_cast<int>(row[1]) % 4);
  run.options.naive = row[1] == 4;
  run.options.bucket_elements = kBuckets[row[2]];
  run.uses_gates = kUses[row[3]];
  run.accumulate = row[4] == 0 ? 1 : 3;
  run.options.no_sync = row[4] == 2;
  run.options.overlap = row[5] == 0;
  run.options.prefetch = row[6] == 0;
  run.options.reshard = row[7] == 0;
  run.options.reduce = row[8] == 0 ? ReduceMode::kReduceScatter : ReduceMode::kAllReduce;
  run.forwards = row[9] == 0 ? 1 : 2;
  return run;
}
const std::vector<size_t> kSizes = {5, 5, 3, 4, 3, 2, 2, 2, 2, 2};

}  // namespace

TEST_CASE("every two options of a stage together: every bit of the plain loop") {
  for (const std::vector<size_t>& row : pairwise(kSizes)) {
    const ToyRun run = run_of(row);
    CAPTURE(run.options.stage, run.ranks, row);
    const bool reduce_first = run.options.stage >= 2 && !run.options.no_sync;
    CHECK(odd_one_out(train_toy(run, make_strategy), ToyAlone(run, reduce_first).train()) == "");
  }
}

TEST_CASE("with accumulation the order of the sums shows in the bits") {
  ToyRun run = toy_run(3, 0);
  run.accumulate = 3;
  CHECK(ToyAlone(run, /*reduce_first=*/true).train().bytes != ToyAlone(run).train().bytes);
}

TEST_CASE(
    "without overlap stage 2 waits for each bucket in the unit that fills it, with it one bucket later") {
  for (const bool overlap : {false, true}) {
    RecordedRun recorded(2);
    ToyRun run = toy_run(2, 2);
    run.steps = 1, run.options.bucket_elements = 1, run.options.overlap = overlap;
    train_toy(run, make_strategy, recorded.options);
    const Trace trace = recorded.store->snapshot();
    int64_t issued = 0, waited = 0, in_begins = 0;  // before the backward of the last unit
    for (const SpanEvent& span : trace.find("test")->spans(0))
      if (trace.name(span.name) == "backward" && trace.name(span.unit) == "in") in_begins = span.start_ns;
    for (const SpanEvent& span : trace.find("test")->spans(0))
      waited += trace.name(span.name) == "wait for gradients" && span.end_ns <= in_begins ? 1 : 0;
    for (const CollectiveEvent& event : recorded.completed(0))
      issued += trace.name(event.tag) == "gradients" && event.time_created_ns <= in_begins ? 1 : 0;
    CHECK(issued == 5);  // mid.weight, mid.gate, and three of out
    CHECK(waited == (overlap ? 4 : 5));
  }
}

TEST_CASE("a stage that does not exist is refused") {
  CHECK_THROWS_AS(train_toy(toy_run(1, 4), make_strategy), UsageError);
}
