// What `ringside bench norms` times: forward and backward of one norm over (rows, width) fp32, the engine's
// and LibTorch's, on one thread. Both sides take their outputs from the same allocator, which hands out in
// each pass what the pass before has freed. Filled in by torch_norms.cpp or, in a build without LibTorch, by
// no_torch_norms.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace ringside {

struct NormPasses {
  std::function<void()> forward, backward;
  // Whether there are any.
  explicit operator bool() const { return forward != nullptr; }
};

struct NormSides {
  NormPasses own, torch;  // torch: null in a build without LibTorch
};

// norm: "layer" or "rms". LibTorch's layer norm is its fused kernel, its RMS norm the operations of Hugging
// Face's models, with autograd's backward. A pass is done `times` times.
NormSides norm_sides(const std::string& norm, int64_t rows, int64_t width, int64_t times);

}  // namespace ringside
