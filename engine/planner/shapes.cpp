#include "ringside/planner/shapes.h"

#include "ringside/planner/classifier_layers.h"

namespace ringside {

std::vector<ParameterShape> classifier_shapes(const ClassifierConfig& config) {
  Declaration model;
  ClassifierLayers().declare(model, config);
  return model.shapes();
}

std::string unit_name(int unit, int64_t layers) {
  if (unit == 0) return "embedding";
  return unit <= layers ? "layer " + std::to_string(unit - 1) : "head";
}

int64_t count_parameters(const std::vector<ParameterShape>& shapes) {
  int64_t count = 0;
  for (const ParameterShape& shape : shapes) count += shape.numel();
  return count;
}

int64_t count_trainable(const std::vector<ParameterShape>& shapes) {
  int64_t count = 0;
  for (const ParameterShape& shape : shapes) count += shape.trainable ? shape.numel() : 0;
  return count;
}

}  // namespace ringside
