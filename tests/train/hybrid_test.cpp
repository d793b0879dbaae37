// Groups of ranks that each hold every shard (replicas: HSDP), and whole gradients between micro-batches
// (no_sync): bytes and memory of real runs. Bits: proof_test.cpp.
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

}  // namespace

TEST_CASE("as many groups as ranks are data parallelism; two have other bits than it and than plain ZeRO") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(4, 3);
  config.accumulate = 3;
  BitReference of_plain, of_parallel;
  TrainerHooks hooks;
  hooks.observe = of_plain.recorder();
  audit(config, data, hooks);
  hooks.observe = of_parallel.recorder();
  config.stage = 0;
  audit(config, data, hooks);
  config.stage = 3;
  config.replicas = 4;
  check_bits(config, data, of_parallel);
  config.replicas = 2;
  for (const BitReference* other : {&of_plain, &of_parallel}) {
    const Audit two = audit(config, data, {}, other);
    REQUIRE(two.difference);
    CHECK(two.difference->step == 1);
    CHECK(two.difference->distance < config.learning_rate);
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

TEST_CASE("no_sync sends a reduction once a step and holds whole gradients until then") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(3, 3);
  config.accumulate = 4;
  config.bucket_elements = 1 << 20;
  const Audit with_sync = audit(config, data);
  config.no_sync = true;
  const Audit without = audit(config, data);
  const int64_t shard = row_of(without, 1, "gradients", kStepEntry).counted;
  CHECK(row_of(with_sync, 1, "gradients", "reduce_scatter").counted ==
        4 * row_of(without, 1, "gradients", "reduce_scatter").counted);
  CHECK(row_of(with_sync, 1, "parameters", "all_gather").counted ==
        row_of(without, 1, "parameters", "all_gather").counted);
  CHECK_THROWS_AS(row_of(with_sync, 1, "gradients", kBetweenMicroBatches), InvariantError);  // not looked at
  CHECK(row_of(without, 1, "gradients", kBetweenMicroBatches).counted ==
        4 * shard);  // all three shards, and its own
}

TEST_CASE("replicas that cannot be are refused by name") {
  const Dataset data = tiny_data();
  CHECK_THROWS_WITH(audit(hybrid(4, 3, 3), data), "replicas=3: it must divide ranks=4");
  CHECK_THROWS_AS(audit(hybrid(4, 8, 3), data), UsageError);
  CHECK_THROWS_AS(audit(hybrid(4, 2, 0), data), UsageError);
}
