// L-BFGS: Newton's direction, from the last m steps s and the changes y of the gradient on them. Nocedal
// 1980, doi:10.1090/S0025-5718-1980-0572855-7; Liu, Nocedal 1989, doi:10.1007/BF01589116. No line search, one
// gradient a step, as torch.optim.LBFGS with max_iter=1, tolerance_grad=0 and tolerance_change=0. With its
// standard tolerances (1e-7, 1e-9) torch takes no step where max |g| <= 1e-7 or g.q > -1e-9.
//
//   y = g - g_before          (s, y) is kept where s.y > 1e-10, for the oldest of m
//   q = -g;  newest to oldest:  a_i = s_i.q / s_i.y_i,  q <- q - a_i y_i
//   q <- q s.y / y.y of the newest;  oldest to newest:  q <- q + (a_i - y_i.q / s_i.y_i) s_i
//   s = lr q (in the first step lr min(1, 1 / sum |g|) q)          w <- w + s
//
// q is a sum of the vectors s_i, y_i, g, so that the loops need their dot products alone: summed in one pass,
// and over ranks in one call. Chen, Wang, Zhou 2014, "Large-scale L-BFGS using MapReduce".
//
// Gradients must not be clipped: y of two gradients that were scaled by different factors is no curvature.
// UsageError with clip_norm > 0.
//
// State an element: 2m + 2 values, 8m + 8 bytes; with bf16 parameters 4 more. A pair that is not there is 0.
#include <algorithm>
#include <array>
#include <cmath>

#include "elementwise.h"

