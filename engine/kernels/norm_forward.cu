#include <algorithm>
#include <cmath>

#include "ringside/kernels/norms.h"
#include "row_norm.h"

namespace ringside::kernels {
namespace {

// So many blocks of eight parts a multiprocessor has at once: its registers hold no more.
template <typename Spread, typename Number>
constexpr int kInFlight = Spread::kWarps != 8                ? 1
                          : sizeof(Number) == sizeof(double) ? 5
                          : Spread::kTogether == 2           ? 3
                                                             : 4;

// A team (row.h) has one pair of rows, or one row, after the other. Number: of u and y. share: 1 / H
template <typename Spread, typename How, typename Number, typename Forward, typename Value = ValueOf<Forward>>
__global__ void __launch_bounds__(Spread::kThreads, kInFlight<Spread, Number>)
    forward(Forward call, double share) {
  begin_early();
  constexpr bool kHasMean = kCentred<Forward>;
  constexpr bool kAhead = sizeof(Number) == sizeof(float);  // reads the next rows while it computes
  constexpr int kTogether = Spread::kTogether;
  const int64_t M = call.rows.count, H = call.rows.width, step = int64_t{gridDim.x} * Spread::kRows;
  RowOfThread<Spread, How, Value> next[kTogether];
  Value next_begin[kTogether] = {};
  // Where one row is left of two, both are that one: it is computed and written twice, with the same bits.
  const auto row_at = [&](int64_t row, int r) { return row + r < M ? row + r : M - 1; };
  const auto read_next = [&](int64_t row) {
    if (row >= M) return;
    RINGSIDE_UNROLL(2)
    for (int r = 0; r < kTogether; ++r) {
      const Value* const x = call.x + row_at(row, r) * H;
      if constexpr (kHasMean) next_begin[r] = x[0];
      next[r].read(x, H, next_begin[r]);
    }
  };
  int64_t row = Spread::first_row();
  if constexpr (kAhead) read_next(row);
  for (; row < M; row += step) {
    if constexpr (!kAhead) read_next(row);
    RowOfThread<Spread, How, Value> x[kTogether];
    double p[kTogether];
    LanesOfThread<double> sum[kTogether], squares[kTogether];
    RINGSIDE_UNROLL(2)
    for (int r = 0; r < kTogether; ++r) x[r] = next[r], p[r] = widened(next_begin[r]);
    if constexpr (kAhead) read_next(row + step);
    RINGSIDE_UNROLL(2)
    for (int r = 0; r < kTogether; ++r)
      over_pairs<Spread>(H, [&](int k, int64_t) {
        const double even = x[r].pair[k].first() - p[r], odd = x[r].pair[k].second() - p[r];
        if constexpr (kHasMean) sum[r].even += even, sum[r].odd += odd;
        squares[r].even = std::fma(even, even, squares[r].even);
        squares[r].odd = std::fma(odd, odd, squares[r].odd);
      });
    norms::InUnits<Number> units[kTogether];
    const auto of = [&](int r, double total, double total_squares) {
      const double d = total * share;
      const double v = kHasMean ? std::fmax(total_squares * share - d * d, 0.0) : total_squares * share;
      const double m = (r == 0 ? p[0] : p[kTogether - 1]) + d, s = 1 / std::sqrt(v + call.eps);
      if (lane() == r) {
        if constexpr (kHasMean) call.mean[row_at(row, r)] = m;
        call.scale[row_at(row, r)] = s;
      }
      return norms::InUnits<Number>(m, s);
    };
    of_totals<Spread>(sum, squares, H, of, units);
    over_pairs<Spread>(H, [&](int k, int64_t i) {
      const auto w = How::read(call.weight, i, H, Value{});
      Pair<Value> b{};
      if constexpr (kHasMean) b = How::read(call.bias, i, H, Value{});
      RINGSIDE_UNROLL(2)
      for (int r = 0; r < kTogether; ++r) {
        const auto even = in_units<Forward, Number>(units[r], x[r].pair[k].first());
        const auto odd = in_units<Forward, Number>(units[r], x[r].pair[k].second());
        const Number w_even = w.first(), w_odd = w.second();
        if constexpr (kHasMean)
          How::write(call.y + row_at(row, r) * H, i, H,
                     rounded<Value>(std::fma(w_even, even, Number{b.first()}),
                                    std::fma(w_odd, odd, Number{b.second()})));
        else
          How::write(call.y + row_at(row, r) * H, i, H, rounded<Value>(even * w_even, odd * w_odd));
      }
    });
  }
}

template <typename Spread, typename How, typename Forward>
void launch_forward(const Forward& call, void* stream) {
  const double share = 1 / static_cast<double>(call.rows.width);
  Grid grid = grid_of<Spread>(call.rows);
  if (is_in_real(call)) {
    grid.blocks_x = std::min(grid.blocks_x, blocks_at_once(forward<Spread, How, float, Forward>, grid));
    launch_early(forward<Spread, How, float, Forward>, grid, stream, call, share);
  } else if constexpr (sizeof(ValueOf<Forward>) == sizeof(float) || Spread::kWarps == 1) {
    launch_early(forward<Spread, How, double, Forward>, grid, stream, call, share);
  }
}

template <typename Forward>
void run_forward(const Forward& call, void* stream) {
  constexpr int kTogether = sizeof(ValueOf<Forward>) == 2 ? 2 : 1;  // for their registers
  const int64_t H = call.rows.width;
  if (call.rows.count == 0) return;
  check_width(H);
  const auto run_as = [&]<typename How>() {
    with_spread<kTogether, 32>(H, [&]<typename Spread>() { launch_forward<Spread, How>(call, stream); });
  };
  if constexpr (kCentred<Forward>)
    in_pairs_or_not(run_as, H, call.x, call.weight, call.y, call.bias);
  else
    in_pairs_or_not(run_as, H, call.x, call.weight, call.y);
}

}  // namespace

void run(const norms::LayerNormForward<float>& call, void* stream) { run_forward(call, stream); }
void run(const norms::LayerNormForward<uint16_t>& call, void* stream) { run_forward(call, stream); }
void run(const norms::RmsNormForward<float>& call, void* stream) { run_forward(call, stream); }
void run(const norms::RmsNormForward<uint16_t>& call, void* stream) { run_forward(call, stream); }

}  // namespace ringside::kernels
