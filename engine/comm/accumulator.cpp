#include "ringside/comm/accumulator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "ringside/base/bfloat16.h"
#include "ringside/base/check.h"

namespace ringside::inline comm {
namespace {

struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) : bits(float_to_bf16(value)) {}
  operator float() const { return bf16_to_float(bits); }
};

// f(sum of element i, element i), each widened to the type of sums.
template <typename Wire, typename Sum, typename F>
void for_each(Sum* __restrict acc, const Wire* __restrict in, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) f(acc[i], static_cast<Sum>(in[i]));
}

template <typename Wire, typename Sum>
void store_block(Wire* __restrict out, const Sum* __restrict acc, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Wire>(acc[i]);
}

// Calls f(Wire{}, Sum{}) with the types that stand for `dtype`.
template <typename F>
void with_types(Dtype dtype, F f) {
  if (dtype == Dtype::kFloat32) return f(float{}, float{});
  if (dtype == Dtype::kBFloat16) return f(BFloat16{}, float{});
  if (dtype == Dtype::kFloat64) return f(double{}, double{});
  if (dtype == Dtype::kInt64) return f(int64_t{}, int64_t{});
  RINGSIDE_CHECK(has_sum(dtype), to_string(dtype) << " has no sum");
}

// The sums of one block, which is small: no reduction needs a staging buffer.
class Accumulator {
 public:
  static constexpr int64_t kElements = 1024;  // 4 KiB in float32 stay in the first-level cache

  void set(ConstView block) {
    combine(block, [](auto& sum, auto value) { sum = value; });
  }
  void add(ConstView block, ReduceOp op) {
    if (op == ReduceOp::kSum)
      combine(block, [](auto& sum, auto value) { sum += value; });
    else
      combine(block, [](auto& sum, auto value) { sum = (value > sum) | (value != value) ? value : sum; });
  }
  void store(MutableView block) const {
    with_types(block.dtype, [&]<typename Wire, typename Sum>(Wire, Sum) {
      store_block(static_cast<Wire*>(block.data), reinterpret_cast<const Sum*>(sums_.data()), block.count);
    });
  }

 private:
  template <typename F>
  void combine(ConstView block, F f) {
    with_types(block.dtype, [&]<typename Wire, typename Sum>(Wire, Sum) {
      for_each(reinterpret_cast<Sum*>(sums_.data()), static_cast<const Wire*>(block.data), block.count, f);
    });
  }
  alignas(64) std::array<std::byte, kElements * sizeof(double)> sums_;
};

// A float is NaN or infinite where all bits of its exponent are set. Block by block: the inner loop has
// no way out, so that it can be vectorised.
template <typename Bits>
std::optional<int64_t> find_full(ConstView view, Bits exponent) {
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

std::atomic<const DeviceMemory*> memory_of_device = nullptr;

// Of the device that a view is of; null: it is the host's.
const DeviceMemory* memory_of(ConstView view) {
  if (view.device == Device::kCpu) return nullptr;
  RINGSIDE_CHECK(device_memory() != nullptr, "memory of a device, and nobody knows the device");
  return device_memory();
}

}  // namespace

const DeviceMemory* device_memory() { return memory_of_device; }
void set_device_memory(const DeviceMemory* memory) { memory_of_device = memory; }

void copy_into(MutableView to, ConstView from) {
  const int64_t bytes = std::min(from.bytes(), to.bytes());
  if (bytes == 0 || to.data == from.data) return;
  if (const auto* device = memory_of(to.device == Device::kCpu ? from : to))
    return device->copy(to.data, from.data, bytes);
  std::memmove(to.data, from.data, size_t(bytes));
}

bool has_sum(Dtype dtype) {
  return dtype == Dtype::kFloat32 || dtype == Dtype::kBFloat16 || dtype == Dtype::kFloat64 ||
         dtype == Dtype::kInt64;
}

void reduce_into(MutableView out, const std::vector<ConstView>& inputs, ReduceOp op) {
  for (const ConstView& input : inputs) RINGSIDE_CHECK_EQ(input.count, out.count);
  if (const auto* device = memory_of(out)) return device->reduce(out, inputs, op);
  Accumulator acc;
  for (int64_t offset = 0; offset < out.count; offset += Accumulator::kElements) {
    const int64_t count = std::min(Accumulator::kElements, out.count - offset);
    acc.set(slice(inputs.front(), offset, count));
    for (size_t i = 1; i < inputs.size(); ++i) acc.add(slice(inputs[i], offset, count), op);
    acc.store(slice(out, offset, count));
  }
}

void append_as_float(std::vector<float>& to, ConstView view) {
  RINGSIDE_CHECK(view.dtype == Dtype::kFloat32 || view.dtype == Dtype::kBFloat16,
                 to_string(view.dtype) << " is not widened to float32");
  const size_t before = to.size();
  to.resize(before + size_t(view.count));
  reduce_into({to.data() + before, view.count, Dtype::kFloat32}, {view});
}

std::optional<int64_t> first_non_finite(ConstView view) {
  if (const auto* device = memory_of(view)) return device->first_non_finite(view);
  if (view.dtype == Dtype::kFloat32) return find_full<uint32_t>(view, 0x7f800000u);
  if (view.dtype == Dtype::kBFloat16) return find_full<uint16_t>(view, 0x7f80u);
  if (view.dtype == Dtype::kFloat64) return find_full<uint64_t>(view, 0x7ff0000000000000u);
  if (view.dtype == Dtype::kFloat16) return find_full<uint16_t>(view, 0x7c00u);
  return std::nullopt;
}

}  // namespace ringside::inline comm
