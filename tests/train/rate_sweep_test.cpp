#include "ringside/train/rate_sweep.h"

#include <cmath>

#include "catch.h"

using namespace ringside;

TEST_CASE("good rates are the neighbours of the best one at which the loss falls nearly as far") {
  std::vector<RateTried> tried = {
      {1e-3, 2, 1.9}, {1e-2, 2, 1.2}, {1e-1, 2, 1.0}, {1, 2, 1.1}, {10, 2, 0, "it diverged"}};
  const auto good = good_rates(tried, 0.8);
  REQUIRE(good);
  CHECK(good->from == Approx(1e-2));                 // 0.8 of the largest fall, to the point
  CHECK(good->to == Approx(std::pow(10, 1.0 / 9)));  // 0.9 at 1, none at 10
  CHECK(good->best == 1e-1);
  CHECK(good->last == 1.0);
  CHECK(good_rates(tried, 0.9)->from == Approx(std::pow(10, -1.5)));  // half of the way from 1.0 to 0.8
  CHECK(good_rates({tried.data(), 2}, 0.8)->to == 1e-2);              // the highest that was tried
  for (RateTried& one : tried) one.last = 2.5;
  CHECK_FALSE(good_rates(tried, 0.8));
  CHECK_FALSE(good_rates({}, 0.8));
}

TEST_CASE("a rate that diverges is an outcome, one at which the loss falls too") {
  TrainerConfig config;
  config.model = {.hidden = 8, .heads = 1, .kv_heads = 1, .intermediate = 8, .layers = 1};
  config.max_tokens = 6;
  config.ranks = 1;
  config.precision = Precision::kFloat32;
  config.steps = 10;
  config.clip_norm = 0;
  config.optimizer = {"sgd"};
  const Dataset data = load_dataset({.max_tokens = 6});
  RunControl control;
  std::vector<double> losses;
  const RateTried tried = try_rate(config, 1e-2, data, control, [&](int64_t step, double loss) {
    CHECK(step == std::ssize(losses));
    losses.push_back(loss);
  });
  CHECK(tried.stopped == "");
  config.learning_rate = 1e-2;
  CHECK(losses == train(config, data, *TraceStore::create("the same"), "training").loss);
  CHECK(try_rate(config, 1e30, data, control).stopped != "");
  control.cancel();
  CHECK_THROWS_AS(try_rate(config, 1e-2, data, control), CancelledError);
}
