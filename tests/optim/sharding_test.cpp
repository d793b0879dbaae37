// The update of an elementwise optimizer does not know how the elements were cut. Every one that is declared.
#include "catch.h"
#include "optimizer_state.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kNumbers = 67;

// Three steps, each as two updates of [0, cut) and [cut, count).
template <typename Gradient>
OptimizerState train(const Optimizer& optimizer, const std::vector<Gradient>& gradient, int64_t cut) {
  OptimizerState state(kNumbers, optimizer);
  for (int64_t step = 1; step <= 3; ++step) {
    const UpdateOptions options{.learning_rate = 0.1, .step = step, .gradient_scale = 0.37f};
    optimizer.update(state.piece(gradient, 0, cut), options);
    optimizer.update(state.piece(gradient, cut, kNumbers - cut), options);
  }
  return state;
}

template <typename Gradient>
void check_every_cut(const Optimizer& optimizer, const std::vector<Gradient>& gradient) {
  const OptimizerState whole = train(optimizer, gradient, kNumbers);
  CHECK(whole.weights != OptimizerState(kNumbers, optimizer).weights);
  for (int64_t cut = 0; cut < kNumbers; ++cut) {
    INFO("cut at " << cut);
    CHECK((train(optimizer, gradient, cut) == whole));
  }
}

}  // namespace

TEST_CASE("an update of two pieces is the update of the whole, in every bit, wherever it is cut") {
  const std::vector<float> gradient = noise(kNumbers, 5);
  std::vector<uint16_t> gradient16;
  for (const float value : gradient) gradient16.push_back(float_to_bf16(value));
  for (const OptimizerSpec& spec : optimizer_specs()) {
    if (spec.granularity != Granularity::kElement) continue;
    INFO(spec.name);
    const Optimizer optimizer(spec, {});
    check_every_cut(optimizer, gradient);
    check_every_cut(optimizer, gradient16);
  }
}

TEST_CASE("a bf16 gradient counts as its float; a gradient of zero still decays the weight") {
  std::vector<uint16_t> gradient16;
  std::vector<float> gradient;
  for (const float value : noise(kNumbers, 5)) {
    gradient16.push_back(float_to_bf16(value));
    gradient.push_back(bf16_to_float(gradient16.back()));
  }
  for (const OptimizerSpec& spec : optimizer_specs()) {
    if (spec.granularity != Granularity::kElement) continue;
    INFO(spec.name);
    const OptimizerState narrow = train(Optimizer(spec, {}), gradient16, kNumbers),
                         wide = train(Optimizer(spec, {}), gradient, kNumbers);
    CHECK(narrow.weights == wide.weights);
    CHECK(narrow.state == wide.state);
    for (size_t i = 0; i < narrow.weights.size(); ++i)
      CHECK(narrow.rounded[i] == float_to_bf16(narrow.weights[i]));
  }
  const Optimizer optimizer = make_optimizer({.values = {{"weight_decay", 0.5}}});
  OptimizerState state(3, optimizer);
  const std::vector<float> before = state.weights, zero(3);
  optimizer.update(state.piece(zero, 0, 3), {.learning_rate = 0.1});
  for (size_t i = 0; i < 3; ++i) CHECK(state.weights[i] == Approx(before[i] * 0.95));
}

TEST_CASE("a weight that is NaN is rounded as everywhere; what does not fit is refused") {
  const Optimizer optimizer = make_optimizer({.name = "sgd", .values = {{"momentum", 0}}});
  for (const uint32_t bits : {0x7f800001u, 0x7fc12345u, 0x7fffffffu, 0xff812345u, 0xffc00000u}) {
    float weight = std::bit_cast<float>(bits), gradient = 0;
    uint16_t rounded = 0;
    Elements elements;
    elements.count = 1;
    elements.weights = &weight;
    elements.gradient = &gradient;
    elements.rounded = &rounded;
    optimizer.update(elements, {});
    CHECK(rounded == 0x7fc0);
  }
  const Optimizer adamw = make_optimizer({});
  OptimizerState state(3, adamw);
  const std::vector<float> gradient(3);
  Elements elements = state.piece(gradient, 0, 3);
  elements.gradient_dtype = Dtype::kFloat64;
  CHECK_THROWS_AS(adamw.update(elements, {}), InvariantError);
  elements = state.piece(gradient, 0, 3);
  elements.state.pop_back();
  CHECK_THROWS_AS(adamw.update(elements, {}), InvariantError);
  OptimizerSpec whole = adamw.spec();
  whole.granularity = Granularity::kTensor;  // without sums that ranks could exchange
  CHECK_THROWS_AS(require_shards(Optimizer(whole, {}), 1, 2), UsageError);
  CHECK_NOTHROW(require_shards(Optimizer(whole, {}), 1, 1));
  CHECK_NOTHROW(require_shards(adamw, 1, 2));
}
