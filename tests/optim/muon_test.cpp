// What Muon leaves to AdamW, and the ends of its range. Its rule: tests/optim_paths.
#include <cmath>

#include "catch.h"
#include "optimizer_state.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// One parameter, and updates of it.
struct Training {
  Training(const OptimizerConfig& config, std::string name_, std::vector<int64_t> shape_)
      : optimizer(make_optimizer(config)),
        name(std::move(name_)),
        shape(std::move(shape_)),
        state(count(), optimizer) {}

  int64_t count() const { return shape.size() == 2 ? shape[0] * shape[1] : shape[0]; }
  void update(const std::vector<float>& gradient, const UpdateOptions& options) {
    const ParameterPlace place{name, shape, 0, count()};
    optimizer.update(state.piece(gradient, 0, count()), {&place, 1}, options);
  }

  Optimizer optimizer;
  std::string name;
  std::vector<int64_t> shape;
  OptimizerState state;
};

}  // namespace

TEST_CASE("what is no matrix of a layer is AdamW's, at a rate of its own") {
  const Values values = {{"beta2", 0.95}, {"weight_decay", 0}};
  const std::pair<const char*, std::vector<int64_t>> cases[] = {
      {"model.norm.weight", {24}}, {"model.embed_tokens.weight", {6, 4}}, {"score.weight", {4, 6}}};
  for (const auto& [name, shape] : cases) {
    INFO(name);
    Training muon({.name = "muon"}, name, shape), adamw({.name = "adamw", .values = values}, name, shape);
    Training matrix({.name = "muon"}, "o_proj.weight", {6, 4});
    for (int64_t step = 1; step <= 3; ++step) {
      const std::vector<float> gradient = noise(24, 60 + static_cast<uint64_t>(step));
      muon.update(gradient, {.learning_rate = 0.2, .step = step});
      adamw.update(gradient, {.learning_rate = 0.2 * 0.015, .step = step});
      matrix.update(gradient, {.learning_rate = 0.2, .step = step});
    }
    CHECK((muon.state == adamw.state));
    CHECK(muon.state.weights != matrix.state.weights);
    CHECK(matrix.state.state[1] == std::vector<float>(24));
  }
}

TEST_CASE("a gradient of zero moves no weight, one that is not finite shows") {
  Training training({.name = "muon"}, "o_proj.weight", {6, 4});
  const std::vector<float> before = training.state.weights;
  training.update(std::vector<float>(24), {.learning_rate = 0.1});
  CHECK(training.state.weights == before);
  std::vector<float> gradient = noise(24, 3);
  gradient[5] = std::nanf("");
  training.update(gradient, {.learning_rate = 0.1, .step = 2});
  CHECK(std::isnan(training.state.weights[0]));
}
