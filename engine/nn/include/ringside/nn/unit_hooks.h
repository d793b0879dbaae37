// Where a model tells its surroundings which unit it is about to use. ZeRO-3
// gathers and drops parameters here; the others do nothing.
#pragma once

#include <ATen/ATen.h>

namespace ringside::inline nn {

class UnitHooks {
 public:
  virtual ~UnitHooks() = default;
  virtual void before_forward(int unit) {}
  // May register a hook on the output, which then runs before the unit's backward.
  virtual at::Tensor after_forward(int unit, at::Tensor output) { return output; }
  // Around a forward that backward runs again (nn/recompute.h), after what after_forward registered has run:
  // what the unit's backward needs is there already.
  virtual void before_recompute(int unit) {}
  virtual void after_recompute(int unit) {}
};

}  // namespace ringside::inline nn
