// The list of planted bugs. Each is found by the ledger, as bytes that nobody can explain, or by the
// comparison of bits, which names the first tensor and step; the losses alone would betray hardly one.
#include "catch.h"
#include "check_text.h"
#include "faulty_group.h"
#include "ringside/comm/errors.h"
#include "ringside/faults/injector.h"
#include "ringside/tensor/memory_hook.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int kRanks = 3;
constexpr const char* kEmbedding = "model.embed_tokens.weight";

Audit audit_with(int stage, const TrainerHooks& hooks) {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(kRanks, stage);
  config.steps = 4;
  const BitReference reference = reference_bits(config, data);
  return audit(config, data, hooks, &reference);
}

// The only rows that do not add up, as "category op: bytes" over all ranks.
std::map<std::string, int64_t> unexplained_rows(const Audit& run) {
  std::map<std::string, int64_t> rows;
  for (const LedgerRow& row : run.ledger) {
    if (row.unexplained() != 0) rows[row.category + " " + row.at + row.op] += row.unexplained();
  }
  return rows;
}

// Bytes that the ranks send to gather everything once; under ZeRO-3 buckets keep to their units.
int64_t whole_gather(const TrainerConfig& config) {
  int64_t padded = 0;
  for (const Bucket& bucket : make_buckets(classifier_shapes(config.model), config, kRanks))
    padded += bucket.padded;
  return padded * 4 * (kRanks - 1);
}

}  // namespace

TEST_CASE("no bug: the bits agree and every byte is explained") {
  for (const int stage : {0, 1, 2, 3}) {
    const Audit run = audit_with(stage, with_fault<FaultyGroup>());
    CHECK(run.bit_problem() == "");
    CHECK(run.ledger_problem() == "");
  }
}

TEST_CASE("planted: a dropped reduction is missing bytes, and the step whose gradients are wrong is named") {
  const Audit run = audit_with(1, with_fault<DropsAReduction>());
  const auto rows = unexplained_rows(run);
  REQUIRE(rows.size() == 1);
  CHECK(rows.begin()->first == "gradients reduce_scatter");
  CHECK(rows.begin()->second < 0);
  REQUIRE(run.difference);
  const auto shapes = classifier_shapes(tiny_config(kRanks, 1).model);
  const auto buckets =
      static_cast<int64_t>(make_buckets(shapes, {.stage = 1, .bucket_elements = 500}, kRanks).size());
  CHECK(run.difference->step == (10 - 1) / buckets + 1);
  CHECK(run.difference->distance > 0);
}

TEST_CASE("planted: a reduction dropped by one rank alone is reported at that call, naming the rank") {
  try {
    audit_with(1, with_fault<OneRankDropsAReduction>());
    FAIL("nobody noticed");
  } catch (const MismatchError& error) {
    CHECK(error.ranks() == std::vector<int>{1});
  }
}

TEST_CASE("planted: gathering twice changes no bit, and is as many bytes too many") {
  const Audit run = audit_with(1, with_fault<GathersTwice>());
  CHECK(run.bit_problem() == "");
  const auto rows = unexplained_rows(run);
  REQUIRE(rows.size() == 1);
  CHECK(rows.begin()->first == "parameters all_gather");
  CHECK(rows.begin()->second == 4 * whole_gather(tiny_config(kRanks, 1)));  // in each of 4 steps
}

TEST_CASE("planted: a wrong divisor moves the right bytes; Adam nearly hides it, the bits do not") {
  const Audit run = audit_with(0, with_fault<DividesByRanksToo>());
  CHECK(run.ledger_problem() == "");
  REQUIRE(run.difference);
  CHECK(run.difference->step == 1);
  CHECK(run.difference->tensor == kEmbedding);
  CHECK(run.difference->distance > 0);
}

TEST_CASE("planted: a shard off by one moves the right bytes to the wrong place") {
  const Audit run = audit_with(1, with_fault<ShardOffByOne>());
  CHECK(run.ledger_problem() == "");
  REQUIRE(run.difference);
  CHECK(run.difference->step == 1);
  CHECK(run.difference->tensor == kEmbedding);
}

TEST_CASE("planted: a stale prefetch trains on the parameters of the step before") {
  const Audit run = audit_with(3, with_fault<StalePrefetch>());
  CHECK(run.ledger_problem() == "");
  REQUIRE(run.difference);
  CHECK(run.difference->step == 2);  // in step 1 the parameters before are the same
  CHECK(run.difference->tensor == kEmbedding);
  CHECK(lacks(run.bit_problem(), {"step 2", kEmbedding, "ulp"}) == "");
}

TEST_CASE("planted: a norm that is not agreed on is missing bytes and other bits") {
  const Audit run = audit_with(2, leaving_out("norm"));
  CHECK(unexplained_rows(run).count("norm all_reduce") == 1);
  REQUIRE(run.difference);
  CHECK(run.difference->step == 1);
}

TEST_CASE("planted: a tensor kept alive from step to step is unexplained in its category") {
  std::vector<at::Tensor> leak;
  TrainerHooks hooks;
  hooks.on_step = [&](int64_t) {
    MemoryScope scope(Category::kGradients);
    leak.push_back(at::zeros({25}));
  };
  const Audit run = audit_with(2, hooks);
  CHECK(run.bit_problem() == "");
  const std::map<std::string, int64_t> expected = {{std::string("gradients ") + kStepEntry, 300},
                                                   {std::string("gradients ") + kAfterStep, 300}};
  CHECK(unexplained_rows(run) == expected);  // three of them when the last step's memory was read
}

TEST_CASE("planted: an evaluation that nobody configured is as many bytes too many") {
  TrainerHooks hooks;
  hooks.end_step = [](RankLoop& loop, int64_t step) {
    if (step == 1) loop.evaluate(step);
  };
  const Audit run = audit_with(3, hooks);
  CHECK(run.bit_problem() == "");
  const int64_t counts = 2 * (kRanks - 1) * 3 * 8;
  const std::map<std::string, int64_t> expected = {
      {"evaluation all_reduce", counts},
      {"evaluation all_gather", 2 * whole_gather(tiny_config(kRanks, 3))}};  // two batches of two rows
  CHECK(unexplained_rows(run) == expected);
}

TEST_CASE("planted: an export that nobody asked for is as many bytes too many") {
  TrainerHooks hooks;
  hooks.observe = [](int64_t, size_t, const std::string&, ConstView) {};  // the prediction is not told
  const TrainerConfig config = tiny_config(kRanks, 3);
  const std::map<std::string, int64_t> expected = {
      {"export all_gather", config.steps * whole_gather(config)}};
  CHECK(unexplained_rows(audit(config, tiny_data(), hooks)) == expected);
}

TEST_CASE("planted: a training step too many is unexplained wherever a step sends or agrees") {
  TrainerHooks hooks;
  hooks.end_step = [](RankLoop& loop, int64_t step) {
    if (step == 1) loop.train_step(step + 1);
  };
  const auto rows = unexplained_rows(audit(tiny_config(kRanks, 1), tiny_data(), hooks));
  CHECK(rows.size() == 4);
  for (const char* row :
       {"gradients reduce_scatter", "parameters all_gather", "norm all_reduce", "metrics all_reduce"})
    CHECK(rows.count(row) == 1);
}
