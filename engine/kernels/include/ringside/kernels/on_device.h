// The kernels of this build as what the engine asks for (device/kernels.h): of a GPU, or of the host, where
// they stand in for one in tests.
#pragma once

#include "ringside/device/kernels.h"

namespace ringside::kernels {

class OnDevice : public DeviceKernels {
 public:
  std::shared_ptr<void> allocate(int64_t bytes) const override;
  void copy(void* to, const void* from, int64_t bytes) const override;
  void reduce(MutableView out, const std::vector<ConstView>& inputs, ReduceOp op) const override;
  std::optional<int64_t> first_non_finite(ConstView view) const override;
  void wait() const override;
  std::function<bool()> mark() const override;

  std::string name() const override;
  std::shared_ptr<void> on_rank(int rank) const override { return nullptr; }
  bool stands_in() const override { return true; }

  std::vector<std::string> optimizers() const override;
  void update(const std::string& optimizer, const Elements& elements, const Values& values,
              const UpdateOptions& options) const override;
  void run(const norms::LayerNormForward<float>& call) const override;
  void run(const norms::LayerNormBackward<float>& call) const override;
  void run(const norms::RmsNormForward<float>& call) const override;
  void run(const norms::RmsNormBackward<float>& call) const override;
  void add_squares(int64_t* limbs, ConstView values) const override;

 protected:
  // The stream of the rank that the calling thread computes for, a cudaStream_t; null: none.
  virtual void* stream() const { return nullptr; }
};

}  // namespace ringside::kernels
