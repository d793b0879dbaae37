#include "plan_parameters.h"

#include "ringside/lesson/fields.h"
#include "ringside/optim/optimizer.h"
#include "ringside/planner/distribution.h"

namespace ringside {
namespace {

std::vector<std::string> optimizers() {
  std::vector<std::string> names;
  for (const OptimizerSpec& spec : optimizer_specs()) names.push_back(spec.name);
  return names;
}

}  // namespace

const std::vector<ParameterSpec>& plan_parameters() {
  constexpr double kMostParameters = 1e18;
  constexpr double kMostRanks = 1 << 20;
  using Kind = ParameterKind;
  static const std::vector<ParameterSpec> parameters = {
      {"parameters", "Ψ, trainable parameters", "", Kind::kReal, "7.5e9", 1, kMostParameters},
      {"frozen", "parameters without gradient and optimizer state", "", Kind::kReal, "0", 0, kMostParameters},
      {"ranks", "N, data-parallel ranks", "", Kind::kInteger, "64", 1, kMostRanks},
      spec_of_field<Distribution>("precision"),
      {"optimizer", "whose state is counted", "", Kind::kChoice, "adamw", 0, 0, optimizers()},
      {"stage", "ZeRO stage", "", Kind::kChoice, "all", 0, 0, {"all", "0", "1", "2", "3"}},
      spec_of_field<Distribution>("reduce"),
      spec_of_field<Distribution>("accumulate"),
      spec_of_field<Distribution>("no_sync"),
      spec_of_field<Distribution>("replicas"),
  };
  return parameters;
}

}  // namespace ringside
