// Every two values of any two options of a training, in one run or another: the bits of one process that
// emulates the ranks, after every step, every byte explained, one hash on all ranks. fp32; shards and batches
// that do not divide.
#include "catch.h"
#include "pairwise.h"
#include "tiny_training.h"
#include "without_decay.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using Set = std::function<void(TrainerConfig&)>;
using Factor = std::vector<Set>;

template <typename Value, size_t kCount, typename SetValue>
Factor values(const std::array<Value, kCount>& all, SetValue set) {
  Factor factor;
  for (const Value& value : all)
    factor.push_back([set, value](TrainerConfig& config) { set(config, value); });
  return factor;
}

enum class Groups { kOne, kTwo, kOfTwo };  // of ranks, each with every shard

// How many ranks share a copy of the model, where they divide the ranks.
void set_tensor_parallel(TrainerConfig& config, int places) {
  config.model.heads = config.model.kv_heads = 6;
  if (config.ranks % places == 0)
    config.mesh = "dp" + std::to_string(config.ranks / places) + ",tp" + std::to_string(places);
}

int data_ranks(const TrainerConfig& config) { return mesh_of_run(config.ranks, config).size("dp"); }

// How state is sharded, and over how many ranks; where these do not divide each rank is a group.
struct Way {
  int stage;
  Groups groups = Groups::kOne;
  bool naive = false;
};

void set_way(TrainerConfig& config, const Way& way) {
  config.stage = way.stage;
  config.naive = way.naive;
  const int64_t ranks = data_ranks(config);
  if (way.groups != Groups::kOne && ranks % 2 != 0) config.replicas = ranks;
  if (way.groups == Groups::kTwo && ranks % 2 == 0) config.replicas = 2;
  if (way.groups == Groups::kOfTwo && ranks % 2 == 0) config.replicas = ranks / 2;
}

// 1: fused, 2: without padding too, where it goes.
void set_fused(TrainerConfig& config, int how) {
  config.model.fused = how > 0;
  config.model.packed = how == 2 && !spans_tokens(config.model.norm) && data_ranks(config) == config.ranks;
}

// Ranks come first, then how many share a copy: the way to shard depends on them.
std::vector<Factor> factors() {
  constexpr std::array kBoth = {true, false};
  std::vector<Factor> all = {
      values(std::array{1, 2, 3, 6, 8}, [](auto& config, int ranks) { config.ranks = ranks; }),
      values(std::array{1, 2, 3}, set_tensor_parallel),
      values(std::array<Way, 9>{{{0},
                                 {0, Groups::kOne, true},
                                 {1},
                                 {2},
                                 {3},
                                 {1, Groups::kTwo},
                                 {2, Groups::kOfTwo},
                                 {3, Groups::kTwo},
                                 {3, Groups::kOfTwo}}},
             set_way),
      values(std::array{1, 500, 1 << 18}, [](auto& config, int64_t n) { config.bucket_elements = n; }),
      values(std::array{1, 3}, [](auto& config, int64_t g) { config.accumulate = g; }),
      values(std::array{0.3, 0.0}, [](auto& config, double norm) { config.clip_norm = norm; }),
      values(std::array{ReduceMode::kReduceScatter, ReduceMode::kAllReduce},
             [](auto& config, ReduceMode reduce) { config.reduce = reduce; }),
      values(std::array{5, 1}, [](auto& config, int64_t batch) { config.batch = batch; }),
      values(std::array{-1, 0, 2}, [](auto& config, int64_t steps) { config.evaluate_every = steps; }),
      values(std::array{NormKind::kRms, NormKind::kLayer, NormKind::kBatch, NormKind::kGroup,
                        NormKind::kInstance},
             [](auto& config, NormKind norm) { config.model.norm = norm; }),
      values(std::array{NormPlace::kPre, NormPlace::kPost},
             [](auto& config, NormPlace where) { config.model.where = where; }),
      values(kBoth, [](auto& config, bool on) { config.sequence = on && !spans_tokens(config.model.norm); }),
      values(std::array{1, 2, 0}, set_fused),
      values(kBoth, [](auto& config, bool frozen) { config.model.freeze_embedding = frozen; }),
      values(kBoth,
             [](auto& config, bool kept) {
               if (!kept) config.optimizer.groups = {without_decay()};
             }),
      values(kBoth, [](auto& config, bool two) { config.two_groups = two; }),
      values(kBoth, [](auto& config, bool agree) { config.agree_on_steps = agree; })};
  for (bool Distribution::*flag :
       {&Distribution::overlap, &Distribution::prefetch, &Distribution::reshard, &Distribution::predivide,
        &Distribution::recompute, &Distribution::no_sync})
    all.push_back(values(kBoth, [flag](auto& config, bool on) { config.*flag = on; }));
  return all;
}

