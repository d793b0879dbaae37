// ZeRO's stages, one file each.
#pragma once

#include "ringside/data_parallel/strategy.h"

namespace ringside::inline zero {

std::unique_ptr<Strategy> make_stage1(const StrategySetup& setup);
std::unique_ptr<Strategy> make_stage2(const StrategySetup& setup);
std::unique_ptr<Strategy> make_stage3(const StrategySetup& setup);

}  // namespace ringside::inline zero
