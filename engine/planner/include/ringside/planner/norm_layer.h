// The norms that a classifier can have, and what each of them declares. nn/norm.h computes them.
#pragma once

#include "ringside/planner/declaration.h"

namespace ringside {

enum class NormKind : uint8_t { kRms, kLayer };

constexpr bool has_bias(NormKind kind) {
  switch (kind) {
    case NormKind::kRms:
      break;
    case NormKind::kLayer:
      return true;
  }
  return false;
}

struct NormLayer {
  NormKind kind = NormKind::kRms;
  double eps = 0;  // under the root
  Parameter weight, bias;

  void declare(Declaration& model, const std::string& name, int64_t width) {
    weight = model.add(name + ".weight", {width});
    if (has_bias(kind)) bias = model.add(name + ".bias", {width});
  }
};

}  // namespace ringside
