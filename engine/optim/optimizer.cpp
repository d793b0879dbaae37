#include "ringside/optim/optimizer.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "elementwise.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline optim {

// A part of a parameter, which may be empty or whole, and what holds for it.
template <typename Real>
struct PartOf {
  ElementsOf<Real> elements;
  Values values;
  UpdateOptions options;
};

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
      throw UsageError("optimizer={} has no hyperparameter '{}': it has{}", spec.name, as_typed(name), names);
    if (value >= declared->least && value < declared->below) continue;
    throw UsageError("{}={:g} of optimizer={}: allowed are {:g} <= {} < {:g}", name, value, spec.name,
                     declared->least, name, declared->below);
  }
}

bool is_vector(const std::string&, std::span<const int64_t> shape) { return shape.size() < 2; }

template <typename Real>
const UpdateOf<Real>& rule_of(const OptimizerSpec& spec, const Update& update) {
  RINGSIDE_CHECK(update.of<Real>() != nullptr, spec.name << " is written for float");
  return update.of<Real>();
}

template <typename Real>
void check(const OptimizerSpec& spec, const ElementsOf<Real>& elements) {
  const bool elementwise = spec.granularity == Granularity::kElement;
  const bool is_double = std::is_same_v<Real, double>;
  RINGSIDE_CHECK((elements.gradient_dtype == Dtype::kFloat64) == is_double &&
                     (is_double || elements.gradient_dtype == Dtype::kFloat32 ||
                      elements.gradient_dtype == Dtype::kBFloat16),
                 "gradients are fp32 or bf16, or all is fp64");
  RINGSIDE_CHECK(elementwise || elements.is_parameter, spec.name << " updates whole parameters only");
}

template <typename Real>
std::shared_ptr<Real[]> room_for(int64_t count, const UpdateExchange& exchange) {
  if constexpr (std::is_same_v<Real, float>)
    return exchange.room(count);
  else
    return std::make_shared<Real[]>(size_t(count));
}

// Of each parameter one after the other, or of all together. Each part finds its parameter's in `sums`.
template <typename Real>
std::vector<double> add_up(const OptimizerSpec& spec, const SumsSpec& sums,
                           std::vector<PartOf<Real>>& parts) {
  const bool together = spec.granularity == Granularity::kGlobal;
  std::vector<int64_t> begin;
  int64_t end = 0;
  for (const PartOf<Real>& part : parts) {
    const int64_t count = sums.count(part.elements.shape, part.values);
    begin.push_back(together ? 0 : end);
    end = begin.back() + count;
  }
  std::vector<double> all(static_cast<size_t>(end));
  for (size_t i = 0; i < parts.size(); ++i) {
    auto& [elements, values, options] = parts[i];
    elements.sums.push_back(all.data() + begin[i]);
    if (elements.count > 0) rule_of<Real>(spec, sums.add)(elements, values, options);
  }
  return all;
}

// Writes what is to be changed of the parameters that are needed whole, and has it changed. The work space is
// returned, as the update reads it.
template <typename Real>
std::shared_ptr<Real[]> change_whole(const OptimizerSpec& spec, const WholeSpec& whole,
                                     std::vector<PartOf<Real>>& parts, const UpdateExchange& exchange) {
  const auto is_needed = [&](const PartOf<Real>& part) { return whole.of(part.elements.shape, part.values); };
  int64_t count = 0;
  for (const PartOf<Real>& part : parts)
    if (is_needed(part)) count += part.elements.count;
  const std::shared_ptr<Real[]> room = room_for<Real>(count, exchange);
  Real* free = room.get();
  std::vector<WholePartOf<Real>> changed;
  for (PartOf<Real>& part : parts) {
    if (!is_needed(part)) continue;
    auto& [elements, values, options] = part;
    elements.whole = std::exchange(free, free + elements.count);
    if (elements.count > 0) rule_of<Real>(spec, whole.before)(elements, values, options);
    changed.push_back({elements.first, elements.count, optimizers::numel(elements.shape), elements.whole,
                       [&spec, &whole, &part](Real* all) {
                         ElementsOf<Real> one;
                         one.shape = part.elements.shape;
                         one.whole = all;
                         rule_of<Real>(spec, whole.change)(one, part.values, part.options);
                       }});
  }
  if constexpr (std::is_same_v<Real, float>)
    exchange.change(changed);
  else
    for (const auto& part : changed)
      if (part.count > 0) part.change(part.values);
  return room;
}

