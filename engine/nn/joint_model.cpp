#include "ringside/nn/joint_model.h"

#include <c10/core/GradMode.h>

#include "ringside/base/check.h"
#include "ringside/base/error.h"

namespace ringside::inline nn {

Declaration declare_members(const std::vector<MemberModel>& members) {
  Declaration all;
  for (const MemberModel& member : members) {
    const Declaration own = declare_classifier(member.config);
    if (!own.buffers().empty() || !own.shared_statistics().empty())
      throw UsageError(member.name + ": members of a joint model have norms without buffers");
    int unit = -1;
    for (const ParameterShape& shape : own.shapes()) {
      if (shape.unit != unit)
        all.begin_unit(member.name + " " + own.unit_names()[size_t(unit = shape.unit)], member.name + ".");
      all.add(shape.name, shape.shape, shape.trainable && member.trainable, shape.cuts);
    }
  }
  return all;
}

JointModel::JointModel(std::vector<MemberModel> members, int64_t max_tokens)
    : members_(std::move(members)), parameters_(ParameterSet::of(declare_members(members_))) {
  int first = 0;
  for (const MemberModel& member : members_) {
    models_.push_back(std::make_unique<Classifier>(member.config, max_tokens));
    hooks_.emplace_back().first = first;
    first += member.config.units();
  }
}

Classifier& JointModel::with_leaves(size_t member) {
  size_t begin = 0;
  for (size_t m = 0; m < member; ++m) begin += models_[m]->parameters().leaves.size();
  std::vector<at::Tensor>& own = models_[member]->parameters().leaves;
  std::copy_n(parameters_.leaves.begin() + std::ptrdiff_t(begin), own.size(), own.begin());
  return *models_[member];
}

ModelOutput JointModel::forward(const Batch& batch, const Context& context) {
  RINGSIDE_CHECK(!context.wanted.hidden_states && !context.wanted.attentions,
                 "a joint model has logits alone");
  std::vector<at::Tensor> logits;
  for (size_t m = 0; m < members_.size(); ++m) {
    if (!members_[m].trainable) continue;
    Context own = context;
    hooks_[m].whole = context.hooks;
    if (context.hooks != nullptr) own.hooks = &hooks_[m];
    logits.push_back(with_leaves(m).forward(batch, own).logits);
  }
  ModelOutput output;
  output.logits = logits.size() == 1 ? logits[0] : at::cat(logits, -1);
  return output;
}

at::Tensor JointModel::logits_of(size_t member, const Batch& batch) {
  const at::NoGradGuard no_grad;
  return with_leaves(member).forward(batch, {}).logits;
}

const std::vector<at::Tensor>& JointModel::weights_of(size_t member) {
  return with_leaves(member).parameters().leaves;
}

}  // namespace ringside::inline nn
