// What `ringside bench norms` times: forward and backward of one norm over (rows, width) fp32, the engine's
// and LibTorch's, on one thread. Both sides take their outputs from the same allocator, which hands out in
// each pass what the pass before has freed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ringside {

inline constexpr double kNormEps = 1e-5;

struct NormPasses {
  std::function<void()> forward, backward;
  // Whether there are any.
  explicit operator bool() const { return forward != nullptr; }
};

// norm: "layer" or "rms".
NormPasses own_norm(const std::string& norm, int64_t rows, int64_t width);

// LibTorch's layer norm is its fused kernel, its RMS norm the operations of Hugging Face's models, with
// autograd's backward. None in a program without LibTorch (torch_loops.h).
NormPasses torch_norm(const std::string& norm, int64_t rows, int64_t width);
// A pass' output of so many floats, from LibTorch's allocator where there is one.
std::shared_ptr<float> pass_output(int64_t count);

// LibTorch's side of these, for torch_loops.cpp.
NormPasses torchs_norm(const std::string& norm, int64_t rows, int64_t width);
std::shared_ptr<float> torchs_output(int64_t count);

}  // namespace ringside
