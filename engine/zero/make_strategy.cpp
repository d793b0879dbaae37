#include "ringside/zero/make_strategy.h"

#include <fmt/format.h>

#include "ringside/base/error.h"
#include "stages.h"

namespace ringside {

std::unique_ptr<Strategy> make_strategy(const StrategySetup& setup) {
  const Distribution& options = setup.options;
  if (options.no_sync || options.replicas != 1)
    throw UsageError("no_sync and replicas: this version has no strategy for them");
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

}  // namespace ringside
