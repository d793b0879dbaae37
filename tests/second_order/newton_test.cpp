// Second derivatives against differences, and what Newton's two ways do where there is no plain minimum.
#include "ringside/second_order/newton.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/variable.h>

#include "catch.h"
#include "check_text.h"
#include "ringside/nn/classifier.h"
#include "ringside/second_order/derivatives.h"
#include "ringside/second_order/differences.h"
#include "ringside/second_order/hessian_free.h"
#include "ringside/second_order/lanczos.h"

using namespace ringside;

namespace {

at::Tensor leaf(const std::vector<double>& values) {
  return at::tensor(values, at::kDouble).requires_grad_(true);
}
at::Tensor matrix(const std::vector<double>& values, int64_t n) {
  return at::tensor(values, at::kDouble).view({n, n});
}

// 1/2 w.A w - b.w: its gradient is A w - b, its Hessian A.
at::Tensor quadratic(const at::Tensor& A, const at::Tensor& b, const at::Tensor& w) {
  return 0.5 * w.dot(A.mv(w)) - b.dot(w);
}

// A net of two layers with 3 inputs, on 5 samples: parameters of two shapes.
struct Net {
  at::Tensor first = at::linspace(-0.7, 0.9, 12, at::kDouble).view({4, 3}).requires_grad_(true);
  at::Tensor second = at::linspace(0.5, -0.8, 4, at::kDouble).requires_grad_(true);
  at::Tensor loss() const {
    const at::Tensor x = at::sin(at::arange(15, at::kDouble)).view({5, 3});
    const at::Tensor out = at::tanh(x.mm(first.t())).mv(second);
    return (out - at::cos(at::arange(5, at::kDouble))).square().mean();
  }
  Derivatives derivatives() const { return {loss(), {first, second}}; }
};

double apart(const at::Tensor& a, const at::Tensor& b) { return (a - b).abs().max().item<double>(); }

// "", or what the error says instead.
template <typename Kind>
std::string lacking(const auto& act, const std::string& part) {
  try {
    act();
  } catch (const Kind& error) {
    return lacks(error.what(), {part});
  }
  return "nothing was thrown";
}

// Eigenvalues by products alone, and products by differences: of a known matrix, and of the classifier, whose
// Hessian autograd has too where no norm's backward is written out.
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

TEST_CASE("a Hessian-vector product is the gradient's difference; the exact Hessian's columns are") {
  const Net net;
  const at::Tensor v = at::cos(at::arange(16, at::kDouble));
  const at::Tensor product = net.derivatives().hessian_times(v);  // before the parameters are changed
  const double h = 1e-5;
  add_direction({net.first, net.second}, v, h);
  const at::Tensor ahead = net.derivatives().gradient();
  add_direction({net.first, net.second}, v, -2 * h);
  const at::Tensor behind = net.derivatives().gradient();
  CHECK(apart(product, (ahead - behind) / (2 * h)) < 1e-8);
  const Derivatives at_w = Net().derivatives();
  const at::Tensor hessian = at_w.hessian();
  CHECK(apart(hessian, hessian.t()) < 1e-12);
  const at::Tensor u = at::sin(at::arange(16, at::kDouble));
  CHECK(apart(hessian.mv(u), at_w.hessian_times(u)) < 1e-12);
}

TEST_CASE("a quadratic takes one step, conjugate gradients one per different eigenvalue") {
  const at::Tensor A = matrix({50, 7, 0, 7, 2, 0.1, 0, 0.1, 0.3}, 3),
                   b = at::tensor({1.0, -2.0, 3.0}, at::kDouble);
  for (const bool exact : {true, false}) {
    const at::Tensor w = leaf({4, -5, 6});
    const Derivatives at_w(quadratic(A, b, w), {w});
    add_direction(
        {w}, exact ? newton_step(at_w).direction : hessian_free_step(at_w, {.tolerance = 1e-13}).direction);
    CHECK(apart(A.mv(w.detach()), b) < 1e-10);
  }
  const at::Tensor D = at::diag(at::tensor({2.0, 2.0, 2.0, 9.0, 9.0}, at::kDouble)),
                   c = at::ones({5}, at::kDouble);
  const at::Tensor w = leaf({1, 2, 3, 4, 5});
  const HessianFreeStep step = hessian_free_step(Derivatives(quadratic(D, c, w), {w}));
  CHECK(step.products == 2);
  CHECK(step.end == HessianFreeEnd::kSolved);
  CHECK(hessian_free_step(Derivatives(quadratic(D, c, w), {w}), {.most_products = 1}).end ==
        HessianFreeEnd::kMostProducts);
}

TEST_CASE("a singular Hessian: an error that says its rank, or a damped step that says by how much") {
  const at::Tensor A = matrix({1, 1, 1, 1}, 2), b = at::ones({2}, at::kDouble), w = leaf({3, 0});
  const Derivatives at_w(quadratic(A, b, w), {w});
  CHECK(lacking<SingularError>([&] { newton_step(at_w); }, "of rank 1 of 2") == "");
  const NewtonStep damped = newton_step(at_w, {.damping = 1e-6});
  CHECK(damped.damping == 1e-6);
  CHECK(apart(damped.direction, at::tensor({-1.0, -1.0}, at::kDouble)) < 1e-5);  // the nearest minimum
  // g lies where A has an inverse, so conjugate gradients find the same step without damping.
  CHECK(apart(hessian_free_step(at_w).direction, at::tensor({-1.0, -1.0}, at::kDouble)) < 1e-10);
}

TEST_CASE("a singular Hessian of fp32 parameters is seen as one of fp64 is") {
  for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
    const at::Tensor X = at::cos(at::arange(18, at::kDouble)).view({3, 6}).pow(3).to(type);  // of rank 3
    const at::Tensor w = at::ones({6}, at::TensorOptions(type)).set_requires_grad(true);
    const Derivatives at_w((X.mv(w) - 1).square().sum(), {w});
    CHECK(lacking<SingularError>([&] { newton_step(at_w); }, "of rank 3 of 6") == "");
    CHECK_NOTHROW(newton_step(at_w, {.damping = 0.1}));
  }
}

