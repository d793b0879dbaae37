#include "ringside/nn/tensor_parallel.h"

#include <torch/csrc/autograd/custom_function.h>

#include "ringside/base/error.h"
#include "ringside/nn/product.h"
#include "ringside/nn/tensor_view.h"

namespace ringside {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor all_reduced(ProcessGroup& group, const at::Tensor& x, const Tag& tag) {
  at::Tensor sum = x.clone(at::MemoryFormat::Contiguous);
  group.all_reduce(view_of(sum), tag)->wait();
  return sum;
}

struct SumGradients : torch::autograd::Function<SumGradients> {  // f
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, ProcessGroup* group,
                            const std::string& unit) {
    context->saved_data["group"] = reinterpret_cast<int64_t>(group);
    context->saved_data["unit"] = unit;
    return x;
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    auto& group = *reinterpret_cast<ProcessGroup*>(context->saved_data["group"].toInt());
    const Tag tag{"activation gradients", context->saved_data["unit"].toStringRef()};
    return {all_reduced(group, gradients[0], tag), at::Tensor(), at::Tensor()};
  }
};

struct Sum : torch::autograd::Function<Sum> {  // g
  static at::Tensor forward(AutogradContext*, const at::Tensor& x, ProcessGroup* group,
                            const std::string& unit) {
    return all_reduced(*group, x, {"activations", unit});
  }
  static variable_list backward(AutogradContext*, const variable_list& gradients) {
    return {gradients[0], at::Tensor(), at::Tensor()};
  }
};

}  // namespace

void ColumnParallelLayer::declare(Declaration& model, const std::string& its_name, int64_t out, int64_t in,
                                  bool has_bias, ProcessGroup& over) {
  name = its_name;
  group = &over;
  weight = model.add(name + ".weight", {out, in}, true, {{.dim = 0, .over = over.name()}});
  if (has_bias) bias = model.add(name + ".bias", {out}, true, {{.dim = 0, .over = over.name()}});
}

void RowParallelLayer::declare(Declaration& model, const std::string& its_name, int64_t out, int64_t in,
                               bool has_bias, ProcessGroup& over) {
  name = its_name;
  group = &over;
  weight = model.add(name + ".weight", {out, in}, true, {{.dim = 1, .over = over.name()}});
  if (has_bias) bias = model.add(name + ".bias", {out});
}

at::Tensor output_of(const ColumnParallelLayer& layer, const ParameterSet& set, const at::Tensor& x) {
  return linear_product(SumGradients::apply(x, layer.group, layer.name), set[layer.weight], set[layer.bias]);
}

at::Tensor output_of(const RowParallelLayer& layer, const ParameterSet& set, const at::Tensor& x) {
  const at::Tensor y = Sum::apply(linear_product(x, set[layer.weight]), layer.group, layer.name);
  return set[layer.bias].defined() ? y + set[layer.bias] : y;
}

}  // namespace ringside
