#include "ringside/nn/language_tasks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/nn/cached_reading.h"
#include "ringside/nn/classifier.h"
#include "ringside/nn/cut_softmax.h"
#include "ringside/nn/losses.h"
#include "ringside/planner/pipeline_parts.h"

namespace ringside::inline nn {

ClassifierConfig byte_language_model(int64_t hidden, int64_t layers) {
  ClassifierConfig model{.vocabulary = kByteVocabulary,
                         .hidden = hidden,
                         .heads = 4,
                         .kv_heads = 4,
                         .intermediate = 2 * hidden,
                         .layers = layers,
                         .classes = kByteVocabulary};
  model.every_position = true;
  return model;
}

std::vector<TokenExample> windows_of(const std::vector<Sample>& samples, int64_t T, size_t most) {
  std::vector<TokenExample> windows;
  for (const Sample& sample : samples)
    for (auto at = sample.tokens.begin(); windows.size() < most && sample.tokens.end() - at > T; at += T)
      windows.push_back({{at, at + T}});
  return windows;
}

ClassWindows windows_of_class(const Dataset& data, const std::string& name, int64_t T, size_t most_held_out) {
  const auto label = std::ranges::find(data.classes, name) - data.classes.begin();
  if (label == std::ssize(data.classes))
    throw InputError(
        fmt::format("data: there is no class '{}'; there are: {}", name, fmt::join(data.classes, ", ")));
  const auto of_class = [&](std::vector<Sample> samples) {
    std::erase_if(samples, [&](const Sample& sample) { return sample.label != label; });
    return samples;
  };
  ClassWindows windows{windows_of(of_class(data.train), T),
                       windows_of(of_class(data.test), T, most_held_out)};
  if (windows.train.empty() || windows.held_out.empty())
    throw InputError("data: there is no window of " + std::to_string(T) + " tokens of class '" + name + "'");
  return windows;
}

std::vector<TokenExample> mixed(std::vector<TokenExample> fresh, const std::vector<TokenExample>& old,
                                int64_t percent) {
  for (int64_t i = 0; i < std::ssize(fresh); ++i)
    if (i * percent / 100 != (i + 1) * percent / 100) fresh[size_t(i)] = old[size_t(i) % old.size()];
  return fresh;
}

Batch batch_of(const std::vector<TokenExample>& examples) {
  const int64_t B = std::ssize(examples), T = std::ssize(examples.at(0).tokens);
  Batch batch{at::zeros({B, T}, at::kLong),
              at::full({B}, T - 1, at::kLong),
              at::zeros({B}, at::kLong),
              at::ones({B}),
              {at::zeros({B, T - 1})}};
  for (int64_t row = 0; row < B; ++row) {
    const TokenExample& example = examples[size_t(row)];
    std::copy_n(example.tokens.begin(), T, batch.tokens.data_ptr<int64_t>() + row * T);
    batch.beside[0][row].narrow(0, example.from - 1, T - example.from).fill_(1);
  }
  return batch;
}

at::Tensor masked_logp(const at::Tensor& logits, const Batch& batch) {
  return (token_log_probabilities(logits, batch.tokens) * batch.beside[0]).sum(1);
}

at::Tensor rewards_of(const at::Tensor& texts, const Reward& reward) {
  at::Tensor rewards = at::zeros({texts.size(0)});
  for (int64_t row = 0; row < texts.size(0); ++row) {
    const auto* begin = texts.data_ptr<int64_t>() + row * texts.size(1);
    rewards[row] = reward({begin, begin + texts.size(1)});
  }
  return rewards;
}

namespace {

Batch rows_of(const std::vector<TokenExample>& examples, const std::vector<int64_t>& samples) {
  std::vector<TokenExample> rows;
  for (const int64_t i : samples) rows.push_back(examples[size_t(i)]);
  if (!rows.empty()) return batch_of(rows);
  Batch nothing = batch_of({examples[0]});  // a rank without samples keeps in step
  nothing.weights.zero_(), nothing.beside[0].zero_();
  return nothing;
}

// Of each row the mean over its tokens with a loss; the rows added up. each: as batch.beside[0]
at::Tensor means_added_up(const at::Tensor& each, const Batch& batch) {
  const at::Tensor& counted = batch.beside[0];
  return ((each * counted).sum(1) / counted.sum(1).clamp_min(1)).sum();
}
at::Tensor mean_next_token_loss(const at::Tensor& logits, const Batch& batch) {
  return -means_added_up(token_log_probabilities(logits, batch.tokens), batch);
}

}  // namespace

Batch LanguageTask::batch(Split, const std::vector<int64_t>& samples, BatchShape) const {
  return rows_of(examples_, samples);
}

at::Tensor MaskedTextTask::loss(ModelOutput& output, const Batch& batch) const {
  return mean_next_token_loss(std::exchange(output.logits, {}), batch);
}

// ---- Over a mesh ------------------------------------------------------------------------

NextTokenTask::NextTokenTask(const ClassifierConfig& model, const Distribution& distribution, int ranks,
                             std::vector<TokenExample> trained, std::vector<TokenExample> held_out)
    : model_(model),
      sequence_(distribution.sequence),
      trained_(std::move(trained)),
      held_out_(std::move(held_out)) {
  const Mesh mesh = mesh_of_run(ranks, distribution);
  place_on_stages(model_, distribution, mesh);
  if (model_.tied && distribution.stage == 3)
    throw UsageError(
        "a head tied to the embedding with stage=3: the head's unit would gather the embedding's again");
}

std::unique_ptr<Model> NextTokenTask::make(const ModelSite& site) const {
  return classifier_at(site, model_, tokens(), sequence_);
}

Batch NextTokenTask::batch(Split split, const std::vector<int64_t>& samples, BatchShape) const {
  return rows_of(examples(split), samples);
}

at::Tensor NextTokenTask::loss(ModelOutput& output, const Batch& batch) const {
  const at::Tensor logits = std::exchange(output.logits, {});
  if (output.cut_over == nullptr) return mean_next_token_loss(logits, batch);
  return -means_added_up(next_tokens_over(*output.cut_over, logits, batch.tokens, model_.vocabulary).logp,
                         batch);
}

Score NextTokenTask::score(const ModelOutput& output, const Batch& batch) const {
  const NextTokens next =
      output.cut_over == nullptr
          ? NextTokens{token_log_probabilities(output.logits, batch.tokens),
                       output.logits.argmax(2).slice(1, 0, -1).eq(batch.tokens.slice(1, 1))}
          : next_tokens_over(*output.cut_over, output.logits, batch.tokens, model_.vocabulary);
  return {-means_added_up(next.logp, batch).item<float>(),
          means_added_up(next.is_first.to(at::kFloat), batch).item<float>(),
          batch.weights.sum().item<float>()};
}

void NextTokenTask::predict(const ForwardedBatches& batches, RankRows& rows) const {
  const auto sizes = [&](const std::vector<std::vector<int64_t>>& of_batches) {
    std::vector<TokenBlock> blocks;
    for (const std::vector<int64_t>& batch : of_batches)
      blocks.push_back({std::max<int64_t>(1, std::ssize(batch)), tokens()});
    return blocks;
  };
  predict_copy(model_, batches.distribution, {batches.over(kTensorParallel), batches.over(kPipeline)},
               {sizes(batches.trained), sizes(batches.held_out)}, rows);
}

Batch HiddenTextTask::batch(Split split, const std::vector<int64_t>& samples, BatchShape shape) const {
  Batch batch = LanguageTask::batch(split, samples, shape);
  batch.beside = {at::zeros(batch.tokens.sizes()), batch.tokens.clone()};
  auto tokens = batch.tokens.accessor<int64_t, 2>();
  auto is_hidden = batch.beside[0].accessor<float, 2>();
  for (int64_t row = 0; row < std::ssize(samples); ++row) {
    RandomStream stream(1, "hidden tokens", samples[size_t(row)]);
    for (int64_t t = 0; t < batch.tokens.size(1); ++t)
      if (stream.uniform() < hidden_) tokens[row][t] = mark_, is_hidden[row][t] = 1;
  }
  return batch;
}

at::Tensor HiddenTextTask::loss(ModelOutput& output, const Batch& batch) const {
  const at::Tensor logp = at::log_softmax(std::exchange(output.logits, {}), -1)
                              .gather(2, batch.beside[1].unsqueeze(2))
                              .squeeze(2);  // (B, T)
  return -means_added_up(logp, batch);
}

// ---- Pairs ------------------------------------------------------------------------------

Batch PreferenceTask::batch(Split split, const std::vector<int64_t>& samples, BatchShape shape) const {
  std::vector<int64_t> rows;
  for (const int64_t rejected : {0, 1})
    for (const int64_t pair : samples) rows.push_back(2 * pair + rejected);
  return LanguageTask::batch(split, rows, shape);
}

Batch PreferenceTask::training_batch(Model& model, const TrainingPass& pass) const {
  Batch pairs = batch(Split::kTrain, pass.samples, {});
  pairs.beside.push_back(masked_logp(static_cast<JointModel&>(model).logits_of(1, pairs), pairs));
  return pairs;
}

at::Tensor PreferenceTask::loss(ModelOutput& output, const Batch& batch) const {
  const at::Tensor own = masked_logp(std::exchange(output.logits, {}), batch), &reference = batch.beside[1];
  const int64_t pairs = own.size(0) / 2;
  const auto half = [&](const at::Tensor& t, int64_t which) { return t.narrow(0, which * pairs, pairs); };
  return dpo_loss({half(own, 0), half(own, 1), half(reference, 0), half(reference, 1)}, beta_).sum();
}

// ---- Answers that the policy writes -----------------------------------------------------

namespace {

std::vector<MemberModel> members_of(const ClassifierConfig& model, bool critic) {
  std::vector<MemberModel> members{{"policy", model}};
  if (critic) {
    members.push_back({"critic", model});
    members.back().config.classes = 1;
  }
  members.push_back({"reference", model, false});
  return members;
}

// A rank's models, and the answers that it learns from now.
struct WritingModel final : JointModel {
  WritingModel(const std::vector<MemberModel>& members, int64_t T, int rank_)
      : JointModel(members, T), rank(rank_) {}
  const int rank;
  std::map<int64_t, Batch> answers;  // by micro-batch
};

}  // namespace

RolloutTask::RolloutTask(const ClassifierConfig& model, std::vector<TokenExample> examples, Reward reward,
                         const RolloutConfig& config)
    : LanguageTask(members_of(model, config.critic), std::move(examples)),
      reward_(std::move(reward)),
      config_(config) {}

std::unique_ptr<Model> RolloutTask::make(const ModelSite& site) const {
  return std::make_unique<WritingModel>(members_, tokens(), site.rank);
}

std::map<std::string, std::string> RolloutTask::needs() const {
  return {{"rollout",
           fmt::format("{} answers, {} updates, seed {}", config_.group, config_.updates, config_.seed)}};
}

at::Tensor RolloutTask::answer_logp(const at::Tensor& logits, const at::Tensor& text) const {
  return token_log_probabilities(logits, text).slice(1, examples_[0].from - 1);
}

at::Tensor RolloutTask::values_of(const at::Tensor& values) const {
  return values.slice(1, examples_[0].from - 1, values.size(1) - 1);
}

Batch RolloutTask::training_batch(Model& of, const TrainingPass& pass) const {
  auto& model = static_cast<WritingModel&>(of);
  if (pass.step % config_.updates != 0) return model.answers.at(pass.micro);
  const int64_t P = examples_[0].from, A = tokens() - P;
  const Batch asked = batch(Split::kTrain, pass.samples, {});
  const at::Tensor prompts = asked.tokens.narrow(1, 0, P).repeat_interleave(config_.group, 0);
  Batch& answers = model.answers[pass.micro];
  answers.weights = asked.weights.repeat_interleave(config_.group, 0);
  const LanguageModel policy(members_[0].config, model.weights_of(0));
  RandomStream stream(mix_seed(mix_seed(config_.seed, "answers", uint64_t(model.rank)), "rollout",
                               uint64_t(pass.step / config_.updates)),
                      "micro-batch", uint64_t(pass.micro));
  answers.tokens = write_on(policy, prompts, A, {}, stream).text.contiguous();
  answers.last = at::full({answers.tokens.size(0)}, tokens() - 1, at::kLong);
  judge(model, answers);
  return answers;
}

void RolloutTask::judge(JointModel& model, Batch& answers) const {
  const auto logp = [&](size_t member) {
    return answer_logp(model.logits_of(member, answers), answers.tokens);
  };
  const at::Tensor rewards = rewards_of(answers.tokens, reward_);  // (B)
  const at::Tensor old = logp(0), reference = logp(members_.size() - 1);
  if (!config_.critic) {
    const at::Tensor advantages = group_advantages(rewards.view({-1, config_.group})).view({-1, 1});
    answers.beside = {old, reference, advantages.expand_as(old)};
    return;
  }
  const at::Tensor each = -config_.beta * (old - reference);
  each.select(1, each.size(1) - 1).add_(rewards);
  const at::Tensor values = values_of(model.logits_of(1, answers).select(2, 0));
  const at::Tensor advantages = generalized_advantages(each, values, 1, 1);
  answers.beside = {old, reference, (advantages - advantages.mean()) / (advantages.std() + 1e-6),
                    advantages + values};
}

at::Tensor RolloutTask::loss(ModelOutput& output, const Batch& batch) const {
  const int64_t V = members_[0].config.classes;
  const at::Tensor logits = std::exchange(output.logits, {});
  const at::Tensor logp = answer_logp(logits.narrow(2, 0, V), batch.tokens);
  at::Tensor each = clipped_policy_loss(logp, batch.beside[0], batch.beside[2], config_.clip);  // (B, A)
  if (config_.critic)
    each = each + 0.5 * (values_of(logits.select(2, V)) - batch.beside[3]).pow(2);
  else
    each = each + config_.beta * kl_estimate(logp, batch.beside[1]);
  return (each.mean(1) * batch.weights).sum() / double(config_.group);
}

}  // namespace ringside::inline nn
