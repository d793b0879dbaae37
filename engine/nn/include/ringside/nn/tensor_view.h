// A tensor as the process groups see it.
#pragma once

#include <ATen/ATen.h>

#include "ringside/comm/process_group.h"

namespace ringside {

View view_of(const at::Tensor& tensor);  // contiguous, or InvariantError

}  // namespace ringside
