#include "ringside/comm/errors.h"

namespace ringside {

std::string to_string(const CollectiveId& id) {
  std::string text =
      "rank " + std::to_string(id.rank) + ": " + id.group + " #" + std::to_string(id.seq) + " ";
  text += to_string(id.op);
  if (id.op == Op::kBarrier) return text;
  text += " of " + std::to_string(id.elements) + " ";
  text += to_string(id.dtype);
  return text;
}

}  // namespace ringside