// Elementwise optimizers take turns: how elements are cut is nothing to them (tests/optim/sharding_test.cpp).
std::vector<TrainerConfig> combinations() {
  std::vector<std::string> optimizers;
  for (const OptimizerSpec& spec : optimizer_specs())
    if (spec.granularity == Granularity::kElement) optimizers.push_back(spec.name);
  const std::vector<Factor> all = factors();
  std::vector<size_t> sizes;
  for (const Factor& factor : all) sizes.push_back(factor.size());
  std::vector<TrainerConfig> configs;
  for (const std::vector<size_t>& row : pairwise(sizes)) {
    TrainerConfig config = tiny_config(1, 0);
    config.optimizer.name = optimizers[configs.size() % optimizers.size()];
    for (size_t f = 0; f < row.size(); ++f) all[f][row[f]](config);
    configs.push_back(config);
  }
  return configs;
}

SumOrder order_of(const TrainerConfig& config) {
  return config.stage < 2 || config.no_sync ? SumOrder::kAccumulateThenReduce
                                            : SumOrder::kReduceThenAccumulate;
}

}  // namespace

TEST_CASE("every two options together: the emulation's bits, every byte explained, one hash") {
  const Dataset data = tiny_data();
  for (const TrainerConfig& config : combinations())
    check_bits(config, data, reference_bits(config, data, order_of(config)));
}

// One in `every` of the combinations.
void check_in_bf16(size_t every) {
  const Dataset data = tiny_data();
  const std::vector<TrainerConfig> all = combinations();
  for (size_t i = 0; i < all.size(); i += every) {
    TrainerConfig config = all[i];
    config.precision = Precision::kBFloat16;
    check_settled(config, data);
  }
}
TEST_CASE("every two options together in bf16: every byte explained, one hash") { check_in_bf16(3); }
TEST_CASE("all combinations of two options in bf16", "[.][long]") { check_in_bf16(1); }

TEST_CASE("every stage has the emulation's bits after each of 20 steps on two ranks, of 6 on eight") {
  const Dataset data = tiny_data();
  for (const int ranks : {2, 8}) {
    TrainerConfig config = tiny_config(ranks, 0);
    config.steps = ranks == 2 ? 20 : 6;
    const BitReference reference = reference_bits(config, data);
    for (config.stage = 0; config.stage <= 3; ++config.stage) check_bits(config, data, reference);
  }
}

TEST_CASE("with accumulation {0, 1} have the one order's bits, {2, 3} the other's, and the orders differ") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(3, 0);
  config.accumulate = 3;
  const BitReference add_first = reference_bits(config, data, SumOrder::kAccumulateThenReduce);
  const BitReference reduce_first = reference_bits(config, data, SumOrder::kReduceThenAccumulate);
  for (const int stage : {0, 1, 2, 3}) {
    config.stage = stage;
    check_bits(config, data, stage < 2 ? add_first : reduce_first);
    const Audit other = audit(config, data, {}, stage < 2 ? &reduce_first : &add_first);
    REQUIRE(other.difference);
    CHECK(other.difference->distance > 0);
    CHECK(other.difference->distance < config.learning_rate);  // what one step of Adam may move at most
  }
}

TEST_CASE("bf16: the stages agree with each other in every bit of the result") {
  const Dataset data = tiny_data();
  for (const int ranks : {3, 8}) {
    TrainerConfig config = tiny_config(ranks, 0);
    config.precision = Precision::kBFloat16;
    config.steps = 4;
    const std::string expected = audit(config, data).result.parameters_sha256;
    for (const int stage : {1, 2, 3}) {
      config.stage = stage;
      INFO(describe(config));
      CHECK(audit(config, data).result.parameters_sha256 == expected);
    }
  }
}

TEST_CASE("the emulation's loss and hash are the trainer's, whatever the mesh cuts") {
  const Dataset data = tiny_data();
  using Run = std::tuple<std::string, int, int>;  // mesh, ranks, stage
  for (const auto& [mesh, ranks, stage] : {Run{"", 2, 3}, Run{"tp2", 2, 0}, Run{"dp2,tp2", 4, 1},
                                           Run{"pp2", 2, 0}, Run{"dp2,pp2,tp2", 8, 1}, Run{"tp4", 4, 0}}) {
    TrainerConfig config = tiny_config(ranks, stage);
    config.model.hidden = 48, config.model.heads = config.model.kv_heads = 4, config.model.layers = 2;
    config.mesh = mesh;
    INFO("mesh=" << mesh << " of " << ranks << " ranks, stage " << stage);
    const EmulationResult alone = emulate(config, data, SumOrder::kReduceThenAccumulate);
    const TrainResult result = audit(config, data).result;
    CHECK(result.parameters_sha256 == alone.parameters_sha256);
    REQUIRE(alone.loss.size() == result.loss.size());
    for (size_t step = 0; step < alone.loss.size(); ++step)
      CHECK(result.loss[step] == Approx(alone.loss[step]).epsilon(1e-12));
  }
}

TEST_CASE("a division by two rounds nothing, one by three does") {
  const Dataset data = tiny_data();
  for (const int ranks : {2, 3}) {
    TrainerConfig config = tiny_config(ranks, 1);
    config.predivide = true;
    const TrainResult early = audit(config, data).result;
    config.predivide = false;
    const TrainResult late = audit(config, data).result;
    INFO(ranks << " ranks");
    CHECK((early.parameters_sha256 == late.parameters_sha256) == (ranks == 2));
    for (size_t step = 0; step < late.loss.size(); ++step)
      CHECK(early.loss[step] == Approx(late.loss[step]).epsilon(1e-4));
  }
}
