// A linear layer cut over the N ranks of a group. A column-parallel layer gives each rank a part of its
// outputs, a row-parallel one takes a part of its inputs; one behind the other, with what works element by
// element in between, they are two whole layers. Shoeybi et al. 2019, arXiv:1909.08053, section 3.
//
//   W = [W_0; ...; W_{N-1}] along its outputs    y_r = f(x) W_r^T + b_r            column-parallel
//   W = [W_0, ..., W_{N-1}] along its inputs     y   = g(x_r W_r^T) + b            row-parallel
//
//   f: forward x                 backward sum over ranks of dx_r
//   g: forward sum over ranks    backward dy
//
// Each f and g is one all-reduce of the activations' elements in its direction; forward or backward waits for
// it. Every rank of the group runs the same layers in the same order, on the same x. The sum is over places 0
// to N-1, so results are deterministic and equal on all ranks; they differ from the whole layer's by rounding
// alone. In bf16 each rank's product is rounded before the sum. The group must live until backward is over.
#pragma once

#include <ATen/ATen.h>

#include <string>

#include "ringside/comm/process_group.h"
#include "ringside/nn/parameters.h"

namespace ringside {

// O_r, I_r: this rank's chunk of O, I. declare: UsageError where there are more ranks than O or I.
struct ColumnParallelLayer {
  std::string name;
  ProcessGroup* group = nullptr;
  Parameter weight;  // (O_r, I), sharded in dimension 0
  Parameter bias;    // (O_r), sharded in dimension 0
  void declare(Declaration& model, const std::string& its_name, int64_t out, int64_t in, bool has_bias,
               ProcessGroup& over);
};

struct RowParallelLayer {
  std::string name;
  ProcessGroup* group = nullptr;
  Parameter weight;  // (O, I_r), sharded in dimension 1
  Parameter bias;    // (O), replicated
  void declare(Declaration& model, const std::string& its_name, int64_t out, int64_t in, bool has_bias,
               ProcessGroup& over);
};

// x: (..., I) -> (..., O_r)
at::Tensor output_of(const ColumnParallelLayer& layer, const ParameterSet& set, const at::Tensor& x);
// x: (..., I_r) -> (..., O)
at::Tensor output_of(const RowParallelLayer& layer, const ParameterSet& set, const at::Tensor& x);

}  // namespace ringside
