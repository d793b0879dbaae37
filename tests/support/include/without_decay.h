// A group of parameters without weight decay.
#pragma once

#include "ringside/optim/declaration.h"

namespace ringside::testing {

// Parameters of one dimension, which are norms' weights and biases.
inline ParameterGroup without_decay() {
  return {"norms and biases",
          [](const std::string&, std::span<const int64_t> shape) { return shape.size() < 2; },
          {{"weight_decay", 0}}};
}

}  // namespace ringside::testing
