#include "ringside/nn/split_backward.h"

#include <c10/core/GradMode.h>

#include <utility>

#include "graph_node.h"
#include "ringside/nn/product.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::inline nn {

// One product as a graph of its own, of which backward asks twice.
struct WeightGradients::PutOff {
  at::Tensor weight;  // the model's
  at::Tensor own_x, own_weight, own_bias, y;
  at::Tensor dy;  // once backward has come to it
};

namespace {

using List = std::vector<std::shared_ptr<WeightGradients::PutOff>>;

thread_local WeightGradients* of_this_thread = nullptr;

struct KeptProduct {
  std::shared_ptr<WeightGradients::PutOff> product;
  std::shared_ptr<List> put_off;
};

struct SplitProduct : torch::autograd::Function<SplitProduct> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, at::TensorList bias,
                            const KeptProduct& node) {
    keep(context, node);
    WeightGradients::PutOff& own = *node.product;
    const at::AutoGradMode with_graph(true);
    own.own_x = x.detach().set_requires_grad(true);
    own.own_weight = own.weight.detach().set_requires_grad(true);
    if (!bias.empty()) own.own_bias = bias[0].detach().set_requires_grad(bias[0].requires_grad());
    own.y = linear_product(own.own_x, own.own_weight, own.own_bias);
    return own.y.detach();
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto& node = kept<KeptProduct>(context);
    WeightGradients::PutOff& own = *node.product;
    own.dy = gradients[0];
    std::vector<at::Tensor> now = {own.own_x};
    if (own.own_bias.defined() && own.own_bias.requires_grad()) now.push_back(own.own_bias);
    variable_list result = gradients_of(own.y, own.dy, now);
    node.put_off->push_back(node.product);
    result.resize(own.own_bias.defined() ? 3 : 2);
    return result;
  }
};

}  // namespace

WeightGradients::WeightGradients() : put_off_(std::make_shared<List>()) {}

WeightGradients::Scope::Scope(WeightGradients& to) : before_(std::exchange(of_this_thread, &to)) {}
WeightGradients::Scope::~Scope() { of_this_thread = before_; }
WeightGradients* WeightGradients::current() { return of_this_thread; }

at::Tensor WeightGradients::product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const KeptProduct node{std::make_shared<PutOff>(), put_off_};
  node.product->weight = weight;
  WeightGradients* const own = std::exchange(of_this_thread, nullptr);  // the product within is a plain one
  at::Tensor y = SplitProduct::apply(x, none_or_one(bias), node);
  of_this_thread = own;
  return y;
}

void WeightGradients::add() {
  const List list = std::exchange(*put_off_, {});
  for (const std::shared_ptr<PutOff>& one : list) {
    const at::Tensor gradient = gradients_of(one->y, one->dy, {one->own_weight})[0];
    const at::Tensor weight = one->weight;
    *one = PutOff();
    run_backward(weight, gradient);
  }
}

}  // namespace ringside::inline nn
