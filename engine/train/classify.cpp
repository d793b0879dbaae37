#include "ringside/train/classify.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include "ringside/base/error.h"
#include "ringside/nn/classifier.h"
#include "ringside/nn/evaluation.h"
#include "ringside/nn/task.h"
#include "ringside/planner/pipeline_parts.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/trainer.h"
#include "run_groups.h"

namespace ringside::inline training {
namespace {

std::unique_ptr<Classifier> load(const TrainedClassifier& trained) {
  auto model = std::make_unique<Classifier>(trained.model, trained.max_tokens);
  ParameterSet& set = model->parameters();
  for (size_t i = 0; i < set.shapes.size(); ++i) {
    const ParameterShape& shape = set.shapes[i];
    const ConstView values = trained.weights(i);
    if (values.dtype != Dtype::kFloat32 || values.count != shape.numel())
      throw UsageError("{}: {} values are given, the model has {} in fp32", shape.name, values.count,
                       shape.numel());
    set.leaves[i] = at::empty(shape.shape, at::kFloat);
    std::copy_n(static_cast<const float*>(values.data), values.count, set.leaves[i].data_ptr<float>());
  }
  return model;
}

// ---- The sequence classifier as a Task

class ClassifierTask final : public Task {
 public:
  ClassifierTask(const TrainerConfig& config, const Dataset& dataset)
      : model_(config.model),
        label_smoothing_(config.label_smoothing),
        max_tokens_(config.max_tokens),
        sequence_(config.sequence),
        make_model_(config.make_model),
        dataset_(dataset) {
    place_on_stages(model_, config, mesh_of_run(config.ranks, config));
    const auto norm = to_string(model_.norm);
    const bool on_cpu = config.device == Device::kCpu, spans = spans_tokens(model_.norm);
    require(model_.stage_of_unit.empty() || !spans,
            fmt::format("norm={} with pp: its running statistics lie on all ranks; allowed are rms and layer",
                        norm));
    require(std::ssize(dataset.classes) == model_.classes,
            fmt::format("the data has {} classes, the model {}", dataset.classes.size(), model_.classes));
    require(!model_.packed || (on_cpu && mesh_of_run(config.ranks, config).size(kTensorParallel) == 1),
            "packed=on: allowed are device=cpu and a mesh without tp");
    require(label_smoothing_ >= 0 && label_smoothing_ < 1,
            fmt::format("label_smoothing={}: allowed is 0 or more, and less than 1", label_smoothing_));
    require(on_cpu || !spans,
            fmt::format("norm={}: it has no kernel for device=cuda; there are those of rms and layer", norm));
    require(!sequence_ || !spans,
            fmt::format("sequence=on with norm={}: it spans tokens, which then lie on several ranks; allowed "
                        "are rms and layer",
                        norm));
  }

  Declaration declare() const override { return declare_classifier(model_); }
  std::map<std::string, std::string> needs() const override {
    return {{"heads", std::to_string(model_.heads)},
            {"kv_heads", std::to_string(model_.kv_heads)},
            {"norm",
             fmt::format("{} {}, eps {}", to_string(model_.where), to_string(model_.norm), model_.norm_eps)},
            {"rope", fmt::format("{} times {}", model_.rope_theta, model_.rope_scale)},
            {"data", dataset_.sha256.substr(0, 16)}};
  }
  int64_t count(Split split) const override { return std::ssize(samples(split)); }

  std::vector<int32_t> lengths() const override {
    std::vector<int32_t> lengths;
    for (size_t i = 0; dataset_.by_length && i < dataset_.train.size(); ++i)
      lengths.push_back(int32_t(dataset_.train[i].tokens.size()));
    return lengths;
  }

  std::unique_ptr<Model> make(const ModelSite& site) const override {
    if (make_model_ && site.emulated_places == 0) return make_model_(site.rank);
    return classifier_at(site, model_, max_tokens_, sequence_);
  }

  Batch batch(Split split, const std::vector<int64_t>& indices, BatchShape at_least) const override {
    return make_batch(samples(split), indices, at_least, dataset_.padding);
  }
  at::Tensor loss(ModelOutput& output, const Batch& batch) const override {
    return smoothed_loss(std::exchange(output.logits, {}), batch, label_smoothing_);
  }
  Score score(const ModelOutput& output, const Batch& batch) const override {
    return score_of(output.logits, batch);
  }

