#include <algorithm>
#include <cmath>

#include "ringside/base/check.h"
#include "ringside/kernels/norms.h"
#include "row.h"

namespace ringside::kernels {
namespace {

using norms::kFewFeatures;
using norms::Rows;

template <typename Call>
constexpr bool kCentred = requires(Call call) {
  call.mean;
};
template <typename>
struct ValueOf;
template <template <typename> typename Call, typename Value>
struct ValueOf<Call<Value>> {
  using Type = Value;
};

// Where a row is one part, a block has some rows at a time; else one.
template <int kParts>
constexpr int kRowsAtOnce = kParts == 1 ? kRowsOfBlock : 1;
template <int kParts>
constexpr int kThreads = kLanes* kParts* kRowsAtOnce<kParts>;

template <int kParts>
__device__ int64_t part_of_warp() {
  return kParts == 1 ? 0 : threadIdx.y;
}
template <int kParts>
__device__ int64_t row_of_warp() {
  return int64_t{blockIdx.x} * kRowsAtOnce<kParts> + (kParts == 1 ? threadIdx.y : 0);
}

struct Moments {
  double m, s;
};

// So many rows of eight parts or fewer are on their way in a multiprocessor at once, for its registers.
constexpr int kRowsInFlight = 5;

template <int kParts, typename Forward>
__global__ void __launch_bounds__(kThreads<kParts>, kParts == 8 ? kRowsInFlight : 1) forward(Forward call) {
  constexpr bool kHasMean = kCentred<Forward>;
  const int64_t row = row_of_warp<kParts>(), part = part_of_warp<kParts>(), H = call.rows.width;
  if (row >= call.rows.count) return;
  const auto* const from = call.x + row * H;
  auto* const to = call.y + row * H;
  const double p = kHasMean ? widened(from[0]) : 0, share = 1 / static_cast<double>(H);
  double sum = 0, squares = 0;
  float x[kOfLane];
  over_part(part, H, [&](int k, int64_t i) { x[k] = widened(from[i]); });
  over_part(part, H, [&](int k, int64_t) {
    const double d = x[k] - p;
    sum += d;
    squares = std::fma(d, d, squares);
  });
  const auto [m, s] = of_totals<kParts>(sum, squares, [&](double total, double total_squares) {
    const double d = total * share;
    const double v = kHasMean ? std::fmax(total_squares * share - d * d, 0.0) : total_squares * share;
    return Moments{p + d, 1 / std::sqrt(v + call.eps)};
  });
  const double scale = s, minus_ms = 0 - m * s;
  over_part(part, H, [&](int k, int64_t i) {
    const double w = widened(call.weight[i]);
    double y;
    if constexpr (kHasMean)
      y = std::fma(w, std::fma(double{x[k]}, scale, minus_ms), double{widened(call.bias[i])});
    else
      y = x[k] * scale * w;
    put(static_cast<float>(y), to + i);
  });
  if (lane() == 0 && part == 0) {
    if constexpr (kHasMean) call.mean[row] = m;
    call.scale[row] = s;
  }
}

// dx = w (dy s) + (x - m) of_x + of_one
struct OfRow {
  double m, s, of_one, of_x;
};

// Of x and dy, this thread's numbers of the part. Sum: the type in which the two means are summed.
template <int kParts, typename Sum, typename Backward>
__device__ OfRow means_of_row(const Backward& call, int64_t row, int64_t part, const float* x,
                              const float* dy) {
  constexpr bool kHasMean = kCentred<Backward>;
  const int64_t H = call.rows.width;
  double m = 0;
  if constexpr (kHasMean) m = call.mean[row];
  const double s = call.scale[row], share = 1 / static_cast<double>(H);
  const Sum near = static_cast<Sum>(m);
  Sum sum_g = 0, sum_gc = 0;
  over_part(part, H, [&](int k, int64_t i) {
    const Sum g = static_cast<Sum>(dy[k]) * widened(call.weight[i]);
    sum_g += g;
    sum_gc = std::fma(g, static_cast<Sum>(x[k]) - near, sum_gc);
  });
  return of_totals<kParts>(sum_g, sum_gc, [&](Sum total_g, Sum total_gc) {
    const double mean_g = kHasMean ? total_g * share : 0;
    const double mean_gu = (total_gc * share - mean_g * (m - near)) * s;
    return OfRow{m, s, -s * mean_g, -s * s * mean_gu};
  });
}

template <typename Backward>
__device__ void write_dx(const Backward& call, int64_t at, double w, double c, double ds, const OfRow& of) {
  if constexpr (kCentred<Backward>)
    put(static_cast<float>(std::fma(w, ds, std::fma(c, 0 + of.of_x, 0 + of.of_one))), call.dx + at);
  else
    put(static_cast<float>(std::fma(w, ds, c * of.of_x)), call.dx + at);
}

template <int kParts, typename Sum, typename Backward>
__global__ void __launch_bounds__(kThreads<kParts>) backward_rows(Backward call) {
  const int64_t row = row_of_warp<kParts>(), part = part_of_warp<kParts>(), H = call.rows.width;
  if (row >= call.rows.count) return;
  float x[kOfLane], dy[kOfLane];
  over_part(part, H, [&](int k, int64_t i) {
    x[k] = widened(call.x[row * H + i]);
    dy[k] = widened(call.dy[row * H + i]);
  });
  const OfRow of = means_of_row<kParts, Sum>(call, row, part, x, dy);
  over_part(part, H, [&](int k, int64_t i) {
    write_dx(call, row * H + i, widened(call.weight[i]), x[k] - of.m, dy[k] * of.s, of);
  });
}

// The rows of a lane of rows (norms/order.h), one after the other; ends at M.
struct RowsOfLane {
  int64_t row, M;
  __device__ RowsOfLane(int64_t lane, int64_t count) : row(lane * kRowsOfChunk), M(count) {}
  __device__ bool has_row() const { return row < M; }
  __device__ int64_t next() const {
    return (row + 1) % kRowsOfChunk != 0 ? row + 1 : row + 1 + kRowsOfChunk * (kLanesOfRows - 1);
  }
};

// A thread has a feature of a lane of rows. sums: (lanes, H) of dw, then of db.
template <typename Backward>
__global__ void backward_features(Backward call, double* sums) {
  constexpr bool kHasMean = kCentred<Backward>;
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, H = call.rows.width;
  if (i >= H) return;
  double dw = 0, db = 0;
  for (int64_t first = blockIdx.y * kRowsOfChunk; first < call.rows.count;
       first += kRowsOfChunk * kLanesOfRows) {
    const int64_t rest = call.rows.count - first;
    RINGSIDE_UNROLL(8)
    for (int64_t row = first; row < first + (rest < kRowsOfChunk ? rest : kRowsOfChunk); ++row) {
      const double dy = widened(call.dy[row * H + i]);
      double m = 0;
      if constexpr (kHasMean) m = call.mean[row];
      dw = std::fma(dy * call.scale[row], widened(call.x[row * H + i]) - m, dw);
      db += dy;
    }
  }
  sums[blockIdx.y * H + i] = dw;
  if constexpr (kHasMean) sums[(int64_t{gridDim.y} + blockIdx.y) * H + i] = db;
}

// Both in one pass: a block has a lane of rows, and each thread the sums of its features. Reads and writes
// what has to be read and written, once.
template <int kParts, typename Backward>
__global__ void __launch_bounds__(kLanes* kParts, 2) backward_lane(Backward call, double* sums) {
  constexpr bool kHasMean = kCentred<Backward>;
  const int64_t H = call.rows.width, part = threadIdx.y;
  double dw[kOfLane] = {}, db[kOfLane] = {};
  for (RowsOfLane at(blockIdx.x, call.rows.count); at.has_row(); at.row = at.next()) {
    float x[kOfLane], dy[kOfLane];
    over_part(part, H, [&](int k, int64_t i) {
      x[k] = widened(call.x[at.row * H + i]);
      dy[k] = widened(call.dy[at.row * H + i]);
    });
    const OfRow of = means_of_row<kParts, float>(call, at.row, part, x, dy);
    over_part(part, H, [&](int k, int64_t i) {
      const double c = x[k] - of.m, ds = dy[k] * of.s;
      dw[k] = std::fma(ds, c, dw[k]);
      if constexpr (kHasMean) db[k] += dy[k];
      write_dx(call, at.row * H + i, widened(call.weight[i]), c, ds, of);
    });
  }
  over_part(part, H, [&](int k, int64_t i) {
    sums[blockIdx.x * H + i] = dw[k];
    if constexpr (kHasMean) sums[(int64_t{gridDim.x} + blockIdx.x) * H + i] = db[k];
  });
}

constexpr int kMostGroups = static_cast<int>(kLanesOfRows / kLanesOfGroup);

// dw[i], db[i] = the sum of (lanes, H) over groups of lanes, of which each warp of the block has one.
template <typename Value>
__global__ void __launch_bounds__(kLanes* kMostGroups)
    add_lanes(const double* sums, int64_t lanes, int64_t H, Value* dw, Value* db) {
  __shared__ double groups[kMostGroups][kLanes];
  const int64_t i = int64_t{blockIdx.x} * kLanes + lane(), first = threadIdx.y * kLanesOfGroup;
  const double* const of = sums + (blockIdx.y * lanes + first) * H + i;
  double sum = 0, of_lane[kLanesOfGroup];
  RINGSIDE_UNROLL(16)
  for (int k = 0; k < kLanesOfGroup; ++k) of_lane[k] = i < H && first + k < lanes ? of[k * H] : 0;
  RINGSIDE_UNROLL(16)
  for (int k = 0; k < kLanesOfGroup; ++k) sum += of_lane[k];
  groups[threadIdx.y][lane()] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || i >= H) return;
  for (unsigned group = 1; group < blockDim.y; ++group) sum += groups[group][lane()];
  put(static_cast<float>(sum), (blockIdx.y == 0 ? dw : db) + i);
}

void check_width(int64_t width) {
  if (width > kWidestRow)
    throw UsageError("a norm on the GPU has rows of at most " + std::to_string(kWidestRow) +
                     " numbers, not " + std::to_string(width));
}

// Calls take<kParts>(grid) with the least kParts that fits.
template <typename Take>
void over_rows(Rows rows, Take take) {
  check_width(rows.width);
  const unsigned parts = blocks_for(rows.width, kPartOfRow);
  const Grid wide{static_cast<unsigned>(rows.count), 1, kLanes, parts};
  if (parts == 1)
    take.template operator()<1>(Grid{blocks_for(rows.count, kRowsOfBlock), 1, kLanes, kRowsOfBlock});
  else if (parts <= 8)
    take.template operator()<8>(wide);
  else
    take.template operator()<32>(wide);
}

template <typename Forward>
void run_forward(const Forward& call, void* stream) {
  if (call.rows.count == 0) return;
  over_rows(call.rows, [&]<int kParts>(Grid grid) { launch(forward<kParts, Forward>, grid, stream, call); });
}

template <typename Backward>
void run_in_two_passes(const Backward& call, unsigned lanes, double* sums, void* stream) {
  constexpr unsigned kOfBlock = 128;
  over_rows(call.rows, [&]<int kParts>(Grid grid) {
    if constexpr (kParts == 1)
      if (call.rows.width < kFewFeatures)
        return launch(backward_rows<1, double, Backward>, grid, stream, call);
    launch(backward_rows<kParts, float, Backward>, grid, stream, call);
  });
  launch(backward_features<Backward>, Grid{blocks_for(call.rows.width, kOfBlock), lanes, kOfBlock, 1}, stream,
         call, sums);
}

// Fewer lanes of rows, or parts of a row, leave most of a GPU idle.
constexpr unsigned kFewLanes = 8, kFewParts = 3;

template <typename Backward>
void run_backward(const Backward& call, void* stream) {
  using Value = typename ValueOf<Backward>::Type;
  constexpr unsigned kSums = kCentred<Backward> ? 2 : 1;
  if (call.rows.count == 0) return;
  const auto [M, H] = call.rows;
  check_width(H);
  const unsigned lanes = std::min(blocks_for(M, kRowsOfChunk), static_cast<unsigned>(kLanesOfRows));
  const unsigned parts = blocks_for(H, kPartOfRow);
  const WorkSpace space(static_cast<size_t>(kSums * lanes * H) * sizeof(double), stream);
  double* const sums = space.as<double>();
  if (parts < kFewParts || parts > 8 || lanes < kFewLanes)
    run_in_two_passes(call, lanes, sums, stream);
  else
    launch(backward_lane<8, Backward>, Grid{lanes, 1, kLanes, parts}, stream, call, sums);
  Value* db = nullptr;
  if constexpr (kCentred<Backward>) db = call.db;
  const Grid groups{blocks_for(H, kLanes), kSums, kLanes, blocks_for(lanes, kLanesOfGroup)};
  launch(add_lanes<Value>, groups, stream, static_cast<const double*>(sums), int64_t{lanes}, H, call.dw, db);
}

}  // namespace

void run(const norms::LayerNormForward<float>& call, void* stream) { run_forward(call, stream); }
void run(const norms::LayerNormForward<uint16_t>& call, void* stream) { run_forward(call, stream); }
void run(const norms::LayerNormBackward<float>& call, void* stream) { run_backward(call, stream); }
void run(const norms::LayerNormBackward<uint16_t>& call, void* stream) { run_backward(call, stream); }
void run(const norms::RmsNormForward<float>& call, void* stream) { run_forward(call, stream); }
void run(const norms::RmsNormForward<uint16_t>& call, void* stream) { run_forward(call, stream); }
void run(const norms::RmsNormBackward<float>& call, void* stream) { run_backward(call, stream); }
void run(const norms::RmsNormBackward<uint16_t>& call, void* stream) { run_backward(call, stream); }

}  // namespace ringside::kernels
