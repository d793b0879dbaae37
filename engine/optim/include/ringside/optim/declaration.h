// What an optimizer declares. Sliders, the bytes of state in plan and ledger, ZeRO's choice of shards and the
// names in a checkpoint derive from it; code that applies an update reads nothing else.
//
// The file engine/optim/NAME.cpp defines OptimizerSpec optimizers::NAME(). CMake finds it; adding the file
// is all there is to adding an optimizer.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ringside/base/bfloat16.h"
#include "ringside/trace/events.h"

namespace ringside {

// What one update has to see whole. Only elements can be cut into shards anywhere.
enum class Granularity : uint8_t {
  kElement,  // each element alone: any stretch of a flat buffer, also across parameters
  kTensor,   // a parameter, for a sum over it
  kMatrix,   // a parameter of rows and columns; one of another shape has a rule of its own
  kGlobal    // all parameters at once; nothing runs such an update yet
};

using Values = std::map<std::string, double>;  // of hyperparameters, by name

// fp32 values that are kept for each element from step to step, 0 before the first.
struct StateSpec {
  std::string name, meaning;
  std::string unless_zero = "";  // a hyperparameter; where it is 0 this state is not kept
};

struct HyperparameterSpec {
  std::string name, meaning;
  double standard = 0;  // the value that holds where none is given
  double least = 0, below = std::numeric_limits<double>::infinity();  // least <= value < below
};

// The parameters of which `holds` is true, and the values that are theirs. Where several groups hold a
// parameter a later one's values win and their rates are multiplied.
struct ParameterGroup {
  std::string name;
  std::function<bool(const std::string& parameter, std::span<const int64_t> shape)> holds;
  Values values;
  double rate = 1;  // the learning rate of the group, in units of everybody's
};

// n elements of a flat buffer, or one parameter.
struct Elements {
  int64_t count = 0;               // n
  float* weights = nullptr;        // (n) fp32: the parameter, or its master copy
  const void* gradient = nullptr;  // (n) summed over samples, not yet divided
  Dtype gradient_dtype = Dtype::kFloat32;
  uint16_t* rounded = nullptr;       // (n) bf16 copy of the weights, refreshed after the update; or null
  std::vector<float*> state{};       // (n) each, in the order in which it is declared
  std::span<const int64_t> shape{};  // of the parameter; empty where elements are all there is to see
};

// An update's loop is compiled once for fp32 gradients and once for bf16: calls body(gradient), where
// gradient(i) is the i-th element as a float.
template <typename Body>
void with_gradient(const Elements& elements, Body&& body) {
  const void* data = elements.gradient;
  if (elements.gradient_dtype == Dtype::kFloat32)
    body([of = static_cast<const float*>(data)](int64_t i) { return of[i]; });
  else
    body([of = static_cast<const uint16_t*>(data)](int64_t i) { return bf16_to_float(of[i]); });
}

struct UpdateOptions {
  double learning_rate = 0;
  int64_t step = 1;          // counts from 1
  float gradient_scale = 1;  // 1/samples x clipping; an update multiplies each element of the gradient by it
};

struct OptimizerSpec {
  std::string name;   // "adamw"
  std::string title;  // "AdamW"
  Granularity granularity = Granularity::kElement;
  std::vector<StateSpec> state;
  std::vector<HyperparameterSpec> hyperparameters;
  // Changes weights and state. `values` has every hyperparameter.
  std::function<void(const Elements&, const Values& values, const UpdateOptions&)> update;
  std::vector<ParameterGroup> groups{};  // the optimizer's own; a configuration's come after them
};

}  // namespace ringside
