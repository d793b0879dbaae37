// Eigenvalues by products alone, and products by differences: of a known matrix, and of the classifier, whose
// Hessian autograd has too where no norm's backward is written out.
#include <ATen/ATen.h>

#include "catch.h"
#include "ringside/nn/classifier.h"
#include "ringside/second_order/derivatives.h"
#include "ringside/second_order/differences.h"
#include "ringside/second_order/lanczos.h"

using namespace ringside;

namespace {

// Q diag(values) Q^T with a reflection Q.
at::Tensor matrix_of(const std::vector<double>& values) {
  const auto n = std::ssize(values);
  const at::Tensor u = at::linspace(1, 2, n, at::kDouble), unit = u / u.norm();
  const at::Tensor Q = at::eye(n, at::kDouble) - 2 * at::outer(unit, unit);
  return Q.mm(at::diag(at::tensor(values, at::kDouble))).mm(Q.t());
}

// A classifier in fp64, and a batch of two samples, the second one shorter.
struct Small {
  Classifier model;
  Context context;
  Batch batch{at::arange(16, at::kLong).reshape({2, 8}), at::tensor({7, 4}, at::kLong),
              at::tensor({0, 1}, at::kLong), at::ones({2})};
  Small(NormKind norm, Mode mode)
      : model({.hidden = 8, .heads = 2, .kv_heads = 1, .intermediate = 8, .layers = 1, .norm = norm}, 8) {
    context.mode = mode;
    ParameterSet& set = model.parameters();
    for (size_t p = 0; p < set.leaves.size(); ++p) {
      at::Tensor leaf = at::empty(set.shapes[p].shape);
      initialize(leaf, set.shapes[p], 3);
      set.leaves[p] = (leaf.to(at::kDouble) * (leaf.dim() == 2 ? 10 : 1)).set_requires_grad(true);
    }
  }
  at::Tensor loss() { return weighted_loss(model.forward(batch, context).logits, batch); }
  const std::vector<at::Tensor>& leaves() { return model.parameters().leaves; }
};

double off_by(const at::Tensor& a, const at::Tensor& b) { return ((a - b).norm() / b.norm()).item<double>(); }

}  // namespace

TEST_CASE("as many products as different eigenvalues give all of them") {
  const at::Tensor A = matrix_of({9, 9, 4, 0.5, -3});
  const auto found = ritz_values([&](const at::Tensor& v) { return A.mv(v); }, at::ones({5}), 5);
  REQUIRE(found.size() == 4);  // 9 is there once
  const double expected[] = {9, 4, 0.5, -3};
  for (size_t i = 0; i < 4; ++i) {
    CHECK(found[i].value == Approx(expected[i]).margin(1e-10));
    CHECK(found[i].error < 1e-10);
  }
}

TEST_CASE("with fewer products the outer ones come first, and each is no farther off than it says") {
  std::vector<double> values = {1000, 300, 90};
  for (int i = 0; i < 200; ++i) values.push_back(i / 200.0);
  const at::Tensor A = matrix_of(values);
  const auto found = ritz_values([&](const at::Tensor& v) { return A.mv(v); }, at::ones({203}), 40);
  REQUIRE(found.size() == 40);
  for (size_t i = 0; i < 3; ++i) CHECK(found[i].value == Approx(values[i]).epsilon(1e-9));
  for (const RitzValue& one : found) {
    double nearest = HUGE_VAL;
    for (const double value : values) nearest = std::min(nearest, std::abs(value - one.value));
    CHECK(nearest <= one.error + 1e-9);
  }
}

TEST_CASE(
    "differences of the classifier's gradient are autograd's products, and leave its parameters alone") {
  Small small(NormKind::kBatch, Mode::kEvaluate);  // by running statistics: plain operations
  const Derivatives exact(small.loss(), small.leaves());
  CHECK(off_by(gradient_of(small.loss(), small.leaves()), exact.gradient()) < 1e-6);
  const at::Tensor v = at::cos(at::arange(exact.size(), at::kDouble)), before = small.leaves()[1].clone(),
                   right = exact.hessian_times(v);
  const at::Tensor product = hessian_times_by_differences([&] { return small.loss(); }, small.leaves(), v);
  CHECK(off_by(product, right) < 1e-3);  // attention and logits are fp32
  CHECK(small.leaves()[1].equal(before));
}

TEST_CASE("through a norm whose backward is written out, products are symmetric") {
  for (const NormKind norm : {NormKind::kLayer, NormKind::kBatch}) {
    Small small(norm, Mode::kTrain);
    const auto loss = [&] { return small.loss(); };
    const int64_t n = gradient_of(loss(), small.leaves()).numel();
    const at::Tensor u = at::sin(at::arange(n, at::kDouble)), v = at::cos(at::arange(n, at::kDouble) * 2);
    const double a = u.dot(hessian_times_by_differences(loss, small.leaves(), v)).item<double>(),
                 b = v.dot(hessian_times_by_differences(loss, small.leaves(), u)).item<double>();
    CHECK(a == Approx(b).epsilon(1e-2));
    CHECK(std::abs(a) > 1e-6);
  }
}
