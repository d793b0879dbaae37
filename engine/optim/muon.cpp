// Muon: momentum, orthogonalized. Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/.
//
//   m <- mu m + g                         u = g + mu m  (Nesterov; without it u = m)
//   X = u / |u|                           five times  X <- a X + (b A + c A^2) X,  A = X X^T
//   w <- w - lr lambda w - lr max(1, rows / columns)^(1/2) X
//
// The iteration (Newton-Schulz, with a, b, c = 3.4445, -4.7750, 2.0315) leaves the singular vectors of u and
// moves its singular values into about [0.7, 1.2]. It runs on the shorter side: A is (k, k), k = min(rows,
// columns). A parameter that is no matrix, the embedding and the head are updated by AdamW, with values of
// their own.
//
// State an element: m and v, 8 bytes; with bf16 parameters 4 more. Matrices leave v at 0: a bucket keeps the
// same state for all its elements. Beside it, during an update: at most 3 rows columns + 2 k^2 floats of work
// space, on the heap, where the memory hook does not see them.
#include <algorithm>
#include <cmath>

#include "elementwise.h"
#include "ringside/base/check.h"
#include "ringside/optim/optimizer.h"

namespace ringside::optimizers {
namespace {

// Row by row.
struct Matrix {
  Matrix(int64_t rows_, int64_t columns_)
      : rows(rows_), columns(columns_), values(static_cast<size_t>(rows * columns)) {}
  float* row(int64_t i) { return values.data() + i * columns; }
  const float* row(int64_t i) const { return values.data() + i * columns; }
  int64_t rows, columns;
  std::vector<float> values;
};

Matrix transposed(const Matrix& x) {
  Matrix result(x.columns, x.rows);
  for (int64_t i = 0; i < x.rows; ++i)
    for (int64_t j = 0; j < x.columns; ++j) result.row(j)[i] = x.row(i)[j];
  return result;
}

// alpha Z + beta Y X
Matrix combine(float alpha, Matrix z, float beta, const Matrix& y, const Matrix& x) {
  for (float& value : z.values) value *= alpha;
  for (int64_t i = 0; i < y.rows; ++i) {
    for (int64_t k = 0; k < y.columns; ++k) {
      const float factor = beta * y.row(i)[k];
      const float* __restrict from = x.row(k);
      float* __restrict to = z.row(i);
      for (int64_t j = 0; j < x.columns; ++j) to[j] += factor * from[j];
    }
  }
  return z;
}

// X with X X^T near the identity; rows <= columns.
Matrix orthogonalized(Matrix x) {
  constexpr int kIterations = 5;
  constexpr float a = 3.4445f, b = -4.7750f, c = 2.0315f;
  double squares = 0;
  for (const float value : x.values) squares += static_cast<double>(value) * value;
  const auto factor = static_cast<float>(1.0 / (std::sqrt(squares) + 1e-7));
  for (float& value : x.values) value *= factor;
  for (int i = 0; i < kIterations; ++i) {
    const Matrix square = combine(0, Matrix(x.rows, x.rows), 1, x, transposed(x));
    const Matrix polynomial = combine(b, square, c, square, square);
    x = combine(a, x, 1, polynomial, x);
  }
  return x;
}

void update_matrix(const Elements& e, const Values& value, const UpdateOptions& options) {
  RINGSIDE_CHECK_EQ(e.shape.size(), 2u);
  const auto mu = static_cast<float>(value.at("momentum"));
  const bool nesterov = value.at("nesterov") != 0;
  float* __restrict m = e.state[0];
  Matrix x(e.shape[0], e.shape[1]);
  with_gradient(e, [&](auto gradient) {
    for (int64_t i = 0; i < e.count; ++i) {
      const float g = gradient(i) * options.gradient_scale;
      m[i] = mu * m[i] + g;
      x.values[static_cast<size_t>(i)] = nesterov ? g + mu * m[i] : m[i];
    }
  });
  x = x.rows > x.columns ? transposed(orthogonalized(transposed(x))) : orthogonalized(std::move(x));
  const double ratio = static_cast<double>(x.rows) / static_cast<double>(x.columns);
  const auto rate = static_cast<float>(options.learning_rate * std::sqrt(std::max(1.0, ratio)));
  const auto keep = static_cast<float>(1.0 - options.learning_rate * value.at("weight_decay"));
  for (int64_t i = 0; i < e.count; ++i)
    e.weights[i] = e.weights[i] * keep - rate * x.values[static_cast<size_t>(i)];
}

void update(const Elements& e, const Values& value, const UpdateOptions& options) {
  if (value.at("orthogonal") != 0) return update_matrix(e, value, options);
  UpdateOptions adamw = options;
  adamw.learning_rate *= value.at("adamw_rate");
  find_optimizer("adamw").update.in_float(e, value, adamw);
}

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
          .update = update,
          .groups = {{"vectors, embedding and head", is_for_adamw, {{"orthogonal", 0}}}}};
}

}  // namespace ringside::optimizers
