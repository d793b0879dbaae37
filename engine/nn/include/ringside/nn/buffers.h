// Tensors that are state of a model and are not trained: a norm's running statistics, for one. What follows
// from the configuration alone (rotary table, causal mask) is none of them.
#pragma once

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "ringside/base/sha256.h"
#include "ringside/comm/process_group.h"
#include "ringside/planner/declaration.h"
#include "ringside/trace/trace.h"

namespace ringside::inline nn {

// Adds the name and the bytes of a contiguous tensor.
void add_to(Sha256& hash, const std::string& name, const at::Tensor& tensor);

class Buffers {
 public:
  Buffers() = default;
  // At their initial values, each booked as "buffers" under its name.
  explicit Buffers(const std::vector<BufferShape>& declared, at::Device device = at::kCPU);

  const at::Tensor& operator[](Buffer buffer) const { return tensors_[static_cast<size_t>(buffer.index)]; }
  const at::Tensor& operator[](const std::string& name) const;  // InvariantError where there is none
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<bool>& rank_local() const { return rank_local_; }  // same order; BufferShape::rank_local
  const std::vector<at::Tensor>& tensors() const { return tensors_; }  // same order as names

  // Every rank takes rank 0's values. Collective.
  void load(ProcessGroup& group);
  // A row of TensorHash for each (trace/training_rows.h), as Strategy::note_hashes has for parameters.
  void note_hashes(Recorder& recorder, int64_t step) const;

 private:
  std::vector<std::string> names_;
  std::vector<bool> rank_local_;
  std::vector<at::Tensor> tensors_;
};

}  // namespace ringside::inline nn
