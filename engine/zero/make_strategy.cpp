#include "ringside/zero/make_strategy.h"

#include "ringside/base/error.h"
#include "ringside/data_parallel/bucketed.h"
#include "ringside/data_parallel/naive.h"
#include "ringside/zero/stage3.h"

namespace ringside {

std::unique_ptr<Strategy> make_strategy(ParameterSet& parameters, ProcessGroup& group,
                                        const Optimizer& optimizer, const Distribution& options,
                                        Recorder* recorder) {
  if (options.naive && options.stage == 0) {
    return std::make_unique<NaiveDataParallel>(parameters, group, optimizer, options, recorder);
  }
  switch (options.stage) {
    case 0:
      return std::make_unique<BucketedDataParallel>(parameters, group, optimizer, options, recorder);
    case 1:
      return std::make_unique<ZeroStage1>(parameters, group, optimizer, options, recorder);
    case 2:
      return std::make_unique<ZeroStage2>(parameters, group, optimizer, options, recorder);
    case 3:
      return std::make_unique<ZeroStage3>(parameters, group, optimizer, options, recorder);
    default:
      throw UsageError("stage=" + std::to_string(options.stage) + ": allowed are 0 to 3");
  }
}

}  // namespace ringside
