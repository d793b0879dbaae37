// An optimizer keeps as many values an element as it says: none, or more than AdamW's two.
#include <cstring>

#include "catch.h"
#include "ringside/data_parallel/strategy.h"
#include "toy_model.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// State k grows by k + 1 at each update, and a weight becomes the sum of its state.
OptimizerSpec counting(int states) {
  OptimizerSpec spec;
  spec.name = "counting";
  for (int k = 0; k < states; ++k) spec.state.push_back({"state " + std::to_string(k), "a count"});
  spec.update = [](const Elements& e, const Values&, const UpdateOptions&) {
    for (int64_t i = 0; i < e.count; ++i) {
      e.weights[i] = 0;
      for (size_t k = 0; k < e.state.size(); ++k) e.weights[i] += e.state[k][i] += static_cast<float>(k + 1);
    }
  };
  return spec;
}

// The values of every trainable parameter, which `bytes` holds among the frozen ones.
std::vector<float> trained_values(const std::string& bytes) {
  std::vector<float> values;
  size_t offset = 0;
  for (const ParameterShape& shape : ToyModel().parameters.shapes) {
    for (int64_t i = 0; i < shape.numel(); ++i, offset += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, bytes.data() + offset, sizeof value);
      if (shape.trainable) values.push_back(value);
    }
  }
  return values;
}

}  // namespace

TEST_CASE("all of an optimizer's state is kept from step to step, however much there is") {
  const ToyRun run{.ranks = 2, .steps = 4};
  for (const int states : {0, 1, 2, 3, 5}) {
    const Optimizer optimizer(counting(states), {});
    const auto results = train_toy(run, [&](const StrategySetup& setup) {
      return make_data_parallel({setup.parameters, setup.group, optimizer, setup.options, setup.recorder});
    });
    const auto sum = static_cast<float>(run.steps * states * (states + 1) / 2);
    for (const ToyResult& result : results) {
      INFO(states << " states");
      CHECK(result.live_bytes == 0);
      const std::vector<float> values = trained_values(result.bytes);
      CHECK(values == std::vector<float>(values.size(), sum));
    }
  }
}

TEST_CASE("every optimizer trains a single value as it does a vector of one") {
  for (const OptimizerSpec& spec : optimizer_specs()) {
    const auto trained = [&](const std::vector<int64_t>& shape) {
      ParameterSet set;
      set.shapes = {{"scale", 0, shape}};
      set.leaves.resize(1);
      set.units = 1, set.unit_names = {"unit"};
      const auto group = make_thread_group(1, {});
      const Optimizer optimizer(spec, {});
      const auto strategy =
          make_data_parallel({set, *group[0], optimizer, {.precision = Precision::kFloat32, .clip_norm = 0}});
      strategy->load([](size_t, const at::Tensor& out) { out.fill_(0.5); });
      for (int64_t step = 0; step < 3; ++step) {
        strategy->run_backward_of(step, [&] { return (set.leaves[0] * 3 + 1).square().sum(); });
        strategy->step({.learning_rate = 0.01, .step = step + 1});
      }
      return set.leaves[0].item<float>();
    };
    INFO(spec.name);
    CHECK(trained({}) == trained({1}));
    CHECK(trained({}) != 0.5f);
  }
}
