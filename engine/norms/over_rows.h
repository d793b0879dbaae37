// What the norms of rows have in common: the stretches of rows that are taken together, and the sums over all
// rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include "order.h"
#include "ringside/norms/layer_norm.h"  // Rows
#include "vector.h"
#include "widest.h"

namespace ringside::norms {

// Rows that are taken together need not wait for each other's sums and roots.
inline constexpr int64_t kRowsAtOnce = 4;
// Bytes of a tensor. A larger one than the first is taken row by row, so that memory is read more evenly, and
// is not fetched into the first-level cache ahead; one that is larger than the second is written past the
// caches, which would not hold it until it is read. Measured on Zen 4 with 32 MiB of third-level cache.
inline constexpr int64_t kInCache = int64_t{4} << 20, kPastCaches = int64_t{8} << 20;
// Numbers of a row of which a first-level cache of 32 KiB does not hold all that backward reads and writes.
inline constexpr int64_t kWide = 1024;

// How one call takes its rows.
struct Way {
  bool together, past_caches;
};

// together: whether rows are also taken together where the tensor is large.
template <typename Real>
Way way_of(const Rows& rows, const Real* written, bool together) {
  const int64_t bytes = rows.count * rows.width * static_cast<int64_t>(sizeof(Real));
  const bool in_lines = reinterpret_cast<uintptr_t>(written) % 64 == 0 && rows.width % kLine == 0;
  return {.together = together || bytes <= kInCache, .past_caches = bytes > kPastCaches && in_lines};
}

// Calls take<kRows, kPast>(first) for the stretches of rows of [begin, end).
template <typename F>
RINGSIDE_INLINE void over_rows(int64_t begin, int64_t end, Way way, F take) {
  if (way.past_caches)
    for (; begin + kRowsAtOnce <= end; begin += kRowsAtOnce)
      take.template operator()<kRowsAtOnce, true>(begin);
  else if (way.together)
    for (; begin + kRowsAtOnce <= end; begin += kRowsAtOnce)
      take.template operator()<kRowsAtOnce, false>(begin);
  for (; begin < end; ++begin) take.template operator()<1, false>(begin);
}

// Asks for number i of each of the kRows rows that come next, before they are needed.
template <int64_t kRows, bool kPast, typename... Real>
RINGSIDE_INLINE void ask_for_next(int64_t i, int64_t width, const Real*... rows) {
  constexpr int kLevel = kRows > 1 && !kPast ? 3 : 2;  // the first-level cache, or the second
  unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
    (__builtin_prefetch(rows + (r + kRows) * width + i, 0, kLevel), ...);
  });
}

// kPast: past the caches.
template <bool kPast, int kCount, typename From, typename To>
RINGSIDE_INLINE void put(const From& from, To* to) {
  if constexpr (kPast)
    store_past_caches<kCount>(from, to);
  else
    store<kCount>(from, to);
}

template <typename F>
RINGSIDE_INLINE void over_chunks(int64_t rows, F take) {
  for (int64_t begin = 0; begin < rows; begin += kRowsOfChunk)
    take(begin, std::min(begin + kRowsOfChunk, rows));
}

// Numbers from a cache line's begin on: a vector of them lies in one line.
class Aligned {
 public:
  explicit Aligned(int64_t count)
      : values_(static_cast<double*>(::operator new(static_cast<size_t>(count) * sizeof(double), kLine))) {}
  double* data() const { return values_.get(); }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(double* values) const { ::operator delete(values, kLine); }
  };
  std::unique_ptr<double, Free> values_;
};

// A weight or a bias in fp64, so that a row need not convert it.
class Widened {
 public:
  template <typename Real>
  Widened(const Real* values, int64_t count) : values_(count) {
    std::copy_n(values, count, values_.data());
  }
  const double* data() const { return values_.data(); }

 private:
  Aligned values_;
};

// dw or db: what a chunk has added up so far, and the chunks before it.
class SumOfRows {
 public:
  explicit SumOfRows(int64_t count) : count_(count), chunk_(count), all_(count) {
    std::fill_n(chunk_.data(), count_, 0);
    std::fill_n(all_.data(), count_, 0);
  }
  double* chunk() { return chunk_.data(); }
  void end_chunk() {
    double *const all = all_.data(), *const chunk = chunk_.data();
    for (int64_t i = 0; i < count_; ++i) all[i] += chunk[i];
    std::fill_n(chunk, count_, 0);
  }
  template <typename Real>
  void copy_to(Real* out) const {
    std::copy_n(all_.data(), count_, out);
  }

 private:
  int64_t count_;
  Aligned chunk_, all_;
};

}  // namespace ringside::norms
