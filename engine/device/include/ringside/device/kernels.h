// What computes on a device in the place of loops over the host's memory. Nothing here is linked with CUDA:
// a library beside this one is (engine/cuda), and is loaded when somebody first asks.
//
// Every function leaves the bits of its twin on the CPU, and knows the same types. It is launched on the
// calling thread's stream and not waited for, but for those of DeviceMemory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ringside/comm/accumulator.h"
#include "ringside/norms/layer_norm.h"
#include "ringside/norms/rms_norm.h"
#include "ringside/optim/optimizer.h"

namespace ringside::inline device {

class DeviceKernels : public DeviceMemory {
 public:
  virtual std::string name() const = 0;  // "NVIDIA H200"
  // Until what is returned goes, the calling thread computes for that rank: on a stream of the rank's own,
  // and backward passes run on the thread itself, as on the CPU.
  virtual std::shared_ptr<void> on_rank(int rank) const = 0;
  // Of memory that LibTorch's allocator hands out at this moment: bytes that were asked for, before the
  // allocator rounded them up.
  virtual int64_t asked_for(const void* memory, int64_t bytes) const { return bytes; }
  // Tensors lie in the host's memory, and only their views say that they do not: in tests.
  virtual bool stands_in() const { return false; }

  virtual std::vector<std::string> optimizers() const = 0;
  virtual void update(const std::string& optimizer, const Elements& elements, const Values& values,
                      const UpdateOptions& options) const = 0;
  virtual void run(const norms::LayerNormForward<float>& call) const = 0;
  virtual void run(const norms::LayerNormBackward<float>& call) const = 0;
  virtual void run(const norms::RmsNormForward<float>& call) const = 0;
  virtual void run(const norms::RmsNormBackward<float>& call) const = 0;
  // As ExactSquareSum::add, to limbs in the host's memory. Waited for.
  virtual void add_squares(int64_t* limbs, ConstView values) const = 0;
};

// Of this process. MissingError where there is no GPU, or no library for it: it says what to install.
const DeviceKernels& device_kernels();
void set_device_kernels(const DeviceKernels* kernels);  // in tests; null: none

// The optimizer that updates memory of that device. UsageError where it has no kernel: those are named that
// have one.
Optimizer make_optimizer(const OptimizerConfig& config, Device device);

}  // namespace ringside::inline device
