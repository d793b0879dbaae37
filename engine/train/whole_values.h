// Parameters whole, where a place has a part of them: for who looks at them, and for values from outside.
#pragma once

#include <ATen/ATen.h>

#include "ringside/planner/parts.h"
#include "run_groups.h"

namespace ringside::inline training {

// A parameter of which each place has a part, whole on each of them. Collective over the places.
at::Tensor whole_of(const at::Tensor& part, const ParameterShape& whole, const RunGroups& groups);

// A parameter's first values, or what a place has of them. start: whole, in fp32.
void begin_with(const ConstView& start, const ParameterShape& whole, const Part* part, const at::Tensor& out);

}  // namespace ringside::inline training
