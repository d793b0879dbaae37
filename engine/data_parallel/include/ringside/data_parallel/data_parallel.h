// Data parallelism, stage 0, in two versions. Other stages: zero/make_strategy.h.
#pragma once

#include <memory>

#include "ringside/data_parallel/strategy.h"

namespace ringside {

std::unique_ptr<Strategy> make_bucketed(const StrategySetup& setup);
std::unique_ptr<Strategy> make_naive(const StrategySetup& setup);  // setup.options.naive must be set

}  // namespace ringside
