// The sequence classifier as a Task.
#include <fmt/format.h>

#include <utility>

#include "ringside/base/error.h"
#include "ringside/nn/classifier.h"
#include "ringside/nn/evaluation.h"
#include "ringside/nn/task.h"
#include "ringside/train/trainer.h"

namespace ringside {
namespace {

class ClassifierTask final : public Task {
 public:
  ClassifierTask(const TrainerConfig& config, const Dataset& dataset)
      : model_(config.model),
        max_tokens_(config.max_tokens),
        make_model_(config.make_model),
        dataset_(dataset) {
    if (std::ssize(dataset.classes) != model_.classes)
      throw UsageError(
          fmt::format("the data has {} classes, the model {}", dataset.classes.size(), model_.classes));
  }

  Declaration declare() const override { return declare_classifier(model_); }
  int64_t count(Split split) const override { return std::ssize(samples(split)); }

  std::unique_ptr<Model> make(const ModelSite& site) const override {
    if (make_model_) return make_model_(site.rank);
    return std::make_unique<Classifier>(model_, max_tokens_);
  }

  Batch batch(Split split, const std::vector<int64_t>& indices, BatchShape at_least) const override {
    return make_batch(samples(split), indices, at_least);
  }
  at::Tensor loss(ModelOutput& output, const Batch& batch) const override {
    return weighted_loss(std::exchange(output.logits, {}), batch);
  }
  Score score(const ModelOutput& output, const Batch& batch) const override {
    return score_of(output.logits, batch);
  }

 private:
  const std::vector<Sample>& samples(Split split) const {
    return split == Split::kTrain ? dataset_.train : dataset_.test;
  }

  const ClassifierConfig model_;
  const int64_t max_tokens_;
  const std::function<std::unique_ptr<Model>(int rank)> make_model_;
  const Dataset& dataset_;
};

}  // namespace

std::shared_ptr<const Task> classifier_task(const TrainerConfig& config, const Dataset& dataset) {
  return std::make_shared<ClassifierTask>(config, dataset);
}

TrainResult train(const TrainerConfig& config, const Dataset& dataset, TraceStore& store,
                  const std::string& section, const TrainerHooks& hooks) {
  return train(config, *classifier_task(config, dataset), store, section, hooks);
}

ZeroRunSetup planned_run(const TrainerConfig& config, const Dataset& dataset,
                         const Interruption& interruption, bool observed) {
  return planned_run(config, classifier_task(config, dataset), interruption, observed);
}

}  // namespace ringside
