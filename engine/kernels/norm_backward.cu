#include <algorithm>
#include <cmath>

#include "ringside/kernels/norms.h"
#include "row_norm.h"

namespace ringside::kernels {
namespace {

// Of a row, in backward: dx = w (dy s) + u of_u + of_one
template <typename Number>
struct OfRow {
  norms::InUnits<Number> units;
  Number of_one, of_u;
};

// What forward left of a row.
template <typename Number>
struct Left {
  double m, s;
  norms::InUnits<Number> units;
};
template <typename Number, typename Backward>
__device__ Left<Number> left_of(const Backward& call, int64_t row) {
  Left<Number> left{0, call.scale[row], {}};
  if constexpr (kCentred<Backward>) left.m = call.mean[row];
  left.units = norms::InUnits<Number>(left.m, left.s);
  return left;
}
// Of the chunk's rows, for the whole block.
template <typename Number, typename Backward>
__device__ void read_left(const Backward& call, int64_t first, int64_t end, Left<Number>* left) {
  if (threadIdx.y == 0)
    for (int64_t row = first + threadIdx.x; row < end; row += blockDim.x)
      left[row - first] = left_of<Number>(call, row);
  __syncthreads();
}

// Of x and dy, this thread's numbers of a row. Sum: the type in which the two means are summed.
template <typename Sum, typename Number, typename Spread, typename How, typename Backward, typename Value>
__device__ OfRow<Number> means_of_row(const Backward& call, double share, const Left<Number>& left,
                                      const RowOfThread<Spread, How, Value>& x,
                                      const RowOfThread<Spread, How, Value>& dy) {
  constexpr bool kHasMean = kCentred<Backward>;
  const int64_t H = call.rows.width;
  const Sum near = static_cast<Sum>(left.m);
  LanesOfThread<Sum> sum_g, sum_gc;
  over_pairs<Spread>(H, [&](int k, int64_t i) {
    const auto w = How::read(call.weight, i, H, Value{});
    const Sum even = static_cast<Sum>(dy.pair[k].first()) * w.first();
    const Sum odd = static_cast<Sum>(dy.pair[k].second()) * w.second();
    if constexpr (kHasMean) sum_g.even += even, sum_g.odd += odd;
    sum_gc.even = std::fma(even, static_cast<Sum>(x.pair[k].first()) - near, sum_gc.even);
    sum_gc.odd = std::fma(odd, static_cast<Sum>(x.pair[k].second()) - near, sum_gc.odd);
  });
  OfRow<Number> of;
  const auto of_row = [&](int, Sum total_g, Sum total_gc) {
    const double mean_g = kHasMean ? total_g * share : 0;
    const double mean_gu = (total_gc * share - mean_g * (left.m - near)) * left.s;
    return OfRow<Number>{left.units, static_cast<Number>(-left.s * mean_g),
                         static_cast<Number>(-left.s * mean_gu)};
  };
  of_totals<Spread>(&sum_g, &sum_gc, H, of_row, &of);
  return of;
}

template <typename Backward, typename Number>
__device__ Number dx_of(float w, float dy, Number u, const OfRow<Number>& of) {
  const Number rest = kCentred<Backward> ? std::fma(u, of.of_u, of.of_one) : u * of.of_u;
  return std::fma(Number{w}, Number{dy} * of.units.scale, rest);
}

// Calls take(k, u, dy) for this thread's numbers of a row, k = 0 .. 2 kPairs - 1, and writes their dx.
template <typename Number, typename Spread, typename How, typename Backward, typename Value, typename F>
__device__ void write_dx(const Backward& call, int64_t row, const OfRow<Number>& of,
                         const RowOfThread<Spread, How, Value>& x, const RowOfThread<Spread, How, Value>& dy,
                         F take) {
  const int64_t H = call.rows.width;
  over_pairs<Spread>(H, [&](int k, int64_t i) {
    const auto w = How::read(call.weight, i, H, Value{});
    const auto even = in_units<Backward, Number>(of.units, x.pair[k].first());
    const auto odd = in_units<Backward, Number>(of.units, x.pair[k].second());
    take(2 * k, even, dy.pair[k].first());
    take(2 * k + 1, odd, dy.pair[k].second());
    How::write(call.dx + row * H, i, H,
               rounded<Value>(dx_of<Backward>(w.first(), dy.pair[k].first(), even, of),
                              dx_of<Backward>(w.second(), dy.pair[k].second(), odd, of)));
  });
}

template <typename Spread, typename How, typename Sum, typename Number, typename Backward,
          typename Value = ValueOf<Backward>>
__global__ void __launch_bounds__(Spread::kThreads) backward_rows(Backward call, double share) {
  begin_early();
  const int64_t row = Spread::first_row(), H = call.rows.width;
  if (row >= call.rows.count) return;
  RowOfThread<Spread, How, Value> x, dy;
  x.read(call.x + row * H, H, Value{});
  dy.read(call.dy + row * H, H, Value{});
  const auto of = means_of_row<Sum>(call, share, left_of<Number>(call, row), x, dy);
  write_dx(call, row, of, x, dy, [](int, Number, Number) {});
}

// A thread has a feature of a chunk of rows. sums: (chunks, H) of dw, then of db.
template <typename Number, typename Backward>
__global__ void backward_features(Backward call, Number* sums) {
  begin_early();
  constexpr bool kHasMean = kCentred<Backward>;
  __shared__ Left<Number> left[kRowsOfChunk];
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, H = call.rows.width;
  const int64_t first = blockIdx.y * kRowsOfChunk;
  const int64_t end = first + kRowsOfChunk < call.rows.count ? first + kRowsOfChunk : call.rows.count;
  read_left(call, first, end, left);
  if (i >= H) return;
  Number dw = 0, db = 0;
  RINGSIDE_UNROLL(8)
  for (int64_t row = first; row < end; ++row) {
    const Number x = widened(call.x[row * H + i]), dy = widened(call.dy[row * H + i]);
    dw = std::fma(dy, in_units<Backward>(left[row - first].units, x), dw);
    db += dy;
  }
  sums[blockIdx.y * H + i] = dw;
  if constexpr (kHasMean) sums[(int64_t{gridDim.y} + blockIdx.y) * H + i] = db;
}

// Both in one pass: a block has a chunk of rows, and each thread the sums of its features. Reads and writes
// what has to be read and written, once.
template <typename Spread, typename How, typename Sum, typename Number, typename Backward,
          typename Value = ValueOf<Backward>>
__global__ void __launch_bounds__(kWarp* Spread::kWarps, Spread::kWarps == 8 ? 2 : 1)
    backward_chunk(Backward call, double share, Number* sums) {
  begin_early();
  constexpr bool kHasMean = kCentred<Backward>;
  // Reads the next row while it computes, where there are registers for it.
  constexpr bool kAhead = sizeof(Number) == sizeof(float);
  __shared__ Left<Number> left[kRowsOfChunk];
  const int64_t H = call.rows.width, first = blockIdx.x * kRowsOfChunk;
  const int64_t end = first + kRowsOfChunk < call.rows.count ? first + kRowsOfChunk : call.rows.count;
  Number dw[2 * kPairs] = {}, db[2 * kPairs] = {};
  RowOfThread<Spread, How, Value> next_x, next_dy;
  const auto read_next = [&](int64_t row) {
    if (row >= end) return;
    next_x.read(call.x + row * H, H, Value{});
    next_dy.read(call.dy + row * H, H, Value{});
  };
  if constexpr (kAhead) read_next(first);
  read_left(call, first, end, left);
  for (int64_t row = first; row < end; ++row) {
    if constexpr (!kAhead) read_next(row);
    const auto x = next_x, dy = next_dy;
    if constexpr (kAhead) read_next(row + 1);
    const auto of = means_of_row<Sum>(call, share, left[row - first], x, dy);
    write_dx(call, row, of, x, dy, [&](int k, Number its_u, Number its_dy) {
      dw[k] = std::fma(its_dy, its_u, dw[k]);
      if constexpr (kHasMean) db[k] += its_dy;
    });
  }
  over_pairs<Spread>(H, [&](int k, int64_t i) {
    How::write(sums + blockIdx.x * H, i, H, Pair<Number>{dw[2 * k], dw[2 * k + 1]});
    if constexpr (kHasMean)
      How::write(sums + (int64_t{gridDim.x} + blockIdx.x) * H, i, H, Pair<Number>{db[2 * k], db[2 * k + 1]});
  });
}

constexpr int kMostGroups = static_cast<int>(kLanesOfRows / kLanesOfGroup);

// dw[i], db[i] = the sum of (chunks, H) over groups of lanes, of which each warp of the block has one.
template <typename Number, typename Value>
__global__ void __launch_bounds__(kWarp* kMostGroups)
    add_chunks(const Number* sums, int64_t chunks, int64_t H, Value* dw, Value* db) {
  begin_early();
  __shared__ double groups[kMostGroups][kWarp];
  const int64_t i = int64_t{blockIdx.x} * kWarp + lane();
  const Number* const of = sums + blockIdx.y * chunks * H + i;
  double sum = 0, of_lane[kLanesOfGroup] = {};
  if (i < H)
    for (int64_t first = threadIdx.y * kLanesOfGroup; first < chunks; first += kLanesOfRows) {
      RINGSIDE_UNROLL(16)
      for (int k = 0; k < kLanesOfGroup; ++k)
        if (first + k < chunks) of_lane[k] += of[(first + k) * H];
    }
  RINGSIDE_UNROLL(16)
  for (int k = 0; k < kLanesOfGroup; ++k) sum += of_lane[k];
  groups[threadIdx.y][lane()] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || i >= H) return;
  for (unsigned group = 1; group < blockDim.y; ++group) sum += groups[group][lane()];
  put(static_cast<float>(sum), (blockIdx.y == 0 ? dw : db) + i);
}

// A thread's sums of more parts do not fit into its registers.
template <typename Number>
constexpr int kMostParts = sizeof(Number) == sizeof(float) ? 16 : 8;

template <typename Sum, typename Number, typename How, typename Backward>
void run_passes(const Backward& call, unsigned chunks, Number* sums, void* stream) {
  constexpr unsigned kOfBlock = 128;
  const int64_t H = call.rows.width;
  const double share = 1 / static_cast<double>(H);
  const auto in_one = [&]<typename Spread>() {
    launch_early(backward_chunk<Spread, How, Sum, Number, Backward>,
                 Grid{chunks, 1, kWarp, blocks_for(H, kPartOfRow)}, stream, call, share, sums);
  };
  const auto of_rows = [&]<typename Spread>() {
    launch_early(backward_rows<Spread, How, Sum, Number, Backward>, grid_of<Spread>(call.rows), stream, call,
                 share);
  };
  const unsigned warps = chunks * blocks_for(H, kPartOfRow);
  const bool in_one_pass = warps >= kBusyWarps && H <= kMostParts<Number> * kPartOfRow;
  if constexpr (sizeof(Sum) == sizeof(double)) {  // few features are one part
    in_one_pass ? in_one.template operator()<Spread<1, 1>>() : of_rows.template operator()<Spread<1, 1>>();
  } else if (in_one_pass) {
    with_spread<1, kMostParts<Number>>(H, in_one);
  } else {
    with_spread<1, 32>(H, of_rows);
  }
  if (in_one_pass) return;
  launch_early(backward_features<Number, Backward>, Grid{blocks_for(H, kOfBlock), chunks, kOfBlock, 1},
               stream, call, sums);
}

template <typename Sum, typename Number, typename Backward>
void run_as(const Backward& call, void* stream) {
  using Value = ValueOf<Backward>;
  constexpr unsigned kSums = kCentred<Backward> ? 2 : 1;
  const int64_t H = call.rows.width;
  const unsigned chunks = blocks_for(call.rows.count, kRowsOfChunk);
  const WorkSpace space(size_t{kSums} * chunks * static_cast<size_t>(H) * sizeof(Number), stream);
  auto* const sums = space.as<Number>();
  in_pairs_or_not([&]<typename How>() { run_passes<Sum, Number, How>(call, chunks, sums, stream); }, H,
                  call.x, call.weight, call.dy, call.dx);
  Value* db = nullptr;
  if constexpr (kCentred<Backward>) db = call.db;
  const unsigned lanes = std::min(chunks, static_cast<unsigned>(kLanesOfRows));
  const Grid groups{blocks_for(H, kWarp), kSums, kWarp, blocks_for(lanes, kLanesOfGroup)};
  launch_early(add_chunks<Number, Value>, groups, stream, static_cast<const Number*>(sums), int64_t{chunks},
               H, call.dw, db);
}

template <typename Backward>
void run_backward(const Backward& call, void* stream) {
  if (call.rows.count == 0) return;
  check_width(call.rows.width);
  if (call.rows.width < norms::kFewFeatures)
    run_as<double, double>(call, stream);
  else if (is_in_real(call))
    run_as<float, float>(call, stream);
  else
    run_as<float, double>(call, stream);
}

}  // namespace

void run(const norms::LayerNormBackward<float>& call, void* stream) { run_backward(call, stream); }
void run(const norms::LayerNormBackward<uint16_t>& call, void* stream) { run_backward(call, stream); }
void run(const norms::RmsNormBackward<float>& call, void* stream) { run_backward(call, stream); }
void run(const norms::RmsNormBackward<uint16_t>& call, void* stream) { run_backward(call, stream); }

}  // namespace ringside::kernels
