// Buffers of any dtype, filled from small integers that every dtype holds
// exactly, as do their sums over 8 ranks; so results are compared for equality.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "ringside/comm/process_group.h"

namespace ringside::testing {

class TypedBuffer {
 public:
  TypedBuffer(Dtype dtype, int64_t count) : dtype_(dtype), count_(count), bytes_(count * size_of(dtype)) {}
  TypedBuffer(Dtype dtype, const std::vector<int64_t>& values)
      : TypedBuffer(dtype, static_cast<int64_t>(values.size())) {
    for (int64_t i = 0; i < count_; ++i) set(i, values[i]);
  }

  MutableView view() { return {bytes_.data(), count_, dtype_}; }
  std::vector<int64_t> values() const {
    std::vector<int64_t> values(count_);
    for (int64_t i = 0; i < count_; ++i) values[i] = get(i);
    return values;
  }

 private:
  template <typename T>
  T* at(int64_t i) {
    return reinterpret_cast<T*>(bytes_.data()) + i;
  }
  template <typename T>
  const T* at(int64_t i) const {
    return reinterpret_cast<const T*>(bytes_.data()) + i;
  }

  void set(int64_t i, int64_t value) {
    switch (dtype_) {
      case Dtype::kFloat32:
        *at<float>(i) = static_cast<float>(value);
        break;
      case Dtype::kBFloat16:
        *at<uint16_t>(i) = std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16;
        break;
      case Dtype::kFloat64:
        *at<double>(i) = static_cast<double>(value);
        break;
      case Dtype::kInt64:
        *at<int64_t>(i) = value;
        break;
      case Dtype::kUInt8:
        *at<uint8_t>(i) = static_cast<uint8_t>(value);
        break;
      default:
        break;  // no test moves the others
    }
  }
  int64_t get(int64_t i) const {
    switch (dtype_) {
      case Dtype::kFloat32:
        return static_cast<int64_t>(*at<float>(i));
      case Dtype::kBFloat16:
        return static_cast<int64_t>(std::bit_cast<float>(uint32_t{*at<uint16_t>(i)} << 16));
      case Dtype::kFloat64:
        return static_cast<int64_t>(*at<double>(i));
      case Dtype::kInt64:
        return *at<int64_t>(i);
      case Dtype::kUInt8:
        return *at<uint8_t>(i);
      default:
        return 0;
    }
    return 0;
  }

  Dtype dtype_;
  int64_t count_;
  std::vector<std::byte> bytes_;  // aligned by the allocator for every dtype
};

// What rank r contributes: n values in [0, 31), different on every rank.
inline std::vector<int64_t> contribution(int rank, int64_t n) {
  std::vector<int64_t> values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = (i * 7 + rank * 13 + i / 31 * rank) % 31;
  return values;
}

// The naive sum (or maximum) over ranks, in one place.
inline std::vector<int64_t> naive_reduce(int size, int64_t n, ReduceOp op = ReduceOp::kSum) {
  std::vector<int64_t> result = contribution(0, n);
  for (int rank = 1; rank < size; ++rank) {
    const std::vector<int64_t> values = contribution(rank, n);
    for (int64_t i = 0; i < n; ++i)
      result[i] = op == ReduceOp::kSum ? result[i] + values[i] : std::max(result[i], values[i]);
  }
  return result;
}

}  // namespace ringside::testing