  void predict(const ForwardedBatches& batches, RankRows& rows) const override {
    predict_copy(model_, batches.distribution, {batches.over(kTensorParallel), batches.over(kPipeline)},
                 {sizes(Split::kTrain, batches.trained), sizes(Split::kHeldOut, batches.held_out)}, rows);
  }

 private:
  // As make_batch pads them.
  std::vector<TokenBlock> sizes(Split split, const std::vector<std::vector<int64_t>>& batches) const {
    std::vector<TokenBlock> sizes;
    for (const std::vector<int64_t>& batch : batches) {
      TokenBlock& block = sizes.emplace_back(TokenBlock{std::max<int64_t>(1, std::ssize(batch)), 1});
      for (const int64_t i : batch)
        block.tokens = std::max(block.tokens, std::ssize(samples(split)[size_t(i)].tokens));
    }
    return sizes;
  }

  const std::vector<Sample>& samples(Split split) const {
    return split == Split::kTrain ? dataset_.train : dataset_.test;
  }

  ClassifierConfig model_;
  const double label_smoothing_;
  const int64_t max_tokens_;
  const bool sequence_;
  const std::function<std::unique_ptr<Model>(int rank)> make_model_;
  const Dataset& dataset_;
};

}  // namespace

struct Predictor::Loaded {
  ClassifierConfig config;
  int64_t max_tokens;
  Padding padding;
  std::unique_ptr<Classifier> model;
};

Predictor::Predictor(const TrainedClassifier& trained)
    : loaded_(new Loaded{trained.model, trained.max_tokens, trained.padding, load(trained)}) {}
Predictor::~Predictor() = default;

std::vector<std::vector<float>> Predictor::probabilities(const std::vector<Sample>& samples) {
  if (samples.empty()) return {};
  const at::NoGradGuard no_grad;
  for (const Sample& sample : samples) {
    const auto known = [&](int32_t token) { return token >= 0 && token < loaded_->config.vocabulary; };
    if (sample.tokens.empty() || std::ssize(sample.tokens) > loaded_->max_tokens)
      throw UsageError("a sample of {} tokens: allowed are 1 to {}", sample.tokens.size(),
                       loaded_->max_tokens);
    if (!std::ranges::all_of(sample.tokens, known))
      throw UsageError("a token that is none of the vocabulary's {}", loaded_->config.vocabulary);
  }
  std::vector<int64_t> all(samples.size());
  std::iota(all.begin(), all.end(), 0);
  const at::Tensor logits =
      loaded_->model->forward(make_batch(samples, all, {}, loaded_->padding), {.mode = Mode::kEvaluate})
          .logits;
  const at::Tensor shares = at::softmax(logits, -1).contiguous();  // (B, C)
  std::vector<std::vector<float>> answers;
  for (int64_t row = 0; row < shares.size(0); ++row) {
    const float* const first = shares.data_ptr<float>() + row * shares.size(1);
    answers.emplace_back(first, first + shares.size(1));
  }
  return answers;
}

Classified classify(const TrainedClassifier& trained, const Dataset& data, int ranks, int64_t rows,
                    const WorldHooks& hooks) {
  TrainerConfig config;
  config.model = trained.model;
  config.max_tokens = trained.max_tokens;
  config.ranks = ranks;
  const std::shared_ptr<const Task> task = classifier_task(config, data);
  const auto store = TraceStore::create("");
  const std::vector<Recorder*> recorders = store->add_section("classify", {}, ranks);
  Classified found;
  const auto evaluation =
      confusion_evaluation(trained.model.classes, [&](int64_t, const Confusion& counts, double loss) {
        found = {counts, loss};
      });
  run_world({.ranks = ranks, .hooks = hooks}, [&](World& world) {
    use_one_thread();
    const at::NoGradGuard no_grad;
    Model& model = *world.make<std::unique_ptr<Classifier>>(load(trained));
    ProcessGroup& group = world.group("dp");
    const auto forward = [&](const Batch& batch) { return model.forward(batch, {.mode = Mode::kEvaluate}); };
    evaluation->run({*task, rows, model, group, group, *recorders[size_t(world.rank())], forward}, 0);
  });
  return found;
}

std::shared_ptr<const Task> classifier_task(const TrainerConfig& config, const Dataset& dataset) {
  return std::make_shared<ClassifierTask>(config, dataset);
}

TrainResult train(const TrainerConfig& config, const Dataset& dataset, TraceStore& store,
                  const std::string& section, const TrainerHooks& hooks) {
  return train(config, *classifier_task(config, dataset), store, section, hooks);
}

}  // namespace ringside::inline training
