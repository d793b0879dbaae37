// The classifier on a parameter server has the bits of data parallelism: any workers, servers and copies.
#include "ringside/server_train/served_classifier.h"

#include "../train/tiny_training.h"
#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/parameter_server/simulated_cluster.h"
#include "ringside/server_train/serve.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/trace/server_rows.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

TrainerConfig served_config(int workers, const OptimizerConfig& optimizer) {
  TrainerConfig config = tiny_config(workers, 0);
  config.clip_norm = 0;
  config.optimizer = optimizer;
  return config;
}

const OptimizerConfig kSgd = {.name = "sgd", .values = {{"momentum", 0}}};

std::string all_reduced(const TrainerConfig& config, const Dataset& data) {
  const TrainResult result = train(config, data, *TraceStore::create("test"), "run");
  CHECK(result.ranks_agree);
  return result.parameters_sha256;
}

std::string simulated(const TrainerConfig& config, const Dataset& data, uint32_t servers,
                      uint32_t backups = 0, NetworkModel model = {},
                      ps::Consistency consistency = ps::Consistency::kBsp) {
  use_one_thread();
  const ServedClassifier classifier(config, data);
  ps::Cluster cluster = classifier.cluster();
  cluster.servers = servers;
  cluster.backups = backups;
  for (ps::KeyGroup& group : cluster.groups) group.consistency = consistency;
  ps::SimulatedCluster nodes(cluster, model, 1, [&](NodeId, uint32_t rank) {
    ps::WorkerTask task = classifier.task(rank);
    task.compute_ns = [rank](int64_t clock) { return (rank + 1) * 1'000'000 + clock; };
    return task;
  });
  REQUIRE(nodes.train(60'000'000'000));
  return classifier.parameters_sha256(nodes.values().value());
}

}  // namespace

TEST_CASE("served classifier: BSP has the bits of all-reduce, for 1 to 3 workers and 1 to 3 servers") {
  const Dataset data = tiny_data();
  for (const int workers : {1, 2, 3}) {
    const TrainerConfig config = served_config(workers, kSgd);
    const std::string expected = all_reduced(config, data);
    for (const uint32_t servers : {1, 2, 3}) {
      CAPTURE(workers, servers);
      CHECK(simulated(config, data, servers) == expected);
    }
  }
}

TEST_CASE("served classifier: optimizers, schedules and copies change no bit; frozen is no key") {
  const Dataset data = tiny_data();
  for (const char* optimizer : {"sgd", "adamw", "adagrad", "lion"}) {
    TrainerConfig config = served_config(3, {.name = optimizer, .decay = Decay::kMatrices});
    config.schedule = {.name = "cosine", .warmup = 1};
    config.accumulate = 2;
    CAPTURE(optimizer);
    CHECK(simulated(config, data, 3, 1, {.loss = 0.1, .duplication = 0.05, .reordering = 0.2}) ==
          all_reduced(config, data));
  }
  TrainerConfig config = served_config(2, kSgd);
  const uint64_t all = ServedClassifier(config, data).keys();
  config.model.freeze_embedding = true;
  CHECK(ServedClassifier(config, data).keys() == all - 259 * 12);
  CHECK(simulated(config, data, 2) == all_reduced(config, data));
}

TEST_CASE("served classifier: without waiting the bits are others") {
  const Dataset data = tiny_data();
  const TrainerConfig config = served_config(3, kSgd);
  CHECK(simulated(config, data, 2, 0, {}, ps::Consistency::kAsp) != all_reduced(config, data));
}

TEST_CASE("served classifier: as threads of a World it has these bits too, and its section tells of it") {
  const Dataset data = tiny_data();
  for (const int workers : {1, 2, 3}) {
    const TrainerConfig config = served_config(workers, kSgd);
    const auto store = TraceStore::create("test");
    const ServeResult result = serve(config, data, {.servers = 2}, *store, "served");
    CAPTURE(workers);
    CHECK(result.parameters_sha256 == all_reduced(config, data));
    CHECK(result.loss > 0);
    const Trace trace = store->snapshot();
    const SectionView& section = trace.sections().front();
    CHECK(section.ranks() == workers + 3);
    CHECK(std::ssize(rows_as<WorkerRead>(section)) == workers * config.steps);
    std::map<MessageState, int64_t> states;
    for (int rank = 0; rank < section.ranks(); ++rank)
      for (const MessageEvent& message : section.messages(rank)) ++states[message.state];
    CHECK(states[MessageState::kReceived] > 0);
    CHECK(states[MessageState::kReceivedAgain] == 0);
    CHECK(section.memory(0, Category::kActivations).size() > 0);
  }
}

TEST_CASE("served classifier: what a server of elements cannot do is refused") {
  const Dataset data = tiny_data();
  const auto refuses = [&](const std::function<void(TrainerConfig&)>& change) {
    TrainerConfig config = served_config(2, kSgd);
    change(config);
    CHECK_THROWS_AS(ServedClassifier(config, data).cluster(), UsageError);
  };
  refuses([](TrainerConfig& c) { c.clip_norm = 1; });
  refuses([](TrainerConfig& c) { c.precision = Precision::kBFloat16; });
  refuses([](TrainerConfig& c) { c.model.norm = NormKind::kBatch; });
  refuses([](TrainerConfig& c) { c.predivide = true; });
  const ServedClassifier lamb(served_config(2, {.name = "lamb"}), data);
  CHECK_THROWS_AS(ps::ranges_of(lamb.cluster()), UsageError);
}