template <typename Real>
void update_part(const OptimizerSpec& spec, const PartOf<Real>& part) {
  const ElementsOf<Real>& e = part.elements;
  rule_of<Real>(spec, spec.update)(e, part.values, part.options);
  if (e.rounded == nullptr || spec.update.rounds) return;
  for (int64_t i = 0; i < e.count; ++i) e.rounded[i] = float_to_bf16(float(e.weights[i]));
}

// The one order in which an update goes over what a rank has of the parameters:
//
//   for each declared sum: every part adds its own, the exchange adds the ranks'
//   where it is declared: what the owner of a whole parameter changes is written, and changed by the exchange
//   the update of every part
template <typename Real>
void update_parts(const OptimizerSpec& spec, std::vector<PartOf<Real>> parts,
                  const UpdateExchange& exchange) {
  for (const PartOf<Real>& part : parts) check(spec, part.elements);
  std::vector<std::vector<double>> rounds;
  for (const SumsSpec& sums : spec.sums) {
    rounds.push_back(add_up(spec, sums, parts));
    exchange.sum(rounds.back(), sums.meaning);
  }
  std::shared_ptr<Real[]> room;
  if (spec.whole) room = change_whole(spec, *spec.whole, parts, exchange);
  for (const PartOf<Real>& part : parts)
    if (part.elements.count > 0) update_part(spec, part);
}

}  // namespace

Optimizer::Optimizer(OptimizerSpec spec, const OptimizerConfig& config)
    : spec_(std::move(spec)), values_(config.values), groups_(spec_.groups) {
  const auto is_decay = [](const HyperparameterSpec& one) { return one.name == "weight_decay"; };
  if (config.decay == Decay::kMatrices && std::ranges::any_of(spec_.hyperparameters, is_decay))
    groups_.push_back({"vectors", is_vector, {{"weight_decay", 0}}});
  groups_.insert(groups_.end(), config.groups.begin(), config.groups.end());
  for (const HyperparameterSpec& one : spec_.hyperparameters) values_.try_emplace(one.name, one.standard);
  check_values(spec_, values_);
  for (const ParameterGroup& group : groups_) check_values(spec_, group.values);
  RINGSIDE_CHECK(spec_.update.in_float != nullptr, spec_.name << " has no update");
  const auto has_values = [](const ParameterGroup& group) { return !group.values.empty(); };
  if (spec_.granularity == Granularity::kGlobal && std::ranges::any_of(groups_, has_values))
    throw UsageError("optimizer={} takes all parameters at once: a group of them has no values of its own",
                     spec_.name);
  for (const StateSpec& one : spec_.state) {
    const bool kept = one.unless_zero.empty() || is_not_zero(one.unless_zero);
    const auto times = one.times.empty() ? 0 : int64_t(values_.at(one.times));
    for (int64_t i = 1; i <= std::max<int64_t>(times, 1); ++i) {
      StateSpec& own = declared_.emplace_back(one);
      if (times > 0) own.name += fmt::format(" {}", i);
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
  return values_.at(name) != 0 || std::ranges::any_of(groups_, [&](const ParameterGroup& group) {
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
  own.is_parameter = true;
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
  throw UsageError("optimizer={}: there are{}", as_typed(name), names);
}

Optimizer make_optimizer(const OptimizerConfig& config) { return {find_optimizer(config.name), config}; }

std::vector<StateSpec> kept_state(const OptimizerConfig& config) { return make_optimizer(config).state(); }

void require_shards(const Optimizer& optimizer, int stage, int ranks) {
  if (optimizer.can_be_cut() || ranks == 1) return;
  throw UsageError(
      "optimizer={} updates whole parameters, and stage {} cuts them into shards: take stage=0, or ranks=1",
      optimizer.spec().name, stage);
}

void require_clipping(const OptimizerSpec& spec, double clip_norm) {
  if (!spec.compares_gradients || clip_norm <= 0) return;
  throw UsageError(
      "clip_norm={:g} with optimizer={}: it compares the gradients of two steps, and clipping scales each by "
      "another factor; take clip_norm=0",
      clip_norm, spec.name);
}

}  // namespace ringside::inline optim
