#include "ringside/train/bit_compare.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "ringside/base/check.h"

namespace ringside {
namespace {

// Floats as integers in the same order, so that neighbours are 1 apart.
int64_t ordered(float value) {
  const auto bits = std::bit_cast<int32_t>(value);
  return bits < 0 ? int64_t{INT32_MIN} - bits : bits;
}

}  // namespace

std::string to_string(const Difference& difference) {
  std::ostringstream text;
  text << "step " << difference.step << ", " << difference.tensor << "[" << difference.element << "] and "
       << difference.elements - 1 << " more, by up to " << difference.distance << " (" << difference.ulps
       << " ulp)";
  return text.str();
}

ParameterObserver BitReference::recorder() {
  return [this](int64_t step, size_t index, const ParameterBits& bits) {
    RINGSIDE_CHECK(bits.dtype == Dtype::kFloat32, "bits are compared in fp32");
    const auto* data = static_cast<const float*>(bits.data);
    values_[{step, index}].assign(data, data + bits.count);
  };
}

ParameterObserver BitReference::Comparison::observer() {
  return [this](int64_t step, size_t index, const ParameterBits& bits) { compare(step, index, bits); };
}

void BitReference::Comparison::compare(int64_t step, size_t index, const ParameterBits& bits) {
  const auto found = reference_.values_.find({step, index});
  RINGSIDE_CHECK(found != reference_.values_.end(),
                 "the reference has no " << *bits.name << " at step " << step);
  const std::vector<float>& expected = found->second;
  RINGSIDE_CHECK_EQ(static_cast<int64_t>(expected.size()), bits.count);
  steps_ = std::max(steps_, step);
  // ZeRO-3 shows tensors unit by unit, so within the step an earlier tensor may still come.
  if (difference_ && (difference_->step < step || differing_index_ < index)) return;
  const auto* data = static_cast<const float*>(bits.data);
  if (std::memcmp(data, expected.data(), expected.size() * sizeof(float)) == 0) return;
  Difference difference;
  difference.step = step;
  difference.tensor = *bits.name;
  for (int64_t i = bits.count - 1; i >= 0; --i) {
    const float a = data[i], b = expected[static_cast<size_t>(i)];
    if (std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b)) continue;
    difference.element = i;
    ++difference.elements;
    difference.distance = std::max(difference.distance, std::abs(static_cast<double>(a) - b));
    difference.ulps = std::max(difference.ulps, std::abs(ordered(a) - ordered(b)));
  }
  difference_ = difference;
  differing_index_ = index;
}

}  // namespace ringside
