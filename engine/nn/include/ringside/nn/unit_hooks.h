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
  // True once a step for a weight to whose gradient nothing has been added. Its .grad is memory then, of
  // whatever values: who asks writes all of it, in place of a tensor that backward would add to it.
  virtual bool take_fresh_gradient(const at::Tensor& weight) { return false; }
  // Around a forward that backward runs again (nn/recompute.h), after what after_forward registered has run:
  // what the unit's backward needs is there already.
  virtual void before_recompute(int unit) {}
  virtual void after_recompute(int unit) {}
};

}  // namespace ringside::inline nn
