// Layer norm and RMS norm on a GPU, fp32: norms/layer_norm.h and norms/rms_norm.h have the equations.
//
// The CPU's loops are their twins, and both leave the same bits: a warp has a row, and its lane l adds up
// what the CPU's lane l does (norms/lanes.h); dw and db are summed over the same chunks of rows; every
// operation is IEEE's, and fma stands where the CPU has it and nowhere else (nvcc --fmad=false). tests/cuda/norms_test.cpp compares them
// where a GPU is. Where this was written there was a compiler and no GPU: the kernels were compiled there,
// and not run.
//
// Every pointer of `device` is in the current GPU's memory. Launched on `stream`, a cudaStream_t, and not
// waited for; backward takes its work space from the stream's pool. MissingError where nothing can be
// launched.
#pragma once

#include "ringside/norms/layer_norm.h"
#include "ringside/norms/rms_norm.h"

namespace ringside::cuda {

void run(const norms::LayerNormForward<float>& device, void* stream = nullptr);
void run(const norms::LayerNormBackward<float>& device, void* stream = nullptr);
void run(const norms::RmsNormForward<float>& device, void* stream = nullptr);
void run(const norms::RmsNormBackward<float>& device, void* stream = nullptr);

}  // namespace ringside::cuda
