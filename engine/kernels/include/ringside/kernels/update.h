// The updates of Adam, AdamW, Lion and SGD on a GPU (optim/NAME.cpp has the equation and the paper): one
// fused pass, the bf16 copy included. AdamW moves 28 bytes a parameter, with fp32 gradients as with bf16 ones
// and a bf16 copy.
//
// The twin is the optimizer of that name on the CPU: one rule (optim/rules.h), every operation IEEE's,
// nothing contracted (nvcc --fmad=false), so that both leave the same bits.
#pragma once

#include <string>
#include <vector>

#include "ringside/optim/declaration.h"

namespace ringside::kernels {

const std::vector<std::string>& optimizers_with_kernels();

// As an optimizer's update on the CPU, with every pointer of `device` in the current GPU's memory; `values`
// has every hyperparameter. Launched on `stream`, a cudaStream_t, and not waited for. UsageError where the
// optimizer has no kernel, MissingError where nothing can be launched.
void update(const std::string& optimizer, const Elements& device, const Values& values,
            const UpdateOptions& options, void* stream = nullptr);

}  // namespace ringside::kernels
