// Muon: momentum, orthogonalized. Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/.
//
//   m <- mu m + g                         u = g + mu m  (Nesterov; without it u = m)
//   X = u / (|u| + 1e-7)                  five times  X <- a X + (b A + c A^2) X,  A = X X^T
//   w <- w - lr lambda w - lr max(1, rows / columns)^(1/2) X
//
// The iteration (Newton-Schulz, with a, b, c = 3.4445, -4.7750, 2.0315) leaves the singular vectors of u and
// moves its singular values into about [0.7, 1.2], if they are above about 0.0015 |u|. Smaller ones grow by
// at most a^5 = 485: 0.0001 |u| becomes 0.048. Where |u| is far below 1e-7, X is near 0. It runs on the
// shorter side: A is (k, k), k = min(rows, columns).
//
// A parameter that is no matrix, the embedding and the head are updated by AdamW, with values of their own.
// Of a matrix the name decides: it is AdamW's with "embed", "lm_head" or "score" in it. A head of another
// name is orthogonalized, unless a group of the configuration has orthogonal=0 for it.
//
// State an element: m and v, 8 bytes; with bf16 parameters 4 more. Matrices leave v at 0: a bucket keeps the
// same state for all its elements. Beside it, during an update: u of all matrices, and for one at a time at
// most 3 rows columns + 2 k^2 floats on the heap, where the memory hook does not see them.
//
// Only the iteration needs a matrix whole: under ZeRO m, u and w lie in shards, and X is made by its owner.
#include <algorithm>
#include <cmath>

#include "elementwise.h"
#include "ringside/optim/optimizer.h"

namespace ringside::optimizers {
namespace {

constexpr int kIterations = 5;

// Row by row.
template <typename Real>
struct Matrix {
  Matrix(int64_t rows_, int64_t columns_) : rows(rows_), columns(columns_), values(size_t(rows * columns)) {}
  Real* row(int64_t i) { return values.data() + i * columns; }
  const Real* row(int64_t i) const { return values.data() + i * columns; }
  int64_t rows, columns;
  std::vector<Real> values;
};

template <typename Real>
Matrix<Real> transposed(const Matrix<Real>& x) {
  Matrix<Real> result(x.columns, x.rows);
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.columns; ++j) result.row(j)[i] = x.row(i)[j];
  return result;
}

// alpha Z + beta Y X
template <typename Real>
Matrix<Real> combine(Real alpha, Matrix<Real> z, Real beta, const Matrix<Real>& y, const Matrix<Real>& x) {
  for (Real& value : z.values) value *= alpha;
  for (int64_t i = 0; i < y.rows; ++i) {
    for (int64_t k = 0; k < y.columns; ++k) {
      const Real factor = beta * y.row(i)[k];
      const Real* __restrict from = x.row(k);
      Real* __restrict to = z.row(i);
      for (int64_t j = 0; j < x.columns; ++j) to[j] += factor * from[j];
    }
  }
  return z;
}

// X with X X^T near the identity; rows <= columns.
template <typename Real>
Matrix<Real> orthogonalized(Matrix<Real> x) {
  constexpr auto a = static_cast<Real>(3.4445), b = static_cast<Real>(-4.7750), c = static_cast<Real>(2.0315);
  double squares = 0;
  for (const Real value : x.values) squares += double(value) * value;
  const auto factor = static_cast<Real>(1.0 / (std::sqrt(squares) + 1e-7));
  for (Real& value : x.values) value *= factor;
  for (int i = 0; i < kIterations; ++i) {
    const Matrix square = combine<Real>(0, Matrix<Real>(x.rows, x.rows), 1, x, transposed(x));
    const Matrix polynomial = combine<Real>(b, square, c, square, square);
    x = combine<Real>(a, x, 1, polynomial, x);
  }
  return x;
}

bool is_orthogonal(std::span<const int64_t> shape, const Values& value) {
  return shape.size() == 2 && value.at("orthogonal") != 0;
}

// Multiplications of the iterations: each 2 k^2 times the longer side, and k^3.
double work(std::span<const int64_t> shape) {
  const auto k = double(std::min(shape[0], shape[1])), longer = double(std::max(shape[0], shape[1]));
  return kIterations * (2 * k * k * longer + k * k * k);
}

// u of each element.
constexpr auto kDirection = []<typename Real>(const ElementsOf<Real>& e, const Values& value,
                                              const UpdateOptions& options) {
  const auto mu = static_cast<Real>(value.at("momentum"));
  const bool nesterov = value.at("nesterov") != 0;
  Real* __restrict m = e.state[0];
  with_gradient(e, [&](auto gradient) {
    for (int64_t i = 0; i < e.count; ++i) {
      const Real g = gradient(i) * static_cast<Real>(options.gradient_scale);
      m[i] = mu * m[i] + g;
      e.whole[i] = nesterov ? g + mu * m[i] : m[i];
    }
  });
};

// X of u, in its place.
constexpr auto kOrthogonalize = []<typename Real>(const ElementsOf<Real>& e, const Values&,
                                                  const UpdateOptions&) {
  Matrix<Real> x(e.shape[0], e.shape[1]);
  std::copy_n(e.whole, x.values.size(), x.values.begin());
  x = x.rows > x.columns ? transposed(orthogonalized(transposed(x))) : orthogonalized(std::move(x));
  std::ranges::copy(x.values, e.whole);
};

constexpr auto kUpdate = []<typename Real>(const ElementsOf<Real>& e, const Values& value,
                                           const UpdateOptions& options) {
  if (!is_orthogonal(e.shape, value)) {
    UpdateOptions adamw = options;
    adamw.learning_rate *= value.at("adamw_rate");
    return find_optimizer("adamw").update.of<Real>()(e, value, adamw);
  }
  const double ratio = double(e.shape[0]) / double(e.shape[1]);
  const auto rate = static_cast<Real>(options.learning_rate * std::sqrt(std::max(1.0, ratio)));
  const auto keep = static_cast<Real>(1.0 - options.learning_rate * value.at("weight_decay"));
  for (int64_t i = 0; i < e.count; ++i) e.weights[i] = e.weights[i] * keep - rate * e.whole[i];
};

bool is_for_adamw(const std::string& parameter, std::span<const int64_t> shape) {
  const auto has = [&](const char* part) { return parameter.find(part) != std::string::npos; };
  return shape.size() != 2 || has("embed") || has("lm_head") || has("score");
}

}  // namespace

OptimizerSpec muon() {
  return {.name = "muon",
          .title = "Muon",
          .granularity = Granularity::kMatrix,
          .state = {{"m", "sum of gradients, older ones fading; AdamW's mean of the gradient"},
                    {"v", "AdamW's mean of the square"}},
          .hyperparameters = {{"momentum", "mu, what m keeps of itself in a step", 0.95, 0, 1},
                              {"nesterov", "1: looks one step ahead; 0: does not", 1, 0, 2},
                              {"weight_decay", "lambda, of the weight itself", 0},
                              {"orthogonal", "1: as above; 0: AdamW instead", 1, 0, 2},
                              {"adamw_rate", "AdamW's learning rate, in units of lr", 0.015},
                              {"beta1", "AdamW's", 0.9, 0, 1},
                              {"beta2", "AdamW's", 0.95, 0, 1},
                              {"eps", "AdamW's", 1e-8}},
          .whole = WholeSpec{"momentum, orthogonalized", is_orthogonal, work, kDirection, kOrthogonalize},
          .update = kUpdate,
          .groups = {{"vectors, embedding and head", is_for_adamw, {{"orthogonal", 0}}}}};
}

}  // namespace ringside::optimizers
