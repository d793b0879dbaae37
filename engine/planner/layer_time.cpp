#include "layer_time.h"

#include <algorithm>
#include <cmath>

namespace ringside::inline planner {
namespace {

constexpr double kHalfDepth = 64;        // K at which a product has half of its rate
constexpr double kEagerAttention = 0.6;  // of attention_share: 408 of 665 TFLOP/s at 8,192 tokens, d = 128
constexpr double kCallOverhead = 10e-6;  // s, of a collective
constexpr double kGradientBytes = 8;     // a weight gradient is added to its fp32 sum: read and written

// The sizes of one place, for one micro-batch.
struct PlaceSizes {
  double M, h, q, k, I, t, ups;  // tokens, hidden, queries, keys, intermediate
  explicit PlaceSizes(const MeshSetup& setup, const MeshShape& shape)
      : M(double(shape.micro * setup.tokens)),
        h(double(setup.model.hidden)),
        q(setup.model.queries() / double(shape.tp)),
        k(setup.model.keys() / double(shape.tp)),
        I(double(setup.model.intermediate) / double(shape.tp)),
        t(double(shape.tp)),
        ups(setup.model.gated ? 2 : 1) {}
};

// y = x W^T, and its two gradients. Returns how long that of x takes.
double add_product(const GpuFacts& gpu, double M, double N, double K, LayerTime& time) {
  time.forward += product_seconds(gpu, M, N, K);
  const double weights = product_seconds(gpu, N, K, M, 1, kGradientBytes);
  time.weights += weights;
  const double inputs = product_seconds(gpu, M, K, N);
  time.backward += inputs + weights;
  return inputs;
}

void add_attention(const MeshSetup& setup, const MeshShape& shape, LayerTime& time) {
  const GpuFacts& gpu = setup.gpu;
  const double T = double(setup.tokens), d = double(setup.model.head_size);
  const double heads = double(shape.micro * setup.model.heads) / double(shape.tp);
  if (setup.attention == AttentionKernel::kFlash) {
    const double share = gpu.attention_share * (setup.fused ? 1 : kEagerAttention);
    const double one = heads * 4 * T * T * d / 2 / (gpu.flops * share);
    time.scores = one + kKernelLaunch;
    time.forward += time.scores;
    time.backward += 2.5 * one + kKernelLaunch;
    return;
  }
  const double products = product_seconds(gpu, T, T, d, heads) + product_seconds(gpu, T, d, T, heads);
  time.scores = products + memory_seconds(gpu, 9 * heads * T * T, 2);
  time.forward += time.scores;
  time.backward += 2 * products + memory_seconds(gpu, 11 * heads * T * T, 2);
}

// Passes over (M, h) are cut by sequence parallelism; those over (M, I) and (M, q) are by tp.
void add_memory_bound(const MeshSetup& setup, const MeshShape& shape, const PlaceSizes& s, LayerTime& time) {
  const GpuFacts& gpu = setup.gpu;
  const MeshModel& model = setup.model;
  const double of_hidden = 2 * s.M * s.h / (shape.sequence ? s.t : 1), of_mlp = 2 * s.M * s.I,
               of_q = 2 * s.M * s.q;
  // Two norms read x and write y, or read x and dy and write dx; two sums. Dropout has a mask too.
  const double sums = model.dropout ? 7 : 6;
  time.forward +=
      memory_seconds(gpu, of_hidden * (4 + sums), 4) + memory_seconds(gpu, of_mlp * (s.ups + 1), 1);
  time.backward +=
      memory_seconds(gpu, of_hidden * (8 + sums - 2), 4) + memory_seconds(gpu, of_mlp * (2 * s.ups + 1), 1);
  if (model.gated && !setup.fused) {  // silu by itself
    time.forward += memory_seconds(gpu, 2 * of_mlp, 1);
    time.backward += memory_seconds(gpu, 3 * of_mlp, 1);
  }
  // q, k and v brought into heads' order, or turned by their positions; and the result brought back.
  const double passes = setup.fused || model.positions > 0 ? 8 : 16;
  time.forward += memory_seconds(gpu, passes * of_q, passes / 2);
  time.backward += memory_seconds(gpu, passes * of_q, passes / 2);
}

}  // namespace

double product_seconds(const GpuFacts& gpu, double M, double N, double K, double copies,
                       double output_bytes) {
  const double rate = gpu.flops * gpu.product_share * K / (K + kHalfDepth);
  const double bytes = copies * (2 * (M * K + N * K) + output_bytes * M * N);
  return std::max(2 * M * N * K * copies / rate, bytes / (gpu.memory_bytes_per_s * gpu.memory_share)) +
         kKernelLaunch;
}

double memory_seconds(const GpuFacts& gpu, double bytes, double kernels) {
  return bytes / (gpu.memory_bytes_per_s * gpu.memory_share) + kernels * kKernelLaunch;
}

double ring_seconds(const GpuFacts& gpu, RingCall call, double bytes, int64_t ranks, int64_t neighbours) {
  if (ranks <= 1) return 0;
  const double n = double(ranks), passes = call == RingCall::kAllReduce ? 2 : 1;
  double rate = gpu.inside.bytes_per_s * kInsideShare, hop = gpu.inside.latency_s;
  if (neighbours < ranks) {  // each neighbour brings its network card
    rate = std::min(rate, double(neighbours) * gpu.between.bytes_per_s * kBetweenShare);
    hop = gpu.between.latency_s;
  }
  // Rings of thousands are trees for small messages: no more hops than a tree has.
  const double hops = passes * std::min(n - 1, 8 + std::log2(n));
  return passes * (n - 1) / n * bytes / rate + kCallOverhead + hops * hop;
}

LayerTime layer_time(const MeshSetup& setup, const MeshShape& shape) {
  const PlaceSizes s(setup, shape);
  LayerTime time;
  time.inputs += add_product(setup.gpu, s.M, s.q + 2 * s.k, s.h, time);
  add_product(setup.gpu, s.M, s.h, s.q, time);
  time.inputs += add_product(setup.gpu, s.M, s.ups * s.I, s.h, time);
  add_product(setup.gpu, s.M, s.h, s.I, time);
  add_attention(setup, shape, time);
  add_memory_bound(setup, shape, s, time);
  time.call = ring_seconds(setup.gpu, RingCall::kAllReduce, 2 * s.M * s.h, shape.tp,
                           std::min<int64_t>(shape.tp, setup.gpu.node_ranks));
  return time;
}

LayerTime head_time(const MeshSetup& setup, const MeshShape& shape) {
  const PlaceSizes s(setup, shape);
  LayerTime time;
  if (setup.model.classes > 0) return time;
  const double N = double(setup.model.vocabulary) / s.t;
  add_product(setup.gpu, s.M, N, s.h, time);
  // Logits as fp32, their softmax, and their gradient: read and written.
  time.forward += memory_seconds(setup.gpu, s.M * N * (2 + 4 + 4 + 4), 4);
  time.backward += memory_seconds(setup.gpu, s.M * N * (4 + 2), 2);
  return time;
}

}  // namespace ringside::inline planner
