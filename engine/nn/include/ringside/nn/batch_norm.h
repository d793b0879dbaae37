// Batch norm whose statistics are those of all ranks' batches: each feature is normalised over every real
// token of every rank, so that N ranks compute what one process computes over the joined batch.
//
//   n = sum 1    m = sum x / n    v = sum (x - m)^2 / n    sums over the real tokens of all ranks
//   u = (x - m) / sqrt(v + eps)   y = w u + b              at a real token; elsewhere 0
//   dx = w / sqrt(v + eps) * (dy - sum dy / n - u * sum (dy u) / n)
//   dw = sum' (dy u)   db = sum' dy                        sums over this rank's: the Strategy adds them over
//   ranks
//
// Ioffe, Szegedy 2015, arXiv:1502.03167. Training moves the running statistics towards the batch's,
//   running_mean += momentum (m - running_mean)   running_var += momentum (v n / (n - 1) - running_var)
// and evaluation normalises by them. A training forward sends two all-reduces, of H+1 and of H fp64, a
// backward one of 2H, all in Context::statistics, which must live until backward is over. A rank without a
// real token takes part in all three. Sums are taken in fp64, the rest in fp32, and in fp64 where x is fp64.
#pragma once

#include <ATen/ATen.h>

#include "ringside/nn/model.h"
#include "ringside/planner/declaration.h"

namespace ringside {

struct BatchNormLayer {
  double eps = 1e-5, momentum = 0.1;
  std::string name;
  Parameter weight, bias;
  Buffer running_mean, running_var;

  void declare(Declaration& model, const std::string& its_name, int64_t width);
};

// x: (B, T, H), or (B, H) without a token mask -> as x
at::Tensor output_of(const BatchNormLayer& layer, const ParameterSet& set, const Buffers& buffers,
                     const at::Tensor& x, const Context& context);

}  // namespace ringside
