// What one rank sends in a step, in bytes. E = b T H, the activations of a micro-batch in bf16; an all-reduce
// sends 2 (n-1)/n of them, its two halves, a reduce-scatter and an all-gather, one each (collectives/cost.h).
//
//   tp   a layer and micro-batch: 2 all-reduces of E forward, 2 backward, 2 more where all is recomputed
//        (arXiv:1909.08053, section 3); the embedding one, a language model's head one backward. With
//        sequence parallelism each is its two halves, of the same bytes; embedding and head then have one
//        half more, and the gradients of norms are added up. Where gathered inputs are not kept, backward
//        gathers them again: two halves a layer and one of the head (arXiv:2205.05198, section 4.2.2)
//   pp   E to the part behind, E to the part before, of each micro-batch; a place of tp sends 1/tp of it, and
//        the places gather it (scatter/gather of arXiv:2104.04473, section 4.1)
//   dp   ZeRO's transfers of the rank's parameters (zero_formula.h)
#include "layer_time.h"
#include "zero_formula.h"

namespace ringside::inline planner {
namespace {

double tensor_bytes(const MeshSetup& setup, const MeshShape& shape, const MeshStage& stage) {
  const double t = double(shape.tp), half = (t - 1) / t;  // of E: what one half of a call sends
  const double m = double(shape.micro_batches(setup.batch));
  const double tokens = double(shape.micro * setup.tokens), H = double(setup.model.hidden);
  const double E = 2 * tokens * H;
  const bool cut_head = setup.model.classes == 0;
  double halves = stage.layers * 2 * (shape.recompute == Recompute::kFull ? 6 : 4);
  if (stage.first) halves += 2;  // both forward; with sequence parallelism one of them backward
  if (stage.last) halves += cut_head ? 2 : shape.sequence ? 1 : 0;
  if (gathers_again(setup, shape)) halves += 2 * stage.layers + (stage.last && cut_head ? 1 : 0);
  double sent = halves * half * E;
  if (stage.last && cut_head) sent += 2 * half * 3 * 4 * tokens;  // the loss: a maximum and two sums, fp32
  double norms = stage.layers * norm_elements(setup.model);
  if (stage.last && cut_head) norms += norm_elements(setup.model) / 2;
  if (shape.sequence) sent += 2 * half * 2 * norms;
  return m * sent;
}

double pipeline_bytes(const MeshSetup& setup, const MeshShape& shape, const MeshStage& stage) {
  if (shape.pp == 1) return 0;
  const double m = double(shape.micro_batches(setup.batch)), v = double(shape.chunks);
  const double E = 2 * double(shape.micro * setup.tokens * setup.model.hidden);
  const double messages = 2 * v - (stage.first ? 1 : 0) - (stage.last ? 1 : 0);
  const bool parts = setup.scatters_messages || shape.sequence;
  double sent = m * messages * E / double(parts ? shape.tp : 1);
  if (setup.model.tied && (stage.first || stage.last))  // an all-reduce between two
    sent += setup.gradient_bytes * double(setup.model.vocabulary * setup.model.hidden / shape.tp);
  return sent;
}

double data_bytes(const MeshSetup& setup, const MeshShape& shape, const MeshStage& stage) {
  Distribution distribution;
  distribution.stage = shape.stage;
  distribution.accumulate = shape.micro_batches(setup.batch);
  const TransfersPerStep times = transfers_per_step(distribution);
  const double dp = double(shape.dp), part = (dp - 1) / dp * stage_elements(setup, shape, stage);
  return part * double(times.gradients * setup.gradient_bytes + times.parameters * 2);
}

}  // namespace

MeshTraffic stage_traffic(const MeshSetup& setup, const MeshShape& shape, int64_t index) {
  const MeshStage stage = mesh_stage(setup, shape, index);
  return {tensor_bytes(setup, shape, stage), pipeline_bytes(setup, shape, stage),
          data_bytes(setup, shape, stage)};
}

MeshTraffic mesh_traffic(const MeshSetup& setup, const MeshShape& shape) {
  MeshTraffic most;
  for (const MeshStage& stage : unlike_stages(setup, shape)) {
    const MeshTraffic of = stage_traffic(setup, shape, stage.index);
    most = {std::max(most.tensor, of.tensor), std::max(most.pipeline, of.pipeline),
            std::max(most.data, of.data)};
  }
  return most;
}

}  // namespace ringside::inline planner
