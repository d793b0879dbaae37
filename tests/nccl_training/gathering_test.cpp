// Evaluations that gather: the same accuracy whatever is gathered and however, and every byte of it
// predicted, counted, kept until the evaluation ends and then given back.
#include "catch.h"
#include "lesson_training.h"
#include "ringside/trace/measure.h"
#include "rounding.h"

using namespace ringside;
using namespace ringside::nccl_lesson;
using namespace ringside::testing;

namespace {

constexpr int64_t kRows = 2, kTokens = 9, kHidden = 12, kHeads = 2, kClasses = 3, kLayers = 1;
constexpr int64_t kLogitsBytes = kRows * (4 * kClasses + 8);
constexpr int64_t kHiddenElements = (kLayers + 1) * kRows * kTokens * kHidden;
constexpr int64_t kAttentionElements = kLayers * kRows * kHeads * kTokens * kTokens;

Training gathering(int ranks, int stage, EvaluationGather gather) {
  Training config = tiny_lesson_training(ranks, stage);
  config.evaluate_every = 2;  // after steps 2 and 3
  config.evaluation_gather = gather;
  config.outputs = OutputVersion::kOriginal;
  config.attentions = true;
  return config;
}

int64_t batches_of(int ranks) {
  const int64_t longest = (7 + ranks - 1) / ranks;
  return (longest + kRows - 1) / kRows;
}

// The most bytes that were live under a name in a rank's buffers, and what is left at the end.
struct Kept {
  int64_t peak = 0, left = 0;
};
Kept kept_as(const Audit& run, int rank, std::string_view name) {
  const Trace trace = run.store->snapshot();
  Kept kept;
  for (const MemoryEvent& event : trace.find("run")->memory(rank, Category::kBuffers)) {
    if (trace.name(event.tensor) != name) continue;
    kept.left += event.delta_bytes;
    kept.peak = std::max(kept.peak, kept.left);
  }
  return kept;
}

// Completed collectives of rank 0 with a tag, as "unit" texts in order.
std::vector<std::string> units_of(const Audit& run, std::string_view tag, Op op = Op::kAllGather) {
  const Trace trace = run.store->snapshot();
  std::vector<std::string> units;
  for (const CollectiveEvent& event : completed_calls(trace, *trace.find("run"), tag))
    if (event.op == op) units.push_back(trace.name(event.unit));
  return units;
}

int64_t count_spans(const Audit& run, int rank, std::string_view name) {
  const Trace trace = run.store->snapshot();
  return std::ssize(spans_named(trace, *trace.find("run"), name, rank));
}

}  // namespace

TEST_CASE("accuracy is the same however an evaluation gathers, over 1 to 4 ranks; every byte is explained") {
  const Dataset data = tiny_data();
  using G = EvaluationGather;
  using T = GatherTransfer;
  constexpr std::pair<G, T> kWays[] = {{G::kLogits, T::kWhole},
                                       {G::kOutputs, T::kWhole},
                                       {G::kOutputs, T::kChunked},
                                       {G::kOutputs, T::kCompressed}};
  for (int ranks = 1; ranks <= 4; ++ranks)
    for (const int stage : {1, 3}) {
      const TrainResult counted = audit_lesson(gathering(ranks, stage, G::kCounts), data).result;
      CHECK(counted.evaluations == 2);
      for (const auto& [gather, transfer] : kWays) {
        INFO(ranks << " ranks, stage " << stage << ", gather " << int(gather) << ", transfer "
                   << int(transfer));
        Training config = gathering(ranks, stage, gather);
        config.gather_transfer = transfer;
        config.gather_chunk = 50;
        const Audit run = audit_lesson(config, data);
        const double rounding = rounding_bound(classifier_roundings(config.model, config.max_tokens), 1);
        CHECK(run.result.accuracy == counted.accuracy);
        CHECK(run.result.evaluation_loss == Approx(counted.evaluation_loss).epsilon(rounding));
        CHECK(run.result.evaluated == 7);
        CHECK(run.result.parameters_sha256 == counted.parameters_sha256);
        CHECK(run.ledger_problem() == "");
      }
    }
}

