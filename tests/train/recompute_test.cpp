// Activation checkpointing in a training: a layer's forward is run again in backward, from the gathers that
// there are anyway, and its activations are not kept. Bits and bytes sent: proof_test.cpp.
#include <algorithm>
#include <map>

#include "catch.h"
#include "ringside/trace/training_rows.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

TrainerConfig two_layers(int ranks, int stage) {
  TrainerConfig config = tiny_config(ranks, stage);
  config.model.layers = 2;
  config.steps = 2;
  return config;
}

Audit recomputed(TrainerConfig config, const Dataset& data) {
  config.recompute = true;
  return audit(config, data);
}

std::map<std::string, int64_t> spans_by_name(const Audit& run, int rank, const std::string& unit) {
  const Trace trace = run.store->snapshot();
  std::map<std::string, int64_t> counts;
  for (const SpanEvent& span : trace.find("run")->spans(rank))
    if (trace.name(span.unit) == unit) ++counts[trace.name(span.name)];
  return counts;
}

std::map<std::string, int64_t> gathers(const Audit& run) {  // of all ranks
  std::map<std::string, int64_t> counts;
  const Trace trace = run.store->snapshot();
  for (const UnitGather& row : rows_as<UnitGather>(*trace.find("run")))
    if (!row.dropped && row.step >= 0) ++counts[row.unit];
  return counts;
}

int64_t peak_of_activations(const Audit& run) {
  int64_t peak = 0;
  const Trace trace = run.store->snapshot();
  for (const MemoryEvent& event : trace.find("run")->memory(0, Category::kActivations))
    peak = std::max(peak, event.peak_bytes);
  return peak;
}

}  // namespace

TEST_CASE("recompute runs each layer's forward twice and gathers it twice, not three times") {
  const Dataset data = tiny_data();
  TrainerConfig config = two_layers(2, 3);
  config.accumulate = 2;
  const int64_t micro_batches = config.steps * config.accumulate;
  const Audit off = audit(config, data), on = recomputed(config, data);
  for (const int rank : {0, 1}) {
    auto spans = spans_by_name(on, rank, "layer 1");
    CHECK(spans["forward"] == micro_batches);
    CHECK(spans["recompute"] == micro_batches);
    CHECK(spans["backward"] == micro_batches);
    CHECK(spans_by_name(on, rank, "embedding")["recompute"] == 0);
    CHECK(spans_by_name(off, rank, "layer 1")["recompute"] == 0);
  }
  const int64_t of_the_export = 1;  // for the hash at the end
  CHECK(gathers(on)["layer 0"] == (2 * micro_batches + of_the_export) * config.ranks);
  CHECK(gathers(on) == gathers(off));
}

TEST_CASE("with recompute the peak of activations grows by a layer's input alone") {
  const Dataset data = tiny_data();
  TrainerConfig config = two_layers(1, 0);
  config.batch = 4;
  const auto peak = [&](int64_t layers, bool recompute) {
    config.model.layers = layers;
    config.recompute = recompute;
    return peak_of_activations(audit(config, data));
  };
  const int64_t whole_layer = peak(6, false) - peak(5, false), input = peak(6, true) - peak(5, true);
  const int64_t longest = std::max_element(data.train.begin(), data.train.end(), [](auto& a, auto& b) {
                            return a.tokens.size() < b.tokens.size();
                          })->tokens.size();
  CHECK(input <= config.batch * longest * config.model.hidden * 4);
  CHECK(input > 0);
  CHECK(whole_layer > 10 * input);
}
