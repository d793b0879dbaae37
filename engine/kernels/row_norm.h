// What the norms' kernels have in common: a row's numbers of a thread, and how rows are spread over a grid.
#pragma once

#include <string>

#include "ringside/base/error.h"
#include "ringside/kernels/norms.h"
#include "row.h"

namespace ringside::kernels {

using norms::Rows;

template <typename Call>
constexpr bool kCentred = requires(Call call) {
  call.mean;
};
template <typename>
struct ValueOfCall;
template <template <typename> typename Call, typename Value>
struct ValueOfCall<Call<Value>> {
  using Type = Value;
};
template <typename Call>
using ValueOf = typename ValueOfCall<Call>::Type;

// This thread's numbers of a row.
template <typename Spread, typename How, typename Value>
struct RowOfThread {
  Pair<Value> pair[kPairs];

  // fill: behind the row's end
  __device__ void read(const Value* row, int64_t H, Value fill) {
    over_pairs<Spread>(H, [&](int k, int64_t i) { pair[k] = How::read(row, i, H, fill); });
  }
};

// norms/layer_norm.h, in_real: bf16 always is.
template <typename Call>
bool is_in_real(const Call& call) {
  return (call.in_real || sizeof(ValueOf<Call>) == 2) && call.rows.width >= norms::kFewFeatures;
}

template <typename Call, typename Number>
__device__ Number in_units(const norms::InUnits<Number>& of, Number x) {
  if constexpr (!kCentred<Call>)
    return x * of.scale;
  else if constexpr (norms::InUnits<Number>::kNear)
    return std::fma(x - of.near, of.scale, of.rest);
  else
    return std::fma(x, of.scale, of.rest);
}

// Two numbers of a result.
template <typename Value, typename Number>
__device__ Pair<Value> rounded(Number one, Number other) {
  return Pair<Value>::rounded(static_cast<float>(one), static_cast<float>(other));
}

// Calls take<How>() for rows of H numbers in these tensors.
template <typename Take, typename Value, typename... Tensor>
void in_pairs_or_not(Take take, int64_t H, const Value* one, const Tensor*... others) {
  const auto all = (reinterpret_cast<uintptr_t>(one) | ... | reinterpret_cast<uintptr_t>(others));
  if (H % 2 == 0 && all % sizeof(Pair<Value>) == 0)
    take.template operator()<InPairs>();
  else
    take.template operator()<OneByOne>();
}

// Calls take<Spread>() with the least that fits a row of H numbers, of kMost parts at most.
template <int kTogether, int kMost, typename Take>
void with_spread(int64_t H, Take take) {
  const unsigned parts = blocks_for(H, kPartOfRow);
  if (parts == 1)
    take.template operator()<Spread<1, kTogether>>();
  else if (parts <= 8)
    take.template operator()<Spread<8, kTogether>>();
  else if constexpr (kMost > 8)
    take.template operator()<Spread<kMost, kTogether>>();
}

template <typename Spread>
Grid grid_of(Rows rows) {
  return {blocks_for(rows.count, Spread::kRows), 1, kWarp,
          blocks_for(rows.width, kPartOfRow) * Spread::kTeams};
}

inline void check_width(int64_t width) {
  if (width > kWidestRow)
    throw UsageError("a norm on the GPU has rows of at most " + std::to_string(kWidestRow) +
                     " numbers, not " + std::to_string(width));
}

}  // namespace ringside::kernels
