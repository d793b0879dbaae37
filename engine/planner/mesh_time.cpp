// How long a step takes. Per micro-batch a stage computes its layers, forward and backward, and waits for
// what of tp's calls nothing hides; then
//
//   1F1B         m micro-batches of the busiest stage, and p - 1 of an average one: the bubble
//   ZB-H1        each of the p - 1 without twice its weight gradients: F + I - W (arXiv:2401.10241, table 2)
//   interleaved  the same with (p - 1) / v, and v times as many messages (arXiv:2104.04473, section 2.2.2)
//
// A message of pp is waited for at both ends of a pass, unless pp is 1. dp's calls hide behind one
// micro-batch's backward (ZeRO's gathers behind its forward), except those of the last layer, where
// setup.hides_data. replay_mesh() (mesh_replay.cpp) asks the clock of engine/pipeline instead.
#include <algorithm>

#include "layer_time.h"

namespace ringside::inline planner {
namespace {

// Ranks of one place of dp that share a node: dp stands between tp and pp.
int64_t data_neighbours(const MeshSetup& setup, const MeshShape& shape) {
  return std::clamp<int64_t>(setup.gpu.node_ranks / shape.tp, 1, shape.dp);
}

double hidden_behind(double seconds, double cover, double layers) {
  return std::max(seconds / std::max(layers, 1.0), seconds - cover);
}

// What of dp's calls nothing hides. Of each forward: a gather; of each backward: a gather and a reduction.
double data_seconds(const MeshSetup& setup, const MeshShape& shape, const StageTime& stage) {
  const auto one = [&](RingCall call, double bytes) {
    return ring_seconds(setup.gpu, call, bytes, shape.dp, data_neighbours(setup, shape));
  };
  const double m = static_cast<double>(shape.micro_batches(setup.batch));
  const double forward = stage.forward + stage.forward_calls,
               backward = stage.backward + stage.backward_calls;
  const auto behind = [&](double seconds, double cover) {
    return setup.hides_data ? hidden_behind(seconds, cover, stage.layers) : seconds;
  };
  const double gradients = setup.gradient_bytes * stage.elements;
  if (shape.stage == 0) return behind(one(RingCall::kAllReduce, gradients), backward);
  const double reduce = one(RingCall::kReduceScatter, gradients),
               gather = one(RingCall::kAllGather, 2 * stage.elements);
  if (shape.stage == 3) return m * (behind(gather, forward) + behind(gather + reduce, backward));
  return (shape.stage == 2 ? m : 1) * behind(reduce, backward) + behind(gather, forward);
}

// AdamW reads gradient, copy and moments, and writes copy, moments and the bf16 parameter; the norm of the
// gradients reads them once more.
double update_seconds(const MeshSetup& setup, const MeshShape& shape, double elements) {
  const double own = shape.stage > 0 ? elements / static_cast<double>(shape.dp) : elements;
  return memory_seconds(setup.gpu, own * (12 + 12 + 2 + 2 * setup.gradient_bytes), 20) +
         memory_seconds(setup.gpu, elements * setup.gradient_bytes, 4);  // set to zero
}

}  // namespace

StageTime stage_time(const MeshSetup& setup, const MeshShape& shape, const MeshStage& stage,
                     const LayerTime& layer, const LayerTime& head) {
  StageTime time;
  double calls = 2 * layer.call;
  if (setup.hides_tensor) calls = std::max(0.0, calls - layer.weights);
  time.layers = stage.layers;
  time.forward = stage.layers * layer.forward;
  time.backward = stage.layers * layer.backward;
  time.weights = stage.layers * layer.weights;
  time.forward_calls = stage.layers * 2 * layer.call;
  time.backward_calls = stage.layers * calls;
  if (shape.recompute == Recompute::kSelective) time.backward += stage.layers * layer.scores;
  if (shape.recompute == Recompute::kFull) {
    time.backward += time.forward;
    time.backward_calls += time.forward_calls;
  }
  if (stage.last) {
    time.forward += head.forward;
    time.backward += head.backward;
    time.weights += head.weights;
  }
  time.elements = stage_elements(setup, shape, stage);
  return time;
}

double message_seconds(const MeshSetup& setup, const MeshShape& shape) {
  if (shape.pp == 1) return 0;
  const GpuFacts& gpu = setup.gpu;
  const double E = 2 * static_cast<double>(shape.micro * setup.tokens * setup.model.hidden);
  const bool inside = shape.dp * shape.tp * shape.pp <= gpu.node_ranks;
  const LinkModel& link = inside ? gpu.inside : gpu.between;
  double seconds = link.latency_s + E / static_cast<double>(shape.tp) /
                                        (link.bytes_per_s * (inside ? kInsideShare : kBetweenShare));
  if (!shape.sequence)  // the parts are gathered
    seconds +=
        ring_seconds(gpu, RingCall::kAllGather, E, shape.tp, std::min<int64_t>(shape.tp, gpu.node_ranks));
  return seconds;
}

MeshTime step_time(const MeshSetup& setup, const MeshShape& shape, const LayerTime& layer,
                   const LayerTime& head) {
  StageTime busiest;
  double all = 0, middle = 0;
  for (const MeshStage& stage : unlike_stages(setup, shape)) {
    const StageTime time = stage_time(setup, shape, stage, layer, head);
    if (time.total() > busiest.total()) busiest = time;
    const double waited = time.total() - (shape.zero_bubble ? 2 * time.weights : 0);
    all += waited;
    if (!stage.first || shape.pp <= 2) middle = stage.last && shape.pp > 2 ? middle : waited;
  }
  if (shape.pp > 3) all += static_cast<double>(shape.pp - 3) * middle;
  const double m = static_cast<double>(shape.micro_batches(setup.batch)),
               v = static_cast<double>(shape.chunks);
  const double p = static_cast<double>(shape.pp), messages = 2 * v * message_seconds(setup, shape);
  MeshTime time;
  time.compute = m * (busiest.forward + busiest.backward);
  time.tensor = m * (busiest.forward_calls + busiest.backward_calls);
  time.bubble = (p - 1) / v * all / p;
  time.messages = (m + (p - 1) / v) * messages;
  time.data = shape.dp > 1 ? data_seconds(setup, shape, busiest) : 0;
  time.update = update_seconds(setup, shape, busiest.elements);
  return time;
}

MeshTime mesh_time(const MeshSetup& setup, const MeshShape& shape) {
  return step_time(setup, shape, layer_time(setup, shape), head_time(setup, shape));
}

double flops_utilization(const MeshSetup& setup, double seconds) {
  const double flops =
      step_flops(setup.model, static_cast<double>(setup.batch), static_cast<double>(setup.tokens));
  return flops / (static_cast<double>(setup.ranks) * setup.gpu.flops * seconds);
}

}  // namespace ringside::inline planner