TEST_CASE("at a saddle plain Newton climbs; damped, by absolute values or Hessian-free it does not") {
  const at::Tensor A = matrix({1, 0, 0, -1}, 2), b = at::zeros({2}, at::kDouble), w = leaf({0.1, 0.5});
  const Derivatives at_w(quadratic(A, b, w), {w});
  const auto height = [&](const at::Tensor& d) { return quadratic(A, b, w.detach() + d).item<double>(); };
  const NewtonStep plain = newton_step(at_w);
  CHECK(plain.climbs == 1);
  CHECK(plain.least == Approx(-1));
  CHECK(plain.largest == Approx(1));
  CHECK(height(plain.direction) > at_w.loss());
  for (const NewtonOptions& other : {NewtonOptions{.damping = 2}, NewtonOptions{.absolute = true}}) {
    const NewtonStep step = newton_step(at_w, other);
    CHECK(step.climbs == 0);
    CHECK(height(step.direction) < at_w.loss());
  }
  const HessianFreeStep free = hessian_free_step(at_w);
  CHECK(free.end == HessianFreeEnd::kNoCurvature);
  CHECK(height(free.direction) < at_w.loss());
}

TEST_CASE("NaN, an infinite loss and a parameter without a gradient each say what they are") {
  const at::Tensor w = leaf({1, NAN});
  CHECK(lacking<DerivativeError>([&] { Derivatives(w.square().sum(), {w}); }, "the loss is not finite") ==
        "");
  const at::Tensor zero = leaf({0, 1});
  CHECK(lacking<DerivativeError>([&] { Derivatives(zero.sqrt().sum(), {zero}); },
                                 "the gradient is not finite") == "");
  const at::Tensor used = leaf({2}), unused = leaf({3, 4});
  const Derivatives half(used.square().sum(), {used, unused});
  CHECK(apart(half.gradient(), at::tensor({4.0, 0.0, 0.0}, at::kDouble)) == 0);
  CHECK(apart(half.hessian_times(at::ones({3}, at::kDouble)), at::tensor({2.0, 0.0, 0.0}, at::kDouble)) == 0);
  const at::Tensor line = leaf({2});
  CHECK(Derivatives(3 * line.sum(), {line}).hessian().item<double>() == 0);
  CHECK_THROWS_AS(newton_step(Derivatives(3 * line.sum(), {line})), SingularError);
}

