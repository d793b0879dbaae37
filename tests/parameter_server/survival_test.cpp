// What is left of acknowledged pushes when servers die.
#include "ringside/parameter_server/survival.h"

#include <catch.h>

#include "ringside/parameter_server/stragglers.h"

using namespace ringside;

TEST_CASE("survival: k copies keep every acknowledged push of k dead servers, none loses them",
          "[one_thread][long]") {
  for (const uint32_t backups : {1, 2})
    for (NodeId first = 1; first <= 4; ++first)
      for (NodeId second = first; second <= (backups == 2 ? 4 : first); ++second) {
        const Survival result = kill_servers(4, backups, {first, second}, first * 10 + second);
        CAPTURE(backups, first, second);
        CHECK(result.acknowledged > 100);
        CHECK(result.lost == 0);
        CHECK(result.twice == 0);
        CHECK(result.seconds < 1);
      }
  int64_t lost = 0;
  double longest = 0;
  for (NodeId server = 1; server <= 4; ++server) {
    const Survival result = kill_servers(4, 0, {server}, 1);
    lost += result.lost;
    longest = std::max(longest, result.seconds);
  }
  CHECK(lost > 100);
  CHECK(longest > 2);  // the range waits for its server to come back
}

// Sparse logistic regression, and workers of uneven speed.
namespace {

constexpr uint64_t kFeatures = 200;

std::shared_ptr<const Samples> click_samples() {
  static const auto samples =
      std::make_shared<const Samples>(power_law_samples({.samples = 400, .keys = kFeatures}));
  return samples;
}

}  // namespace

TEST_CASE("sparse data: keys follow the power law, and a model learns the labels", "[one_thread][long]") {
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
