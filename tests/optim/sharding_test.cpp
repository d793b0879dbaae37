// An update does not know how the elements were cut.
#include "catch.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "stretch_of.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kCount = 67;

// Three steps, each as two updates of [0, cut) and [cut, count).
template <typename Gradient>
OptimizerState train(const OptimizerConfig& config, const std::vector<Gradient>& gradient, int64_t cut) {
  const auto optimizer = make_optimizer(config);
  OptimizerState state(kCount);
  for (int64_t step = 1; step <= 3; ++step) {
    const UpdateOptions options{.learning_rate = 0.1, .step = step, .gradient_scale = 0.37f};
    optimizer->update(state.piece(gradient, 0, cut, optimizer->slots()), options);
    optimizer->update(state.piece(gradient, cut, kCount - cut, optimizer->slots()), options);
  }
  return state;
}

template <typename Gradient>
void check_every_cut(const OptimizerConfig& config, const std::vector<Gradient>& gradient) {
  const OptimizerState whole = train(config, gradient, kCount);
  CHECK(whole.weights != OptimizerState(kCount).weights);
  for (int64_t cut = 0; cut < kCount; ++cut) {
    INFO("cut at " << cut);
    const OptimizerState cut_state = train(config, gradient, cut);
    CHECK(cut_state.weights == whole.weights);
    CHECK(cut_state.first == whole.first);
    CHECK(cut_state.second == whole.second);
    CHECK(cut_state.rounded == whole.rounded);
  }
}

}  // namespace

TEST_CASE("an update of two pieces is the update of the whole, in every bit, wherever it is cut") {
  const std::vector<float> gradient = noise(kCount, 5);
  std::vector<uint16_t> gradient16;
  for (const float value : gradient) gradient16.push_back(float_to_bf16(value));
  for (const char* name : {"adamw", "sgd"}) {
    INFO(name);
    OptimizerConfig config;
    config.name = name;
    check_every_cut(config, gradient);
    check_every_cut(config, gradient16);
  }
}

TEST_CASE("a gradient of zero still decays the weight, as a parameter without gradient does") {
  OptimizerConfig config;
  config.weight_decay = 0.5;
  OptimizerState state(3);
  const std::vector<float> before = state.weights, zero(3);
  make_optimizer(config)->update(state.piece(zero, 0, 3, 2), {.learning_rate = 0.1});
  for (size_t i = 0; i < 3; ++i) CHECK(state.weights[i] == Approx(before[i] * 0.95));
}

TEST_CASE("another name, and a gradient of another type, are refused") {
  CHECK_THROWS_AS(make_optimizer({.name = "lion"}), UsageError);
  OptimizerState state(3);
  Stretch stretch = state.piece(std::vector<float>(3), 0, 3, 2);
  stretch.gradient_dtype = Dtype::kFloat64;
  CHECK_THROWS_AS(make_optimizer({})->update(stretch, {}), InvariantError);
}
