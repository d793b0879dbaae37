#include "ringside/zero/make_strategy.h"

#include <array>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "stages.h"

namespace ringside::inline zero {

std::unique_ptr<Strategy> make_strategy(const StrategySetup& setup) {
  const Distribution& options = setup.options;
  check_replicas(setup.group.size(), options);
  if (options.replicas > 1)
    RINGSIDE_CHECK(setup.inside != nullptr && setup.between != nullptr &&
                       setup.inside->size() * options.replicas == setup.group.size() &&
                       setup.between->size() == options.replicas,
                   "replicas need the groups inside and between");
  constexpr std::array kMakers = {make_data_parallel, make_stage1, make_stage2, make_stage3};
  if (options.stage < 0 || options.stage >= std::ssize(kMakers))
    throw UsageError("stage={}: allowed are 0 to 3", options.stage);
  return kMakers[size_t(options.stage)](setup);
}

}  // namespace ringside::inline zero
