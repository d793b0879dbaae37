// What the norms of rows have in common: the stretches of rows that are taken together, and the sums over all
// rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <type_traits>

#include "order.h"
#include "ringside/norms/layer_norm.h"  // Rows
#include "vector.h"

namespace ringside::norms {

// At most so many rows are taken together: they need not wait for each other's sums and roots.
inline constexpr int64_t kRowsAtOnce = 4;
// Bytes of a tensor. What is written of one as large goes past the caches: a third-level cache that others
// share seldom holds it until it is read. Measured on Zen 4 (32 MiB), with a sum over y or dx after each
// pass: from 6 MiB on the two take 0.77 to 0.98 times as long, with 4 MiB 0.94 to 1.02, with 1 and 2 MiB up
// to 1.09.
inline constexpr int64_t kPastCaches = int64_t{6} << 20;
// Rows of at most so many numbers, of a tensor of at most so many bytes, are asked for into the first-level
// cache before they are needed. Measured on Zen 4 (32 KiB).
inline constexpr int64_t kNarrow = 511, kNearBytes = int64_t{4} << 20;
// Two numbers whose addresses differ by a multiple of so many bytes have the same place in a first-level
// cache. A cache of 32 KiB has 8 lines for a place, one of 48 KiB has 12.
inline constexpr int64_t kSamePlace = 4096, kLinesOfAPlace = 8;

enum class Path : uint8_t {
  kNear,  // the rows that come next are asked for into the first-level cache
  kFar,   // into the second-level one
  kPast   // the same, and what is written goes past the caches
};

// How one call takes its rows.
struct Way {
  int64_t at_once;
  Path path;
};

// Whether the same numbers of two tensors have the same place, or places at most two lines apart.
inline bool share_places(const void* one, const void* other) {
  constexpr int64_t kBeside = 3 * 64;
  const int64_t apart =
      (reinterpret_cast<intptr_t>(one) - reinterpret_cast<intptr_t>(other)) & (kSamePlace - 1);
  return apart < kBeside || apart > kSamePlace - kBeside;
}

// Rows whose bytes are a multiple of 4096 all begin at one place, those of 2048 at two places, and so on.
// Fewer of them are taken together, so that their lines do not push each other out. Past the caches the rows
// that are taken together begin at different places. alone: where that leaves one row at a time, rows of at
// most so many bytes are written there.
template <typename Real, typename... Read>
Way way_of(const Rows& rows, int64_t alone, const Real* written, const Read*... read) {
  const int64_t row_bytes = rows.width * static_cast<int64_t>(sizeof(Real)), bytes = rows.count * row_bytes;
  const bool in_lines = reinterpret_cast<uintptr_t>(written) % 64 == 0 && rows.width % kLine == 0;
  const int64_t places = kSamePlace / std::gcd(kSamePlace, row_bytes);  // of rows' first numbers
  if (bytes >= kPastCaches && in_lines && (places > 1 || row_bytes <= alone))
    return {std::min(kRowsAtOnce, places), Path::kPast};
  const int64_t tensors = 1 + (int64_t{share_places(written, read)} + ...);
  const bool crowded = kRowsAtOnce * tensors > kLinesOfAPlace * places;
  const bool near = rows.width <= kNarrow && bytes <= kNearBytes;
  return {crowded ? 2 : kRowsAtOnce, near ? Path::kNear : Path::kFar};
}

// The ways that a loop is compiled for: each takes the compiler seconds, and most of all with narrow vectors.
enum class Ways : uint8_t { kSingleRows, kNear, kAll };
template <int kBytes, typename Real, typename Sum>
constexpr Ways ways_of() {
  if (kBytes < 32) return Ways::kSingleRows;
  return std::is_same_v<Real, double> || std::is_same_v<Sum, double> ? Ways::kNear : Ways::kAll;
}

// Calls take<kRows, kPath>(first) for the stretches of rows of [begin, end).
template <Ways kOf, typename F>
RINGSIDE_INLINE void over_rows(int64_t begin, int64_t end, Way way, F take) {
  const auto stretches = [&]<int64_t kRows, Path kPath>() RINGSIDE_INLINE_LAMBDA {
    if (way.at_once == kRows && way.path == kPath)
      for (; begin + kRows <= end; begin += kRows) take.template operator()<kRows, kPath>(begin);
  };
  if constexpr (kOf != Ways::kSingleRows) stretches.template operator()<kRowsAtOnce, Path::kNear>();
  if constexpr (kOf == Ways::kAll) {
    stretches.template operator()<kRowsAtOnce, Path::kFar>();
    stretches.template operator()<2, Path::kFar>();
    stretches.template operator()<kRowsAtOnce, Path::kPast>();
    stretches.template operator()<2, Path::kPast>();
    stretches.template operator()<1, Path::kPast>();
  }
  for (; begin < end; ++begin) take.template operator()<1, Path::kFar>(begin);
}

// Asks for number i of each of the kRows rows that come next, before they are needed.
template <int64_t kRows, Path kPath, typename... Real>
RINGSIDE_INLINE void ask_for_next(int64_t i, int64_t width, const Real*... rows) {
  constexpr int kLevel = kPath == Path::kNear ? 3 : 2;
  unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
    (__builtin_prefetch(rows + (r + kRows) * width + i, 0, kLevel), ...);
  });
}

