// Arithmetic of a training step: an update, a softmax, a backward pass, a loss scale.
#include <algorithm>
#include <cmath>
#include <limits>

#include "coding_drill.h"
#include "ringside/norms/layer_norm.h"
#include "ringside/optim/optimizer.h"

namespace ringside::coding {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Its arguments; what is computed changes w, m and v.
struct Adam {
  explicit Adam(const Json& a)
      : w(vector_of(a[0])),
        m(vector_of(a[1])),
        v(vector_of(a[2])),
        g(vector_of(a[3])),
        lr(a[4].get<double>()),
        beta1(a[5].get<double>()),
        beta2(a[6].get<double>()),
        eps(a[7].get<double>()),
        decay(a[8].get<double>()),
        t(a[9].get<int64_t>()) {}
  Vector w, m, v, g;
  double lr, beta1, beta2, eps, decay;
  int64_t t;

  Json result() const { return {json_of(w), json_of(m), json_of(v)}; }
  Json update(const std::string& optimizer) {
    const Values values = {{"beta1", beta1}, {"beta2", beta2}, {"eps", eps}, {"weight_decay", decay}};
    make_optimizer({.name = optimizer, .values = values})
        .update(ElementsOf<double>{.count = static_cast<int64_t>(w.size()),
                                   .weights = w.data(),
                                   .gradient = g.data(),
                                   .state = {m.data(), v.data()}},
                {.learning_rate = lr, .step = t});
    return result();
  }
};
Json adamw_right(const Json& a) { return Adam(a).update("adamw"); }
Json adamw_l2(const Json& a) {
  Adam adam(a);
  for (size_t i = 0; i < adam.g.size(); ++i) adam.g[i] += adam.decay * adam.w[i];
  adam.decay = 0;
  return adam.update("adamw");
}
Json adamw_no_decay(const Json& a) {
  Adam adam(a);
  adam.decay = 0;
  return adam.update("adamw");
}
Json adamw_from_zero(const Json& a) {
  Adam adam(a);
  ++adam.t;
  return adam.update("adamw");
}
// The means as they should be, the step as somebody has it.
Json adamw_by(const Json& a, double (*step)(const Adam& of, double m, double v)) {
  Adam adam(a);
  const Json means = Adam(a).update("adamw");
  const Vector m = vector_of(means[1]), v = vector_of(means[2]);
  for (size_t i = 0; i < m.size(); ++i)
    adam.w[i] -= adam.lr * (adam.decay * adam.w[i] + step(adam, m[i], v[i]));
  return {json_of(adam.w), means[1], means[2]};
}
double corrected(double mean, double beta, int64_t t) {
  return mean / (1 - std::pow(beta, static_cast<double>(t)));
}
Json adamw_uncorrected(const Json& a) {
  return adamw_by(a, [](const Adam& of, double m, double v) { return m / (std::sqrt(v) + of.eps); });
}
Json adamw_eps_inside(const Json& a) {
  return adamw_by(a, [](const Adam& of, double m, double v) {
    return corrected(m, of.beta1, of.t) / std::sqrt(corrected(v, of.beta2, of.t) + of.eps);
  });
}

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
        rows{static_cast<int64_t>(a[0].size()), static_cast<int64_t>(w.size())},
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
    return sum / static_cast<double>(w.size());
  }
  Json result() const {
    Json whole = Json::array();
    for (size_t row = 0; row < mean.size(); ++row) {
      const auto begin = dx.begin() + static_cast<std::ptrdiff_t>(row * w.size());
      whole.push_back(json_of(Vector(begin, begin + static_cast<std::ptrdiff_t>(w.size()))));
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
  std::fill(norm.dw.begin(), norm.dw.end(), 0);
  for (size_t i = 0; i < norm.x.size(); ++i) norm.dw[i % norm.w.size()] += norm.dy[i] * norm.x[i];
  return norm.result();
}

struct ScaleRule {
  bool sees_nan = true, resets_on_overflow = true, resets_on_growth = true, grows = true;
};
Json scale_by(const Json& a, const ScaleRule& rule) {
  double scale = a[1].get<double>();
  const int interval = a[2].get<int>();
  int good = 0;
  Vector scales;
  for (const Vector& step : matrix_of(a[0])) {
    const bool overflow = std::any_of(step.begin(), step.end(), [&](double g) {
      return std::isinf(g) || (rule.sees_nan && std::isnan(g));
    });
    if (overflow) scale /= 2;
    if (!overflow) ++good;
    if (overflow && rule.resets_on_overflow) good = 0;
    if (!overflow && rule.grows && (rule.resets_on_growth ? good == interval : good >= interval)) {
      scale *= 2;
      if (rule.resets_on_growth) good = 0;
    }
    scales.push_back(scale);
  }
  return Json::array({json_of(scales)});
}
Json scale_right(const Json& a) { return scale_by(a, {}); }
Json scale_blind(const Json& a) { return scale_by(a, {.sees_nan = false}); }
Json scale_counts_on(const Json& a) { return scale_by(a, {.resets_on_overflow = false}); }
Json scale_each_step(const Json& a) { return scale_by(a, {.resets_on_growth = false}); }
Json scale_never_grows(const Json& a) { return scale_by(a, {.grows = false}); }

CodingDrill adamw() {
  CodingDrill drill{.id = "adamw_step",
                    .title = "one step of AdamW",
                    .topic = "numbers",
                    .lesson = "optimizers",
                    .judged_by = "AdamW of engine/optim",
                    .arguments = {"w", "m", "v", "g", "lr", "beta1", "beta2", "eps", "weight_decay", "t"},
                    .outputs = {{1, "w"}, {2, "m"}, {3, "v"}},
                    .right = adamw_right};
  const Vector zero(2), square = {0.25, 0.5};
  drill.cases = {{{1.0}, {0.0}, {0.0}, {0.5}, 0.1, 0.9, 0.999, 1e-8, 0.0, 1},
                 {json_of(drawn(2, 3)), zero, zero, json_of(drawn(2, 4)), 0.1, 0.9, 0.99, 1e-3, 0.1, 1},
                 {json_of(drawn(2, 5)), json_of(drawn(2, 6)), square, json_of(drawn(2, 7)), 0.01, 0.9, 0.99,
                  1e-3, 0.5, 7}};
  drill.mistakes = {
      {"bias correction left out", adamw_uncorrected, "m and v begin at 0: divide them by 1 - beta^t."},
      {"weight decay inside the gradient (L2), not decoupled", adamw_l2,
       "It is then divided by the root of v too: weights with large gradients decay less."},
      {"no weight decay", adamw_no_decay, "w loses lr lambda w in each step."},
      {"eps inside the root", adamw_eps_inside, "It is added to the root of v, not to v."},
      {"the first step counts as t = 2", adamw_from_zero, "t is 1 in the first step: do not add one."}};
  return drill;
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

CodingDrill loss_scale() {
  return {
      .id = "loss_scale",
      .title = "dynamic loss scaling",
      .topic = "numbers",
      .lesson = "rounding",
      .judged_by = "its rule, step by step",
      .arguments = {"gradients", "scale", "interval"},
      .outputs = {{0, "the scale after each step"}},
      .cases = {{{{1.0}, {2.0, 3.0}}, 8.0, 4},
                {{{1.0}, {1.0, "inf"}, {1.0}}, 8.0, 4},
                {{{1.0}, {1.0}, {1.0}, {1.0}, {1.0}}, 8.0, 2},
                {{{1.0}, {"inf"}, {1.0}, {1.0}, {"-inf"}, {1.0}, {1.0}}, 8.0, 2},
                {{{"nan", 1.0}, {1.0}, {1.0, "nan"}}, 8.0, 3}},
      .right = scale_right,
      .mistakes = {
          {"a NaN is not seen", scale_blind, "NaN is no infinity, and differs from every number."},
          {"an overflow does not begin the count again", scale_counts_on,
           "The good steps that count are those in a row."},
          {"after it grew, it grows in each step", scale_each_step, "Growing begins the count again too."},
          {"the scale never grows", scale_never_grows,
           "It would fall for ever, and small gradients would become 0."}}};
}

}  // namespace

std::vector<CodingDrill> drills_of_updates() { return {adamw(), softmax(), layer_norm(), loss_scale()}; }

}  // namespace ringside::coding
