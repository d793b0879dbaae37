// An optimizer by name, with values for what it declares, and the one way to apply it to memory.
//
// Under granularity `element` the update neither knows nor cares whether the elements are whole parameters or
// a rank's shard, so sharding cannot change its bits.
#pragma once

#include "ringside/optim/declaration.h"

namespace ringside {

struct OptimizerConfig {
  std::string name = "adamw";
  Values values{};                       // those that differ from the declared ones
  std::vector<ParameterGroup> groups{};  // none: one value for all parameters
};

// Where a parameter lies among the elements of a flat buffer. A shard may begin or end inside it.
struct ParameterPlace {
  std::string name;
  std::span<const int64_t> shape;
  int64_t begin = 0;  // elements from the first; negative where the parameter begins before it
  int64_t count = 0;
};

class Optimizer {
 public:
  // UsageError for a hyperparameter that is not declared, or a value out of its range.
  Optimizer(OptimizerSpec spec, const OptimizerConfig& config);

  const OptimizerSpec& spec() const { return spec_; }
  const std::vector<StateSpec>& state() const { return state_; }  // what is kept, with these values
  double value(const std::string& hyperparameter) const { return values_.at(hyperparameter); }
  bool is_elementwise() const { return spec_.granularity == Granularity::kElement; }

  // Updates the elements by the rule, with the values that hold outside of every group.
  void update(const Elements& elements, const UpdateOptions& options) const {
    apply(elements, values_, options);
  }
  void update(const ElementsOf<double>& elements, const UpdateOptions& options) const;
  // The same, where `parameters` lie in the elements: each by its own values. Elements outside of every
  // parameter are padding. Above granularity `element` a parameter must lie in them whole.
  void update(const Elements& elements, std::span<const ParameterPlace> parameters,
              const UpdateOptions& options) const;

 private:
  void apply(Elements elements, const Values& values, const UpdateOptions& options) const;
  // With null for each declared state that is not kept.
  template <typename Real>
  void name_state(ElementsOf<Real>& elements) const;

  OptimizerSpec spec_;
  Values values_;
  std::vector<ParameterGroup> groups_;
  std::vector<StateSpec> state_;
};

const std::vector<OptimizerSpec>& optimizer_specs();           // every one that there is, by name
const OptimizerSpec& find_optimizer(const std::string& name);  // UsageError with the names that exist
Optimizer make_optimizer(const OptimizerConfig& config);

// fp32 values that are kept for an element: what plan and ledger count.
std::vector<StateSpec> kept_state(const OptimizerConfig& config);

// UsageError where ranks that each own a shard of every bucket would cut what the update has to see whole.
void require_shards(const Optimizer& optimizer, int stage, int ranks);

}  // namespace ringside
