#include "widened.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline pretrained {
namespace {

float half_to_float(uint16_t bits) {  // IEEE 754 binary16
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16, exponent = bits >> 10 & 0x1fu,
                 fraction = bits & 0x3ffu;
  if (exponent == 0) {  // zero, or a subnormal number: fraction 2^-24
    const float size = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -size : size;
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

}  // namespace

std::vector<float> widened_values(const WeightTensor& tensor) {
  const bool known =
      tensor.type == WeightType::kF32 || tensor.type == WeightType::kF16 || tensor.type == WeightType::kBF16;
  if (!known)
    throw InputError(fmt::format("'{}' is of type {}; weights are read in F32, F16, BF16",
                                 as_typed(tensor.name), to_string(tensor.type)));
  std::vector<float> values(tensor.bytes.size() * 8 / static_cast<size_t>(bits_of(tensor.type)));
  if (tensor.type == WeightType::kF32) {
    if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, tensor.bytes.data() + 2 * i, 2);
    values[i] = tensor.type == WeightType::kBF16 ? bf16_to_float(bits) : half_to_float(bits);
  }
  return values;
}

}  // namespace ringside::inline pretrained
