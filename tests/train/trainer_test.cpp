// The trainer as its user sees it: evaluation, determinism, learning, refusals.
#include "ringside/train/trainer.h"

#include <c10/core/GradMode.h>
#include <cmath>

#include "bf16_gemms.h"
#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/nn/batch.h"
#include "ringside/nn/classifier.h"
#include "ringside/tensor/torch_adapter.h"
#include "rounding.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

TrainResult train_quietly(const TrainerConfig& config, const Dataset& data, const TrainerHooks& hooks = {}) {
  return train(config, data, *TraceStore::create("test"), "run", hooks);
}

struct OwnScore {
  double loss = 0;
  int64_t correct = 0;
};

// The held-out samples one by one, on the model as it is initialized.
OwnScore score_untrained(const TrainerConfig& config, const Dataset& data) {
  at::NoGradGuard no_grad;
  Classifier model(config.model, config.max_tokens);
  ParameterSet& set = model.parameters();
  for (size_t p = 0; p < set.shapes.size(); ++p) {
    set.leaves[p] = at::empty(set.shapes[p].shape);
    initialize(set.leaves[p], set.shapes[p], config.seed);
  }
  OwnScore score;
  for (size_t i = 0; i < data.test.size(); ++i) {
    const Batch batch = make_batch(data.test, {static_cast<int64_t>(i)});
    const at::Tensor logits = model.forward(batch, {}).logits;
    score.loss += weighted_loss(logits, batch).item<double>() / static_cast<double>(data.test.size());
    if (logits.argmax(1).item<int64_t>() == data.test[i].label) ++score.correct;
  }
  return score;
}

}  // namespace

TEST_CASE("evaluation counts each held-out sample once, whatever the ranks and the last batch") {
  const Dataset data = tiny_data();
  using Case = std::pair<int, int64_t>;  // ranks, rows; of 8 ranks one has no sample
  for (const auto& [ranks, rows] : {Case{1, 3}, {2, 1}, {2, 100}, {3, 2}, {8, 1}, {8, 3}}) {
    TrainerConfig config = tiny_config(ranks, 3);
    config.steps = 1;
    config.learning_rate = 0;
    config.evaluate_every = 0;
    config.evaluation_rows = rows;
    const OwnScore expected = score_untrained(config, data);
    const double rounding = rounding_bound(classifier_roundings(config.model, config.max_tokens), 1);
    const Audit run = audit(config, data);
    const TrainResult& result = run.result;
    INFO(ranks << " ranks, " << rows << " rows");
    CHECK(result.evaluated == 7);
    CHECK(result.accuracy == static_cast<double>(expected.correct) / 7);
    CHECK(result.evaluation_loss == Approx(expected.loss).epsilon(rounding));
    CHECK(run.ledger_problem() == "");  // stage 3 gathers in each forward pass
  }
}

TEST_CASE("evaluations come after every so many steps and at the end") {
  TrainerConfig config = tiny_config(2, 1);
  config.steps = 5;
  config.evaluate_every = 2;
  CHECK(train_quietly(config, tiny_data()).evaluations == 3);  // after 2, 4 and 5
  config.evaluate_every = -1;
  CHECK(train_quietly(config, tiny_data()).evaluations == 0);
}

TEST_CASE("a configuration and a seed decide every bit; another seed another run") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(3, 2);
  config.precision = Precision::kBFloat16;
  const TrainResult first = train_quietly(config, data), second = train_quietly(config, data);
  CHECK(first.parameters_sha256 == second.parameters_sha256);
  CHECK(first.loss == second.loss);
  CHECK(first.gradient_norm == second.gradient_norm);
  config.seed = 8;
  CHECK(train_quietly(config, data).parameters_sha256 != first.parameters_sha256);
}

TEST_CASE("the first loss is about ln C, and one batch can be overfitted") {
  Dataset data = tiny_data();
  data.train.resize(5);
  data.test = data.train;
  for (const Precision precision : {Precision::kFloat32, Precision::kBFloat16}) {
    TrainerConfig config = tiny_config(2, 3);
    config.precision = precision;
    config.steps = 60;
    config.learning_rate = 0.02;
    config.evaluate_every = 0;
    const TrainResult result = train_quietly(config, data);
    CHECK(result.loss.front() == Approx(std::log(3.0)).margin(0.1));
    CHECK(result.loss.back() < 0.1);
    CHECK(result.accuracy == 1.0);
  }
}

TEST_CASE("figures go into the trace: loss, norm and step time of every step, accuracy of every evaluation") {
  const auto store = TraceStore::create("test");
  TrainerConfig config = tiny_config(2, 2);
  config.evaluate_every = 0;
  const TrainResult result = train(config, tiny_data(), *store, "run", {});
  const Trace trace = store->snapshot();
  std::map<std::string, std::vector<double>> scalars;
  for (const ScalarEvent& event : trace.find("run")->scalars(0))
    scalars[trace.name(event.name)].push_back(event.value);
  CHECK(scalars["loss"] == result.loss);
  CHECK(scalars["gradient norm"] == result.gradient_norm);
  CHECK(scalars["step time"] == result.step_ms);
  CHECK(scalars["accuracy"] == std::vector<double>{result.accuracy});
  CHECK(trace.find("run")->number("steps") == 3);
  CHECK(trace.find("run")->scalars(1).size() == 0);
}

