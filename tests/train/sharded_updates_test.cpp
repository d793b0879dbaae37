// Optimizers that are not elementwise, under every stage: near stage 0, and every byte that they exchange and
// keep is predicted.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "catch.h"
#include "check_text.h"
#include "faulty_group.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "ringside/comm/errors.h"
#include "ringside/planner/update_plan.h"
#include "ringside/trace/training_rows.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kSteps = 5;

const std::vector<std::string> kOptimizers = {"adafactor", "lamb", "lbfgs", "muon"};

TrainerConfig config_of(const std::string& optimizer, int ranks, int stage) {
  TrainerConfig config = tiny_config(ranks, stage);
  config.optimizer.name = optimizer;
  if (find_optimizer(optimizer).compares_gradients) config.clip_norm = 0;
  config.steps = kSteps;
  return config;
}

// Every parameter after every step, one after the other.
struct Path {
  ParameterObserver observer() {
    return [this](int64_t, size_t, const std::string&, ConstView view) {
      std::vector<float>& all = values.emplace_back(static_cast<size_t>(view.count));
      const auto at = [&](int64_t i) {
        return view.dtype == Dtype::kBFloat16 ? bf16_to_float(static_cast<const uint16_t*>(view.data)[i])
                                              : static_cast<const float*>(view.data)[i];
      };
      for (int64_t i = 0; i < view.count; ++i) all[static_cast<size_t>(i)] = at(i);
    };
  }
  // The largest difference, in units of the largest value of its tensor.
  double apart(const Path& other) const {
    REQUIRE(values.size() == other.values.size());
    double most = 0;
    for (size_t t = 0; t < values.size(); ++t) {
      double difference = 0, largest = 0;
      for (size_t i = 0; i < values[t].size(); ++i) {
        difference = std::max<double>(difference, std::abs(values[t][i] - other.values[t][i]));
        largest = std::max<double>(largest, std::abs(other.values[t][i]));
      }
      if (largest > 0) most = std::max(most, difference / largest);
    }
    return most;
  }
  std::vector<std::vector<float>> values;
};

struct Run {
  Path path = {};
  Audit audited = {};
};

Run run(const TrainerConfig& config, TrainerHooks hooks = {}) {
  static const Dataset data = tiny_data();
  Run run;
  hooks.observe = run.path.observer();
  Audit& audit = run.audited;
  audit.result = train(config, data, *audit.store, "run", hooks);
  const Trace trace = audit.store->snapshot();
  audit.ledger = reconcile(
      predict_zero_run(planned_run(config, classifier_task(config, data), audit.result.interruption, true)),
      count_rows(trace, *trace.find("run")));
  return run;
}

int64_t counted(const Run& run, int rank, const std::string& category, const std::string& at_or_op) {
  return row_of(run.audited, rank, category, at_or_op).counted;
}

// Trainable parameters.
std::vector<ParameterShape> shapes_of(const TrainerConfig& config) {
  std::vector<ParameterShape> shapes = classifier_shapes(config.model);
  std::erase_if(shapes, [](const ParameterShape& shape) { return !shape.trainable; });
  return shapes;
}

// The rows of the ledger that do not add up, by category and operation.
std::set<std::string> unexplained(const Run& run) {
  std::set<std::string> rows;
  for (const LedgerRow& row : run.audited.ledger)
    if (row.unexplained() != 0) rows.insert(row.category + " " + row.at + row.op);
  return rows;
}

// ---- The bugs ----------------------------------------------------------------

// Rank 1 takes the next rank for the owner of a matrix.
struct TakesAnotherOwner : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr start(Collective call) override {
    if (rank() == 1 && call.tag.what == kMatrices && call.op == Op::kSend && call.peer == 0) call.peer = 2;
    return inner_->start(std::move(call));
  }
};

// By the parameter's name.
std::map<std::string, int64_t> owners_of(const TrainerConfig& config) {
  const std::vector<ParameterShape> shapes = classifier_shapes(config.model);
  std::map<std::string, int64_t> owners;
  for (const WholeParameter& one : whole_parameters(make_optimizer(config.optimizer), shapes,
                                                    make_buckets(shapes, config, config.ranks), config.ranks))
    owners[shapes[static_cast<size_t>(one.parameter)].name] = one.owner;
  return owners;
}

