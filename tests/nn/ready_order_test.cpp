// The planner's ready order (planner/ready_order.h) against a live backward of this project's classifier.
#include "ringside/planner/ready_order.h"

#include "catch.h"
#include "pairwise.h"
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
  for (const std::vector<size_t>& row : pairwise({3, 2, 2, 2})) {
    ClassifierConfig config = small_config();
    config.layers = std::array{1, 2, 5}[row[0]];
    config.head_bias = row[1] == 0;
    config.freeze_embedding = row[2] == 0;
    config.learned_positions = row[1] == row[2] ? 8 : 0;
    config.norm = row[3] == 0 ? NormKind::kRms : NormKind::kLayer;
    CAPTURE(row);
    CHECK(recorded_order(config) == planned_order(config));
  }
}
