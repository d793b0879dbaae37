// An optimizer by name, with values for what it declares, and the one way to apply it to memory.
//
// decay=matrices is what trainings of transformers do: the weights of norms and the biases do not decay.
//
// Under granularity `element` the update neither knows nor cares whether the elements are whole parameters or
// a rank's shard, so sharding cannot change its bits.
#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <string_view>

#include "ringside/base/field.h"
#include "ringside/optim/declaration.h"

namespace ringside::inline optim {

enum class Decay : uint8_t { kAll, kMatrices };
inline constexpr std::string_view kDecayTexts[] = {"all", "matrices"};
inline std::span<const std::string_view> texts(Decay) { return kDecayTexts; }

struct OptimizerConfig {
  std::string name = "adamw";
  Values values{};                       // those that differ from the declared ones
  std::vector<ParameterGroup> groups{};  // none: one value for all parameters
  Decay decay = Decay::kAll;
};

// What a scenario can say of an optimizer beside its name and the values that it declares.
template <typename C>
requires std::derived_from<C, OptimizerConfig>
void visit_fields(C& config, auto&& visit) {
  visit(Field{"decay", "whose weights decay: all parameters, or matrices alone, not norms and biases"},
        config.decay);
}

// Where a parameter lies among the elements of a flat buffer. A shard may begin or end inside it.
struct ParameterPlace {
  std::string name;
  std::span<const int64_t> shape;
  int64_t begin = 0;  // elements from the first; negative where the parameter begins before it
  int64_t count = 0;

  // Of the parameter's elements those that lie among the first `elements` of the buffer.
  int64_t count_in(int64_t elements) const {
    const int64_t from = std::clamp<int64_t>(begin, 0, elements);
    return std::clamp<int64_t>(begin + count, from, elements) - from;
  }
};

// A flat buffer, or a shard of one, and the parameters that have elements in it. Those that have none are
// named too, so that all ranks name the same. Of state that is not kept an element, the parameters' values
// follow each other.
struct FlatElements {
  Elements elements;
  std::span<const ParameterPlace> parameters;
};

// What is here of a parameter that is to be changed in one piece.
template <typename Real>
struct WholePartOf {
  int64_t first = 0, count = 0;
  int64_t of = 0;                       // elements that the whole has
  Real* values = nullptr;               // (count)
  std::function<void(Real*)> change{};  // of the whole parameter's values
};
using WholePart = WholePartOf<float>;

// What ranks that each own a part of the parameters do together in an update. Alone there is nothing to
// exchange.
class UpdateExchange {
 public:
  virtual ~UpdateExchange() = default;
  // Each becomes its sum over the ranks.
  virtual void sum(std::span<double> values, const std::string& meaning) const {}
  // Every part becomes what it is of the changed whole. Every rank has all parameters that are needed whole,
  // in one order, also where its part is empty.
  virtual void change(std::span<const WholePart> parts) const;
  // Work space for one update.
  virtual std::shared_ptr<float[]> room(int64_t count) const {
    return std::make_shared<float[]>(size_t(count));
  }
};

template <typename Real>
struct PartOf;  // optimizer.cpp

class Optimizer {
 public:
  // UsageError for a hyperparameter that is not declared, or a value out of its range.
  Optimizer(OptimizerSpec spec, const OptimizerConfig& config);

  const OptimizerSpec& spec() const { return spec_; }
  const std::vector<StateSpec>& state() const { return state_; }  // what is kept, with these values
  double value(const std::string& hyperparameter) const { return values_.at(hyperparameter); }
  bool is_elementwise() const { return spec_.granularity == Granularity::kElement; }
  // Parameters may lie in shards: an update of elements, or one that says what ranks have to exchange.
  bool can_be_cut() const { return is_elementwise() || !spec_.sums.empty() || spec_.whole; }
  // Sums of one round that this parameter has.
  int64_t count_sums(const SumsSpec& sums, const std::string& parameter,
                     std::span<const int64_t> shape) const {
    return sums.count(shape, values_of(parameter, shape));
  }
  bool needs_whole(const std::string& parameter, std::span<const int64_t> shape) const {
    return spec_.whole && spec_.whole->of(shape, values_of(parameter, shape));
  }
  // With the values of the groups that hold it.
  Values values_of(const std::string& parameter, std::span<const int64_t> shape) const;

  // Updates all that a rank owns, each parameter by its own values:
  //   the first sums -> exchange -> ... -> the last sums -> exchange -> whole parameters -> exchange ->
  //   update
  // Elements outside of every parameter are padding. An update that declares no way over ranks must have its
  // parameters whole.
  void update(std::span<const FlatElements> all, const UpdateOptions& options,
              const UpdateExchange& exchange = {}) const;
  void update(const Elements& elements, std::span<const ParameterPlace> parameters,
              const UpdateOptions& options) const {
    const FlatElements one{elements, parameters};
    update({&one, 1}, options);
  }
  // One parameter, or elements of one or several, with the values that hold outside of every group.
  void update(const Elements& elements, const UpdateOptions& options) const;
  void update(const ElementsOf<double>& elements, const UpdateOptions& options) const;

 private:
  bool is_not_zero(const std::string& hyperparameter) const;  // outside of groups, or in one
  std::vector<PartOf<float>> parts_of(std::span<const FlatElements> all, const UpdateOptions& options) const;
  Elements cut_out(Elements& flat, const ParameterPlace& place) const;
  // With null for each declared state that is not kept.
  template <typename Real>
  ElementsOf<Real> with_declared_state(ElementsOf<Real> elements) const;

  OptimizerSpec spec_;
  Values values_;
  std::vector<ParameterGroup> groups_;
  std::vector<StateSpec> declared_;  // each as often as it is kept
  std::vector<bool> is_kept_;        // of each of them
  std::vector<StateSpec> state_;
};

const std::vector<OptimizerSpec>& optimizer_specs();           // every one that there is, by name
const OptimizerSpec& find_optimizer(const std::string& name);  // UsageError with the names that exist
Optimizer make_optimizer(const OptimizerConfig& config);

// The state that is kept, in fp32: what plan and ledger count.
std::vector<StateSpec> kept_state(const OptimizerConfig& config);

// UsageError where ranks that each own a shard of every bucket would cut what the update has to see whole,
// and it declares no way over ranks.
void require_shards(const Optimizer& optimizer, int stage, int ranks);

// UsageError where gradients are clipped, and the optimizer compares those of two steps.
void require_clipping(const OptimizerSpec& spec, double clip_norm);

}  // namespace ringside::inline optim
