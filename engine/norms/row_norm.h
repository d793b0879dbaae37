// What layer norm and RMS norm compute, over stretches of rows. RMS norm is layer norm whose mean is taken
// for 0, and which has no bias: what only layer norm has stands behind kCentred.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "lanes.h"
#include "over_rows.h"

namespace ringside::norms {

template <typename Call>
inline constexpr bool kCentred = requires(Call call) {
  call.mean;
};

// Rows of at most so many bytes are written past the caches one at a time (over_rows.h). Measured on Zen 4:
// layer norm's forward then takes 0.81 to 1.02 times as long, with longer rows 1.07 to 1.26, and RMS norm's
// 0.76 to 1.06; backward takes 0.9 to 1.7, and 0.9 to 1.3.
template <typename Call>
inline constexpr int64_t kAloneForward = kCentred<Call> ? 4096 : 16384;
inline constexpr int64_t kAloneBackward = 0;

// Measured on Zen 4: layer norm's backward in fp32 is faster in one function.
template <typename Number>
inline constexpr bool kApartBackward = sizeof(Number) == sizeof(double);

struct RowMoments {
  double m, v;  // of RMS norm: 0, mean(x^2)
};

// Of each of kRows rows, as layer_norm.h has it.
template <bool kHasMean, int kBytes, int64_t kRows, typename Real>
RINGSIDE_INLINE void moments_of(const Real* x, int64_t H, RowMoments* out) {
  using Part = Lanes<double, kBytes>;
  Part sum[kRows], squares[kRows];
  const auto add = [&]<int64_t r, int64_t h>(const Real* at) RINGSIDE_INLINE_LAMBDA {
    const double p = x[r * H];
    for_each_of<kBytes, Part::kVectors>([&](auto v) RINGSIDE_INLINE_LAMBDA {
      Vector<double, Part::kCount> d;
      load<Part::kCount>(at + v * Part::kCount, d);
      if constexpr (kHasMean) {
        d -= p;
        sum[r].half[h][v] += d;
      }
      add_product<Part::kCount>(squares[r].half[h][v], d, d);
    });
  };
  RowsOf<kRows, Real> rows{x, H};
  if constexpr (kHasMean)
    unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA { rows.fill[r] = x[r * H]; });
  const auto end_part = [&]() RINGSIDE_INLINE_LAMBDA {
    unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
      if constexpr (kHasMean) sum[r].end_part();
      squares[r].end_part();
    });
  };
  over_stretches<kBytes>(H, add, end_part, rows);
  const double share = 1 / double(H);
  unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
    const double square = squares[r].total * share;
    if constexpr (kHasMean) {
      const double d = sum[r].total * share;
      out[r] = {x[r * H] + d, std::max(square - d * d, 0.0)};
    } else {
      out[r] = {0, square};
    }
  });
}

template <bool kHasMean, int kBytes, int64_t kTogether, typename Real>
RINGSIDE_INLINE void moments_of_rows(int64_t rows, const Real* x, int64_t H, RowMoments* out) {
  apart<kBytes>([rows, x, H, out]() RINGSIDE_INLINE_LAMBDA {
    for (int64_t r = 0; r < rows; r += kTogether)
      moments_of<kHasMean, kBytes, kTogether>(x + r * H, H, out + r);
  });
}

// u of kCount numbers of a row.
template <bool kHasMean, int kCount, typename Number, typename Real>
RINGSIDE_INLINE void put_in_units(const InUnits<Number>& of, const Real* x, Vector<Number, kCount>& u) {
  Vector<Number, kCount> c;
  load<kCount>(x, c);
  if constexpr (kHasMean) {
    Vector<Number, kCount> scale = {};
    scale += of.scale;
    u = Vector<Number, kCount>{};
    u += of.rest;
    if constexpr (InUnits<Number>::kNear) c -= of.near;
    add_product<kCount>(u, c, scale);
  } else {
    u = c * of.scale;
  }
}

template <int kBytes, int64_t kRows, Path kPath, typename Number, template <typename> typename Forward,
          typename Real>
RINGSIDE_INLINE void forward_rows(const Forward<Real>& call, const Number* __restrict w,
                                  const Number* __restrict b, int64_t first) {
  constexpr bool kHasMean = kCentred<Forward<Real>>;
  constexpr int64_t kTogether = kSummedTogether<double, kBytes, kRows>;
  const int64_t H = call.rows.width;
  const Real* const x = call.x + first * H;
  Real* const __restrict y = call.y + first * H;
  RowMoments of[kRows];
  moments_of_rows<kHasMean, kBytes, kTogether>(kRows, x, H, of);
  InUnits<Number> units[kRows];
  unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
    const double s = 1 / std::sqrt(of[r].v + call.eps);
    if constexpr (kHasMean) call.mean[first + r] = of[r].m;
    call.scale[first + r] = s;
    units[r] = InUnits<Number>(of[r].m, s);
  });
  const auto next_rows = [&](int64_t i) RINGSIDE_INLINE_LAMBDA { ask_for_next<kRows, kPath>(i, H, x); };
  over_vectors<kBytes, Number>(H, next_rows, [&]<int kCount>(int64_t i) RINGSIDE_INLINE_LAMBDA {
    Vector<Number, kCount> weight, bias;
    load<kCount>(w + i, weight);
    if constexpr (kHasMean) load<kCount>(b + i, bias);
    unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
      Vector<Number, kCount> u, result;
      put_in_units<kHasMean, kCount>(units[r], x + r * H + i, u);
      if constexpr (kHasMean) {
        result = bias;
        add_product<kCount>(result, weight, u);
      } else {
        result = u * weight;
      }
      put<kPath, kCount>(result, y + r * H + i);
    });
  });
}

