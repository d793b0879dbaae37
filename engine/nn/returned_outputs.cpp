#include "ringside/nn/returned_outputs.h"

#include <utility>

#include "ringside/nn/classifier.h"

namespace ringside::inline nn {
namespace {

class ReturningModel final : public Model {
 public:
  ReturningModel(std::unique_ptr<Model> inner, std::function<WantedOutputs(bool)> what)
      : inner_(std::move(inner)), what_(std::move(what)) {}
  ParameterSet& parameters() override { return inner_->parameters(); }
  Buffers& buffers() override { return inner_->buffers(); }
  ModelOutput forward(const Batch& batch, const Context& context) override {
    Context inner = context;
    inner.wanted = what_(context.mode == Mode::kTrain);
    return inner_->forward(batch, inner);
  }

 private:
  std::unique_ptr<Model> inner_;
  std::function<WantedOutputs(bool)> what_;
};

}  // namespace

std::unique_ptr<Model> returning(std::unique_ptr<Model> inner, std::function<WantedOutputs(bool)> what) {
  return std::make_unique<ReturningModel>(std::move(inner), std::move(what));
}

std::function<std::unique_ptr<Model>(int)> returning_classifier(
    const ClassifierConfig& model, int64_t max_tokens, std::function<WantedOutputs(int, bool)> what) {
  return [=](int rank) {
    return returning(std::make_unique<Classifier>(model, max_tokens),
                     [what, rank](bool training) { return what(rank, training); });
  };
}

ContributionBytes contribution_bytes(const GatheredOutputs& outputs) {
  const ClassifierConfig& model = outputs.model;
  const int64_t positions = outputs.rows * outputs.tokens;
  ContributionBytes bytes;
  if (outputs.logits) bytes.logits = outputs.rows * (4 * model.classes + 8);
  if (outputs.hidden_states)
    bytes.hidden_states = (model.layers + 1) * positions * model.hidden * outputs.width;
  if (outputs.attentions)
    bytes.attentions = model.layers * positions * model.heads * outputs.tokens * outputs.width;
  return bytes;
}

}  // namespace ringside::inline nn