TEST_CASE("what an evaluation gathers is what shapes say, from every other rank") {
  const Dataset data = tiny_data();
  using G = EvaluationGather;
  for (const int ranks : {1, 3}) {
    const auto received = [&](auto&& change) {
      Training config = gathering(ranks, 2, G::kOutputs);
      change(config);
      const std::vector<int64_t> bytes = testing::gathered_bytes(audit_lesson(config, data));
      REQUIRE(bytes.size() == 2);
      CHECK(bytes[0] == bytes[1]);
      CHECK(bytes[0] % batches_of(ranks) == 0);
      return bytes[0] / batches_of(ranks);
    };
    const int64_t others = ranks - 1;
    const int64_t all = kLogitsBytes + 4 * (kHiddenElements + kAttentionElements);
    CHECK(received([](Training&) {}) == others * all);
    CHECK(received([](Training& c) { c.gather_transfer = GatherTransfer::kChunked; }) == others * all);
    CHECK(received([](Training& c) { c.gather_transfer = GatherTransfer::kCompressed; }) ==
          others * (kLogitsBytes + 2 * (kHiddenElements + kAttentionElements)));
    CHECK(received([](Training& c) { c.attentions = false; }) ==
          others * (kLogitsBytes + 4 * kHiddenElements));
    CHECK(received([](Training& c) { c.evaluation_gather = G::kLogits; }) == others * kLogitsBytes);
    CHECK(received([](Training& c) { c.evaluation_gather = G::kCounts; }) == 0);
    CHECK(received([](Training& c) { c.precision = Precision::kBFloat16; }) ==
          others * (kLogitsBytes + 2 * (kHiddenElements + kAttentionElements)));
  }
}

TEST_CASE("gathers are tagged by what they carry; chunks stage no more than one of all ranks") {
  Training config = gathering(2, 1, EvaluationGather::kOutputs);
  config.evaluate_every = 0;
  const Audit run = audit_lesson(config, tiny_data());
  using Units = std::vector<std::string>;
  CHECK(units_of(run, "evaluation") == Units{"batch 0", "batch 0", "batch 1", "batch 1"});
  CHECK(units_of(run, "evaluation hidden states") ==
        Units{"batch 0, embedding", "batch 0, layer 0", "batch 1, embedding", "batch 1, layer 0"});
  CHECK(units_of(run, "evaluation attentions") == Units{"batch 0, layer 0", "batch 1, layer 0"});
  CHECK(units_of(run, "evaluation", Op::kAllReduce).empty());
  for (const int rank : {0, 1}) {
    CHECK(count_spans(run, rank, "gather outputs") == 2);
    CHECK(count_spans(run, rank, "evaluate") == 1);
  }
  Training chunked = gathering(3, 1, EvaluationGather::kOutputs);
  chunked.evaluate_every = 0;
  chunked.gather_transfer = GatherTransfer::kChunked;
  chunked.gather_chunk = 50;
  const Audit pieces = audit_lesson(chunked, tiny_data());
  const int64_t one_state = kRows * kTokens * kHidden;
  CHECK(units_of(pieces, "evaluation hidden states").size() ==
        static_cast<size_t>(batches_of(3) * (kLayers + 1) * ((one_state + 49) / 50)));
  CHECK(kept_as(pieces, 0, "chunk of hidden states").peak == 3 * 50 * 4);
}

TEST_CASE("what is gathered is in the memory of every rank until the evaluation ends, and then gone") {
  using T = GatherTransfer;
  for (const T transfer : {T::kWhole, T::kChunked, T::kCompressed}) {
    Training config = gathering(3, 3, EvaluationGather::kOutputs);
    config.gather_transfer = transfer;
    const Audit run = audit_lesson(config, tiny_data());
    for (int rank = 0; rank < 3; ++rank) {
      INFO("rank " << rank << ", transfer " << int(transfer));
      const Kept hidden = kept_as(run, rank, "gathered hidden states");
      const int64_t kept = batches_of(3) * 3 * kHiddenElements * 4;  // not once per evaluation
      if (transfer == T::kCompressed) {
        CHECK(hidden.peak >= kept);  // and for a moment one tensor of bf16 beside it
        CHECK(hidden.peak < kept + 3 * kHiddenElements * 2);
      } else {
        CHECK(hidden.peak == kept);
      }
      CHECK(kept_as(run, rank, "gathered attentions").peak >= batches_of(3) * 3 * kAttentionElements * 4);
      const Trace trace = run.store->snapshot();
      for (const char* what : {"hidden states", "attentions", "logits", "labels"})
        CHECK(kept_as(run, rank, std::string("gathered ") + what).left == 0);
      for (const Category category : kCategories) {
        const auto events = trace.find("run")->memory(rank, category);
        CHECK((events.empty() || events.back().live_bytes == 0));
      }
    }
  }
}
