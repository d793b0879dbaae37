#include "ringside/comm/accumulator.h"

#include <algorithm>
#include <type_traits>

#include "ringside/base/bfloat16.h"
#include "ringside/base/check.h"
#include "ringside/comm/views.h"

namespace ringside {
namespace {

struct BFloat16 {
  uint16_t bits;
};

inline float widen(BFloat16 value) { return bf16_to_float(value.bits); }

template <typename T>
inline T widen(T value) {
  return value;
}

template <typename Wire, typename Sum>
void set_block(Sum* __restrict acc, const Wire* __restrict in, int64_t n) {
  for (int64_t i = 0; i < n; ++i) acc[i] = widen(in[i]);
}

template <typename Wire, typename Sum>
void add_block(Sum* __restrict acc, const Wire* __restrict in, int64_t n) {
  for (int64_t i = 0; i < n; ++i) acc[i] += widen(in[i]);
}

template <typename Wire, typename Sum>
void max_block(Sum* __restrict acc, const Wire* __restrict in, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const Sum value = widen(in[i]);
    acc[i] = (value > acc[i]) | (value != value) ? value : acc[i];
  }
}

template <typename Wire, typename Sum>
void store_block(Wire* __restrict out, const Sum* __restrict acc, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<Wire, BFloat16>) {
      out[i] = {float_to_bf16(acc[i])};
    } else {
      out[i] = acc[i];
    }
  }
}

// Calls f(Wire{}, Sum{}) with the types that stand for `dtype`.
template <typename F>
void with_types(Dtype dtype, F f) {
  switch (dtype) {
    case Dtype::kFloat32:
      return f(float{}, float{});
    case Dtype::kBFloat16:
      return f(BFloat16{}, float{});
    case Dtype::kFloat64:
      return f(double{}, double{});
    case Dtype::kInt64:
      return f(int64_t{}, int64_t{});
    case Dtype::kUInt8:
    case Dtype::kFloat16:
    case Dtype::kInt32:
    case Dtype::kInt8:
    case Dtype::kBool:
      break;
  }
  RINGSIDE_CHECK(has_sum(dtype), to_string(dtype) << " has no sum");
}

}  // namespace

bool has_sum(Dtype dtype) {
  return dtype == Dtype::kFloat32 || dtype == Dtype::kBFloat16 || dtype == Dtype::kFloat64 ||
         dtype == Dtype::kInt64;
}

void Accumulator::set(ConstView block) {
  with_types(block.dtype, [&]<typename Wire, typename Sum>(Wire, Sum) {
    set_block(reinterpret_cast<Sum*>(block_.data()), static_cast<const Wire*>(block.data), block.count);
  });
}

void Accumulator::add(ConstView block, ReduceOp op) {
  with_types(block.dtype, [&]<typename Wire, typename Sum>(Wire, Sum) {
    const auto combine = op == ReduceOp::kSum ? add_block<Wire, Sum> : max_block<Wire, Sum>;
    combine(reinterpret_cast<Sum*>(block_.data()), static_cast<const Wire*>(block.data), block.count);
  });
}

void Accumulator::store(View block) const {
  with_types(block.dtype, [&]<typename Wire, typename Sum>(Wire, Sum) {
    store_block(static_cast<Wire*>(block.data), reinterpret_cast<const Sum*>(block_.data()), block.count);
  });
}

void add_into(View into, ConstView from) {
  RINGSIDE_CHECK_EQ(into.count, from.count);
  RINGSIDE_CHECK_EQ(to_string(into.dtype), to_string(from.dtype));
  Accumulator acc;
  for (int64_t offset = 0; offset < into.count; offset += Accumulator::kElements) {
    const int64_t count = std::min(Accumulator::kElements, into.count - offset);
    acc.set(slice(into, offset, count));
    acc.add(slice(from, offset, count), ReduceOp::kSum);
    acc.store(slice(into, offset, count));
  }
}

}  // namespace ringside
