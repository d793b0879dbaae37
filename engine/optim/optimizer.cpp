#include "ringside/optim/optimizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "ringside/base/bfloat16.h"
#include "ringside/base/check.h"
#include "ringside/base/error.h"

namespace ringside {
namespace {

void check_values(const OptimizerSpec& spec, const Values& values) {
  for (const auto& [name, value] : values) {
    const HyperparameterSpec* declared = nullptr;
    std::string names;
    for (const HyperparameterSpec& one : spec.hyperparameters) {
      if (one.name == name) declared = &one;
      names += " " + one.name;
    }
    if (declared == nullptr)
      throw UsageError(
          fmt::format("optimizer={} has no hyperparameter '{}': it has{}", spec.name, name, names));
    if (value >= declared->least && value < declared->below) continue;
    throw UsageError(fmt::format("{}={:g} of optimizer={}: allowed are {:g} <= {} < {:g}", name, value,
                                 spec.name, declared->least, name, declared->below));
  }
}

}  // namespace

Optimizer::Optimizer(OptimizerSpec spec, const OptimizerConfig& config)
    : spec_(std::move(spec)), values_(config.values), groups_(spec_.groups) {
  RINGSIDE_CHECK(spec_.granularity != Granularity::kGlobal,
                 "updates of all parameters at once have no way to run yet");
  groups_.insert(groups_.end(), config.groups.begin(), config.groups.end());
  for (const HyperparameterSpec& one : spec_.hyperparameters) values_.try_emplace(one.name, one.standard);
  check_values(spec_, values_);
  for (const ParameterGroup& group : groups_) check_values(spec_, group.values);
  const auto is_not_zero = [&](const std::string& name) {
    return values_.at(name) != 0 ||
           std::any_of(groups_.begin(), groups_.end(), [&](const ParameterGroup& group) {
             return group.values.contains(name) && group.values.at(name) != 0;
           });
  };
  for (const StateSpec& one : spec_.state)
    if (one.unless_zero.empty() || is_not_zero(one.unless_zero)) state_.push_back(one);
}

void Optimizer::update(const Elements& elements, std::span<const ParameterPlace> parameters,
                       const UpdateOptions& options) const {
  if (is_elementwise() && groups_.empty()) return update(elements, options);
  for (const ParameterPlace& place : parameters) {
    const int64_t begin = std::max<int64_t>(place.begin, 0);
    const int64_t end = std::min(place.begin + place.count, elements.count);
    if (begin >= end) continue;
    Elements own = elements;
    own.count = end - begin;
    own.weights += begin;
    own.gradient = static_cast<const char*>(own.gradient) + begin * size_of(own.gradient_dtype);
    if (own.rounded != nullptr) own.rounded += begin;
    for (float*& state : own.state) state += begin;
    if (own.count == place.count) own.shape = place.shape;
    Values values = values_;
    UpdateOptions own_options = options;
    for (const ParameterGroup& group : groups_) {
      if (!group.holds(place.name, place.shape)) continue;
      for (const auto& [name, value] : group.values) values[name] = value;
      own_options.learning_rate *= group.rate;
    }
    apply(own, values, own_options);
  }
}

template <typename Real>
void Optimizer::name_state(ElementsOf<Real>& elements) const {
  RINGSIDE_CHECK_EQ(elements.state.size(), state_.size());
  std::vector<Real*> declared;
  auto kept = state_.begin();
  for (const StateSpec& one : spec_.state) {
    const bool is_kept = kept != state_.end() && kept->name == one.name;
    declared.push_back(is_kept ? elements.state[static_cast<size_t>(kept++ - state_.begin())] : nullptr);
  }
  elements.state = std::move(declared);
}

void Optimizer::apply(Elements elements, const Values& values, const UpdateOptions& options) const {
  RINGSIDE_CHECK(elements.gradient_dtype == Dtype::kFloat32 || elements.gradient_dtype == Dtype::kBFloat16,
                 "gradients are fp32 or bf16");
  RINGSIDE_CHECK(is_elementwise() || !elements.shape.empty(), spec_.name << " updates whole parameters only");
  name_state(elements);
  spec_.update.in_float(elements, values, options);
  if (elements.rounded == nullptr || spec_.update.rounds) return;
  for (int64_t i = 0; i < elements.count; ++i) elements.rounded[i] = float_to_bf16(elements.weights[i]);
}

void Optimizer::update(const ElementsOf<double>& elements, const UpdateOptions& options) const {
  RINGSIDE_CHECK(spec_.update.in_double != nullptr, spec_.name << " is written for float");
  RINGSIDE_CHECK(elements.gradient_dtype == Dtype::kFloat64, "gradients are fp64");
  ElementsOf<double> named = elements;
  name_state(named);
  spec_.update.in_double(named, values_, options);
}

const OptimizerSpec& find_optimizer(const std::string& name) {
  std::string names;
  for (const OptimizerSpec& spec : optimizer_specs()) {
    if (spec.name == name) return spec;
    names += " " + spec.name;
  }
  throw UsageError(fmt::format("optimizer={}: there are{}", name, names));
}

Optimizer make_optimizer(const OptimizerConfig& config) { return {find_optimizer(config.name), config}; }

std::vector<StateSpec> kept_state(const OptimizerConfig& config) { return make_optimizer(config).state(); }

void require_shards(const Optimizer& optimizer, int stage, int ranks) {
  if (optimizer.is_elementwise() || ranks == 1) return;
  throw UsageError(
      fmt::format("optimizer={} updates whole parameters, and stage {} cuts them into shards: "
                  "take stage=0, or ranks=1",
                  optimizer.spec().name, stage));
}

}  // namespace ringside
