// Adafactor: of the mean square of a matrix' gradient it keeps the sums of rows and columns. Shazeer, Stern
// 2018, arXiv:1804.04235, algorithms 4 and 5; with relative=1 algorithm 6.
//
//   b = 1 - t^-decay
//   matrix:   R <- b R + (1 - b) row sums of (g^2 + eps1)     C <- the same of columns     V = R C / sum(R)
//   vector:   V <- b V + (1 - b) (g^2 + eps1)
//   u = g / sqrt(V)          u <- u / max(1, RMS(u) / d)
//   w <- w - lr lambda w - a u          a = lr, or relative: min(lr, t^-1/2) max(eps2, RMS(w))
//
// R, C and V are in fp32: where |g| is above 1.8e19, g^2 is infinite, and the weight becomes NaN.
//
// RMS is over the parameter. State: 4 (rows + columns) bytes a matrix, 4 an element of a vector; with bf16
// parameters 4 more an element for the master copy. Sums are in double.
#include <algorithm>
#include <cmath>

#include "elementwise.h"

namespace ringside::optimizers {
namespace {

// Calls body(row, column, g, i) for each element.
void for_each_element(const auto& e, const UpdateOptions& options, auto&& body) {
  using Real = std::remove_reference_t<decltype(*e.weights)>;
  const int64_t columns = e.shape.size() == 2 ? e.shape[1] : numel(e.shape);
  with_gradient(e, [&](auto gradient) {
    for (int64_t i = 0; i < e.count; ++i)
      body((e.first + i) / columns, (e.first + i) % columns,
           gradient(i) * static_cast<Real>(options.gradient_scale), i);
  });
}

double keeps(const Values& value, const UpdateOptions& options) {
  return 1.0 - std::pow(double(options.step), -value.at("exponent"));
}

// First: the sum of w^2; of a matrix then the sums of its rows and columns.
int64_t count_squares(std::span<const int64_t> shape, const Values&) {
  return shape.size() == 2 ? 1 + shape[0] + shape[1] : 1;
}

constexpr auto kSquares = []<typename Real>(const ElementsOf<Real>& e, const Values& value,
                                            const UpdateOptions& options) {
  const auto eps = static_cast<Real>(value.at("eps1"));
  const bool is_matrix = e.shape.size() == 2;
  double *rows = e.sums[0] + 1, *columns = is_matrix ? rows + e.shape[0] : nullptr;
  for_each_element(e, options, [&](int64_t row, int64_t column, Real g, int64_t i) {
    e.sums[0][0] += double(e.weights[i]) * e.weights[i];
    if (!is_matrix) return;
    const double square = g * g + eps;
    rows[row] += square;
    columns[column] += square;
  });
};

// u before it is clipped, from R, C, V as they are after this step.
template <typename Real>
auto direction(const ElementsOf<Real>& e) {
  std::vector<Real> share;  // of a row in the sum of R
  if (e.shape.size() == 2) {
    double all = 0;
    for (int64_t i = 0; i < e.shape[0]; ++i) all += e.state[0][i];
    for (int64_t i = 0; i < e.shape[0]; ++i) share.push_back(static_cast<Real>(e.state[0][i] / all));
  }
  return [&e, share = std::move(share)](int64_t row, int64_t column, Real g, int64_t i) {
    return g / std::sqrt(share.empty() ? e.state[2][i] : share[size_t(row)] * e.state[1][column]);
  };
}

// The new state, and the sum of u^2.
constexpr auto kDirections = []<typename Real>(const ElementsOf<Real>& e, const Values& value,
                                               const UpdateOptions& options) {
  const double b = keeps(value, options);
  const auto keep = static_cast<Real>(b), rest = static_cast<Real>(1.0 - b);
  const auto eps = static_cast<Real>(value.at("eps1"));
  const auto mix = [&](Real* kept, const double* sums, int64_t count) {
    for (int64_t i = 0; i < count; ++i) kept[i] = keep * kept[i] + rest * static_cast<Real>(sums[i]);
  };
  if (e.shape.size() == 2) {
    mix(e.state[0], e.sums[0] + 1, e.shape[0]);
    mix(e.state[1], e.sums[0] + 1 + e.shape[0], e.shape[1]);
  } else {
    for_each_element(e, options, [&](int64_t, int64_t, Real g, int64_t i) {
      e.state[2][i] = keep * e.state[2][i] + rest * (g * g + eps);
    });
  }
  const auto u = direction(e);
  for_each_element(e, options, [&](int64_t row, int64_t column, Real g, int64_t i) {
    const double own = u(row, column, g, i);
    e.sums[1][0] += own * own;
  });
};

constexpr auto kUpdate = []<typename Real>(const ElementsOf<Real>& e, const Values& value,
                                           const UpdateOptions& options) {
  const auto count = double(numel(e.shape));
  const double clipped = std::max(1.0, std::sqrt(e.sums[1][0] / count) / value.at("clip"));
  double step = options.learning_rate;
  if (value.at("relative") != 0)
    step = std::min(step, 1.0 / std::sqrt(double(options.step))) *
           std::max(value.at("eps2"), std::sqrt(e.sums[0][0] / count));
  const auto rate = static_cast<Real>(step / clipped);
  const auto kept = static_cast<Real>(1.0 - options.learning_rate * value.at("weight_decay"));
  const auto u = direction(e);
  for_each_element(e, options, [&](int64_t row, int64_t column, Real g, int64_t i) {
    e.weights[i] = kept * e.weights[i] - rate * u(row, column, g, i);
  });
};

}  // namespace

OptimizerSpec adafactor() {
  return {.name = "adafactor",
          .title = "Adafactor",
          .granularity = Granularity::kTensor,
          .state = {{"R", "mean of the squares' row sums, of a matrix", "", Per::kRow},
                    {"C", "mean of the squares' column sums, of a matrix", "", Per::kColumn},
                    {"V", "mean of the square, of a vector", "", Per::kElementOfVector}},
          .hyperparameters = {{"exponent", "R, C and V keep 1 - t^-exponent of themselves", 0.8},
                              {"eps1", "added to the square", 1e-30},
                              {"eps2", "the least RMS(w) of a relative step", 1e-3},
                              {"clip", "d, the RMS that a direction is cut to", 1, 1e-9},
                              {"relative", "1: the step is relative to RMS(w); 0: it is lr", 1, 0, 2},
                              {"weight_decay", "lambda, of the weight itself", 0}},
          .sums = {{"squares of weights and gradients", count_squares, kSquares},
                   {"squares of directions", [](auto, const Values&) { return int64_t{1}; }, kDirections}},
          .update = kUpdate};
}

}  // namespace ringside::optimizers
