// What Muon leaves to AdamW, and the ends of its range. Its rule: tests/optim_paths.
#include "../../engine/optim/rules.h"
#include "catch.h"
#include "optimizer_state.h"
#include "ringside/base/error.h"
#include "ringside/optim/schedule.h"

using namespace ringside;
using namespace ringside::testing;
using namespace ringside::optimizers;

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

TEST_CASE("what is no matrix of a layer is AdamW's; a gradient of zero moves no weight") {
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
  Training training({.name = "muon"}, "o_proj.weight", {6, 4});
  const std::vector<float> before = training.state.weights;
  training.update(std::vector<float>(24), {.learning_rate = 0.1});
  CHECK(training.state.weights == before);
  std::vector<float> gradient = noise(24, 3);
  gradient[5] = std::nanf("");
  training.update(gradient, {.learning_rate = 0.1, .step = 2});
  CHECK(std::isnan(training.state.weights[0]));
}

TEST_CASE("a gradient of NaN is NaN in the weight, whatever the optimizer") {
  for (const OptimizerSpec& spec : optimizer_specs()) {
    INFO(spec.name);
    Training training({.name = spec.name}, "o_proj.weight", {6, 4});
    for (int64_t step = 1; step <= 3; ++step) {
      std::vector<float> gradient = noise(24, static_cast<uint64_t>(step));
      if (step == 2) gradient[5] = std::nanf("");
      training.update(gradient, {.learning_rate = 0.1, .step = step});
    }
    CHECK(std::isnan(training.state.weights[5]));
  }
}

TEST_CASE("centred RMSprop under a gradient that does not change stays a number") {
  for (const float g : {0.1f, 0.37f}) {
    Training training({.name = "rmsprop", .values = {{"centred", 1}}}, "o_proj.weight", {1, 1});
    for (int64_t step = 1; step <= 3000; ++step) training.update({g}, {.learning_rate = 1e-3, .step = step});
    CHECK(std::isfinite(training.state.weights[0]));
  }
}

TEST_CASE("schedules start at 1 and fall as named; a weighted square has the bits of its order") {
  CHECK(schedule_factor({"constant", 0, 10}, 9) == 1.0);
  CHECK(schedule_factor({"linear", 0, 10}, 0) == 1.0);
  CHECK(schedule_factor({"linear", 0, 10}, 4) == Approx(0.6));
  CHECK(schedule_factor({"cosine", 0, 10}, 0) == 1.0);
  CHECK(schedule_factor({"cosine", 0, 10}, 5) == Approx(0.5));
  CHECK(schedule_factor({"cosine", 0, 12}, 4) == Approx(0.75));
  CHECK(schedule_factor({"linear", 0, 10}, 25) == 0.0);
  const Schedule schedule{"linear", 4, 12};
  CHECK(schedule_factor(schedule, 0) == 0.25);
  CHECK(schedule_factor(schedule, 3) == 1.0);
  CHECK(schedule_factor(schedule, 4) == 1.0);
  CHECK(schedule_factor(schedule, 8) == Approx(0.5));
  CHECK(schedule_factor({"cosine", 20, 10}, 9) == 0.5);
  CHECK_THROWS_AS(schedule_factor({"step", 0, 10}, 0), UsageError);
  CHECK_THROWS_AS(schedule_factor({"cosin", 10, 20}, 0), UsageError);  // within the warm-up, too
  CHECK_THROWS_AS(schedule_factor({"cosine", -3, 20}, 0), UsageError);
  int64_t other = 0, large = 0;
  double farthest = 0;  // of those, from LibTorch's order
  for (const float rest : {0.001f, 0.05f, 0.01f, 1.0f})
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 9973) {
      const auto g = std::bit_cast<float>(static_cast<uint32_t>(bits));
      const float square = g * g, small = g * 0x1p-63f, own = weighted_square(rest, g);
      const float expected = std::isinf(square) ? rest * (small * small) * 0x1p126f : rest * square;
      other += std::isnan(expected) ? !std::isnan(own)
                                    : std::bit_cast<uint32_t>(own) != std::bit_cast<uint32_t>(expected);
      const float torchs = rest * g * g;
      if (!std::isinf(square) || !std::isfinite(own) || !std::isfinite(torchs)) continue;
      ++large;
      farthest = std::max(farthest, std::abs(double{own} / torchs - 1));
    }
  CHECK(other == 0);
  CHECK(large > 1000);
  CHECK(farthest < 3e-7);
}