template <int kBytes, typename Number, template <typename> typename Forward, typename Real>
RINGSIDE_INLINE void forward(const Forward<Real>& call) {
  const int64_t H = call.rows.width;
  const Way way = way_of(call.rows, kAloneForward<Forward<Real>>, call.y, call.x);
  const Converted<Number> w(call.weight, H);
  const auto over_all = [&](const Number* bias) RINGSIDE_INLINE_LAMBDA {
    const auto take = [&]<int64_t kRows, Path kPath>(int64_t first) RINGSIDE_INLINE_LAMBDA {
      forward_rows<kBytes, kRows, kPath>(call, w.data(), bias, first);
    };
    over_rows<kBytes, ways_of<kBytes, Real, Real>(), true>(0, call.rows.count, way, take);
  };
  if constexpr (kCentred<Forward<Real>>)
    over_all(Converted<Number>(call.bias, H).data());
  else
    over_all(nullptr);
  finish_stores(way);
}

struct GradientMeans {
  double g, gu;  // of RMS norm: 0, mean(g u)
};

// Of each of kRows rows. Sum: the type in which they are summed.
template <bool kHasMean, int kBytes, int64_t kRows, typename Sum, typename Real>
RINGSIDE_INLINE void means_of(const Real* x, const Real* w, const Real* dy, int64_t H, const double* m,
                              const double* s, GradientMeans* out) {
  using Part = Lanes<Sum, kBytes>;
  Sum near[kRows] = {};
  Part sum_g[kRows], sum_gc[kRows];  // of g and g (x - near)
  RowsOf<kRows, Real> rows{x, H};
  if constexpr (kHasMean)
    unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
      near[r] = static_cast<Sum>(m[r]), rows.fill[r] = static_cast<Real>(m[r]);
    });
  const auto add = [&]<int64_t r, int64_t h>(const Real* its_x, const Real* its_w, const Real* its_dy)
                       RINGSIDE_INLINE_LAMBDA {
                         for_each_of<kBytes, Part::kVectors>([&](auto v) RINGSIDE_INLINE_LAMBDA {
                           Vector<Sum, Part::kCount> c, g, weight;
                           load<Part::kCount>(its_x + v * Part::kCount, c);
                           load<Part::kCount>(its_dy + v * Part::kCount, g);
                           load<Part::kCount>(its_w + v * Part::kCount, weight);
                           if constexpr (kHasMean) c -= near[r];
                           g *= weight;
                           if constexpr (kHasMean) sum_g[r].half[h][v] += g;
                           add_product<Part::kCount>(sum_gc[r].half[h][v], g, c);
                         });
                       };
  const auto end_part = [&]() RINGSIDE_INLINE_LAMBDA {
    unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
      if constexpr (kHasMean) sum_g[r].end_part();
      sum_gc[r].end_part();
    });
  };
  over_stretches<kBytes>(H, add, end_part, rows, RowsOf<kRows, Real>{w, 0}, RowsOf<kRows, Real>{dy, H});
  const double share = 1 / double(H);
  unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
    const double gc = sum_gc[r].total * share;
    if constexpr (kHasMean) {
      const double g = sum_g[r].total * share;
      out[r] = {g, (gc - g * (m[r] - near[r])) * s[r]};
    } else {
      out[r] = {0, gc * s[r]};
    }
  });
}

template <bool kHasMean, int kBytes, int64_t kTogether, bool kApart, typename Sum, typename Real>
RINGSIDE_INLINE void means_of_rows(int64_t rows, const Real* x, const Real* w, const Real* dy, int64_t H,
                                   const double* m, const double* s, GradientMeans* out) {
  apart<kBytes, kApart>([=]() RINGSIDE_INLINE_LAMBDA {
    for (int64_t r = 0; r < rows; r += kTogether)
      means_of<kHasMean, kBytes, kTogether, Sum>(x + r * H, w, dy + r * H, H, m + r, s + r, out + r);
  });
}

// dx = w (dy s) - u s mean(g u) - s mean(g), and dw as the sum of dy u.
template <int kBytes, int64_t kRows, Path kPath, typename Sum, typename Number,
          template <typename> typename Backward, typename Real>
