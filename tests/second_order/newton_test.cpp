// Second derivatives against differences, and what Newton's two ways do where there is no plain minimum.
#include "ringside/second_order/newton.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/variable.h>

#include <cmath>

#include "catch.h"
#include "check_text.h"
#include "ringside/second_order/hessian_free.h"

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

}  // namespace

TEST_CASE("a Hessian-vector product is the gradient's difference along the vector") {
  const Net net;
  const at::Tensor v = at::cos(at::arange(16, at::kDouble));
  const at::Tensor product = net.derivatives().hessian_times(v);  // before the parameters are changed
  const double h = 1e-5;
  add_direction({net.first, net.second}, v, h);
  const at::Tensor ahead = net.derivatives().gradient();
  add_direction({net.first, net.second}, v, -2 * h);
  const at::Tensor behind = net.derivatives().gradient();
  CHECK(apart(product, (ahead - behind) / (2 * h)) < 1e-8);
}

TEST_CASE("the exact Hessian is symmetric, and its columns are products") {
  const Derivatives at_w = Net().derivatives();
  const at::Tensor hessian = at_w.hessian();
  CHECK(apart(hessian, hessian.t()) < 1e-12);
  const at::Tensor v = at::sin(at::arange(16, at::kDouble));
  CHECK(apart(hessian.mv(v), at_w.hessian_times(v)) < 1e-12);
}

TEST_CASE("a quadratic takes one step, by either way") {
  const at::Tensor A = matrix({50, 7, 0, 7, 2, 0.1, 0, 0.1, 0.3}, 3),
                   b = at::tensor({1.0, -2.0, 3.0}, at::kDouble);
  for (const bool exact : {true, false}) {
    const at::Tensor w = leaf({4, -5, 6});
    const Derivatives at_w(quadratic(A, b, w), {w});
    add_direction(
        {w}, exact ? newton_step(at_w).direction : hessian_free_step(at_w, {.tolerance = 1e-13}).direction);
    CHECK(apart(A.mv(w.detach()), b) < 1e-10);
  }
}

TEST_CASE("conjugate gradients need as many products as there are different eigenvalues") {
  const at::Tensor A = at::diag(at::tensor({2.0, 2.0, 2.0, 9.0, 9.0}, at::kDouble)),
                   b = at::ones({5}, at::kDouble);
  const at::Tensor w = leaf({1, 2, 3, 4, 5});
  const HessianFreeStep step = hessian_free_step(Derivatives(quadratic(A, b, w), {w}));
  CHECK(step.products == 2);
  CHECK(step.end == HessianFreeEnd::kSolved);
  CHECK(hessian_free_step(Derivatives(quadratic(A, b, w), {w}), {.most_products = 1}).end ==
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
  CHECK(lacking<NotFiniteError>([&] { Derivatives(w.square().sum(), {w}); }, "the loss is not finite") == "");
  const at::Tensor zero = leaf({0, 1});
  CHECK(lacking<NotFiniteError>([&] { Derivatives(zero.sqrt().sum(), {zero}); },
                                "the gradient is not finite") == "");
  const at::Tensor used = leaf({2}), unused = leaf({3, 4});
  const Derivatives half(used.square().sum(), {used, unused});
  CHECK(apart(half.gradient(), at::tensor({4.0, 0.0, 0.0}, at::kDouble)) == 0);
  CHECK(apart(half.hessian_times(at::ones({3}, at::kDouble)), at::tensor({2.0, 0.0, 0.0}, at::kDouble)) == 0);
  const at::Tensor line = leaf({2});
  CHECK(Derivatives(3 * line.sum(), {line}).hessian().item<double>() == 0);
  CHECK_THROWS_AS(newton_step(Derivatives(3 * line.sum(), {line})), SingularError);
}