TEST_CASE("a caller's attribute stands beside the trainer's own, and never in place of one") {
  const auto store = TraceStore::create("test");
  TrainerHooks hooks;
  hooks.attributes = {{"act", "3"}};
  train(tiny_config(2, 0), tiny_data(), *store, "fine", hooks);
  CHECK(store->snapshot().find("fine")->text("act") == "3");
  for (const char* name : {"stage", "steps", "flight report", kBroke}) {
    hooks.attributes = {{name, "3"}};
    try {
      train(tiny_config(2, 0), tiny_data(), *store, name, hooks);
      FAIL("it was taken: " << name);
    } catch (const InvariantError& error) {
      CHECK(lacks(error.what(), {std::string("attribute '") + name + "'", "another name"}) == "");
    }
  }
}

TEST_CASE("a timeout of a day is allowed") {
  TrainerConfig config = tiny_config(2, 0);
  config.timeout = kLongestTimeout;
  CHECK(train_quietly(config, tiny_data()).complete);
}

TEST_CASE("what cannot be trained is refused") {
  const Dataset data = tiny_data();
  const auto refuses = [&](auto&& change) {
    TrainerConfig config = tiny_config(2, 1);
    change(config);
    CHECK_THROWS_AS(train_quietly(config, data), UsageError);
  };
  refuses([](TrainerConfig& config) { config.ranks = 0; });
  refuses([](TrainerConfig& config) { config.batch = 0; });
  refuses([](TrainerConfig& config) { config.steps = 0; });
  refuses([](TrainerConfig& config) { config.accumulate = 0; });
  refuses([](TrainerConfig& config) { config.bucket_elements = 0; });
  refuses([](TrainerConfig& config) { config.evaluation_rows = 0; });
  refuses([](TrainerConfig& config) { config.timeout = std::chrono::seconds(0); });
  refuses([](TrainerConfig& config) { config.timeout = std::chrono::seconds(-1); });
  refuses([](TrainerConfig& config) { config.timeout = std::chrono::hours(25); });
  refuses([](TrainerConfig& config) { config.model.classes = 4; });
  refuses([](TrainerConfig& config) { config.model.heads = 5; });
  refuses([](TrainerConfig& config) { config.stage = 4; });
  refuses([](TrainerConfig& config) { config.optimizer.name = "sophia"; });
  Dataset empty = data;
  empty.train.clear();
  CHECK_THROWS_AS(train_quietly(tiny_config(2, 1), empty), InputError);
}

TEST_CASE("no training in bf16 reaches LibTorch's own bf16 product") {
  for (int stage = 0; stage <= 3; ++stage) {
    TrainerConfig config = tiny_config(2, stage);
    config.precision = Precision::kBFloat16;
    config.evaluate_every = 1;
    const Bf16Gemms gemms;
    CHECK(train_quietly(config, tiny_data()).evaluations == config.steps);
    INFO("stage " << stage);
    CHECK(gemms.seen() > 0);
    CHECK(gemms.found() == std::vector<std::string>{});
  }
}

TEST_CASE("each storage of a training is allocated once, keeps its size and is freed at most once") {
  const Audit run = audit(tiny_config(2, 3), tiny_data());
  const Trace trace = run.store->snapshot();
  for (const int rank : {0, 1}) {
    std::map<StorageId, int64_t> size, live;
    for (const Category category : kCategories)
      for (const MemoryEvent& event : trace.find("run")->memory(rank, category)) {
        const int64_t bytes = std::abs(event.delta_bytes);
        if (size.try_emplace(event.storage, bytes).first->second != bytes) FAIL("storage " << event.storage);
        live[event.storage] += event.delta_bytes;
      }
    CHECK(size.size() > 100);
    CHECK(size.begin()->first == 1);
    CHECK(size.rbegin()->first == size.size());  // no number is left out
    for (const auto& [storage, bytes] : live)
      if (bytes != 0 && bytes != size[storage])
        FAIL("storage " << storage << " has " << bytes << " bytes left");
  }
}

TEST_CASE("a hidden state is booked under its name, and to its unit") {
  const Audit run = audit(tiny_config(2, 3), tiny_data());
  const Trace trace = run.store->snapshot();
  std::map<std::string, int64_t> left;
  for (const MemoryEvent& event : trace.find("run")->memory(1, Category::kActivations)) {
    if (trace.name(event.tensor) == "hidden states") left[trace.name(event.unit)] += event.delta_bytes;
  }
  CHECK(left == std::map<std::string, int64_t>{{"embedding", 0}, {"layer 0", 0}});
}
