// What `ringside plan zero` takes: declared and checked like a lesson's parameters.
#pragma once

#include <vector>

#include "ringside/lesson/config.h"

namespace ringside {

const std::vector<ParameterSpec>& plan_parameters();

}  // namespace ringside
