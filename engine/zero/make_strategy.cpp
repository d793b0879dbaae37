#include "ringside/zero/make_strategy.h"

#include <fmt/format.h>

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
  switch (setup.options.stage) {
    case 0:
      return make_data_parallel(setup);
    case 1:
      return make_stage1(setup);
    case 2:
      return make_stage2(setup);
    case 3:
      return make_stage3(setup);
    default:
      throw UsageError(fmt::format("stage={}: allowed are 0 to 3", setup.options.stage));
  }
}

}  // namespace ringside::inline zero
