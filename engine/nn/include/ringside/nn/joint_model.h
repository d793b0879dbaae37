// Several classifiers as one Model, so that a strategy, the planner and the ledger see all that a rank holds:
// a policy and a frozen reference (DPO, GRPO), a critic beside them (PPO). A member's parameters are those of
// a Classifier, under its name: "reference.model.norm.weight"; its units "reference head".
#pragma once

#include <string>
#include <vector>

#include "ringside/nn/classifier.h"

namespace ringside::inline nn {

struct MemberModel {
  std::string name;
  ClassifierConfig config;
  bool trainable = true;
};

// In the members' order: the trainable ones run forward in it. UsageError for a norm that keeps buffers.
Declaration declare_members(const std::vector<MemberModel>& members);

class JointModel : public Model {
 public:
  JointModel(std::vector<MemberModel> members, int64_t max_tokens);

  ParameterSet& parameters() override { return parameters_; }
  Buffers& buffers() override { return buffers_; }
  // Of the trainable members, their logits side by side: (B, T, sum of C), or (B, sum of C). Frozen ones do
  // not run.
  ModelOutput forward(const Batch& batch, const Context& context) override;

  // Of one member, without a graph, and without a word to a strategy: under ZeRO-3 its parameters are not
  // there.
  at::Tensor logits_of(size_t member, const Batch& batch);
  const std::vector<at::Tensor>& weights_of(size_t member);  // in the order of classifier_shapes()
  const MemberModel& member(size_t index) const { return members_[index]; }

 private:
  // A member counts its units from 0, the strategy over all members.
  struct Shifted final : UnitHooks {
    UnitHooks* whole = nullptr;
    int first = 0;
    void before_forward(int unit) override { whole->before_forward(first + unit); }
    at::Tensor after_forward(int unit, at::Tensor output) override {
      return whole->after_forward(first + unit, std::move(output));
    }
    void before_recompute(int unit) override { whole->before_recompute(first + unit); }
    void after_recompute(int unit) override { whole->after_recompute(first + unit); }
  };
  Classifier& with_leaves(size_t member);  // as the strategy has them now

  const std::vector<MemberModel> members_;
  ParameterSet parameters_;
  Buffers buffers_;
  std::vector<std::unique_ptr<Classifier>> models_;
  std::vector<Shifted> hooks_;  // backward asks them too
};

}  // namespace ringside::inline nn
