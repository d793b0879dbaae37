// torch::optim of the linked LibTorch, as `ringside bench optimizers` has it beside the fused pass. Python's
// default loop for CPU tensors makes the same calls, one after the other over whole tensors. So their size
// matters: what of a small one is still in a cache is read faster, and for a temporary of 32 MiB or more
// glibc maps new pages in every step.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "norm_passes.h"

namespace ringside {

// A step of the optimizer of that name over `count` elements in tensors of at most `tensor`, with this
// engine's standard hyperparameters and as many threads; empty where LibTorch's C++ has no such optimizer,
// and in a program without LibTorch.
std::function<void()> torch_loop(const std::string& optimizer, int64_t count, int64_t tensor, int threads);

// What only a program that is linked with LibTorch has, by know_torch_loops() of torch_loops.cpp; the others
// have none.
struct TorchLoops {
  decltype(&torch_loop) loop = nullptr;
  decltype(&torch_norm) norm = nullptr;
  decltype(&pass_output) output = nullptr;
};
void set_torch_loops(const TorchLoops& loops);
void know_torch_loops();

}  // namespace ringside
