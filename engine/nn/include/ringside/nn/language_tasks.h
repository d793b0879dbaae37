// The stages of a language model's training as tasks over the same classifier (every position, causal): next
// tokens under a mask (pre-training, continual pre-training, SFT), pairs (DPO), and answers that the policy
// writes itself (PPO, GRPO). Each holds its models as one (nn/joint_model.h); "policy" is the first.
// Not under ZeRO-3: references and answers are computed outside of a step's forward.
// Shapes: B rows of T tokens, answers of A tokens.
#pragma once

#include <functional>
#include <limits>

#include "ringside/data/dataset.h"
#include "ringside/nn/joint_model.h"
#include "ringside/nn/task.h"

namespace ringside::inline nn {

// Of bytes: every position, causal, 4 heads, I = 2H.
ClassifierConfig byte_language_model(int64_t hidden, int64_t layers);

// Tokens of which those from `from` on carry a loss; from >= 1. Those of one task are of one length.
struct TokenExample {
  std::vector<int64_t> tokens;
  int64_t from = 1;
};
// What the samples have of whole windows of T tokens, one behind the other, without the end token: at most so
// many.
std::vector<TokenExample> windows_of(const std::vector<Sample>& samples, int64_t T,
                                     size_t most = std::numeric_limits<size_t>::max());
// Of one class of the data. InputError naming it where a part has none.
struct ClassWindows {
  std::vector<TokenExample> train, held_out;  // held out: at most so many
};
ClassWindows windows_of_class(const Dataset& data, const std::string& name, int64_t T, size_t most_held_out);
// `fresh`, of which so many percent, evenly, are replaced by `old`: replay, against forgetting (Ibrahim et al.
// 2024, arXiv:2403.08763).
std::vector<TokenExample> mixed(std::vector<TokenExample> fresh, const std::vector<TokenExample>& old,
                                int64_t percent);
// One or more. beside: {(B, T-1), 1 where the next token carries a loss}
Batch batch_of(const std::vector<TokenExample>& examples);
// Of each row, (B): the log-probabilities of its tokens with a loss, added up. logits: (B, T, V)
at::Tensor masked_logp(const at::Tensor& logits, const Batch& batch);

using Reward = std::function<double(const std::vector<int64_t>& text)>;  // of prompt and answer
at::Tensor rewards_of(const at::Tensor& texts, const Reward& reward);    // (B, T), contiguous -> (B)

class LanguageTask : public Task {
 public:
  LanguageTask(std::vector<MemberModel> members, std::vector<TokenExample> examples)
      : members_(std::move(members)), examples_(std::move(examples)) {}
  Declaration declare() const override { return declare_members(members_); }
  int64_t count(Split split) const override { return split == Split::kTrain ? std::ssize(examples_) : 0; }
  std::unique_ptr<Model> make(const ModelSite&) const override {
    return std::make_unique<JointModel>(members_, tokens());
  }
  Batch batch(Split, const std::vector<int64_t>& samples, BatchShape) const override;
  Score score(const ModelOutput&, const Batch&) const override { return {}; }  // nothing is held out
  int64_t tokens() const { return std::ssize(examples_[0].tokens); }           // T
  const TokenExample& example() const { return examples_[0]; }                 // all are of its length

 protected:
  const std::vector<MemberModel> members_;
  const std::vector<TokenExample> examples_;
};

// A sample's loss is the mean of -log p over its tokens with a loss.
class MaskedTextTask final : public LanguageTask {
 public:
  MaskedTextTask(const ClassifierConfig& model, std::vector<TokenExample> examples)
      : LanguageTask({{"policy", model}}, std::move(examples)) {}
  at::Tensor loss(ModelOutput& output, const Batch& batch) const override;
};

// The same over a mesh: layers over tp, stages over pp, a head that may be tied to the embedding; then its
// logits are cut over the vocabulary as that is (nn/cut_softmax.h). The examples are whole texts of one
// length T, so that every micro-batch of one size has the same activations.
class NextTokenTask final : public Task {
 public:
  // UsageError where the mesh or the stage of ZeRO does not fit the model.
  NextTokenTask(const ClassifierConfig& model, const Distribution& distribution, int ranks,
                std::vector<TokenExample> trained, std::vector<TokenExample> held_out);
  Declaration declare() const override { return declare_classifier(model_); }
  int64_t count(Split split) const override { return std::ssize(examples(split)); }
  std::unique_ptr<Model> make(const ModelSite& site) const override;
  Batch batch(Split split, const std::vector<int64_t>& samples, BatchShape) const override;
  at::Tensor loss(ModelOutput& output, const Batch& batch) const override;
  Score score(const ModelOutput& output, const Batch& batch) const override;
  void predict(const ForwardedBatches& batches, RankRows& rows) const override;

