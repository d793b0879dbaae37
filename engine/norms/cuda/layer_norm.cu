#include "ringside/cuda/norms.h"
#include "warp.cuh"

namespace ringside::cuda {
namespace {

using norms::LayerNormBackward;
using norms::LayerNormForward;

__global__ void forward(LayerNormForward<float> call) {
  const int64_t row = row_of_warp(), H = call.rows.width;
  if (row >= call.rows.count) return;
  const float* const x = call.x + row * H;
  float* const y = call.y + row * H;
  const double p = x[0], share = 1 / static_cast<double>(H);
  double sum = 0, squares = 0;
  for (int64_t i = lane(); i < H; i += kLanes) {
    const double d = x[i] - p;
    sum += d;
    squares = fma(d, d, squares);
  }
  const double d = total(sum) * share;
  const double m = p + d, v = fmax(total(squares) * share - d * d, 0.0);
  const double s = 1 / sqrt(v + call.eps), ms = 0 - m * s;
  for (int64_t i = lane(); i < H; i += kLanes)
    y[i] = static_cast<float>(fma(double{call.weight[i]}, fma(double{x[i]}, s, ms), double{call.bias[i]}));
  if (lane() == 0) {
    call.mean[row] = m;
    call.scale[row] = s;
  }
}

template <typename Sum>
__global__ void backward_rows(LayerNormBackward<float> call) {
  const int64_t row = row_of_warp(), H = call.rows.width;
  if (row >= call.rows.count) return;
  const float *const x = call.x + row * H, *const dy = call.dy + row * H;
  float* const dx = call.dx + row * H;
  const double m = call.mean[row], s = call.scale[row], share = 1 / static_cast<double>(H);
  const Sum near = static_cast<Sum>(m);
  Sum sum_g = 0, sum_gc = 0;
  for (int64_t i = lane(); i < H; i += kLanes) {
    const Sum g = static_cast<Sum>(dy[i]) * call.weight[i];
    sum_g += g;
    sum_gc = fma(g, static_cast<Sum>(x[i]) - near, sum_gc);
  }
  const double mean_g = total(sum_g) * share;
  const double mean_gu = (total(sum_gc) * share - mean_g * (m - near)) * s;
  const double of_one = 0 + -s * mean_g, of_x = 0 + -s * s * mean_gu;
  for (int64_t i = lane(); i < H; i += kLanes)
    dx[i] = static_cast<float>(fma(double{call.weight[i]}, dy[i] * s, fma(x[i] - m, of_x, of_one)));
}

// parts: (chunks, H) of dw, then of db
__global__ void backward_features(LayerNormBackward<float> call, double* parts) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x, H = call.rows.width;
  if (i >= H) return;
  double dw = 0, db = 0;
  over_chunk(blockIdx.y, call.rows.count, [&](int64_t row) {
    const double dy = call.dy[row * H + i];
    dw = fma(dy * call.scale[row], call.x[row * H + i] - call.mean[row], dw);
    db += dy;
  });
  parts[blockIdx.y * H + i] = dw;
  parts[(gridDim.y + blockIdx.y) * H + i] = db;
}

template <typename Sum>
void backward(const LayerNormBackward<float>& call, cudaStream_t stream) {
  const auto [M, H] = call.rows;
  const int64_t chunks = (M + kRowsOfChunk - 1) / kRowsOfChunk;
  const WorkSpace parts(2 * chunks * H, stream);
  const unsigned features = blocks_for(H, kThreads);
  backward_rows<Sum><<<blocks_for(M, kRowsOfBlock), kThreads, 0, stream>>>(call);
  backward_features<<<dim3(features, static_cast<unsigned>(chunks)), kThreads, 0, stream>>>(call,
                                                                                            parts.data());
  add_chunks<<<features, kThreads, 0, stream>>>(parts.data(), chunks, H, call.dw);
  add_chunks<<<features, kThreads, 0, stream>>>(parts.data() + chunks * H, chunks, H, call.db);
  check(cudaGetLastError());
}

}  // namespace

void run(const LayerNormForward<float>& device, void* stream) {
  if (device.rows.count == 0) return;
  forward<<<blocks_for(device.rows.count, kRowsOfBlock), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      device);
  check(cudaGetLastError());
}

void run(const LayerNormBackward<float>& device, void* stream) {
  if (device.rows.count == 0) return;
  auto* const queue = static_cast<cudaStream_t>(stream);
  if (device.rows.width < kFewFeatures)
    backward<double>(device, queue);
  else
    backward<float>(device, queue);
}

}  // namespace ringside::cuda
