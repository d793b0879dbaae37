#include "ringside/planner/norm_layer.h"

#include "ringside/planner/classifier_layers.h"

namespace ringside::inline planner {

void BatchNormLayer::declare(Declaration& model, const std::string& its_name, int64_t width, bool shared) {
  name = its_name;
  weight = model.add(name + ".weight", {width});
  bias = model.add(name + ".bias", {width});
  running_mean = model.add_buffer(name + ".running_mean", {width}, 0, !shared);
  running_var = model.add_buffer(name + ".running_var", {width}, 1, !shared);
  if (shared) model.share_statistics(width);
}

void NormLayer::declare(Declaration& model, const std::string& name, const ClassifierConfig& config) {
  kind = config.norm;
  eps = config.norm_eps;
  fused = config.fused;
  if (kind == NormKind::kGroup) fold = config.hidden / config.norm_groups;
  if (is_batch_norm(kind)) {
    batch.eps = eps;
    return batch.declare(model, name, config.hidden, kind == NormKind::kSyncBatch);
  }
  weight = model.add(name + ".weight", {config.hidden});
  if (kind != NormKind::kRms) bias = model.add(name + ".bias", {config.hidden});
}

}  // namespace ringside::inline planner
