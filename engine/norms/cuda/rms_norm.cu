#include "ringside/cuda/norms.h"
#include "warp.cuh"

namespace ringside::cuda {
namespace {

using norms::RmsNormBackward;
using norms::RmsNormForward;

__global__ void forward(RmsNormForward<float> call) {
  const int64_t row = row_of_warp(), H = call.rows.width;
  if (row >= call.rows.count) return;
  const float* const x = call.x + row * H;
  double squares = 0;
  for (int64_t i = lane(); i < H; i += kLanes) squares = fma(double{x[i]}, double{x[i]}, squares);
  const double s = 1 / sqrt(total(squares) * (1 / static_cast<double>(H)) + call.eps);
  for (int64_t i = lane(); i < H; i += kLanes)
    call.y[row * H + i] = static_cast<float>(x[i] * s * double{call.weight[i]});
  if (lane() == 0) call.scale[row] = s;
}

template <typename Sum>
__global__ void backward_rows(RmsNormBackward<float> call) {
  const int64_t row = row_of_warp(), H = call.rows.width;
  if (row >= call.rows.count) return;
  const float *const x = call.x + row * H, *const dy = call.dy + row * H;
  const double s = call.scale[row];
  Sum sum = 0;
  for (int64_t i = lane(); i < H; i += kLanes)
    sum = fma(static_cast<Sum>(dy[i]) * call.weight[i], static_cast<Sum>(x[i]), sum);
  const double mean_gu = total(sum) * (1 / static_cast<double>(H)) * s, of_x = -s * s * mean_gu;
  for (int64_t i = lane(); i < H; i += kLanes)
    call.dx[row * H + i] = static_cast<float>(fma(double{call.weight[i]}, dy[i] * s, x[i] * of_x));
}

// parts: (chunks, H) of dw
__global__ void backward_features(RmsNormBackward<float> call, double* parts) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x, H = call.rows.width;
  if (i >= H) return;
  double dw = 0;
  over_chunk(blockIdx.y, call.rows.count, [&](int64_t row) {
    dw = fma(call.dy[row * H + i] * call.scale[row], double{call.x[row * H + i]}, dw);
  });
  parts[blockIdx.y * H + i] = dw;
}

template <typename Sum>
void backward(const RmsNormBackward<float>& call, cudaStream_t stream) {
  const auto [M, H] = call.rows;
  const int64_t chunks = (M + kRowsOfChunk - 1) / kRowsOfChunk;
  const WorkSpace parts(chunks * H, stream);
  const unsigned features = blocks_for(H, kThreads);
  backward_rows<Sum><<<blocks_for(M, kRowsOfBlock), kThreads, 0, stream>>>(call);
  backward_features<<<dim3(features, static_cast<unsigned>(chunks)), kThreads, 0, stream>>>(call,
                                                                                            parts.data());
  add_chunks<<<features, kThreads, 0, stream>>>(parts.data(), chunks, H, call.dw);
  check(cudaGetLastError());
}

}  // namespace

void run(const RmsNormForward<float>& device, void* stream) {
  if (device.rows.count == 0) return;
  forward<<<blocks_for(device.rows.count, kRowsOfBlock), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      device);
  check(cudaGetLastError());
}

void run(const RmsNormBackward<float>& device, void* stream) {
  if (device.rows.count == 0) return;
  auto* const queue = static_cast<cudaStream_t>(stream);
  if (device.rows.width < kFewFeatures)
    backward<double>(device, queue);
  else
    backward<float>(device, queue);
}

}  // namespace ringside::cuda
