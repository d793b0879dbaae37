// LibTorch's side of norm_passes.h, for torch_loops.cpp.
#pragma once

#include "norm_passes.h"

namespace ringside {
NormPasses torchs_norm(const std::string& norm, int64_t rows, int64_t width);
std::shared_ptr<float> torchs_output(int64_t count);
}  // namespace ringside
