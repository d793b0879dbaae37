// Sparse logistic regression, and workers of uneven speed.
#include "ringside/parameter_server/stragglers.h"

#include <catch.h>

using namespace ringside;
using namespace ringside::ps;

namespace {

constexpr uint64_t kFeatures = 200;

std::shared_ptr<const Samples> click_samples() {
  static const auto samples =
      std::make_shared<const Samples>(power_law_samples({.samples = 400, .keys = kFeatures}));
  return samples;
}

StragglerResult run(StragglerConfig config) { return run_stragglers(config, click_samples(), kFeatures); }

}  // namespace

TEST_CASE("stragglers: random ones cost BSP half of the time, and SSP(16) less than 5 %", "[long]") {
  const StragglerResult bsp = run({.staleness = 0, .clocks = 800}),
                        ssp = run({.staleness = 16, .clocks = 800});
  CHECK(bsp.idle > 0.4);
  CHECK(bsp.idle < 0.6);
  CHECK(ssp.idle < 0.05);
  CHECK(ssp.seconds < 0.6 * bsp.seconds);
}

TEST_CASE("stragglers: with staleness a training comes to a loss in 0.6 of BSP's time or less", "[long]") {
  const auto seconds = [](int64_t staleness) {
    return run({.staleness = staleness, .clocks = 2000, .learning_rate = 8, .target_loss = 0.14})
        .seconds_to_loss;
  };
  const double bsp = seconds(0), ssp = std::min(seconds(8), seconds(16));
  CAPTURE(bsp, ssp);
  CHECK(ssp > 0);
  CHECK(ssp <= 0.6 * bsp);
}

TEST_CASE("stragglers: with a worker that is always slow, staleness does not help in the long run",
          "[long]") {
  const StragglerResult bsp = run({.staleness = 0, .clocks = 800, .slow_factor = 4}),
                        ssp = run({.staleness = 16, .clocks = 800, .slow_factor = 4});
  CHECK(ssp.idle > 0.4);
  CHECK(ssp.seconds > 0.85 * bsp.seconds);
}

TEST_CASE("sparse data: keys follow the power law, and a model learns the labels") {
  const Samples samples = power_law_samples({.samples = 20'000, .keys = 1000, .fields = 10, .exponent = 1});
  std::vector<int64_t> seen(1000);
  for (const SparseSample& sample : samples)
    for (const uint64_t key : sample.keys) ++seen[key];
  CHECK(seen[9] > 7 * seen[99]);
  CHECK(seen[9] < 13 * seen[99]);
  std::vector<float> weights(kFeatures);
  const std::vector<uint64_t> keys = keys_of(*click_samples());
  for (int step = 0; step < 400; ++step) {
    std::vector<float> values;
    for (const uint64_t key : keys) values.push_back(weights[key]);
    const std::vector<float> gradient = logistic_gradient(*click_samples(), keys, values);
    for (size_t i = 0; i < keys.size(); ++i) weights[keys[i]] -= 2 * gradient[i];
  }
  CHECK(logistic_loss(*click_samples(), std::vector<float>(kFeatures)) == Approx(0.6931).epsilon(0.001));
  CHECK(logistic_loss(*click_samples(), weights) < 0.4);
}