template <Path kPath, int kCount, typename From, typename To>
RINGSIDE_INLINE void put(const From& from, To* to) {
  if constexpr (kPath == Path::kPast)
    store_past_caches<kCount>(from, to);
  else
    store<kCount>(from, to);
}

// Lets other threads see what was written past the caches.
inline void finish_stores(Way way) {
#ifdef __x86_64__
  if (way.path == Path::kPast) asm volatile("sfence" ::: "memory");
#endif
}

// For each lane of rows (order.h) calls begin(), take(first, end) for its chunks of rows, and end().
template <typename Begin, typename Take, typename End>
RINGSIDE_INLINE void over_lanes(int64_t rows, Begin begin, Take take, End end) {
  constexpr int64_t kStep = kRowsOfChunk * kLanesOfRows;
  for (int64_t lane = 0; lane < std::min(rows, kStep); lane += kRowsOfChunk) {
    begin();
    for (int64_t first = lane; first < rows; first += kStep)
      take(first, std::min(first + kRowsOfChunk, rows));
    end();
  }
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

// dw or db: the sum of a lane's rows, of the lanes of its group, and of the groups before. The first of each
// is added up in the place of the next.
class SumOfRows {
 public:
  explicit SumOfRows(int64_t count) : count_(count), all_(count) { std::fill_n(all_.data(), count_, 0); }
  // Where the next lane's rows are added up.
  double* begin_lane() {
    const bool first_of_group = lanes_ % kLanesOfGroup == 0;
    into_ = lanes_ < kLanesOfGroup ? all_.data() : cleared(group_, first_of_group);
    from_ = first_of_group ? into_ : cleared(lane_, true);
    ++lanes_;
    return from_;
  }
  void end_lane() {
    if (from_ != into_) add(from_, into_);
    if (lanes_ > kLanesOfGroup && lanes_ % kLanesOfGroup == 0) end_group();
  }
  // Behind the last lane.
  template <typename Real>
  void copy_to(Real* out) {
    if (lanes_ > kLanesOfGroup && lanes_ % kLanesOfGroup != 0) end_group();
    std::copy_n(all_.data(), count_, out);
  }

 private:
  double* cleared(std::optional<Aligned>& sums, bool clear) {
    if (!sums) sums.emplace(count_);
    if (clear) std::fill_n(sums->data(), count_, 0);
    return sums->data();
  }
  void add(const double* from, double* into) const {
    for (int64_t i = 0; i < count_; ++i) into[i] += from[i];
  }
  void end_group() { add(group_->data(), all_.data()); }

  int64_t count_, lanes_ = 0;
  double *from_ = nullptr, *into_ = nullptr;
  Aligned all_;
  std::optional<Aligned> group_, lane_;
};

}  // namespace ringside::norms
