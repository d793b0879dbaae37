// What the nodes of autograd's graph that are written out in this folder have in common.
#pragma once

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ringside::inline nn {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What a node keeps for its backward beside tensors: one value.
template <typename T>
struct KeptValue : torch::CustomClassHolder {
  explicit KeptValue(T of) : value(std::move(of)) {}
  T value;
};
template <typename T>
void keep(AutogradContext* context, T value) {
  context->saved_data["kept"] = at::IValue::make_capsule(c10::make_intrusive<KeptValue<T>>(std::move(value)));
}
template <typename T>
T& kept(AutogradContext* context) {
  return static_cast<KeptValue<T>&>(*context->saved_data.at("kept").toCapsule()).value;
}

// The shape of t, its last dimensions replaced by these.
inline std::vector<int64_t> with_last(const at::Tensor& t, std::initializer_list<int64_t> last) {
  std::vector<int64_t> shape = t.sizes().vec();
  std::ranges::copy(last, shape.end() - std::ssize(last));
  return shape;
}

// None or one, for a node's forward: LibTorch 1.13 and later ones differ in the type of an optional tensor.
inline at::TensorList none_or_one(const at::Tensor& tensor) {
  return tensor.defined() ? at::TensorList(tensor) : at::TensorList();
}

}  // namespace ringside::inline nn
