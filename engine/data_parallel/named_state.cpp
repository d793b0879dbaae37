#include "ringside/data_parallel/named_state.h"

#include <algorithm>
#include <cstring>

#include "ringside/base/error.h"
#include "ringside/nn/tensor_view.h"

namespace ringside {

void NamedState::add(const StatePiece& piece) {
  const MutableView view = view_of(piece.data);
  const auto* data = static_cast<const char*>(view.data);
  copies_[{piece.name, piece.kind}].push_back(
      {piece.shape, piece.begin, piece.count, view.dtype, {data, data + view.bytes()}});
}

void NamedState::fill(const StatePiece& piece) const {
  const MutableView view = view_of(piece.data);
  const auto refuse = [&](const std::string& what) {
    throw InputError("state '" + piece.kind + "' of " + piece.name + ": " + what);
  };
  const auto found = copies_.find({piece.name, piece.kind});
  if (found == copies_.end()) return refuse("not there");
  const int64_t end = piece.begin + piece.count, width = size_of(view.dtype);
  for (int64_t at = piece.begin; at < end;) {
    const auto copy = std::find_if(found->second.begin(), found->second.end(), [&](const Copy& one) {
      return one.begin <= at && at < one.begin + one.count;
    });
    if (copy == found->second.end()) return refuse("element " + std::to_string(at) + " is not there");
    if (copy->shape != piece.shape) return refuse("another shape");
    if (copy->dtype != view.dtype) return refuse("another element type");
    const int64_t until = std::min(end, copy->begin + copy->count);
    std::memcpy(static_cast<char*>(view.data) + (at - piece.begin) * width,
                copy->bytes.data() + (at - copy->begin) * width, static_cast<size_t>((until - at) * width));
    at = until;
  }
}

}  // namespace ringside
