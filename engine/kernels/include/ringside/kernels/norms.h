// Layer norm and RMS norm on a GPU, fp32 and bf16 (its 16 bits): norms/layer_norm.h and norms/rms_norm.h have
// the equations.
//
// The CPU's loops are their twins, and both leave the same bits: sums are taken in one order (norms/order.h),
// every operation is IEEE's, and fma stands where the CPU has it and nowhere else (nvcc --fmad=false). bf16
// is widened to fp32, and what is fp32 on the CPU is rounded once more.
//
// Forward reads x and writes y, backward reads x and dy and writes dx, once each where there are 1,024 blocks
// of 32 rows and 512 numbers, of rows that are at most 8,192 wide, or 4,096 where numbers are fp64; others
// are read twice in backward. UsageError where a row is wider than kWidestRow, MissingError where nothing can
// be launched. Every pointer is in the current GPU's memory. Launched on `stream`, a cudaStream_t, and not
// waited for; work space comes from the stream's pool.
#pragma once

#include "ringside/norms/layer_norm.h"
#include "ringside/norms/rms_norm.h"

namespace ringside::kernels {

constexpr int64_t kWidestRow = 16384;

void run(const norms::LayerNormForward<float>& call, void* stream = nullptr);
void run(const norms::LayerNormForward<uint16_t>& call, void* stream = nullptr);
void run(const norms::LayerNormBackward<float>& call, void* stream = nullptr);
void run(const norms::LayerNormBackward<uint16_t>& call, void* stream = nullptr);
void run(const norms::RmsNormForward<float>& call, void* stream = nullptr);
void run(const norms::RmsNormForward<uint16_t>& call, void* stream = nullptr);
void run(const norms::RmsNormBackward<float>& call, void* stream = nullptr);
void run(const norms::RmsNormBackward<uint16_t>& call, void* stream = nullptr);

}  // namespace ringside::kernels