// What comes back to rank 1 from an owner stays in the message.
struct LosesWhatComesBack : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr start(Collective call) override {
    const bool comes_back =
        call.tag.what == kMatrices && call.op == Op::kRecv && rank() == 1 && owners.at(call.tag.unit) != 1;
    if (!comes_back) return inner_->start(std::move(call));
    const auto elsewhere = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(call.output.bytes()));
    call.output.data = elsewhere->data();
    return std::make_shared<ThenWork>(inner_->start(std::move(call)), [elsewhere] {});
  }
  const std::map<std::string, int64_t> owners = owners_of(config_of("muon", 3, 1));
};

}  // namespace

TEST_CASE("sums over shards and matrices of owners: as stage 0 to 1e-6, with every byte explained",
          "[long]") {
  for (const std::string& optimizer : kOptimizers) {
    for (const int ranks : {1, 3}) {
      const Run whole = run(config_of(optimizer, ranks, 0));
      CHECK(whole.audited.ledger_problem() == "");
      for (const int stage : {1, 2, 3}) {
        const TrainerConfig config = config_of(optimizer, ranks, stage);
        INFO(optimizer << ", " << describe(config));
        const Run sharded = run(config);
        CHECK(sharded.audited.ledger_problem() == "");
        CHECK(sharded.audited.result.ranks_agree);
        CHECK(sharded.path.apart(whole.path) <= (optimizer == "muon" || ranks == 1 ? 0 : 1e-6));
      }
    }
  }
}

TEST_CASE("clipping is refused with L-BFGS before a rank starts; without clipping there is no norm") {
  TrainerConfig config = config_of("lbfgs", 2, 1);
  CHECK(run(config).audited.result.gradient_norm.empty());
  config.clip_norm = 1;
  try {
    run(config);
    FAIL("it trained");
  } catch (const UsageError& error) {
    CHECK(lacks(error.what(), {"clip_norm=1", "optimizer=lbfgs"}) == "");
  }
  config = config_of("lamb", 2, 1);
  config.schedule = {"cosin", 10};
  CHECK_THROWS_AS(run(config), UsageError);
}

TEST_CASE("stage 0 has the emulation's bits, whatever the optimizer needs to know, bucketed and naive") {
  const Dataset data = tiny_data();
  for (const std::string& optimizer : kOptimizers) {
    TrainerConfig config = config_of(optimizer, 3, 0);
    const BitReference reference = reference_bits(config, data);
    for (const bool naive : {false, true}) {
      config.naive = naive;
      check_bits(config, data, reference);
    }
  }
}

TEST_CASE("options, replicas and bf16 leave the ledger of such an update settled, and the ranks alike") {
  const std::function<void(TrainerConfig&)> options[] = {
      [](TrainerConfig& config) { config.replicas = 2; },
      [](TrainerConfig& config) { config.precision = Precision::kBFloat16, config.stage = 3; },
      [](TrainerConfig& config) { config.bucket_elements = 1; },
      [](TrainerConfig& config) {
        config.bucket_elements = 1 << 20, config.model.freeze_embedding = true, config.ranks = 3;
      },
      [](TrainerConfig& config) { config.accumulate = 2, config.optimizer.decay = Decay::kMatrices; }};
  for (const std::string& optimizer : kOptimizers)
    for (const auto& option : options) {
      TrainerConfig config = config_of(optimizer, 4, 2);
      config.steps = 2;
      option(config);
      INFO(describe(config));
      const Run done = run(config);
      CHECK(done.audited.ledger_problem() == "");
      CHECK(done.audited.result.ranks_agree);
    }
}

