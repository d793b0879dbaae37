// What one rank keeps. State: ZeRO's parts (zero_formula.h). Activations, in bytes of a token and layer, with
// Q = heads x head size, K = kv heads x head size, t = tp:
//
//   whole (1/t by sequence parallelism)  inputs of the two norms 4 h, of products behind them 4 h; GPT: two
//                                        dropouts' masks 2 h
//   1/t, attention                       q, k, v 2 (Q + 2K), output 2 Q; rotary: q, k once more 2 (Q + K)
//   1/t, plain attention                 its weights 2 a s; with dropout's mask and result 5 a s
//   1/t, MLP                             GELU's input and output 4 I; gate, up and product 6 I, with silu 8 I
//
// For GPT (Q = K = h, I = 4h) that is 10 h + 24 h / t + 5 a s / t, as in the paper. Selective recomputation
// drops plain attention's weights; full keeps a layer's input, 2 h, and all of the layer computed again.
#include <algorithm>
#include <vector>

#include "layer_time.h"
#include "zero_formula.h"

namespace ringside::inline planner {
namespace {

struct LayerBytes {
  double whole, cut, weights, gathered;  // of a token; gathered: of whole, the inputs of products
};

LayerBytes layer_bytes(const MeshSetup& setup) {
  const MeshModel& model = setup.model;
  const double h = double(model.hidden), I = double(model.intermediate);
  const double Q = model.queries(), K = model.keys(), heads = double(model.heads);
  LayerBytes bytes{8 * h, 2 * (Q + 2 * K) + 2 * Q + (!model.gated ? 4 : setup.fused ? 6 : 8) * I, 0, 4 * h};
  if (model.dropout) bytes.whole += 2 * h;
  if (model.positions == 0 && !setup.fused) bytes.cut += 2 * (Q + K);
  if (setup.attention == AttentionKernel::kPlain)
    bytes.weights = (model.dropout ? 5 : 2) * heads * double(setup.tokens);
  else
    bytes.cut += 4 * heads;  // a logarithm of each row's sum
  return bytes;
}

// What ZeRO cuts is whole for a while: the parameters of a unit and, gathered meanwhile, of the next one; the
// gradients of a unit before they are reduced. Units: the embedding, each layer, the head.
void add_whole_units(const MeshSetup& setup, const MeshShape& shape, const MeshStage& stage,
                     MeshMemory& memory) {
  if (shape.stage < 2 || shape.dp == 1) return;
  const double layer = layer_elements(setup.model, shape.tp);
  std::vector<double> units(size_t(stage.layers), layer);
  if (stage.first) units.insert(units.begin(), embedding_elements(setup.model, shape.tp));
  if (stage.last) units.push_back(own_head_elements(setup, shape));
  double largest = 0, pair = 0;
  for (size_t i = 0; i < units.size(); ++i) {
    largest = std::max(largest, units[i]);
    pair = std::max(pair, units[i] + (i > 0 ? units[i - 1] : 0));
  }
  memory.staged = setup.gradient_bytes * largest;
  if (shape.stage == 3) memory.gathered = 2 * pair;
}

double micro_tokens(const MeshSetup& setup, const MeshShape& shape) {
  return double(shape.micro * setup.tokens);
}

double kept_of_layer(const MeshSetup& setup, const MeshShape& shape, Recompute recompute) {
  const LayerBytes bytes = layer_bytes(setup);
  const double t = double(shape.tp), whole = shape.sequence ? t : 1;
  const double tokens = micro_tokens(setup, shape);
  if (recompute == Recompute::kFull) return tokens * 2 * double(setup.model.hidden) / whole;
  double of_token = bytes.whole / whole + bytes.cut / t;
  if (shape.sequence && setup.keeps_gathered) of_token += bytes.gathered - bytes.gathered / t;
  if (recompute == Recompute::kNothing) of_token += bytes.weights / t;
  return tokens * of_token;
}

void add_activations(const MeshSetup& setup, const MeshShape& shape, const MeshStage& stage,
                     MeshMemory& memory) {
  const MeshModel& model = setup.model;
  const double h = double(model.hidden), t = double(shape.tp);
  const double tokens = micro_tokens(setup, shape), whole = shape.sequence ? t : 1;
  const double live = live_chunks(shape, stage.index, shape.micro_batches(setup.batch));
  const double chunk_layers = stage.layers / double(shape.chunks);
  memory.activations = live * chunk_layers * layer_activations(setup, shape);
  if (shape.recompute != Recompute::kNothing)
    memory.activations += kept_of_layer(setup, shape, Recompute::kNothing) - layer_activations(setup, shape);
  if (stage.first && model.dropout) memory.activations += live / double(shape.chunks) * tokens * h / whole;
  if (!stage.last) return;
  memory.activations += tokens * 4 * h / whole;  // inputs of the last norm and of the head
  if (model.classes == 0) memory.logits = tokens * double(model.vocabulary) / t * (2 + 4 + 4);
}

}  // namespace

double layer_activations(const MeshSetup& setup, const MeshShape& shape) {
  return kept_of_layer(setup, shape, shape.recompute);
}

MeshMemory stage_memory(const MeshSetup& setup, const MeshShape& shape, int64_t index) {
  const MeshStage stage = mesh_stage(setup, shape, index);
  Distribution distribution;
  distribution.stage = shape.stage;
  const double elements = stage_elements(setup, shape, stage), dp = double(shape.dp);
  const StateParts parts = state_parts(distribution, shape.dp);
  MeshMemory memory;
  memory.parameters = 2 * elements * double(parts.parameters) / dp;
  memory.gradients = setup.gradient_bytes * elements * double(parts.gradients) / dp;
  memory.optimizer = 12 * elements * double(parts.optimizer) / dp;
  add_whole_units(setup, shape, stage, memory);
  memory.context = kContextBytes;
  add_activations(setup, shape, stage, memory);
  return memory;
}

MeshMemory mesh_memory(const MeshSetup& setup, const MeshShape& shape) {
  MeshMemory most;
  for (const MeshStage& stage : unlike_stages(setup, shape))
    if (const MeshMemory memory = stage_memory(setup, shape, stage.index);
        memory.allocated() > most.allocated())
      most = memory;
  return most;
}

}  // namespace ringside::inline planner
