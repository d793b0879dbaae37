// torch::optim of the linked LibTorch, as `ringside bench optimizers` has it beside the fused pass. Python's
// default loop for CPU tensors makes the same calls, one after the other over whole tensors. So their size
// matters: what of a small one is still in a cache is read faster, and for a temporary of 32 MiB or more
// glibc maps new pages in every step.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace ringside {

// A step of the optimizer of that name over `count` elements in tensors of at most `tensor`, with this
// engine's standard hyperparameters and as many threads; empty where LibTorch's C++ has no such optimizer,
// and in a build without LibTorch.
std::function<void()> torch_loop(const std::string& optimizer, int64_t count, int64_t tensor, int threads);

}  // namespace ringside
