#include "ringside/tensor/passage.h"

#include <torch/csrc/autograd/custom_function.h>

#include <utility>

namespace ringside::inline tensor {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct BothWays : torch::CustomClassHolder {
  BothWays(TensorFunction f, TensorFunction b) : forward(std::move(f)), backward(std::move(b)) {}
  TensorFunction forward, backward;
};
struct Passage : torch::autograd::Function<Passage> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const c10::intrusive_ptr<BothWays>& ways) {
    context->saved_data["ways"] = at::IValue::make_capsule(ways);
    return ways->forward(x);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto ways = context->saved_data["ways"].toCapsule();
    return {static_cast<BothWays&>(*ways).backward(gradients[0]), at::Tensor()};
  }
};

}  // namespace

at::Tensor passage(const at::Tensor& x, TensorFunction forward, TensorFunction backward) {
  return Passage::apply(x, c10::make_intrusive<BothWays>(std::move(forward), std::move(backward)));
}

}  // namespace ringside::inline tensor
