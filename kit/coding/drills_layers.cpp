// Arithmetic of a layer: a softmax, a backward pass.
#include <algorithm>
#include <cmath>
#include <limits>

#include "coding_drill.h"
#include "ringside/norms/layer_norm.h"

namespace ringside::coding {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Two passes over all of them.
Json softmax_right(const Json& a) {
  const Matrix scores = matrix_of(a[0]), values = matrix_of(a[1]);
  double most = -kInfinity, sum = 0, weighted = 0;
  for (const Vector& block : scores)
    for (const double s : block) most = std::max(most, s);
  for (size_t b = 0; b < scores.size(); ++b)
    for (size_t i = 0; i < scores[b].size(); ++i) {
      sum += std::exp(scores[b][i] - most);
      weighted += std::exp(scores[b][i] - most) * values[b][i];
    }
  return Json::array({json_of(weighted / sum)});
}
// Block by block, with what each mistake does differently.
struct SoftmaxRule {
  bool keeps_maximum = true, rescales_sum = true, rescales_values = true, skips_masked = true;
};
Json softmax_by(const Json& a, const SoftmaxRule& rule) {
  const Matrix scores = matrix_of(a[0]), values = matrix_of(a[1]);
  double most = rule.keeps_maximum ? -kInfinity : 0, sum = 0, weighted = 0;
  for (size_t b = 0; b < scores.size(); ++b) {
    double now = most;
    if (rule.keeps_maximum)
      for (const double s : scores[b]) now = std::max(now, s);
    if (rule.skips_masked && now == -kInfinity) continue;
    const double factor = std::exp(most - now);
    if (rule.rescales_sum) sum *= factor;
    if (rule.rescales_values) weighted *= factor;
    most = now;
    for (size_t i = 0; i < scores[b].size(); ++i) {
      sum += std::exp(scores[b][i] - most);
      weighted += std::exp(scores[b][i] - most) * values[b][i];
    }
  }
  return Json::array({json_of(weighted / sum)});
}
Json softmax_no_maximum(const Json& a) { return softmax_by(a, {.keeps_maximum = false}); }
Json softmax_no_rescaling(const Json& a) {
  return softmax_by(a, {.rescales_sum = false, .rescales_values = false});
}
Json softmax_values_alone(const Json& a) { return softmax_by(a, {.rescales_sum = false}); }
Json softmax_sum_alone(const Json& a) { return softmax_by(a, {.rescales_values = false}); }
Json softmax_masked(const Json& a) { return softmax_by(a, {.skips_masked = false}); }

Vector flat(const Matrix& rows) {
  Vector all;
  for (const Vector& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}
// The engine's, and what it left of the forward pass.
struct LayerNorm {
  explicit LayerNorm(const Json& a)
      : w(vector_of(a[1])),
        x(flat(matrix_of(a[0]))),
        dy(flat(matrix_of(a[2]))),
        rows{int64_t(a[0].size()), int64_t(w.size())},
        mean(a[0].size()),
        scale(a[0].size()),
        dx(x.size()),
        dw(w.size()),
        db(w.size()) {
    Vector y(x.size()), bias(w.size());
    norms::run(norms::LayerNormForward<double>{rows, a[3].get<double>(), x.data(), w.data(), bias.data(),
                                               y.data(), mean.data(), scale.data()});
    norms::run(norms::LayerNormBackward<double>{rows, x.data(), w.data(), mean.data(), scale.data(),
                                                dy.data(), dx.data(), dw.data(), db.data()});
  }
  Vector w, x, dy;
  norms::Rows rows;
  Vector mean, scale, dx, dw, db;

  size_t row_of(size_t i) const { return i / w.size(); }
  double g(size_t i) const { return w[i % w.size()] * dy[i]; }
  double u(size_t i) const { return (x[i] - mean[row_of(i)]) * scale[row_of(i)]; }
  // Over the features of the row that element i is in.
  template <typename F>
  double mean_of(size_t i, F value) const {
    double sum = 0;
    for (size_t k = row_of(i) * w.size(); k < (row_of(i) + 1) * w.size(); ++k) sum += value(k);
    return sum / double(w.size());
  }
  Json result() const {
    Json whole = Json::array();
    for (size_t row = 0; row < mean.size(); ++row) {
      const auto begin = dx.begin() + std::ptrdiff_t(row * w.size());
      whole.push_back(json_of(Vector(begin, begin + std::ptrdiff_t(w.size()))));
    }
    return Json::array({{whole, json_of(dw), json_of(db)}});
  }
};
Json norm_right(const Json& a) { return LayerNorm(a).result(); }
// dx = s (g - of_mean mean(g) - of_square u mean(g u))
Json norm_by(const Json& a, double of_mean, double of_square) {
  LayerNorm norm(a);
  for (size_t i = 0; i < norm.dx.size(); ++i)
    norm.dx[i] = norm.scale[norm.row_of(i)] *
                 (norm.g(i) - of_mean * norm.mean_of(i, [&](size_t k) { return norm.g(k); }) -
                  of_square * norm.u(i) * norm.mean_of(i, [&](size_t k) { return norm.g(k) * norm.u(k); }));
  return norm.result();
}
Json norm_constants(const Json& a) { return norm_by(a, 0, 0); }
Json norm_fixed_mean(const Json& a) { return norm_by(a, 0, 1); }
Json norm_fixed_scale(const Json& a) { return norm_by(a, 1, 0); }
Json norm_dw_of_x(const Json& a) {
  LayerNorm norm(a);
  std::ranges::fill(norm.dw, 0);
  for (size_t i = 0; i < norm.x.size(); ++i) norm.dw[i % norm.w.size()] += norm.dy[i] * norm.x[i];
  return norm.result();
}

CodingDrill softmax() {
  return {.id = "online_softmax",
          .title = "online softmax, block by block",
          .topic = "numbers",
          .lesson = "context",
          .judged_by = "a softmax of two passes",
          .arguments = {"scores", "values"},
          .outputs = {{0, "the weighted sum"}},
          .cases = {{{{0.0, 1.0}}, {{1.0, 2.0}}},
                    {{{2.0, 0.0}, {1.0}}, {{1.0, 2.0}, {4.0}}},
                    {{{0.0, 1.0}, {3.0}}, {{1.0, 2.0}, {4.0}}},
                    {{{1000.0}, {999.0, 1001.0}}, {{1.0}, {2.0, 3.0}}},
                    {{{"-inf", "-inf"}, {0.0, "-inf"}, {1.0}}, {{1.0, 2.0}, {3.0, 4.0}, {5.0}}}},
          .right = softmax_right,
          .mistakes = {
              {"nothing is rescaled where the maximum grows", softmax_no_rescaling,
               "Earlier terms have the old maximum in them: multiply both sums by exp(old - new)."},
              {"the sum is not rescaled where the maximum grows", softmax_values_alone,
               "Both sums have the old maximum in them."},
              {"the weighted sum is not rescaled where the maximum grows", softmax_sum_alone,
               "Both sums have the old maximum in them."},
              {"no maximum is taken out", softmax_no_maximum, "exp(1000) is inf, and inf / inf no number."},
              {"a block that is all hidden gives NaN", softmax_masked,
               "Maximum and score are -inf, and -inf - -inf is no number: skip the block."}}};
}

CodingDrill layer_norm() {
  CodingDrill drill{.id = "layer_norm_backward",
                    .title = "the backward pass of layer norm",
                    .topic = "numbers",
                    .lesson = "norms",
                    .judged_by = "layer norm of engine/norms",
                    .arguments = {"x", "w", "dy", "eps"},
                    .outputs = {{0, "dx, dw, db"}},
                    .right = norm_right};
  for (const auto& [rows, width] : Pairs{{1, 2}, {1, 4}, {3, 5}})
    drill.cases.push_back(
        {json_of(drawn(rows, width, 8)), json_of(drawn(width, 9)), json_of(drawn(rows, width, 10)), 1e-3});
  drill.mistakes = {
      {"mean and scale taken as constants", norm_constants, "Both depend on x, and bring a term each to dx."},
      {"the mean of g is left out", norm_fixed_mean,
       "It comes from the mean of x, which depends on every x."},
      {"u mean(g u) is left out", norm_fixed_scale, "It comes from the scale s, which depends on every x."},
      {"dw sums dy x", norm_dw_of_x, "w multiplies u, not x: dw = sum of dy u."}};
  return drill;
}

}  // namespace

std::vector<CodingDrill> drills_of_layers() { return {softmax(), layer_norm()}; }

}  // namespace ringside::coding
