// Muon against the same rule in double precision, and what its iteration does to singular values.
#include <cmath>

#include "catch.h"
#include "optimizer_state.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using Matrix = std::vector<std::vector<double>>;  // [row][column]

Matrix zeros(size_t rows, size_t columns) { return Matrix(rows, std::vector<double>(columns)); }

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result = zeros(a.size(), b[0].size());
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b[0].size(); ++j)
      for (size_t k = 0; k < b.size(); ++k) result[i][j] += a[i][k] * b[k][j];
  return result;
}

Matrix transposed(const Matrix& a) {
  Matrix result = zeros(a[0].size(), a.size());
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < a[0].size(); ++j) result[j][i] = a[i][j];
  return result;
}

Matrix scaled(Matrix a, double factor) {
  for (auto& row : a)
    for (double& value : row) value *= factor;
  return a;
}

Matrix sum(Matrix a, const Matrix& b) {
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < a[0].size(); ++j) a[i][j] += b[i][j];
  return a;
}

double frobenius(const Matrix& a) {
  double squares = 0;
  for (const auto& row : a)
    for (const double value : row) squares += value * value;
  return std::sqrt(squares);
}

constexpr double kA = 3.4445, kB = -4.7750, kC = 2.0315;

// The published iteration, on the matrix as it is: it need not be turned for the result, only for speed.
Matrix iterated(const Matrix& u) {
  Matrix x = scaled(u, 1 / (frobenius(u) + 1e-7));
  for (int i = 0; i < 5; ++i) {
    const Matrix a = product(x, transposed(x)), aa = product(a, a);
    x = sum(scaled(x, kA), product(sum(scaled(a, kB), scaled(aa, kC)), x));
  }
  return x;
}

// What it makes of one singular value.
double iterated(double value) {
  for (int i = 0; i < 5; ++i) value = kA * value + kB * std::pow(value, 3) + kC * std::pow(value, 5);
  return value;
}

Matrix matrix_of(const std::vector<float>& values, size_t rows, size_t columns) {
  Matrix result = zeros(rows, columns);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) result[i][j] = values[i * columns + j];
  return result;
}

std::vector<float> flat(const Matrix& a) {
  std::vector<float> values;
  for (const auto& row : a)
    for (const double value : row) values.push_back(static_cast<float>(value));
  return values;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < a[0].size(); ++j) largest = std::max(largest, std::abs(a[i][j] - b[i][j]));
  return largest;
}

// One parameter, and updates of it.
struct Training {
  Training(const OptimizerConfig& config, std::string name_, std::vector<int64_t> shape_)
      : optimizer(make_optimizer(config)),
        name(std::move(name_)),
        shape(std::move(shape_)),
        state(count(), optimizer) {}

  int64_t count() const { return shape.size() == 2 ? shape[0] * shape[1] : shape[0]; }
  void update(const std::vector<float>& gradient, const UpdateOptions& options) {
    const ParameterPlace place{name, shape, 0, count()};
    optimizer.update(state.piece(gradient, 0, count()), {&place, 1}, options);
  }
  Matrix weights() const {
    return matrix_of(state.weights, static_cast<size_t>(shape[0]), static_cast<size_t>(shape[1]));
  }

  Optimizer optimizer;
  std::string name;
  std::vector<int64_t> shape;
  OptimizerState state;
};

// An orthogonal matrix: the reflection at a random plane.
Matrix reflection(size_t size, uint64_t seed) {
  const std::vector<float> v = noise(static_cast<int64_t>(size), seed);
  double squares = 0;
  for (const float value : v) squares += static_cast<double>(value) * value;
  Matrix result = zeros(size, size);
  for (size_t i = 0; i < size; ++i)
    for (size_t j = 0; j < size; ++j)
      result[i][j] = (i == j ? 1.0 : 0.0) - 2.0 * static_cast<double>(v[i]) * v[j] / squares;
  return result;
}

}  // namespace

