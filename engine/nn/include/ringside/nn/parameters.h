// The parameters of a model: what its layers declared (torch-free, planner/declaration.h) and, beside
// it, the leaf tensors that the strategy puts there.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <string>
#include <vector>

#include "ringside/planner/parts.h"

namespace ringside::inline nn {

// The tensor that a layer computes with for a parameter it declared; undefined for one that is none.
using Leaves = std::function<at::Tensor(Parameter)>;
// The tensors, in the order of the declaration. Refers to the list.
Leaves leaves_of(const std::vector<at::Tensor>& tensors);

struct ParameterSet {
  std::vector<ParameterShape> shapes;  // of what this place has
  std::vector<at::Tensor> leaves;      // same order as shapes
  int units = 0;                       // what ZeRO-3 gathers together: 0 .. units-1, in forward order
  std::vector<std::string> unit_names;
  std::vector<Part> parts{};     // same order; none: this place has the whole model
  at::Device device = at::kCPU;  // of the leaves: where the model computes

  // Empty leaves. Aggregate, so that a model without layers can fill in the rest itself.
  static ParameterSet of(const Declaration& model, const ModelPlace& place = {});
  // Which part of the whole parameter this place has; null: all of it.
  const Part* part_of(size_t parameter) const;
  // The tensor of a declared parameter; undefined for one that is none.
  const at::Tensor& operator[](Parameter parameter) const;
  operator Leaves() const;                                      // refers to the set
  const at::Tensor& operator[](const std::string& name) const;  // InvariantError where there is none
};

std::vector<at::Tensor> gradients_in(const std::vector<at::Tensor>& leaves);  // .grad of each
at::Tensor joined(const std::vector<at::Tensor>& tensors);                    // a copy: (elements)

// The initial value of a parameter, in contiguous fp32, drawn from a RandomStream of its own so that it
// depends neither on the ranks nor on LibTorch: norms 1, biases 0, matrices normal(0, 0.02).
void initialize(at::Tensor out, const ParameterShape& shape, uint64_t seed);
// Of whole parameters, each a new tensor.
std::vector<at::Tensor> initial_values(const std::vector<ParameterShape>& shapes, uint64_t seed);
// The part of it; padding is 0. out: (part.numel()) or of the part's shape, as below.
void initialize_part(const at::Tensor& out, const ParameterShape& whole, const Part& part, uint64_t seed);
// What the part has of a whole tensor; padding is 0.
void copy_part(const at::Tensor& out, const at::Tensor& whole, const Part& part);

}  // namespace ringside::inline nn
