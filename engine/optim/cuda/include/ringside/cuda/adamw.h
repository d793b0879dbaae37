// AdamW on a GPU (optim/adamw.cpp has the equation and the paper): one fused pass, the bf16 copy included. A
// parameter moves 28 bytes, with fp32 gradients as with bf16 ones and a bf16 copy.
//
// Its CPU twin is the optimizer "adamw": every operation is IEEE's, rounded to nearest, and nothing is
// contracted (nvcc --fmad=false), so that both leave the same bits; tests/cuda/adamw_test.cpp compares them
// where a GPU is. Where this was written there was a compiler and no GPU: the kernel was compiled there, and
// not run.
#pragma once

#include "ringside/optim/declaration.h"

namespace ringside::cuda {

bool has_gpu();

// As an optimizer's update on the CPU, with every pointer of `device` in the current GPU's memory; m and v
// are its state. Launched on `stream`, a cudaStream_t, and not waited for. MissingError where nothing can be
// launched.
void adamw(const Elements& device, const Values& values, const UpdateOptions& options,
           void* stream = nullptr);

}  // namespace ringside::cuda