TEST_CASE("Muon is its published rule in double precision, wide, square and tall") {
  constexpr double kMu = 0.95, kRate = 0.02, kDecay = 0.1;
  for (const auto& [rows, columns] : {std::pair{7, 19}, {12, 12}, {31, 5}, {1, 9}, {9, 1}}) {
    for (const bool nesterov : {true, false}) {
      INFO(rows << " x " << columns << ", Nesterov " << nesterov);
      const auto r = static_cast<size_t>(rows), c = static_cast<size_t>(columns);
      Training training(
          {.name = "muon", .values = {{"weight_decay", kDecay}, {"nesterov", nesterov ? 1 : 0}}},
          "model.layers.0.mlp.up_proj.weight", {rows, columns});
      Matrix weights = training.weights(), momentum = zeros(r, c);
      for (int64_t step = 1; step <= 6; ++step) {
        const std::vector<float> gradient = noise(rows * columns, 40 + static_cast<uint64_t>(step));
        training.update(gradient, {.learning_rate = kRate, .step = step, .gradient_scale = 0.25f});
        const Matrix g = scaled(matrix_of(gradient, r, c), 0.25);
        momentum = sum(scaled(momentum, kMu), g);
        const Matrix u = nesterov ? sum(g, scaled(momentum, kMu)) : momentum;
        const double rate = kRate * std::sqrt(std::max(1.0, static_cast<double>(rows) / columns));
        weights = sum(scaled(weights, 1 - kRate * kDecay), scaled(iterated(u), -rate));
      }
      CHECK(largest_difference(training.weights(), weights) < 5e-6);
    }
  }
}

TEST_CASE("Muon's step keeps the singular vectors of the gradient and evens out its singular values") {
  const size_t rows = 8, columns = 13;
  const Matrix left = reflection(rows, 1), right = reflection(columns, 2);
  Matrix singular = zeros(rows, columns);
  double squares = 0;
  for (size_t i = 0; i < rows; ++i) {  // from 1 down to 1/50
    singular[i][i] = std::pow(50.0, -static_cast<double>(i) / (rows - 1));
    squares += singular[i][i] * singular[i][i];
  }
  Training training({.name = "muon"}, "q_proj.weight", {rows, columns});
  const Matrix before = training.weights();
  training.update(flat(product(product(left, singular), right)), {.learning_rate = 1});
  const Matrix moved = sum(before, scaled(training.weights(), -1));
  const Matrix found = product(product(left, moved), right);  // a reflection is its own inverse
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      INFO(i << ", " << j);
      if (i == j) {
        CHECK(found[i][i] == Approx(iterated(singular[i][i] / std::sqrt(squares))).margin(1e-4));
        CHECK(found[i][i] > 0.65);
        CHECK(found[i][i] < 1.25);
      } else {
        CHECK(std::abs(found[i][j]) < 1e-4);
      }
    }
  }
}

TEST_CASE("what is no matrix of a layer is AdamW's, at a rate of its own") {
  const Values values = {{"beta2", 0.95}, {"weight_decay", 0}};
  const std::pair<const char*, std::vector<int64_t>> cases[] = {
      {"model.norm.weight", {24}}, {"model.embed_tokens.weight", {6, 4}}, {"score.weight", {4, 6}}};
  for (const auto& [name, shape] : cases) {
    INFO(name);
    Training muon({.name = "muon"}, name, shape), adamw({.name = "adamw", .values = values}, name, shape);
    Training matrix({.name = "muon"}, "o_proj.weight", {6, 4});
    for (int64_t step = 1; step <= 3; ++step) {
      const std::vector<float> gradient = noise(24, 60 + static_cast<uint64_t>(step));
      muon.update(gradient, {.learning_rate = 0.2, .step = step});
      adamw.update(gradient, {.learning_rate = 0.2 * 0.015, .step = step});
      matrix.update(gradient, {.learning_rate = 0.2, .step = step});
    }
    CHECK((muon.state == adamw.state));
    CHECK(muon.state.weights != matrix.state.weights);
    CHECK(matrix.state.state[1] == std::vector<float>(24));
  }
}

TEST_CASE("a gradient of zero moves no weight, one that is not finite shows") {
  Training training({.name = "muon"}, "o_proj.weight", {6, 4});
  const std::vector<float> before = training.state.weights;
  training.update(std::vector<float>(24), {.learning_rate = 0.1});
  CHECK(training.state.weights == before);
  std::vector<float> gradient = noise(24, 3);
  gradient[5] = std::nanf("");
  training.update(gradient, {.learning_rate = 0.1, .step = 2});
  CHECK(std::isnan(training.state.weights[0]));
}
