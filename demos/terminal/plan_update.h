// What `ringside plan zero` says of an optimizer that is not elementwise: what its ranks send each other in
// an update beside gradients and parameters, and who owns which matrix.
#pragma once

#include <iosfwd>

#include "json_text.h"
#include "ringside/planner/zero_plan.h"

namespace ringside {

// Null for an optimizer that is elementwise, or where no model's shapes are known.
Json update_json(const ZeroSetup& setup);
void update_text(const ZeroSetup& setup, std::ostream& out);  // nothing for one that is elementwise

}  // namespace ringside
