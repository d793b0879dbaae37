// Groups of ranks that each hold every shard (replicas: HSDP), and whole gradients between micro-batches
// (no_sync): bits, bytes and memory of real runs.
#include "catch.h"
#include "ringside/base/error.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

TrainerConfig hybrid(int ranks, int64_t replicas, int stage) {
  TrainerConfig config = tiny_config(ranks, stage);
  config.replicas = replicas;
  config.steps = 4;
  return config;
}

// Bits of the reference, every byte explained, one hash on all ranks.
void check_hybrid(const TrainerConfig& config, const Dataset& data, const BitReference& reference) {
  INFO(describe(config) << ", " << config.replicas << " replicas, no_sync " << config.no_sync);
  const Audit run = audit(config, data, {}, &reference);
  CHECK(run.bit_problem() == "");
  CHECK(run.ledger_problem() == "");
  CHECK(run.result.ranks_agree);
}

int64_t counted(const Audit& run, int rank, const std::string& category, const std::string& at_or_op) {
  int64_t bytes = 0;
  for (const LedgerRow& row : run.ledger)
    if (row.rank == rank && row.category == category && row.at + row.op == at_or_op) bytes += row.counted;
  return bytes;
}

}  // namespace

TEST_CASE("replicas: the bits of sums inside the groups, then between them, and every byte explained") {
  const Dataset data = tiny_data();
  for (const auto& [ranks, replicas] : {std::pair{4, 2}, {6, 2}, {6, 3}}) {
    const BitReference reference = reference_bits(hybrid(ranks, replicas, 3), data);
    for (const int stage : {1, 2, 3}) {
      TrainerConfig config = hybrid(ranks, replicas, stage);
      check_hybrid(config, data, reference);
      config.overlap = config.prefetch = false;
      config.bucket_elements = 1;
      check_hybrid(config, data, reference);
    }
  }
}

TEST_CASE("replicas in every variant of the step") {
  const Dataset data = tiny_data();
  TrainerConfig config = hybrid(4, 2, 3);
  config.evaluate_every = 2;
  SumOrder order = SumOrder::kAccumulateThenReduce;
  SECTION("accumulation") {
    config.accumulate = 3;
    order = SumOrder::kReduceThenAccumulate;
  }
  SECTION("accumulation without sync") {
    config.accumulate = 3;
    config.no_sync = true;
  }
  SECTION("a frozen embedding") { config.model.freeze_embedding = true; }
  SECTION("kept from forward to backward") { config.reshard = false; }
  SECTION("predivided, not clipped") {
    config.predivide = true;
    config.clip_norm = 0;
  }
  SECTION("stage 1 by all-reduce, accumulation") {
    config.stage = 1;
    config.reduce = ReduceMode::kAllReduce;
    config.accumulate = 3;
  }
  SECTION("two groups") { config.two_groups = true; }
  check_hybrid(config, data, reference_bits(config, data, order));
}

TEST_CASE("one group is plain ZeRO, as many groups as ranks are data parallelism, two differ from both") {
  const Dataset data = tiny_data();
  for (const int64_t accumulate : {1, 3}) {
    TrainerConfig plain = tiny_config(4, 3), parallel = tiny_config(4, 0);
    plain.accumulate = parallel.accumulate = accumulate;
    BitReference of_plain, of_parallel;
    TrainerHooks hooks;
    hooks.observe = of_plain.recorder();
    train(plain, data, *TraceStore::create("test"), "run", hooks);
    hooks.observe = of_parallel.recorder();
    train(parallel, data, *TraceStore::create("test"), "run", hooks);
    for (const int stage : {1, 2, 3}) {
      TrainerConfig config = plain;
      config.stage = stage;
      config.replicas = 4;
      check_hybrid(config, data, of_parallel);
      config.replicas = 1;
      if (stage > 1) check_hybrid(config, data, of_plain);
      config.replicas = 2;
      const Audit two = audit(config, data, {}, &of_plain);
      REQUIRE(two.difference);
      CHECK(two.difference->step == 1);
      CHECK(two.difference->distance < config.learning_rate);
      CHECK(two.ledger_problem() == "");
    }
  }
}

TEST_CASE("replicas: gathers stay inside, and what goes between is an all-reduce of the shard") {
  TrainerConfig config = hybrid(4, 2, 3);
  config.bucket_elements = 1 << 20;
  const Audit run = audit(config, tiny_data());
  const Trace trace = run.store->snapshot();
  std::map<std::string, int64_t> sent;  // by group
  for (const CollectiveEvent& event : trace.find("run")->collectives(1))
    if (event.bytes_sent > 0 && trace.name(event.tag) != "metrics" && trace.name(event.tag) != "norm")
      sent[std::string(trace.name(event.group)) + ", " + std::string(trace.name(event.tag))] +=
          event.bytes_sent;
  REQUIRE(sent.size() == 4);
  const int64_t whole = 2 * sent.at("inside, gradients");  // half of it is sent, padded
  CHECK(sent.at("inside, parameters") == whole);
  CHECK(sent.at("inside, export") == whole / config.steps / 2);
  CHECK(sent.at("between, gradients between") == whole / 2);
}

TEST_CASE("no_sync: every stage has the bits of stage 0 with accumulation, and explains every byte") {
  const Dataset data = tiny_data();
  for (const int64_t accumulate : {1, 2, 3}) {
    TrainerConfig config = tiny_config(3, 0);
    config.accumulate = accumulate;
    config.no_sync = true;
    config.steps = 6;
    config.evaluate_every = 2;
    const BitReference reference = reference_bits(config, data);
    for (const int stage : {0, 1, 2, 3}) {
      config.stage = stage;
      check_hybrid(config, data, reference);
      if (stage == 2) config.reduce = ReduceMode::kAllReduce;
      if (stage == 2) check_hybrid(config, data, reference);
      config.overlap = !config.overlap;
    }
  }
}

TEST_CASE("no_sync sends a reduction once a step and holds whole gradients until then") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(3, 3);
  config.accumulate = 4;
  config.bucket_elements = 1 << 20;
  const Audit with_sync = audit(config, data);
  config.no_sync = true;
  const Audit without = audit(config, data);
  const int64_t shard = counted(without, 1, "gradients", kStepEntry);
  CHECK(counted(with_sync, 1, "gradients", "reduce_scatter") ==
        4 * counted(without, 1, "gradients", "reduce_scatter"));
  CHECK(counted(with_sync, 1, "parameters", "all_gather") == counted(without, 1, "parameters", "all_gather"));
  CHECK(counted(with_sync, 1, "gradients", kBetweenMicroBatches) == 0);  // not looked at
  CHECK(counted(without, 1, "gradients", kBetweenMicroBatches) ==
        4 * shard);  // all three shards, and its own
}

TEST_CASE("replicas that cannot be are refused by name") {
  const Dataset data = tiny_data();
  CHECK_THROWS_WITH(audit(hybrid(4, 3, 3), data), "replicas=3: it must divide ranks=4");
  CHECK_THROWS_AS(audit(hybrid(4, 8, 3), data), UsageError);
  CHECK_THROWS_AS(audit(hybrid(4, 2, 0), data), UsageError);
}
