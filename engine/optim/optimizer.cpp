#include "ringside/optim/optimizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "update_parts.h"

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
          fmt::format("optimizer={} has no hyperparameter '{}': it has{}", spec.name, as_typed(name), names));
    if (value >= declared->least && value < declared->below) continue;
    throw UsageError(fmt::format("{}={:g} of optimizer={}: allowed are {:g} <= {} < {:g}", name, value,
                                 spec.name, declared->least, name, declared->below));
  }
}

bool is_vector(const std::string&, std::span<const int64_t> shape) { return shape.size() < 2; }

}  // namespace

Optimizer::Optimizer(OptimizerSpec spec, const OptimizerConfig& config)
    : spec_(std::move(spec)), values_(config.values), groups_(spec_.groups) {
  const auto is_decay = [](const HyperparameterSpec& one) { return one.name == "weight_decay"; };
  const auto& declared = spec_.hyperparameters;
  if (config.decay == Decay::kMatrices && std::any_of(declared.begin(), declared.end(), is_decay))
    groups_.push_back({"vectors", is_vector, {{"weight_decay", 0}}});
  groups_.insert(groups_.end(), config.groups.begin(), config.groups.end());
  for (const HyperparameterSpec& one : spec_.hyperparameters) values_.try_emplace(one.name, one.standard);
  check_values(spec_, values_);
  for (const ParameterGroup& group : groups_) check_values(spec_, group.values);
  RINGSIDE_CHECK(spec_.update.in_float != nullptr, spec_.name << " has no update");
  const bool global = spec_.granularity == Granularity::kGlobal;
  const auto has_values = [](const ParameterGroup& group) { return !group.values.empty(); };
  if (global && std::any_of(groups_.begin(), groups_.end(), has_values))
    throw UsageError(fmt::format(
        "optimizer={} takes all parameters at once: a group of them has no values of its own", spec_.name));
  for (const StateSpec& one : spec_.state) {
    const bool kept = one.unless_zero.empty() || is_not_zero(one.unless_zero);
    const auto times = one.times.empty() ? 0 : static_cast<int64_t>(values_.at(one.times));
    for (int64_t i = 1; i <= std::max<int64_t>(times, 1); ++i) {
      StateSpec& own = declared_.emplace_back(one);
      if (times > 0) own.name += " " + std::to_string(i);
      is_kept_.push_back(kept);
      if (kept) state_.push_back(own);
    }
  }
}

// Alone a rank has a parameter whole, or nothing of it.
void UpdateExchange::change(std::span<const WholePart> parts) const {
  for (const WholePart& part : parts) {
    if (part.count == 0) continue;
    RINGSIDE_CHECK(part.count == part.of, "a parameter is needed whole, and there are "
                                              << part.count << " of its " << part.of << " elements");
    part.change(part.values);
  }
}

bool Optimizer::is_not_zero(const std::string& name) const {
  return values_.at(name) != 0 ||
         std::any_of(groups_.begin(), groups_.end(), [&](const ParameterGroup& group) {
           return group.values.contains(name) && group.values.at(name) != 0;
         });
}

void Optimizer::update(std::span<const FlatElements> all, const UpdateOptions& options,
                       const UpdateExchange& exchange) const {
  if (!is_elementwise() || !groups_.empty()) return update_parts(spec_, parts_of(all, options), exchange);
  for (const FlatElements& one : all) update(one.elements, options);
}

void Optimizer::update(const Elements& elements, const UpdateOptions& options) const {
  update_parts<float>(spec_, {{with_declared_state(elements), values_, options}}, {});
}

void Optimizer::update(const ElementsOf<double>& elements, const UpdateOptions& options) const {
  update_parts<double>(spec_, {{with_declared_state(elements), values_, options}}, {});
}

std::vector<PartOf<float>> Optimizer::parts_of(std::span<const FlatElements> all,
                                               const UpdateOptions& options) const {
  std::vector<PartOf<float>> parts;
  for (const FlatElements& one : all) {
    Elements flat = with_declared_state(one.elements);
    for (const ParameterPlace& place : one.parameters) {
      parts.push_back({cut_out(flat, place), values_of(place.name, place.shape), options});
      for (const ParameterGroup& group : groups_)
        if (group.holds(place.name, place.shape)) parts.back().options.learning_rate *= group.rate;
    }
  }
  return parts;
}

Values Optimizer::values_of(const std::string& parameter, std::span<const int64_t> shape) const {
  Values values = values_;
  for (const ParameterGroup& group : groups_)
    if (group.holds(parameter, shape))
      for (const auto& [name, value] : group.values) values[name] = value;
  return values;
}

// What there is of a parameter, which may be nothing. State that is not one value an element is taken from
// the front of what is left of it.
Elements Optimizer::cut_out(Elements& flat, const ParameterPlace& place) const {
  const int64_t begin = std::clamp<int64_t>(place.begin, 0, flat.count);
  Elements own = flat;
  own.count = place.count_in(flat.count);
  own.shape = place.shape;
  own.first = std::clamp<int64_t>(begin - place.begin, 0, place.count);
  own.weights += begin;
  own.gradient = static_cast<const char*>(own.gradient) + begin * size_of(own.gradient_dtype);
  if (own.rounded != nullptr) own.rounded += begin;
  for (size_t s = 0; s < own.state.size(); ++s) {
    if (own.state[s] == nullptr) continue;
    if (declared_[s].per == Per::kElement)
      own.state[s] += begin;
    else
      flat.state[s] += declared_[s].count(own.shape, own.count);
  }
  RINGSIDE_CHECK(can_be_cut() || own.count == 0 || own.count == place.count,
                 spec_.name << " updates whole parameters only, and of " << place.name << " there are "
                            << own.count << " of " << place.count << " elements");
  return own;
}

template <typename Real>
ElementsOf<Real> Optimizer::with_declared_state(ElementsOf<Real> elements) const {
  RINGSIDE_CHECK_EQ(elements.state.size(), state_.size());
  std::vector<Real*> declared;
  auto next = elements.state.begin();
  for (const bool kept : is_kept_) declared.push_back(kept ? *next++ : nullptr);
  elements.state = std::move(declared);
  return elements;
}

const OptimizerSpec& find_optimizer(const std::string& name) {
  std::string names;
  for (const OptimizerSpec& spec : optimizer_specs()) {
    if (spec.name == name) return spec;
    names += " " + spec.name;
  }
  throw UsageError(fmt::format("optimizer={}: there are{}", as_typed(name), names));
}

Optimizer make_optimizer(const OptimizerConfig& config) { return {find_optimizer(config.name), config}; }

std::vector<StateSpec> kept_state(const OptimizerConfig& config) { return make_optimizer(config).state(); }

void require_shards(const Optimizer& optimizer, int stage, int ranks) {
  if (optimizer.can_be_cut() || ranks == 1) return;
  throw UsageError(
      fmt::format("optimizer={} updates whole parameters, and stage {} cuts them into shards: "
                  "take stage=0, or ranks=1",
                  optimizer.spec().name, stage));
}

}  // namespace ringside