RINGSIDE_INLINE void backward_rows(const Backward<Real>& call, const Number* __restrict w, int64_t first,
                                   Number* __restrict sum_dw, Number* __restrict sum_db) {
  constexpr bool kHasMean = kCentred<Backward<Real>>;
  constexpr int64_t kTogether = kSummedTogether<Sum, kBytes, kRows>;
  const int64_t H = call.rows.width;
  const Real *const x = call.x + first * H, *const dy = call.dy + first * H;
  Real* const __restrict dx = call.dx + first * H;
  double m[kRows] = {}, s[kRows];
  InUnits<Number> units[kRows];
  Number of_one[kRows], of_u[kRows];
  GradientMeans mean[kRows];
  unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
    if constexpr (kHasMean) m[r] = call.mean[first + r];
    s[r] = call.scale[first + r];
  });
  means_of_rows<kHasMean, kBytes, kTogether, kApartBackward<Number>, Sum>(kRows, x, call.weight, dy, H, m, s,
                                                                          mean);
  unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
    units[r] = InUnits<Number>(m[r], s[r]);
    of_one[r] = static_cast<Number>(-s[r] * mean[r].g);
    of_u[r] = static_cast<Number>(-s[r] * mean[r].gu);
  });
  const auto next_rows = [&](int64_t i) RINGSIDE_INLINE_LAMBDA { ask_for_next<kRows, kPath>(i, H, x, dy); };
  over_vectors<kBytes, Number>(H, next_rows, [&]<int kCount>(int64_t i) RINGSIDE_INLINE_LAMBDA {
    Vector<Number, kCount> weight, dw, db;
    load<kCount>(w + i, weight);
    load<kCount>(sum_dw + i, dw);
    if constexpr (kHasMean) load<kCount>(sum_db + i, db);
    unrolled<kRows>([&]<int64_t r>() RINGSIDE_INLINE_LAMBDA {
      Vector<Number, kCount> u, d, factor = {}, result = {};
      put_in_units<kHasMean, kCount>(units[r], x + r * H + i, u);
      load<kCount>(dy + r * H + i, d);
      add_product<kCount>(dw, d, u);
      if constexpr (kHasMean) {
        db += d;
        result += of_one[r];
        factor += of_u[r];
        add_product<kCount>(result, u, factor);
      } else {
        result = u * of_u[r];
      }
      d *= units[r].scale;
      add_product<kCount>(result, weight, d);
      put<kPath, kCount>(result, dx + r * H + i);
    });
    store<kCount>(dw, sum_dw + i);
    if constexpr (kHasMean) store<kCount>(db, sum_db + i);
  });
}

template <int kBytes, typename Sum, typename Number, template <typename> typename Backward, typename Real>
RINGSIDE_INLINE void backward(const Backward<Real>& call) {
  constexpr bool kHasMean = kCentred<Backward<Real>>;
  const int64_t H = call.rows.width;
  const Way way = way_of(call.rows, kAloneBackward, call.dx, call.x, call.dy);
  const Converted<Number> w(call.weight, H);
  SumOfRows<Number> dw(call.rows, H), db(call.rows, kHasMean ? H : 0);
  over_chunks(
      call.rows.count,
      [&](int64_t begin, int64_t end) RINGSIDE_INLINE_LAMBDA {
        const auto take = [&]<int64_t kRows, Path kPath>(int64_t first) RINGSIDE_INLINE_LAMBDA {
          backward_rows<kBytes, kRows, kPath, Sum>(call, w.data(), first, dw.chunk(), db.chunk());
        };
        over_rows<kBytes, ways_of<kBytes, Real, Sum>(), kApartBackward<Number>>(begin, end, way, take);
      },
      [&]() RINGSIDE_INLINE_LAMBDA { dw.end_chunk(), db.end_chunk(); },
      [&]() RINGSIDE_INLINE_LAMBDA { dw.end_lane(), db.end_lane(); });
  dw.copy_to(call.dw);
  if constexpr (kHasMean) db.copy_to(call.db);
  finish_stores(way);
}

template <typename Number, typename Call>
void forward(const Call& call) {
  with_vectors_in_use([&]<int kBytes>() RINGSIDE_INLINE_LAMBDA { forward<kBytes, Number>(call); });
}
template <typename Sum, typename Number, typename Call>
void backward(const Call& call) {
  with_vectors_in_use([&]<int kBytes>() RINGSIDE_INLINE_LAMBDA { backward<kBytes, Sum, Number>(call); });
}

template <typename Call>
void run(const Call& call) {
  using Real = std::remove_cvref_t<decltype(*call.x)>;
  const bool few = call.rows.width < kFewFeatures, in_real = call.in_real && !few;
  if constexpr (requires { call.eps; })
    in_real ? forward<Real>(call) : forward<double>(call);
  else if (few)
    backward<double, double>(call);
  else
    in_real ? backward<Real, Real>(call) : backward<Real, double>(call);
}

}  // namespace ringside::norms
