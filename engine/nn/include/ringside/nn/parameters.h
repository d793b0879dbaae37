// The parameters of a model: shapes (torch-free, planner/shapes.h) and, beside
// them, the leaf tensors that whoever distributes the model puts there.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "ringside/planner/shapes.h"

namespace ringside {

struct ParameterSet {
  std::vector<ParameterShape> shapes;
  std::vector<at::Tensor> leaves;  // same order as shapes
  int units = 0;                   // what ZeRO-3 gathers together: 0 .. units-1, in forward order
  std::vector<std::string> unit_names;
};

}  // namespace ringside
