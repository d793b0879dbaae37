#include "ringside/planner/mesh_plan.h"

namespace ringside::inline planner {
namespace {

double of(int64_t value) { return double(value); }

}  // namespace

MeshModel mesh_model(const ModelConfig& config, const std::string& name) { return {config.text, name}; }

MeshModel gpt_model(const std::string& name, int64_t layers, int64_t hidden, int64_t heads,
                    int64_t vocabulary, int64_t positions) {
  MeshModel model{{}, name};
  model.layers = layers, model.hidden = hidden, model.intermediate = 4 * hidden;
  model.heads = model.kv_heads = heads, model.head_size = hidden / heads;
  model.vocabulary = vocabulary, model.positions = positions;
  model.gated = false, model.layer_norm = model.dropout = model.tied = true;
  model.qkv_bias = model.o_bias = model.mlp_bias = true;
  return model;
}

double norm_elements(const MeshModel& model) { return 2 * (model.layer_norm ? 2 : 1) * of(model.hidden); }

double layer_elements(const MeshModel& model, int64_t tp) {
  const double H = of(model.hidden), I = of(model.intermediate);
  const double rows = model.queries() + 2 * model.keys(), ups = model.gated ? 2 : 1;
  double cut = rows * H + H * model.queries() + (ups + 1) * I * H;
  if (model.qkv_bias) cut += rows;
  if (model.mlp_bias) cut += ups * I;
  double whole = norm_elements(model);
  if (model.o_bias) whole += H;
  if (model.mlp_bias) whole += H;
  return cut / of(tp) + whole;
}

double embedding_elements(const MeshModel& model, int64_t tp) {
  return of(model.vocabulary) * of(model.hidden) / of(tp) + of(model.positions) * of(model.hidden);
}

double head_elements(const MeshModel& model, int64_t tp) {
  const double norm = norm_elements(model) / 2;
  if (model.classes > 0) return of(model.classes) * (of(model.hidden) + (model.head_bias ? 1 : 0)) + norm;
  return of(model.vocabulary) * of(model.hidden) / of(tp) + norm;
}

double MeshModel::parameters() const {
  const double head = tied ? norm_elements(*this) / 2 : head_elements(*this, 1);
  return of(layers) * layer_elements(*this, 1) + embedding_elements(*this, 1) + head;
}

double product_flops(const MeshModel& model) {
  const double ups = model.gated ? 2 : 1;
  return 2 * of(model.hidden) * (2 * model.queries() + 2 * model.keys() + (ups + 1) * of(model.intermediate));
}

double attention_flops(const MeshModel& model, double tokens) { return 4 * tokens * model.queries(); }

double head_flops(const MeshModel& model) {
  return 2 * of(model.hidden) * of(model.classes > 0 ? model.classes : model.vocabulary);
}

double step_flops(const MeshModel& model, double batch, double tokens) {
  const double layer = product_flops(model) + attention_flops(model, tokens);
  return 3 * batch * tokens * (of(model.layers) * layer + head_flops(model));
}

}  // namespace ringside::inline planner