TEST_CASE("Adafactor keeps rows and columns of matrices and all of vectors, and nothing else") {
  const TrainerConfig config = config_of("adafactor", 4, 0);
  int64_t bytes = 0;
  for (const ParameterShape& shape : shapes_of(config))
    bytes += 4 * (shape.shape.size() == 2 ? shape.shape[0] + shape.shape[1] : shape.numel());
  CHECK(counted(run(config), 3, "optimizer", kAfterStep) == bytes);
  // In shards a matrix that is cut has its rows and columns on each rank that has a part of it.
  const Run sharded = run(config_of("adafactor", 4, 1));
  int64_t of_all_ranks = 0;
  for (int rank = 0; rank < 4; ++rank) of_all_ranks += counted(sharded, rank, "optimizer", kAfterStep);
  CHECK(of_all_ranks > bytes);
  CHECK(of_all_ranks < 4 * bytes);
}

TEST_CASE("sums are sent once a step and round, in fp64: two a parameter under LAMB") {
  const TrainerConfig config = config_of("lamb", 2, 1);
  const auto count = static_cast<int64_t>(2 * shapes_of(config).size());
  CHECK(counted(run(config), 0, kUpdateSums, "all_reduce") == kSteps * count * 8);
}

TEST_CASE("each matrix has one owner, which the trace shows, and no owner has much more work than another") {
  const TrainerConfig config = config_of("muon", 3, 2);
  const Run done = run(config);
  const Trace trace = done.audited.store->snapshot();
  std::map<std::string, int64_t> owners;
  std::vector<double> load(3);
  double largest = 0;
  for (const OwnedMatrix& row : rows_as<OwnedMatrix>(*trace.find("run"))) {
    CHECK(owners.emplace(row.parameter, row.owner).second);
    load[static_cast<size_t>(row.owner)] += row.work;
    largest = std::max(largest, row.work);
  }
  CHECK(owners == owners_of(config));
  CHECK(owners.size() == 7);  // of one layer: q, k, v, o, gate, up, down
  CHECK(*std::max_element(load.begin(), load.end()) <= *std::min_element(load.begin(), load.end()) + largest);
}

TEST_CASE("planted: sums that a rank keeps to itself are missing bytes and another path") {
  for (const std::string optimizer : {"adafactor", "lamb", "lbfgs"}) {
    const Run good = run(config_of(optimizer, 3, 2));
    const Run bad = run(config_of(optimizer, 3, 2), leaving_out(kUpdateSums));
    INFO(optimizer);
    CHECK(unexplained(bad) == std::set<std::string>{"sums all_reduce"});
    CHECK(bad.path.apart(good.path) > 1e-6);
  }
}

TEST_CASE("planted: a matrix whose parts do not come back moves the right bytes; the bits name it") {
  const Dataset data = tiny_data();
  const TrainerConfig config = config_of("muon", 3, 1);
  const BitReference reference = reference_bits(config, data);
  const Audit bad = audit(config, data, with_fault<LosesWhatComesBack>(), &reference);
  CHECK(bad.ledger_problem() == "");
  REQUIRE(bad.difference);
  CHECK(bad.difference->step == 1);
  CHECK(bad.difference->tensor == "model.layers.0.self_attn.o_proj.weight");
  CHECK(owners_of(config).at(bad.difference->tensor) != 1);
}

TEST_CASE("planted: a part that goes to another rank than the owner is refused there, by its name") {
  try {
    run(config_of("muon", 3, 1), with_fault<TakesAnotherOwner>());
    FAIL("nobody noticed");
  } catch (const CollectiveError& error) {
    CHECK(lacks(error.what(),
                {"send of 94 float32 from rank 1", "matrices, model.layers.0.mlp.down_proj.weight"}) == "");
  }
}

TEST_CASE("Muon learns in bf16") {
  TrainerConfig config = config_of("muon", 2, 0);
  config.precision = Precision::kBFloat16;
  config.learning_rate = 0.1;
  config.steps = 100;
  const TrainResult result = audit(config, tiny_data()).result;
  CHECK(result.ranks_agree);
  const double end = std::accumulate(result.loss.end() - 10, result.loss.end(), 0.0) / 10;
  CHECK(end < 0.6 * result.loss.front());
}