namespace ringside::optimizers {
namespace {

constexpr double kLeastCurvature = 1e-10;  // s.y
constexpr int64_t kBlock = 1024;           // elements that are looked at together, in the cache

// The vectors: s_1 .. s_m, y_1 .. y_m, oldest first, then the pair of the last step, then g.
struct Vectors {
  explicit Vectors(const Values& value) : m(int(value.at("history"))) {}
  int step() const { return 2 * m; }
  int change() const { return 2 * m + 1; }
  int gradient() const { return 2 * m + 2; }
  int all() const { return 2 * m + 3; }
  // The pairs' s and y, by age; pair m is the last step's.
  int s(int pair) const { return pair < m ? pair : step(); }
  int y(int pair) const { return pair < m ? m + pair : change(); }
  // Where the product of two vectors is among the sums.
  static int at(int i, int j) { return std::max(i, j) * (std::max(i, j) + 1) / 2 + std::min(i, j); }
  int products() const { return all() * (all() + 1) / 2; }
  const int m;
};

// Eight sums side by side, so that the loop is one of vectors.
template <typename Real>
double dot(const Real* __restrict a, const Real* __restrict b, int64_t count) {
  std::array<double, 8> sums{};
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (int64_t k = 0; k < 8; ++k) sums[k] += double(a[i + k]) * b[i + k];
  for (; i < count; ++i) sums[0] += double(a[i]) * b[i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

// Every product of two vectors; last: the sum of |g|.
constexpr auto kProducts = []<typename Real>(const ElementsOf<Real>& e, const Values& value,
                                             const UpdateOptions& options) {
  const Vectors of(value);
  std::array<Real, kBlock> gradient, change;
  with_gradient(e, [&](auto element) {
    for (int64_t begin = 0; begin < e.count; begin += kBlock) {
      const int64_t count = std::min(kBlock, e.count - begin);
      std::vector<const Real*> vectors;
      for (int k = 0; k < of.change(); ++k) vectors.push_back(e.state[k] + begin);
      const Real* before = e.state[of.change()] + begin;
      for (int64_t i = 0; i < count; ++i) {
        gradient[i] = element(begin + i) * static_cast<Real>(options.gradient_scale);
        change[i] = gradient[i] - before[i];
        e.sums[0][of.products()] += std::abs(gradient[i]);
      }
      vectors.insert(vectors.end(), {change.data(), gradient.data()});
      for (int i = 0; i < of.all(); ++i)
        for (int j = 0; j <= i; ++j) e.sums[0][Vectors::at(i, j)] += dot(vectors[i], vectors[j], count);
    }
  });
};

// What q has of each vector, from their products.
struct Direction {
  Direction(const Vectors& of, const double* products) : parts(size_t(of.all())) {
    const auto product = [&](int i, int j) { return products[Vectors::at(i, j)]; };
    const auto with_q = [&](int i) {
      double sum = 0;
      for (int k = 0; k < of.all(); ++k) sum += parts[k] * product(i, k);
      return sum;
    };
    std::vector<int> pairs;  // oldest first
    for (int pair = 0; pair <= of.m; ++pair)
      if (product(of.s(pair), of.y(pair)) > kLeastCurvature) pairs.push_back(pair);
    keeps_last = !pairs.empty() && pairs.back() == of.m;
    if (std::ssize(pairs) > of.m) pairs.erase(pairs.begin());
    parts[of.gradient()] = -1;
    std::vector<double> a(size_t(of.m + 1));
    for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) {
      a[*pair] = with_q(of.s(*pair)) / product(of.s(*pair), of.y(*pair));
      parts[of.y(*pair)] -= a[*pair];
    }
    if (pairs.empty()) return;
    const int s = of.s(pairs.back()), y = of.y(pairs.back());
    for (double& part : parts) part *= product(s, y) / product(y, y);
    for (const int pair : pairs)
      parts[of.s(pair)] += a[pair] - with_q(of.y(pair)) / product(of.s(pair), of.y(pair));
  }
  std::vector<double> parts;
  bool keeps_last;  // the pair of the last step goes into the history
};

constexpr auto kUpdate = []<typename Real>(const ElementsOf<Real>& e, const Values& value,
                                           const UpdateOptions& options) {
  const Vectors of(value);
  const Direction q(of, e.sums[0]);
  const double shortened = options.step == 1 ? std::min(1.0, 1.0 / e.sums[0][of.products()]) : 1.0;
  const auto rate = static_cast<Real>(options.learning_rate * shortened);
  std::vector<Real*> history(e.state.begin(), e.state.end());
  Real *step = history[of.step()], *before = history[of.change()];
  with_gradient(e, [&](auto gradient) {
    for (int64_t i = 0; i < e.count; ++i) {
      const Real g = gradient(i) * static_cast<Real>(options.gradient_scale), change = g - before[i];
      double direction = q.parts[of.change()] * change + q.parts[of.gradient()] * g;
      for (int k = 0; k <= of.step(); ++k) direction += q.parts[k] * history[k][i];
      if (q.keeps_last) {
        for (int k = 0; k + 1 < of.m; ++k) {
          history[of.s(k)][i] = history[of.s(k + 1)][i];
          history[of.y(k)][i] = history[of.y(k + 1)][i];
        }
        history[of.s(of.m - 1)][i] = step[i];
        history[of.y(of.m - 1)][i] = change;
      }
      before[i] = g;
      step[i] = rate * static_cast<Real>(direction);
      e.weights[i] = e.weights[i] + step[i];
    }
  });
};

}  // namespace

OptimizerSpec lbfgs() {
  return {
      .name = "lbfgs",
      .title = "L-BFGS",
      .granularity = Granularity::kGlobal,
      .state = {{"s", "a step of the weights, oldest first", "", Per::kElement, "history"},
                {"y", "the change of the gradient on it", "", Per::kElement, "history"},
                {"step", "the last step"},
                {"gradient", "before it"}},
      .hyperparameters = {{"history", "m, pairs of s and y that are kept", 10, 1, 101}},
      .sums = {{"products of steps and gradients",
                [](auto, const Values& value) { return int64_t{Vectors(value).products() + 1}; }, kProducts}},
      .update = kUpdate,
      .compares_gradients = true};
}

}  // namespace ringside::optimizers
