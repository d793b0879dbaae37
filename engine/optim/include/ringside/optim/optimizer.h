// An optimizer works on a stretch of elements: it neither knows nor cares whether
// they are a whole parameter or a rank's shard, so sharding cannot change its bits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ringside/trace/events.h"

namespace ringside {

// n consecutive elements of a flat buffer.
struct Stretch {
  int64_t count = 0;               // n
  float* weights = nullptr;        // (n) fp32: the parameter, or its master copy
  const void* gradient = nullptr;  // (n) summed over samples, not yet divided
  Dtype gradient_dtype = Dtype::kFloat32;
  uint16_t* rounded = nullptr;  // (n) bf16 copy of the weights to refresh, or null
  std::vector<float*> slots{};  // (n) each: the optimizer's state, as many as its slots()
};

struct UpdateOptions {
  double learning_rate = 0;
  int64_t step = 1;          // counts from 1
  float gradient_scale = 1;  // 1/samples x clipping, multiplied into each element first
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual int slots() const = 0;  // fp32 values of state an element
  virtual void update(const Stretch& stretch, const UpdateOptions& options) const = 0;
};

struct OptimizerConfig {
  std::string name = "adamw";  // or "sgd"
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  double weight_decay = 0.01;
  double momentum = 0.9;  // sgd
};
std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config);  // UsageError for another name

}  // namespace ringside
