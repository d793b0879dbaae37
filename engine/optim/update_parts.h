// What a rank has of the parameters, and the one order in which an update goes over it:
//
//   for each declared sum: every part adds its own, the exchange adds the ranks'
//   where it is declared: what the owner of a whole parameter changes is written, and changed by the exchange
//   the update of every part
#pragma once

#include "ringside/optim/optimizer.h"

namespace ringside {

// A part of a parameter, which may be empty or whole, and what holds for it.
template <typename Real>
struct PartOf {
  ElementsOf<Real> elements;
  Values values;
  UpdateOptions options;
};

template <typename Real>
void update_parts(const OptimizerSpec& spec, std::vector<PartOf<Real>> parts, const UpdateExchange& exchange);

}  // namespace ringside
