// How long a step takes. Per micro-batch a stage computes its layers, forward and backward, and waits for
// what of tp's calls nothing hides; then
//
//   1F1B         m micro-batches of the busiest stage, and p - 1 of an average one: the bubble
//   ZB-H1        each of the p - 1 without twice its weight gradients: F + I - W (arXiv:2401.10241, table 2)
//   interleaved  the same with (p - 1) / v, and v times as many messages (arXiv:2104.04473, section 2.2.2)
//
// Of tp's calls those of a backward hide behind its products: sums of input gradients behind those of weight
// gradients, inputs that are gathered again behind those of input gradients (arXiv:2205.05198,
// section 4.2.2). A message of pp is waited for at both ends of a pass, unless pp is 1. dp's calls hide
// behind one micro-batch's backward (ZeRO's gathers behind its forward), except those of the last layer,
// where setup.hides_data. replay_mesh() asks the clock of engine/pipeline instead.
#include <algorithm>

#include "layer_time.h"
#include "ringside/pipeline/clock.h"

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
  const double m = double(shape.micro_batches(setup.batch));
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

// AdamW reads gradient, copy and moments, and writes copy, moments and bf16; the norm reads gradients too.
double update_seconds(const MeshSetup& setup, const MeshShape& shape, double elements) {
  const double own = shape.stage > 0 ? elements / double(shape.dp) : elements;
  const double kept = shape.stage >= 2 ? own : elements;  // of the gradients
  return memory_seconds(setup.gpu, own * (12 + 12 + 2 + 2 * setup.gradient_bytes), 20) +
         memory_seconds(setup.gpu, kept * setup.gradient_bytes, 4);  // set to zero
}

// ---- A step's time by the clock of engine/pipeline: the real schedule, with what each stage's passes cost.
// Twice: without messages the rest of a stage's time is the bubble; what they add is theirs.

// Seconds of the passes of one chunk; weights: the part of backward that ZB-H1 puts off.
struct ChunkTime {
  double forward = 0, backward = 0, weights = 0;
  double of(StepPass::Kind kind) const {
    if (kind == StepPass::kForward) return forward;
    if (kind == StepPass::kBackwardWeight) return weights;
    return kind == StepPass::kBackwardInput ? backward - weights : backward;
  }
};

struct StageChunks {
  std::vector<std::vector<ChunkTime>> chunks;  // (p)(v)
  double busiest = 0;                          // of a micro-batch on the stage with the most
};

// The head lies on the last stage's last chunk.
StageChunks stage_chunks(const MeshSetup& setup, const MeshShape& shape) {
  const LayerTime layer = layer_time(setup, shape), head = head_time(setup, shape);
  const double v = double(shape.chunks);
  StageChunks all;
  for (int64_t s = 0; s < shape.pp; ++s) {
    MeshStage stage = mesh_stage(setup, shape, s);
    all.busiest = std::max(all.busiest, stage_time(setup, shape, stage, layer, head).total());
    stage.last = false;  // its layers alone
    const StageTime layers = stage_time(setup, shape, stage, layer, head);
    const ChunkTime chunk{(layers.forward + layers.forward_calls) / v,
                          (layers.backward + layers.backward_calls) / v, layers.weights / v};
    all.chunks.emplace_back(size_t(shape.chunks), chunk);
  }
  ChunkTime& last = all.chunks.back().back();
  last.forward += head.forward, last.backward += head.backward, last.weights += head.weights;
  return all;
}

PipelineSchedule schedule_of_mesh(const MeshShape& shape, int64_t m) {
  const int p = int(shape.pp), v = int(shape.chunks);
  if (v > 1) return interleaved(p, m, v);
  return shape.zero_bubble ? zero_bubble(p, m) : one_f_one_b(p, m);
}

}  // namespace

StageTime stage_time(const MeshSetup& setup, const MeshShape& shape, const MeshStage& stage,
                     const LayerTime& layer, const LayerTime& head) {
  StageTime time;
  double calls = 2 * layer.call;
  if (setup.hides_tensor) calls = std::max(0.0, calls - layer.weights);
  if (gathers_again(setup, shape))  // two inputs, a half of a call each
    calls += setup.hides_tensor ? std::max(0.0, layer.call - layer.inputs) : layer.call;
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
  const double E = 2 * double(shape.micro * setup.tokens * setup.model.hidden);
  const bool inside = shape.dp * shape.tp * shape.pp <= gpu.node_ranks;
  const LinkModel& link = inside ? gpu.inside : gpu.between;
  double seconds =
      link.latency_s + E / double(shape.tp) / (link.bytes_per_s * (inside ? kInsideShare : kBetweenShare));
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
  if (shape.pp > 3) all += double(shape.pp - 3) * middle;
  const double m = double(shape.micro_batches(setup.batch)), v = double(shape.chunks);
  const double p = double(shape.pp), messages = 2 * v * message_seconds(setup, shape);
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
  const double flops = step_flops(setup.model, double(setup.batch), double(setup.tokens));
  return flops / (double(setup.ranks) * setup.gpu.flops * seconds);
}

MeshTime replay_mesh(const MeshSetup& setup, const MeshShape& shape) {
  MeshTime time = mesh_time(setup, shape);
  const int64_t m = shape.micro_batches(setup.batch);
  if (shape.pp == 1 || 2 * shape.pp * shape.chunks * m > kMostReplayedPasses) return time;
  const PipelineSchedule schedule = schedule_of_mesh(shape, m);
  const StageChunks times = stage_chunks(setup, shape);
  PipelineCosts costs;
  costs.pass = [&](int stage, const StepPass& pass) {
    return times.chunks[size_t(stage)][size_t(pass.chunk)].of(pass.kind);
  };
  const double silent = time_of(schedule, costs).total, message = message_seconds(setup, shape);
  costs.message = [&](const PipelineMessage&) { return message; };
  time.bubble = silent - double(m) * times.busiest;
  time.messages = time_of(schedule, costs).total - silent;
  return time;
}

}  // namespace ringside::inline planner
