#include "ringside/train/bit_compare.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/base/float_bits.h"

namespace ringside::inline training {
std::string to_string(const Difference& difference) {
  return fmt::format("step {}, {}[{}] and {} more, by up to {:g} ({} ulp)", difference.step,
                     difference.tensor, difference.element, difference.elements - 1, difference.distance,
                     difference.ulps);
}

ParameterObserver BitReference::recorder() {
  return [this](int64_t step, size_t index, const std::string&, ConstView values) {
    RINGSIDE_CHECK(values.dtype == Dtype::kFloat32, "bits are compared in fp32");
    const auto* data = static_cast<const float*>(values.data);
    values_[{step, index}].assign(data, data + values.count);
  };
}

ParameterObserver BitReference::Comparison::observer() { return std::bind_front(&Comparison::compare, this); }

void BitReference::Comparison::compare(int64_t step, size_t index, const std::string& name,
                                       ConstView values) {
  const auto found = reference_.values_.find({step, index});
  RINGSIDE_CHECK(found != reference_.values_.end(), "the reference has no " << name << " at step " << step);
  const std::vector<float>& expected = found->second;
  RINGSIDE_CHECK_EQ(std::ssize(expected), values.count);
  steps_ = std::max(steps_, step);
  // ZeRO-3 shows tensors unit by unit, so within the step an earlier tensor may still come.
  if (difference_ && (difference_->step < step || differing_index_ < index)) return;
  const auto* data = static_cast<const float*>(values.data);
  if (std::memcmp(data, expected.data(), expected.size() * sizeof(float)) == 0) return;
  Difference difference;
  difference.step = step;
  difference.tensor = name;
  difference.of_elements = values.count;
  for (int64_t i = values.count - 1; i >= 0; --i) {
    const float a = data[i], b = expected[size_t(i)];
    if (std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b)) continue;
    difference.element = i;
    difference.mine = a;
    difference.reference = b;
    ++difference.elements;
    difference.distance = std::max(difference.distance, std::abs(double(a) - b));
    difference.ulps = std::max(difference.ulps, ulps_between(a, b));
  }
  difference_ = difference;
  differing_index_ = index;
}

std::optional<Difference> difference_from(const BitReference& reference, const TrainerConfig& config,
                                          const Dataset& dataset, TrainerHooks hooks) {
  BitReference::Comparison comparison(reference);
  hooks.observe = comparison.observer();
  if (!train(config, dataset, *TraceStore::create("compared"), "run", hooks).complete) throw CancelledError();
  return comparison.first_difference();
}

}  // namespace ringside::inline training
