// Parameters out of a checkpoint, whole, in fp32, whatever mesh and stage wrote it: the master copy where
// there is one, else the parameter itself.
#pragma once

#include <string>
#include <vector>

#include "ringside/checkpoint/load.h"

namespace ringside::inline checkpoint {

// (elements of the shape) InputError where the checkpoint has no such parameter, or another shape.
std::vector<float> whole_parameter(const Checkpoint& checkpoint, const std::string& name,
                                   const std::vector<int64_t>& shape);

}  // namespace ringside::inline checkpoint
