#include "ringside/zero/make_strategy.h"

#include "ringside/base/error.h"
#include "ringside/data_parallel/data_parallel.h"
#include "stages.h"

namespace ringside {

std::unique_ptr<Strategy> make_strategy(ParameterSet& parameters, ProcessGroup& group,
                                        const Optimizer& optimizer, const Distribution& options,
                                        Recorder* recorder) {
  const StrategySetup setup{parameters, group, optimizer, options, recorder};
  switch (options.stage) {
    case 0:
      return options.naive ? make_naive(setup) : make_bucketed(setup);
    case 1:
      return make_stage1(setup);
    case 2:
      return make_stage2(setup);
    case 3:
      return make_stage3(setup);
    default:
      throw UsageError("stage=" + std::to_string(options.stage) + ": allowed are 0 to 3");
  }
}

}  // namespace ringside
