#include "parts.h"
#include "surface.h"

namespace ringside::lessons::optimizers {
namespace {

OptimizerConfig without_decay(const OptimizerSpec& spec, Values values = {}) {
  for (const HyperparameterSpec& one : spec.hyperparameters)
    if (one.name == "weight_decay") values[one.name] = 0;
  return {spec.name, std::move(values)};
}

OptimizerSpec source_adadelta(const std::string& name) {
  const auto rule = [by_root = name == kByRoot]<typename Real>(const ElementsOf<Real>& e, const Values& value,
                                                               const UpdateOptions& options) {
    const auto keep = static_cast<Real>(value.at("k")), eps = static_cast<Real>(value.at("eps"));
    for (int64_t i = 0; i < e.count; ++i) {
      const Real g = static_cast<const Real*>(e.gradient)[i];
      Real& y = e.state[0][i];
      y = keep * y + (1 - keep) * g;
      const Real size = by_root ? std::sqrt(std::abs(y)) : std::abs(y);
      e.weights[i] -= static_cast<Real>(options.learning_rate) * g / (size + eps);
    }
  };
  return {.name = name,
          .title = tr("Adadelta of the source"),
          .state = {{"y", "mean of the gradient"}},
          .hyperparameters = {{"k", "what y keeps of itself in a step", 0.9, 0, 1},
                              {"eps", "added to what divides", 1e-8}},
          .update = rule};
}

}  // namespace

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = [] {
    const OptimizerSpec& sgd = find_optimizer("sgd");
    std::vector<Rule> made = {{"sgd", without_decay(sgd, {{"momentum", 0}})},
                              {"momentum", without_decay(sgd, {{"momentum", 0.9}})},
                              {"nesterov", without_decay(sgd, {{"momentum", 0.9}, {"nesterov", 1}})}};
    for (const OptimizerSpec& spec : optimizer_specs())
      if (spec.name != "sgd") made.push_back({spec.name, without_decay(spec)});
    return made;
  }();
  return all;
}

bool is_adaptive(const std::string& rule) {
  return rule.starts_with("ada") || rule == "rmsprop" || rule == "amsgrad" || rule == "lamb";
}

bool is_newton(const std::string& method) {
  return method == kNewton || method == kDamped || method == kFree || method == kUndamped;
}

std::vector<std::string> methods_of(const std::string& list) {
  std::vector<std::string> known = {kNewton, kDamped, kFree, kUndamped}, methods;
  for (const Rule& rule : rules()) known.push_back(rule.name);
  for (size_t from = 0; from <= list.size();) {
    const size_t to = std::min(list.find(',', from), list.size());
    methods.push_back(list.substr(from, to - from));
    from = to + 1;
    if (std::ranges::count(known, methods.back()) == 0)
      throw UsageError(
          tr("paths={}: there is no '{}'; there are {}", list, methods.back(), fmt::join(known, " ")));
    if (std::ranges::count(methods, methods.back()) > 1)
      throw UsageError(tr("paths={}: {} stands there twice", list, methods.back()));
  }
  return methods;
}

OwnWeights weights_under(const std::string& rule, std::vector<double> weights) {
  if (rule == kByRoot || rule == kBySize)
    return {Optimizer(source_adadelta(rule), {rule}), std::move(weights)};
  return {make_optimizer(named(rules(), rule).config), std::move(weights)};
}

const std::vector<Surface>& surfaces() {
  static const std::vector<Surface> all = {
      {kSaddle, tr("up along x, down along y; two minima"), {-1, -1.5}, {1, 1.5}, {0.2, 0.4}, 0, -0.25},
      {kValley, tr("50 times as steep along y as along x"), {-2.4, -1}, {2.4, 1}, {-2, 0.6}},
      {kTurned, tr("the valley, turned by 45 degrees"), {-2.4, -2.4}, {2.4, 2.4}, {-2, -0.8}},
      {kRosenbrock, tr("a curved valley; minimum at 1, 1"), {-2, -1}, {2, 3}, {-1.2, 1}, 0, 0, 4},
      {kNoisy, tr("steeper along y; gradients have noise"), {-2.4, -1.6}, {2.4, 1.6}, {-2, 1}, 1},
      {kFlat, tr("a line of minima: a singular Hessian"), {-2, -2}, {2, 2}, {-0.5, 1.5}}};
  return all;
}

}  // namespace ringside::lessons::optimizers
