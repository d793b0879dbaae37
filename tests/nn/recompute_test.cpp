// A layer that keeps its input alone: the same gradients, in the same order, from fewer bytes.
#include "ringside/nn/recompute.h"

#include <c10/core/GradMode.h>

#include "catch.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct Pass {
  at::Tensor loss;
  std::vector<at::Tensor> gradients;
  std::vector<size_t> order;  // in which gradients arrived
};

Pass pass_of(Classifier& model, bool recompute) {
  ParameterSet& set = model.parameters();
  Pass pass;
  std::vector<GradientHook> hooks;
  for (size_t p = 0; p < set.leaves.size(); ++p) {
    set.leaves[p].mutable_grad().reset();
    hooks.emplace_back(set.leaves[p], [&pass, p] { pass.order.push_back(p); });
  }
  const Batch batch = small_batch();
  pass.loss = weighted_loss(model.forward(batch, {.recompute = recompute}).logits, batch);
  run_backward(pass.loss);
  for (const at::Tensor& leaf : set.leaves) pass.gradients.push_back(leaf.grad().clone());
  return pass;
}

}  // namespace

TEST_CASE("a recomputed classifier has the same loss and gradients, bit for bit, in the same order") {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    Classifier model(small_config(), 5);
    fill_with_noise(model.parameters(), 3, type);
    const Pass off = pass_of(model, false), on = pass_of(model, true);
    CHECK(on.loss.equal(off.loss));
    CHECK(on.order == off.order);
    CHECK(on.order.size() == on.gradients.size());  // each once
    for (size_t p = 0; p < off.gradients.size(); ++p) {
      INFO(model.parameters().shapes[p].name);
      CHECK(on.gradients[p].equal(off.gradients[p]));
    }
  }
}

TEST_CASE(
    "a recomputed batch norm takes a batch into its running statistics once, and has the same gradients") {
  ClassifierConfig config = small_config();
  config.norm = NormKind::kBatch;
  Classifier plain(config, 5), recomputed(config, 5);
  for (Classifier* model : {&plain, &recomputed}) fill_with_noise(model->parameters(), 3);
  for (int step = 0; step < 2; ++step) {
    const Pass off = pass_of(plain, false), on = pass_of(recomputed, true);
    CHECK(on.loss.equal(off.loss));
    for (size_t p = 0; p < off.gradients.size(); ++p) {
      INFO(plain.parameters().shapes[p].name);
      CHECK(on.gradients[p].equal(off.gradients[p]));
    }
    const Buffers &expected = plain.buffers(), &found = recomputed.buffers();
    for (size_t b = 0; b < expected.names().size(); ++b) {
      INFO(expected.names()[b] << ", step " << step);
      CHECK(found.tensors()[b].equal(expected.tensors()[b]));
    }
  }
}

TEST_CASE("f runs once in forward, without a graph, and once in backward, with one") {
  const at::Tensor w = at::full({2}, 3.0f).set_requires_grad(true);
  for (const bool needs_dx : {true, false}) {
    w.mutable_grad().reset();
    const at::Tensor x = at::full({2}, 5.0f).set_requires_grad(needs_dx);
    std::vector<std::pair<bool, bool>> calls;  // again, with a graph
    const at::Tensor y = forward_of_recomputed(x, [&](const at::Tensor& input, bool again) {
      const at::Tensor product = input * w;
      calls.emplace_back(again, product.requires_grad());
      return product;
    });
    CHECK(y.requires_grad());
    run_backward(y.sum());
    CHECK(calls == std::vector<std::pair<bool, bool>>{{false, false}, {true, true}});
    CHECK(w.grad().equal(at::full({2}, 5.0f)));
    CHECK(x.grad().defined() == needs_dx);
    if (needs_dx) CHECK(x.grad().equal(at::full({2}, 3.0f)));
  }
}

TEST_CASE("without grad mode nothing is kept to be run again") {
  const at::NoGradGuard no_grad;
  int calls = 0;
  const at::Tensor y = forward_of_recomputed(at::ones({2}), [&](const at::Tensor& x, bool again) {
    ++calls;
    CHECK_FALSE(again);
    return x * 2;
  });
  CHECK(calls == 1);
  CHECK(y.grad_fn() == nullptr);
}
