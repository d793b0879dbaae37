// The one curve of matrix products against what an H200 did: demos/gpu/rates.py, torch 2.11, bf16.
#include "layer_time.h"

#include <algorithm>
#include <cmath>

#include "catch.h"

using namespace ringside;

namespace {

// TFLOP/s over the four products of a layer, forward and both of the backward, at 4,096 tokens; tp 1, 2,
// 4, 8.
struct MeasuredRow {
  double hidden, rates[4];
};
constexpr MeasuredRow kMeasured[] = {
    {1024, {685, 619, 448, 244}}, {2048, {701, 701, 678, 610}},  {4096, {653, 674, 688, 675}},
    {8192, {671, 682, 679, 674}}, {12288, {684, 679, 686, 687}}, {16384, {673, 674, 676, 676}},
};

double planned_rate(const GpuFacts& gpu, double h, double tp) {
  const double M = 4096, sizes[][2] = {{3 * h / tp, h}, {h, h / tp}, {4 * h / tp, h}, {h, 4 * h / tp}};
  double flops = 0, seconds = 0;
  for (const auto& [N, K] : sizes) {
    flops += 3 * 2 * M * N * K;
    seconds += product_seconds(gpu, M, N, K) + product_seconds(gpu, M, K, N) + product_seconds(gpu, N, K, M);
  }
  return flops / seconds / 1e12;
}

}  // namespace

TEST_CASE(
    "layer time: products of a layer are as fast as an H200's, 5 % off in the median, 10 % from h = 4,096") {
  const GpuFacts gpu = gpu_named("h200");
  std::vector<double> errors;
  for (const MeasuredRow& row : kMeasured)
    for (int i = 0; i < 4; ++i) {
      const double tp = 1 << i, error = std::abs(planned_rate(gpu, row.hidden, tp) / row.rates[i] - 1);
      errors.push_back(error);
      INFO("h " << row.hidden << ", tp " << tp << ": " << planned_rate(gpu, row.hidden, tp) << " for "
                << row.rates[i]);
      if (row.hidden >= 4096) CHECK(error < 0.10);
    }
  std::ranges::sort(errors);
  CHECK(errors[errors.size() / 2] < 0.05);
}

TEST_CASE("layer time: a ring takes as long as its bytes over the link that is slowest") {
  const GpuFacts gpu = gpu_named("a100");
  const double inside = ring_seconds(gpu, RingCall::kAllReduce, 1e9, 8, 8);
  CHECK(inside == Approx(2 * 7 / 8.0 * 1e9 / (300e9 * kInsideShare)).epsilon(0.02));
  const double between = ring_seconds(gpu, RingCall::kReduceScatter, 1e9, 64, 1);
  CHECK(between == Approx(63 / 64.0 * 1e9 / (25e9 * kBetweenShare)).epsilon(0.02));
  CHECK(ring_seconds(gpu, RingCall::kAllGather, 1e9, 64, 4) ==
        Approx(between / 4).epsilon(0.02));  // four cards
  CHECK(ring_seconds(gpu, RingCall::kAllGather, 1e9, 1, 1) == 0);
  // 8 + log2 n hops at most.
  CHECK(ring_seconds(gpu, RingCall::kAllGather, 0, 1024, 1) == Approx(10e-6 + 18 * gpu.between.latency_s));
  CHECK(ring_seconds(gpu, RingCall::kAllGather, 0, 8, 1) == Approx(10e-6 + 7 * gpu.between.latency_s));
}
