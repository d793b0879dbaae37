// The parameters of a model: shapes (torch-free, planner/shapes.h) and, beside
// them, the leaf tensors that whoever distributes the model puts there.
#pragma once

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "ringside/planner/shapes.h"

namespace ringside {

struct ParameterSet {
  std::vector<ParameterShape> shapes;
  std::vector<at::Tensor> leaves;  // same order as shapes
  int units = 0;                   // what ZeRO-3 gathers together: 0 .. units-1, in forward order
  std::vector<std::string> unit_names;
};

// The initial value of a parameter, in contiguous fp32, drawn from a RandomStream of its own so that it
// depends neither on the ranks nor on LibTorch: norms 1, biases 0, matrices normal(0, 0.02).
void initialize(at::Tensor out, const ParameterShape& shape, uint64_t seed);

}  // namespace ringside