 private:
  const std::vector<TokenExample>& examples(Split split) const {
    return split == Split::kTrain ? trained_ : held_out_;
  }
  int64_t tokens() const { return std::ssize(trained_.at(0).tokens); }  // T

  ClassifierConfig model_;
  const bool sequence_;
  const std::vector<TokenExample> trained_, held_out_;
};

// A masked language model: of each text the share `hidden` of its tokens, drawn for the text, is replaced by
// `mark`, and a sample's loss is the mean of -log p over what was there (Devlin et al. 2018,
// arXiv:1810.04805). beside: {1 where a token is hidden (B, T), the whole texts (B, T)}
class HiddenTextTask final : public LanguageTask {
 public:
  HiddenTextTask(const ClassifierConfig& model, std::vector<TokenExample> examples, double hidden,
                 int64_t mark)
      : LanguageTask({{"policy", model}}, std::move(examples)), hidden_(hidden), mark_(mark) {}
  Batch batch(Split, const std::vector<int64_t>& samples, BatchShape) const override;
  at::Tensor loss(ModelOutput& output, const Batch& batch) const override;

 private:
  const double hidden_;
  const int64_t mark_;
};

// Example 2 i is the chosen answer of pair i, 2 i + 1 the rejected one (nn/losses.h). A sample is a
// pair; a batch has the chosen rows first. beside: {mask, the reference's masked_logp (B)}
class PreferenceTask final : public LanguageTask {
 public:
  PreferenceTask(const ClassifierConfig& model, std::vector<TokenExample> pairs, double beta)
      : LanguageTask({{"policy", model}, {"reference", model, false}}, std::move(pairs)), beta_(beta) {}
  int64_t count(Split split) const override { return LanguageTask::count(split) / 2; }
  Batch batch(Split, const std::vector<int64_t>& samples, BatchShape) const override;
  Batch training_batch(Model& model, const TrainingPass& pass) const override;
  at::Tensor loss(ModelOutput& output, const Batch& batch) const override;

 private:
  const double beta_;
};

// The policy writes `group` answers to each prompt, at temperature 1, each is given a reward, and what was
// written serves for `updates` steps (nn/losses.h), in which each micro-batch has the answers of its own. A
// sample is a prompt; its loss the mean over its answers' tokens. What is drawn follows from seed, rank,
// rollout and micro-batch, so that a run that resumes draws the same: between rollouts, for answers are not
// saved.
//   GRPO: advantages against the group; beta times the KL estimate is in the loss.
//   PPO:  with a critic, a model of one class that learns the reward still to come; -beta (log p - log p_ref)
//         is in the reward of each token. Advantages have mean 0 and deviation 1 on each rank.
struct RolloutConfig {
  bool critic = false;
  int64_t group = 8, updates = 2;
  double beta = 0.05, clip = 0.2;
  uint64_t seed = 0;
};
class RolloutTask final : public LanguageTask {
 public:
  // Of an example the tokens before `from` are the prompt; an answer is as long as the rest. All alike.
  RolloutTask(const ClassifierConfig& model, std::vector<TokenExample> examples, Reward reward,
              const RolloutConfig& config);
  std::unique_ptr<Model> make(const ModelSite& site) const override;
  bool loss_falls() const override { return false; }
  std::map<std::string, std::string> needs() const override;
  int64_t steps_of_a_batch() const override { return config_.updates; }
  // beside: {old, reference, advantages[, returns]}, each (B, A)
  Batch training_batch(Model& model, const TrainingPass& pass) const override;
  at::Tensor loss(ModelOutput& output, const Batch& batch) const override;

 private:
  at::Tensor answer_logp(const at::Tensor& logits, const at::Tensor& text) const;  // (B, A)
  at::Tensor values_of(
      const at::Tensor& values) const;  // (B, T) -> (B, A): where an answer's token is chosen
  void judge(JointModel& model, Batch& answers) const;

  const Reward reward_;
  const RolloutConfig config_;
};

}  // namespace ringside::inline nn
