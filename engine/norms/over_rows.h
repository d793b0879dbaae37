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
#include <utility>

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
  const int64_t row_bytes = rows.width * int64_t(sizeof(Real)), bytes = rows.count * row_bytes;
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
template <int kBytes, Ways kOf, bool kApart, typename F>
RINGSIDE_INLINE void over_rows(int64_t begin, int64_t end, Way way, F take) {
  const auto stretches = [&]<int64_t kRows, Path kPath>() RINGSIDE_INLINE_LAMBDA {
    if (way.at_once != kRows || way.path != kPath || end - begin < kRows) return;
    apart<kBytes, kApart>([take, first = begin, end]() RINGSIDE_INLINE_LAMBDA {
      for (int64_t row = first; row + kRows <= end; row += kRows) take.template operator()<kRows, kPath>(row);
    });
    begin = end - (end - begin) % kRows;
  };
  if constexpr (kOf != Ways::kSingleRows) stretches.template operator()<kRowsAtOnce, Path::kNear>();
  if constexpr (kOf == Ways::kAll) {
    stretches.template operator()<kRowsAtOnce, Path::kFar>();
    stretches.template operator()<2, Path::kFar>();
    stretches.template operator()<kRowsAtOnce, Path::kPast>();
    stretches.template operator()<2, Path::kPast>();
    stretches.template operator()<1, Path::kPast>();
  }
  if (begin < end)
    apart<kBytes, kApart>([take, first = begin, end]() RINGSIDE_INLINE_LAMBDA {
      for (int64_t row = first; row < end; ++row) take.template operator()<1, Path::kFar>(row);
    });
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

// Numbers from a cache line's begin on: a vector of them lies in one line.
template <typename Real>
class Aligned {
 public:
  explicit Aligned(int64_t count)
      : values_(static_cast<Real*>(::operator new(static_cast<size_t>(count) * sizeof(Real), kBegin))),
        count_(count) {
    clear();
  }
  Real* data() const { return values_.get(); }
  void clear() { std::fill_n(data(), count_, Real{0}); }
  // Adds these to `sums` and begins at 0 again.
  void move_to(double* sums) {
    for (int64_t i = 0; i < count_; ++i) sums[i] += data()[i];
    clear();
  }

 private:
  static constexpr std::align_val_t kBegin{64};
  struct Free {
    void operator()(Real* values) const { ::operator delete(values, kBegin); }
  };
  std::unique_ptr<Real, Free> values_;
  int64_t count_;
};

// A weight or a bias as Number, so that a row need not convert it.
template <typename Number>
class Converted {
 public:
  explicit Converted(const Number* values, int64_t) : values_(values) {}
  template <typename Real>
  Converted(const Real* values, int64_t count) : copy_(std::in_place, count), values_(copy_->data()) {
    std::copy_n(values, count, copy_->data());
  }
  const Number* data() const { return values_; }

 private:
  std::optional<Aligned<Number>> copy_;
  const Number* values_;
};

// dw or db: the sums of a chunk of rows, which begin at 0, of a lane of chunks, of a group of lanes, of all.
template <typename Number>
class SumOfRows {
 public:
  SumOfRows(Rows rows, int64_t count) : count_(count), chunk_(count), group_(count), all_(count) {
    if (rows.count > kRowsOfChunk * kLanesOfRows) lane_.emplace(count);
  }
  Number* chunk() const { return chunk_.data(); }
  // A lane of one chunk is that chunk.
  void end_chunk() { chunk_.move_to(lane_ ? lane_->data() : group_.data()); }
  void end_lane() {
    if (lane_) lane_->move_to(group_.data());
    if (++lanes_ % kLanesOfGroup == 0) group_.move_to(all_.data());
  }
  // Behind the last lane.
  template <typename Real>
  void copy_to(Real* out) {
    group_.move_to(all_.data());
    std::copy_n(all_.data(), count_, out);
  }

 private:
  int64_t count_, lanes_ = 0;
  Aligned<Number> chunk_;
  Aligned<double> group_, all_;
  std::optional<Aligned<double>> lane_;
};

// Calls take(first, end) for each chunk of rows, end_chunk() behind it, and end_lane() behind a lane of them.
template <typename Take, typename EndChunk, typename EndLane>
RINGSIDE_INLINE void over_chunks(int64_t rows, Take take, EndChunk end_chunk, EndLane end_lane) {
  constexpr int64_t kStep = kRowsOfChunk * kLanesOfRows;
  for (int64_t lane = 0; lane < std::min(rows, kStep); lane += kRowsOfChunk) {
    for (int64_t first = lane; first < rows; first += kStep) {
      take(first, std::min(first + kRowsOfChunk, rows));
      end_chunk();
    }
    end_lane();
  }
}

}  // namespace ringside::norms
