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
  const double count = static_cast<double>(H), p = x[0];
  double sum = 0, squares = 0;
  for (int64_t i = lane(); i < H; i += kLanes) {
    const double d = x[i] - p;
    sum += d;
    squares += d * d;
  }
  const double d = total(sum) / count;
  const double m = p + d, v = fmax(total(squares) / count - d * d, 0.0);
  const double s = 1 / sqrt(v + call.eps);
  for (int64_t i = lane(); i < H; i += kLanes)
    y[i] = static_cast<float>((x[i] - m) * s * double{call.weight[i]} + double{call.bias[i]});
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
  const double m = call.mean[row], s = call.scale[row], count = static_cast<double>(H);
  const Sum near = static_cast<Sum>(m);
  Sum sum = 0, sum_c = 0;
  for (int64_t i = lane(); i < H; i += kLanes) {
    const Sum g = static_cast<Sum>(call.weight[i]) * dy[i];
    sum += g;
    sum_c += g * (x[i] - near);
  }
  const double mean_g = total(sum) / count;
  const double mean_gu = (total(sum_c) / count - mean_g * (m - near)) * s;
  const double a = mean_g * s, b = mean_gu * s * s;
  for (int64_t i = lane(); i < H; i += kLanes)
    dx[i] = static_cast<float>(double{call.weight[i]} * dy[i] * s - a - (x[i] - m) * b);
}

// parts: (chunks, H) of dw, then of db
template <typename Sum>
__global__ void backward_features(LayerNormBackward<float> call, double* parts) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x, H = call.rows.width;
  if (i >= H) return;
  double* const dw = parts + blockIdx.y * H + i;
  const auto add = [&](int64_t row, Sum& sum_u, Sum& sum) {
    const double m = call.mean[row];
    const Sum near = static_cast<Sum>(m), low = static_cast<Sum>(m - near),
              s = static_cast<Sum>(call.scale[row]);
    const Sum d = call.dy[row * H + i];
    sum += d;
    sum_u += d * (((call.x[row * H + i] - near) - low) * s);
  };
  over_chunk<Sum>(blockIdx.y * kRowsOfChunk, call.rows.count, dw, dw + gridDim.y * H, add);
}

template <typename Sum>
void backward(const LayerNormBackward<float>& call, cudaStream_t stream) {
  const auto [M, H] = call.rows;
  const int64_t chunks = (M + kRowsOfChunk - 1) / kRowsOfChunk;
  const WorkSpace parts(2 * chunks * H, stream);
  const unsigned features = blocks_for(H, kThreads);
  backward_rows<Sum><<<blocks_for(M, kRowsOfBlock), kThreads, 0, stream>>>(call);
  backward_features<Sum>
      <<<dim3(features, static_cast<unsigned>(chunks)), kThreads, 0, stream>>>(call, parts.data());
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
  if (sums_in_double(device.rows.count, device.rows.width))
    backward<double>(device, queue);
  else
    backward<float>(device, queue);
}

}  // namespace ringside::cuda
