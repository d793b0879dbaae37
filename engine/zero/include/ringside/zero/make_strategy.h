// One name for all of them: stage 0 (bucketed, or naive), 1, 2, 3.
#pragma once

#include "ringside/data_parallel/strategy.h"

namespace ringside::inline zero {

std::unique_ptr<Strategy> make_strategy(const StrategySetup& setup);  // UsageError for another stage

}  // namespace ringside::inline zero
