#include "ringside/train/classify.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ringside/base/error.h"
#include "ringside/nn/classifier.h"
#include "ringside/nn/evaluation.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/trainer.h"

namespace ringside::inline training {
namespace {

std::unique_ptr<Classifier> load(const TrainedClassifier& trained) {
  auto model = std::make_unique<Classifier>(trained.model, trained.max_tokens);
  ParameterSet& set = model->parameters();
  for (size_t i = 0; i < set.shapes.size(); ++i) {
    const ParameterShape& shape = set.shapes[i];
    const ConstView values = trained.weights(i);
    if (values.dtype != Dtype::kFloat32 || values.count != shape.numel())
      throw UsageError(fmt::format("{}: {} values are given, the model has {} in fp32", shape.name,
                                   values.count, shape.numel()));
    set.leaves[i] = at::empty(shape.shape, at::kFloat);
    std::copy_n(static_cast<const float*>(values.data), values.count, set.leaves[i].data_ptr<float>());
  }
  return model;
}

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
      throw UsageError(fmt::format("a sample of {} tokens: allowed are 1 to {}", sample.tokens.size(),
                                   loaded_->max_tokens));
    if (!std::ranges::all_of(sample.tokens, known))
      throw UsageError(
          fmt::format("a token that is none of the vocabulary's {}", loaded_->config.vocabulary));
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
    evaluation->run(
        {*task, rows, model, group, group, *recorders[static_cast<size_t>(world.rank())], forward}, 0);
  });
  return found;
}

}  // namespace ringside::inline training
