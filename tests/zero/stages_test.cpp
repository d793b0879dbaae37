// Every stage against one process in a plain loop, on a toy model: not one bit may differ.
#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/zero/make_strategy.h"
#include "toy_model.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

ToyRun toy_run(int ranks, int stage, int64_t bucket = 20) {
  ToyRun run;
  run.ranks = ranks;
  run.options.stage = stage;
  run.options.bucket_elements = bucket;
  return run;
}

std::string describe(const ToyRun& run) {
  return "stage " + std::to_string(run.options.stage) + ", " + std::to_string(run.ranks) + " ranks, bucket " +
         std::to_string(run.options.bucket_elements) + ", overlap " + std::to_string(run.options.overlap) +
         ", prefetch " + std::to_string(run.options.prefetch) + ", reshard " +
         std::to_string(run.options.reshard);
}

void check_against(const ToyRun& run, const ToyResult& alone) {
  INFO(describe(run));
  CHECK(odd_one_out(train_toy(run, make_strategy), alone) == "");
}

}  // namespace

// Eight ranks share parameters of 1, 2, 5 and 7 elements, so that shards are padding in part or whole.
TEST_CASE("stages, ranks, buckets, overlap and prefetch: every bit of the plain loop") {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    const ToyResult alone = ToyAlone(toy_run(ranks, 0)).train();
    for (const int stage : {0, 1, 2, 3}) {
      for (const int64_t bucket : {1, 20, 1000}) {
        ToyRun run = toy_run(ranks, stage, bucket);
        check_against(run, alone);
        run.options.overlap = run.options.prefetch = false;
        check_against(run, alone);
        if (stage < 3) continue;
        run.options.reshard = false;
        check_against(run, alone);
        run.options.overlap = run.options.prefetch = true;
        check_against(run, alone);
      }
    }
  }
}

TEST_CASE("parameters without a gradient count as zero: unused by all, by some, or in some steps") {
  const std::vector<std::function<bool(int, int64_t)>> uses = {
      [](int, int64_t) { return false; },
      [](int rank, int64_t) { return rank == 1; },
      [](int rank, int64_t step) { return rank != 0 && step % 2 == 0; },
  };
  for (size_t i = 0; i < uses.size(); ++i) {
    ToyRun run = toy_run(3, 0);
    run.uses_gates = uses[i];
    const ToyResult alone = ToyAlone(run).train();
    for (const int stage : {0, 1, 2, 3}) {
      for (const int64_t bucket : {1, 1000}) {
        for (const bool eager : {true, false}) {
          run.options.stage = stage;
          run.options.bucket_elements = bucket;
          run.options.overlap = run.options.prefetch = eager;
          INFO("use " << i);
          check_against(run, alone);
        }
      }
    }
  }
}

TEST_CASE(
    "with accumulation stages 0 and 1 agree, 2 and 3 agree, and the pairs differ in the order of sums") {
  for (const int ranks : {2, 3}) {
    ToyRun run = toy_run(ranks, 0);
    run.accumulate = 3;
    const ToyResult add_first = ToyAlone(run, /*reduce_first=*/false).train();
    const ToyResult reduce_first = ToyAlone(run, /*reduce_first=*/true).train();
    CHECK(add_first.bytes != reduce_first.bytes);
    for (const int stage : {0, 1, 2, 3}) {
      run.options.stage = stage;
      check_against(run, stage < 2 ? add_first : reduce_first);
    }
  }
}

TEST_CASE("with no_sync all stages add in one order again: micro-batches first, then ranks") {
  ToyRun run = toy_run(3, 0);
  run.accumulate = 3;
  run.options.no_sync = true;
  const auto uses_some = [](int rank, int64_t step) { return rank != 0 && step % 2 == 0; };
  for (const bool all_used : {true, false}) {
    if (!all_used) run.uses_gates = uses_some;
    const ToyResult add_first = ToyAlone(run, /*reduce_first=*/false).train();
    for (const int stage : {0, 1, 2, 3}) {
      for (const bool eager : {true, false}) {
        run.options.stage = stage;
        run.options.overlap = run.options.prefetch = eager;
        check_against(run, add_first);
      }
    }
  }
}

TEST_CASE("reduce=all_reduce changes traffic, not bits") {
  const ToyResult alone = ToyAlone(toy_run(3, 0)).train();
  for (const int stage : {1, 2, 3}) {
    ToyRun run = toy_run(3, stage);
    run.options.reduce = ReduceMode::kAllReduce;
    check_against(run, alone);
  }
}

TEST_CASE("bf16: the stages agree with each other in every bit") {
  for (const int ranks : {1, 3, 8}) {
    ToyRun run = toy_run(ranks, 0);
    run.options.precision = Precision::kBFloat16;
    const ToyResult expected = train_toy(run, make_strategy).front();
    for (const int stage : {0, 1, 2, 3}) {
      run.options.stage = stage;
      check_against(run, expected);
    }
  }
}

TEST_CASE("a stage that does not exist is refused") {
  CHECK_THROWS_AS(train_toy(toy_run(1, 4), make_strategy), UsageError);
}