TEST_CASE("as many products as eigenvalues give all; with fewer the outer ones come first") {
  const at::Tensor A = matrix_of({9, 9, 4, 0.5, -3});
  const auto found = ritz_values([&](const at::Tensor& v) { return A.mv(v); }, at::ones({5}), 5);
  REQUIRE(found.size() == 4);  // 9 is there once
  const double expected[] = {9, 4, 0.5, -3};
  for (size_t i = 0; i < 4; ++i) {
    CHECK(found[i].value == Approx(expected[i]).margin(1e-10));
    CHECK(found[i].error < 1e-10);
  }
  std::vector<double> values = {1000, 300, 90};
  for (int i = 0; i < 200; ++i) values.push_back(i / 200.0);
  const at::Tensor large = matrix_of(values);
  const auto outer = ritz_values([&](const at::Tensor& v) { return large.mv(v); }, at::ones({203}), 40);
  REQUIRE(outer.size() == 40);
  for (size_t i = 0; i < 3; ++i) CHECK(outer[i].value == Approx(values[i]).epsilon(1e-9));
  for (const RitzValue& one : outer) {
    double nearest = HUGE_VAL;
    for (const double value : values) nearest = std::min(nearest, std::abs(value - one.value));
    CHECK(nearest <= one.error + 1e-9);
  }
  for (const double value : {0.0, double(NAN)})
    CHECK_THROWS_AS(
        ritz_values([&](const at::Tensor& x) { return A.mv(x); }, at::full({5}, value, at::kDouble), 5),
        InvariantError);
}

TEST_CASE("differences put parameters back when a loss throws, and refuse a gradient of NaN") {
  const at::Tensor w = leaf({1, 2}), v = at::ones({2}, at::kDouble);
  const auto throws = [&]() -> at::Tensor { throw InputError("no loss"); };
  CHECK_THROWS_AS(hessian_times_by_differences(throws, {w}, v), InputError);
  CHECK(w.detach().equal(at::tensor({1.0, 2.0}, at::kDouble)));
  CHECK_THROWS_AS(hessian_times_by_differences([&] { return (w * NAN).sum(); }, {w}, v), DerivativeError);
  CHECK(w.detach().equal(at::tensor({1.0, 2.0}, at::kDouble)));
}

TEST_CASE("differences of the gradient are autograd's products, symmetric through any norm") {
  Small small(NormKind::kBatch, Mode::kEvaluate);  // by running statistics: plain operations
  const Derivatives exact(small.loss(), small.leaves());
  CHECK(off_by(gradient_of(small.loss(), small.leaves()), exact.gradient()) < 1e-6);
  const at::Tensor v = at::cos(at::arange(exact.size(), at::kDouble)), before = small.leaves()[1].clone(),
                   right = exact.hessian_times(v);
  const at::Tensor product = hessian_times_by_differences([&] { return small.loss(); }, small.leaves(), v);
  CHECK(off_by(product, right) < 1e-3);  // attention and logits are fp32
  CHECK(small.leaves()[1].equal(before));
  for (const NormKind norm : {NormKind::kLayer, NormKind::kBatch}) {
    Small trained(norm, Mode::kTrain);
    const auto loss = [&] { return trained.loss(); };
    const int64_t n = gradient_of(loss(), trained.leaves()).numel();
    const at::Tensor u = at::sin(at::arange(n, at::kDouble)), w = at::cos(at::arange(n, at::kDouble) * 2);
    const double a = u.dot(hessian_times_by_differences(loss, trained.leaves(), w)).item<double>(),
                 b = w.dot(hessian_times_by_differences(loss, trained.leaves(), u)).item<double>();
    CHECK(a == Approx(b).epsilon(1e-2));
    CHECK(std::abs(a) > 1e-6);
  }
}
