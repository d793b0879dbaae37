// The planner's ready order (planner/ready_order.h) against a live backward of this project's classifier.
#include "ringside/planner/ready_order.h"

#include "catch.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using Names = std::vector<std::string>;

// Trainable parameters in the order in which backward accumulated their gradients.
Names recorded_order(const ClassifierConfig& config) {
  Classifier model(config, 8);
  ParameterSet& parameters = model.parameters();
  fill_with_noise(parameters, 7);
  Names order;
  std::vector<GradientHook> hooks;
  for (size_t p = 0; p < parameters.leaves.size(); ++p) {
    const ParameterShape& shape = parameters.shapes[p];
    parameters.leaves[p].set_requires_grad(shape.trainable);
    if (shape.trainable) hooks.emplace_back(parameters.leaves[p], [&] { order.push_back(shape.name); });
  }
  const Batch batch = small_batch();
  run_backward(weighted_loss(logits_of(model, batch), batch));
  return order;
}

Names planned_order(const ClassifierConfig& config) {
  const auto shapes = classifier_shapes(config);
  Names order;
  for (const int index : ready_order(shapes)) order.push_back(shapes[static_cast<size_t>(index)].name);
  return order;
}

}  // namespace

TEST_CASE("gradients become ready in the order that the planner says") {
  for (const int64_t layers : {1, 2, 3, 5}) {
    for (const bool bias : {false, true}) {
      for (const bool frozen : {false, true}) {
        ClassifierConfig config = small_config();
        config.layers = layers;
        config.head_bias = bias;
        config.freeze_embedding = frozen;
        INFO(layers << " layers, head bias " << bias << ", frozen embedding " << frozen);
        CHECK(recorded_order(config) == planned_order(config));
      }
    }
  }
}
