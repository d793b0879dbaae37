// Gradients by finite differences: the slope along the gradient itself, and along a random direction.
#include <c10/core/GradMode.h>
#include <functional>

#include "catch.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using Function = std::function<at::Tensor()>;

double slope(const Function& value, at::Tensor& leaf, const at::Tensor& direction, double h) {
  at::NoGradGuard no_grad;
  const at::Tensor before = leaf.clone();
  const auto at_distance = [&](double distance) {
    leaf.copy_(before + direction * distance);
    return value().item<double>();
  };
  const double result = (at_distance(h) - at_distance(-h)) / (2 * h);
  leaf.copy_(before);
  return result;
}

// The largest error of a slope, relative to the gradient's length, over all leaves.
double gradient_error(const Function& value, std::vector<at::Tensor> leaves, double h) {
  run_backward(value());
  double worst = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    REQUIRE(leaves[i].grad().defined());
    const at::Tensor gradient = leaves[i].grad();
    const double length = gradient.norm().item<double>();
    REQUIRE(length > 0);
    const at::Tensor noise = random_tensor(gradient.sizes(), 900 + i).to(gradient.scalar_type());
    for (const at::Tensor& direction : {gradient / length, noise / noise.norm()}) {
      const double expected = (gradient * direction).sum().item<double>();
      worst = std::max(worst, std::abs(slope(value, leaves[i], direction, h) - expected) / length);
    }
  }
  return worst;
}

// fp32: rounding over h, and h^2. Measured 8e-4 with the worst of three BLAS kernels; a term left out is 0.1
// and more.
constexpr double kStep = 4e-3, kTolerance = 1e-2;

}  // namespace

TEST_CASE("gradient of the whole classifier's loss, for every parameter") {
  Classifier model(small_config(), 8);
  fill_with_noise(model.parameters(), 5);
  const Batch batch = small_batch(6);
  const auto value = [&] { return weighted_loss(logits_of(model, batch), batch); };
  CHECK(gradient_error(value, model.parameters().leaves, kStep) < kTolerance);
}
