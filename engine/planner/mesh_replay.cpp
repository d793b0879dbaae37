// A step's time by the clock of engine/pipeline: the real schedule, pass by pass, with what each stage's
// forward and backward cost; the closed form of mesh_time.cpp takes a stage for as good as another. Twice:
// without messages the rest of a stage's time is the bubble; what they add is theirs.
#include "layer_time.h"
#include "ringside/pipeline/clock.h"

namespace ringside::inline planner {
namespace {

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
  const double v = static_cast<double>(shape.chunks);
  StageChunks all;
  for (int64_t s = 0; s < shape.pp; ++s) {
    MeshStage stage = mesh_stage(setup, shape, s);
    all.busiest = std::max(all.busiest, stage_time(setup, shape, stage, layer, head).total());
    stage.last = false;  // its layers alone
    const StageTime layers = stage_time(setup, shape, stage, layer, head);
    const ChunkTime chunk{(layers.forward + layers.forward_calls) / v,
                          (layers.backward + layers.backward_calls) / v, layers.weights / v};
    all.chunks.emplace_back(static_cast<size_t>(shape.chunks), chunk);
  }
  ChunkTime& last = all.chunks.back().back();
  last.forward += head.forward, last.backward += head.backward, last.weights += head.weights;
  return all;
}

PipelineSchedule schedule_of_mesh(const MeshShape& shape, int64_t m) {
  const int p = static_cast<int>(shape.pp), v = static_cast<int>(shape.chunks);
  if (v > 1) return interleaved(p, m, v);
  return shape.zero_bubble ? zero_bubble(p, m) : one_f_one_b(p, m);
}

}  // namespace

MeshTime replay_mesh(const MeshSetup& setup, const MeshShape& shape) {
  MeshTime time = mesh_time(setup, shape);
  const int64_t m = shape.micro_batches(setup.batch);
  if (shape.pp == 1 || 2 * shape.pp * shape.chunks * m > kMostReplayedPasses) return time;
  const PipelineSchedule schedule = schedule_of_mesh(shape, m);
  const StageChunks times = stage_chunks(setup, shape);
  PipelineCosts costs;
  costs.pass = [&](int stage, const StepPass& pass) {
    return times.chunks[static_cast<size_t>(stage)][static_cast<size_t>(pass.chunk)].of(pass.kind);
  };
  const double silent = time_of(schedule, costs).total, message = message_seconds(setup, shape);
  costs.message = [&](const PipelineMessage&) { return message; };
  time.bubble = silent - static_cast<double>(m) * times.busiest;
  time.messages = time_of(schedule, costs).total - silent;
  return time;
}

}  // namespace ringside::inline planner
