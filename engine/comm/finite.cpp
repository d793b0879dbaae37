#include "finite.h"

#include <algorithm>

namespace ringside {
namespace {

// A float is NaN or infinite where all bits of its exponent are set. Block by block: the inner loop has
// no way out, so that it can be vectorised.
template <typename Bits>
std::optional<int64_t> find(ConstView view, Bits exponent) {
  constexpr int64_t kBlock = 4096;
  const auto* bits = static_cast<const Bits*>(view.data);
  for (int64_t begin = 0; begin < view.count; begin += kBlock) {
    const int64_t end = std::min(view.count, begin + kBlock);
    Bits any = 0;
    for (int64_t i = begin; i < end; ++i) any |= static_cast<Bits>((bits[i] & exponent) == exponent);
    if (any == 0) continue;
    for (int64_t i = begin; i < end; ++i)
      if ((bits[i] & exponent) == exponent) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> first_non_finite(ConstView view) {
  switch (view.dtype) {
    case Dtype::kFloat32:
      return find<uint32_t>(view, 0x7f800000u);
    case Dtype::kBFloat16:
      return find<uint16_t>(view, 0x7f80u);
    case Dtype::kFloat64:
      return find<uint64_t>(view, 0x7ff0000000000000u);
    case Dtype::kFloat16:
      return find<uint16_t>(view, 0x7c00u);
    case Dtype::kInt64:
    case Dtype::kUInt8:
    case Dtype::kInt32:
    case Dtype::kInt8:
    case Dtype::kBool:
      break;
  }
  return std::nullopt;
}

}  // namespace ringside
