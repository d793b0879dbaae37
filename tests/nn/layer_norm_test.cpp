// Layer norm against LibTorch's own, and as the classifier's norm.
#include "ringside/nn/norm.h"

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/planner/ready_order.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using Tensors = std::vector<at::Tensor>;
using Norm = at::Tensor (*)(const at::Tensor&, const at::Tensor&, const at::Tensor&, double);

at::Tensor torchs(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps) {
  return at::layer_norm(x, {x.size(-1)}, weight, bias, eps);
}

// y, dx, dw, db of a loss in which every element counts differently.
Tensors run(Norm norm, const at::Tensor& input, at::ScalarType type) {
  const int64_t width = input.size(-1);
  const auto leaf = [&](const at::Tensor& t) {
    return t.to(type, false, /*copy=*/true).set_requires_grad(true);
  };
  const at::Tensor x = leaf(input), weight = leaf(random_tensor({width}, 2, 1.0, at::kDouble) + 1),
                   bias = leaf(random_tensor({width}, 3, 1.0, at::kDouble));
  const at::Tensor y = norm(x, weight, bias, 1e-5);
  run_backward((y * random_tensor(y.sizes(), 4, 1.0, at::kDouble).to(type)).sum());
  return {y.detach(), x.grad(), weight.grad(), bias.grad()};
}

// The largest distance, relative to the largest entry of what it is compared with; the worst of the four.
double farthest(const Tensors& a, const Tensors& b) {
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].sizes() == b[i].sizes());
    worst = std::max(worst, max_distance(a[i], b[i]) / std::max(largest(b[i]), 1e-300));
  }
  return worst;
}

Tensors inputs() {
  const auto noise = [](at::IntArrayRef shape) { return random_tensor(shape, 1, 1.0, at::kDouble); };
  return {noise({2, 3, 8}),    noise({1, 1, 7}),     noise({3, 257}),
          noise({4, 6}) * 1e6, noise({4, 6}) * 1e-6, noise({4, 6}) + 100.0};
}

std::vector<std::string> names_of(const std::vector<ParameterShape>& shapes) {
  std::vector<std::string> names;
  for (const ParameterShape& shape : shapes) names.push_back(shape.name);
  return names;
}

ClassifierConfig with_layer_norm() {
  ClassifierConfig config = small_config();
  config.norm = NormKind::kLayer;
  return config;
}

}  // namespace

TEST_CASE("layer norm, forward and backward, is LibTorch's in fp64") {
  for (const at::Tensor& x : inputs()) {
    INFO(x.sizes() << ", largest " << largest(x));
    CHECK(farthest(run(layer_norm, x, at::kDouble), run(torchs, x, at::kDouble)) < 1e-12);
  }
}

TEST_CASE("in fp32 it is as near to the fp64 result as rounding allows") {
  for (const at::Tensor& x : inputs()) {
    INFO(x.sizes() << ", largest " << largest(x));
    const Tensors exact = run(torchs, x.to(at::kFloat), at::kDouble);
    const double ours = farthest(run(layer_norm, x, at::kFloat), exact);
    const double offset = std::max(1.0, std::abs(x.mean().item<double>()) / x.std().item<double>());
    CHECK(ours < 1e-6 * offset);
  }
}

TEST_CASE("a constant position becomes the bias, whatever its value") {
  const at::Tensor bias = random_tensor({6}, 3);
  for (const double value : {0.0, 3.0, -1e6})
    CHECK(max_distance(layer_norm(at::full({2, 6}, value), at::ones({6}), bias, 1e-5), bias.expand({2, 6})) <
          1e-6);
}

TEST_CASE("of one feature nothing is left but the bias, and no gradient but rounding in fp64") {
  const Tensors one = run(layer_norm, random_tensor({5, 1}, 1, 1.0, at::kDouble), at::kFloat);
  CHECK(one[0].eq(one[0][0]).all().item<bool>());
  CHECK(largest(one[1].to(at::kDouble)) < 1e-12);
}

TEST_CASE("bf16 stays bf16, forward and backward") {
  try {
    require_bfloat16();
  } catch (const MissingError&) {
    return;  // this CPU cannot
  }
  const at::Tensor x = random_tensor({4, 6}, 1, 1.0, at::kDouble);
  const Tensors bf16 = run(layer_norm, x, at::kBFloat16);
  for (const at::Tensor& t : bf16) CHECK(t.scalar_type() == at::kBFloat16);
  const Tensors exact = run(torchs, x.to(at::kBFloat16), at::kDouble);
  CHECK(max_distance(bf16[0].to(at::kDouble), exact[0]) < 0.02 * largest(exact[0]));
}

TEST_CASE("a classifier with layer norm has the planner's shapes: a bias behind each norm's weight") {
  Classifier model(with_layer_norm(), 8);
  const ParameterSet& set = model.parameters();
  CHECK(names_of(set.shapes) == names_of(classifier_shapes(with_layer_norm())));
  CHECK(set.shapes.size() == classifier_shapes(small_config()).size() + 2 * 2 + 1);
  CHECK(set.shapes[2].name == "model.layers.0.input_layernorm.bias");
  CHECK(set.shapes[2].shape == std::vector<int64_t>{16});
  CHECK(set.shapes[set.shapes.size() - 3].name == "model.norm.bias");
}

TEST_CASE("each norm of the classifier is layer norm: a shift of its input changes no logit") {
  Classifier model(with_layer_norm(), 8), rms(small_config(), 8);
  for (Classifier* one : {&model, &rms}) {
    fill_with_noise(one->parameters(), 5);
    const at::Tensor before = logits_of(*one, small_batch()).detach();
    at::Tensor embedding = one->parameters()["model.embed_tokens.weight"].detach();  // the same bytes
    embedding.add_(3);
    const double moved = max_distance(logits_of(*one, small_batch()).detach(), before);
    CHECK((moved < 1e-4 * largest(before)) == (one == &model));
  }
}

TEST_CASE("gradients of a classifier with layer norm become ready in the order that the planner says") {
  Classifier model(with_layer_norm(), 8);
  ParameterSet& set = model.parameters();
  fill_with_noise(set, 7);
  std::vector<std::string> recorded, planned;
  std::vector<GradientHook> hooks;
  for (size_t p = 0; p < set.leaves.size(); ++p)
    hooks.emplace_back(set.leaves[p], [&, p] { recorded.push_back(set.shapes[p].name); });
  run_backward(weighted_loss(logits_of(model, small_batch()), small_batch()));
  for (const int index : ready_order(set.shapes))
    planned.push_back(set.shapes[static_cast<size_t>(index)].name);
  CHECK(recorded == planned);
}
