#include "../optim/rules.h"
#include "kernel.h"
#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/kernels/update.h"

namespace ringside::kernels {
namespace {

constexpr unsigned kThreads = 256;  // of a block
constexpr int kOfThread = 4;        // elements: so many loads of each kind are on their way at once

template <int kStates>
struct Memory {
  int64_t count;
  float *weights, *state[kStates];  // a state that is not kept is null
  uint16_t* rounded;                // or null
};

template <int kStates, typename Rule, typename Gradient>
__global__ void __launch_bounds__(kThreads)
    update(Memory<kStates> memory, const Gradient* gradient, Rule rule, float scale) {
  const int64_t first = int64_t{blockIdx.x} * kThreads * kOfThread + threadIdx.x;
  float g[kOfThread], w[kOfThread], own[kStates][kOfThread] = {};
  RINGSIDE_UNROLL(4)
  for (int k = 0; k < kOfThread; ++k) {
    const int64_t i = first + k * int64_t{kThreads};
    if (i >= memory.count) break;
    g[k] = widened(gradient[i]) * scale;
    w[k] = memory.weights[i];
    for (int s = 0; s < kStates; ++s)
      if (memory.state[s] != nullptr) own[s][k] = memory.state[s][i];
  }
  RINGSIDE_UNROLL(4)
  for (int k = 0; k < kOfThread; ++k) {
    const int64_t i = first + k * int64_t{kThreads};
    if (i >= memory.count) break;
    if constexpr (kStates == 2)
      rule(g[k], w[k], own[0][k], own[1][k]);
    else
      rule(g[k], w[k], own[0][k]);
    memory.weights[i] = w[k] = one_nan(w[k]);
    for (int s = 0; s < kStates; ++s)
      if (memory.state[s] != nullptr) memory.state[s][i] = one_nan(own[s][k]);
    if (memory.rounded != nullptr) memory.rounded[i] = float_to_bf16(w[k]);
  }
}

template <int kStates, template <typename> typename RuleOf>
void run(const Elements& device, const Values& values, const UpdateOptions& options, void* stream) {
  using Rule = RuleOf<float>;
  RINGSIDE_CHECK_EQ(device.state.size(), size_t{kStates});
  if (device.count == 0) return;
  Memory<kStates> memory{device.count, device.weights, {}, device.rounded};
  for (int s = 0; s < kStates; ++s) memory.state[s] = device.state[static_cast<size_t>(s)];
  const Grid grid{blocks_for(device.count, kThreads * kOfThread), 1, kThreads, 1};
  const Rule rule(values, options);
  if (device.gradient_dtype == Dtype::kBFloat16)
    launch(update<kStates, Rule, uint16_t>, grid, stream, memory,
           static_cast<const uint16_t*>(device.gradient), rule, options.gradient_scale);
  else
    launch(update<kStates, Rule, float>, grid, stream, memory, static_cast<const float*>(device.gradient),
           rule, options.gradient_scale);
}

}  // namespace

const std::vector<std::string>& optimizers_with_kernels() {
  static const std::vector<std::string> names = {"adam", "adamw", "lion", "sgd"};
  return names;
}

void update(const std::string& optimizer, const Elements& device, const Values& values,
            const UpdateOptions& options, void* stream) {
  if (optimizer == "adam") return run<2, optimizers::AdamRule>(device, values, options, stream);
  if (optimizer == "adamw") return run<2, optimizers::AdamWRule>(device, values, options, stream);
  if (optimizer == "lion") return run<1, optimizers::LionRule>(device, values, options, stream);
  if (optimizer == "sgd") return run<1, optimizers::SgdRule>(device, values, options, stream);
  throw UsageError("the optimizer " + optimizer +
                   " has no kernel; there are those of adam, adamw, lion and sgd");
}

}  // namespace ringside::kernels
