// The engine's norms over buffers that a caller has.
#pragma once

#include <string>

#include "ringside/norms/layer_norm.h"
#include "ringside/norms/rms_norm.h"

namespace ringside {

struct NormBuffers {
  const float *x, *weight, *bias, *dy;  // (rows, width), (width), (width), (rows, width)
  float *y, *dx, *dw, *db;
  double *mean, *scale;  // (rows), of forward
};

inline void run_own_forward(const std::string& norm, norms::Rows rows, const NormBuffers& of) {
  constexpr double kEps = 1e-5;
  if (norm == "layer")
    norms::run(norms::LayerNormForward<float>{rows, kEps, of.x, of.weight, of.bias, of.y, of.mean, of.scale});
  else
    norms::run(norms::RmsNormForward<float>{rows, kEps, of.x, of.weight, of.y, of.scale});
}

inline void run_own_backward(const std::string& norm, norms::Rows rows, const NormBuffers& of) {
  if (norm == "layer")
    norms::run(norms::LayerNormBackward<float>{rows, of.x, of.weight, of.mean, of.scale, of.dy, of.dx, of.dw,
                                               of.db});
  else
    norms::run(norms::RmsNormBackward<float>{rows, of.x, of.weight, of.scale, of.dy, of.dx, of.dw});
}

}  // namespace ringside
