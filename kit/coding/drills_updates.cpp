// Arithmetic of an update: an optimizer's step, a loss scale.
#include <algorithm>
#include <cmath>

#include "coding_drill.h"
#include "ringside/optim/optimizer.h"

namespace ringside::coding {
namespace {

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
        .update(ElementsOf<double>{.count = int64_t(w.size()),
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
double corrected(double mean, double beta, int64_t t) { return mean / (1 - std::pow(beta, double(t))); }
Json adamw_uncorrected(const Json& a) {
  return adamw_by(a, [](const Adam& of, double m, double v) { return m / (std::sqrt(v) + of.eps); });
}
Json adamw_eps_inside(const Json& a) {
  return adamw_by(a, [](const Adam& of, double m, double v) {
    return corrected(m, of.beta1, of.t) / std::sqrt(corrected(v, of.beta2, of.t) + of.eps);
  });
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
    const bool overflow = std::ranges::any_of(
        step, [&](double g) { return std::isinf(g) || (rule.sees_nan && std::isnan(g)); });
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

std::vector<CodingDrill> drills_of_updates() { return {adamw(), loss_scale()}; }

}  // namespace ringside::coding
