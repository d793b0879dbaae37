#include "ringside/nn/model.h"

#include "ringside/base/error.h"

namespace ringside::inline nn {

at::Tensor Model::room_for_input(const Batch&) const {
  throw InvariantError("this model has no parts for a pipeline");
}

}  // namespace ringside::inline nn
