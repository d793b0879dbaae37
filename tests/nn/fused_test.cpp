// The fused nodes against LibTorch's operations: values and gradients, in fp64 to rounding, in fp32 to a few
// roundings, in bf16.
#include "ringside/nn/fused.h"

#include "catch.h"
#include "ringside/nn/classifier.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using Tensors = std::vector<at::Tensor>;
using OfTensors = std::function<at::Tensor(const Tensors&)>;

// Of a loss in which every number of y counts differently: y, and the gradient of each input.
Tensors value_and_gradients(const OfTensors& function, const Tensors& inputs, at::ScalarType type) {
  Tensors leaves;
  for (const at::Tensor& input : inputs)
    leaves.push_back(input.to(type, false, /*copy=*/true).set_requires_grad(true));
  const at::Tensor y = function(leaves);
  run_backward((y * random_tensor(y.sizes(), 9, 1.0, at::kDouble).to(type)).sum());
  Tensors results = {y.detach()};
  for (const at::Tensor& leaf : leaves) results.push_back(leaf.grad());
  return results;
}

// Relative to the largest number; roundings: on the way of one, in fp32.
void compare_with_torchs(const OfTensors& fused, const OfTensors& torchs, const Tensors& inputs,
                         int64_t roundings) {
  const Tensors exact = value_and_gradients(torchs, inputs, at::kDouble);
  const auto check = [&](at::ScalarType type, double bound) {
    const Tensors own = value_and_gradients(fused, inputs, type);
    for (size_t i = 0; i < exact.size(); ++i) {
      INFO(type << ", " << (i == 0 ? "y" : "gradient of input " + std::to_string(i)));
      CHECK(own[i].scalar_type() == type);
      REQUIRE(own[i].sizes() == exact[i].sizes());
      if (exact[i].numel() > 0)
        CHECK(max_distance(own[i].to(at::kDouble), exact[i]) <= bound * largest(exact[i]));
    }
  };
  check(at::kDouble, 1e-12);
  check(at::kFloat, rounding_bound(roundings, 1));
  check(at::kBFloat16, 0.05);
}

Tensors exact_noise(const std::vector<std::vector<int64_t>>& shapes, double deviation) {
  Tensors all;  // numbers that every type has
  for (const auto& shape : shapes)
    all.push_back(random_tensor(shape, 1 + all.size(), deviation).to(at::kBFloat16).to(at::kDouble));
  return all;
}

struct AttentionCase {
  int64_t B, T, A, shared, D;
  int64_t first;  // of the second row: its padding on the left
};

at::Tensor mask_for(const AttentionCase& of) {
  const at::Tensor mask = make_causal_mask(of.T + 3);
  if (of.first == 0) return mask;
  at::Tensor first = at::zeros({of.B}, at::kLong);
  first[1] = of.first;
  return hide_padding(mask, first);
}

// LibTorch's operations, in the type of the inputs.
at::Tensor torchs_attention(const Tensors& in, const AttentionCase& of, const RotaryTable& table,
                            const at::Tensor& mask) {
  const auto apart = [&](const at::Tensor& t) {
    return t.view({of.B, of.T, t.size(2) / of.D, of.D}).transpose(1, 2);
  };
  const int64_t share = of.A / of.shared;
  const at::Tensor q = apply_rotary(apart(in[0]), table),
                   k = apply_rotary(apart(in[1]), table).repeat_interleave(share, 1),
                   v = apart(in[2]).repeat_interleave(share, 1);
  const at::Tensor hidden = mask.narrow(-2, 0, of.T).narrow(-1, 0, of.T);
  const at::Tensor p = at::softmax(at::matmul(q, k.transpose(2, 3)) / std::sqrt(double(of.D)) + hidden, -1);
  return at::matmul(p, v).transpose(1, 2).reshape({of.B, of.T, of.A * of.D});
}

// Logits, attentions and every gradient.
Tensors results_of(const ClassifierConfig& config, const Batch& batch, const Context& context = {}) {
  Classifier model = noisy_model(config);
  const ModelOutput output = model.forward(batch, context);
  run_backward(weighted_loss(output.logits, batch));
  Tensors all = gradients_in(model.parameters().leaves);
  all.push_back(output.logits.detach());
  for (const at::Tensor& attention : output.attentions) all.push_back(attention.detach());
  return all;
}

void check_same(const Tensors& own, const Tensors& wanted, const ClassifierConfig& config) {
  REQUIRE(own.size() == wanted.size());
  for (size_t i = 0; i < own.size(); ++i) {
    CAPTURE(i);
    CHECK(max_distance(own[i], wanted[i]) <=
          rounding_bound(4 * classifier_roundings(config, 7), largest(wanted[i])));
  }
}

}  // namespace

TEST_CASE("one node for SwiGLU has LibTorch's values and gradients") {
  const OfTensors fused = [](const Tensors& in) { return fused_swiglu(in[0], in[1]); };
  const OfTensors torchs = [](const Tensors& in) { return at::silu(in[0]) * in[1]; };
  for (const std::vector<int64_t>& shape :
       std::vector<std::vector<int64_t>>{{0, 3, 7}, {1, 1, 1}, {2, 3, 7}, {3, 5, 33}, {1, 2, 64}})
    for (const double deviation : {1.0, 30.0}) {
      CAPTURE(shape, deviation);
      compare_with_torchs(fused, torchs, exact_noise({shape, shape}, deviation), 2 * kFew);
    }
  const at::Tensor turned = random_tensor({5, 4}, 1).t();  // columns one behind the other
  CHECK(max_distance(fused_swiglu(turned, turned), at::silu(turned) * turned) < 1e-5);
}

TEST_CASE("one node for attention has LibTorch's values and gradients: shared heads, odd sizes, padding") {
  for (const AttentionCase& of : {AttentionCase{2, 5, 4, 2, 6, 0},
                                  {3, 17, 6, 1, 2, 0},
                                  {2, 7, 3, 3, 34, 3},
                                  {2, 16, 4, 4, 8, 15},
                                  {1, 1, 1, 1, 2, 0},
                                  {0, 3, 4, 2, 4, 0}}) {
    CAPTURE(of.B, of.T, of.A, of.shared, of.D, of.first);
    const RotaryTable table = make_rotary_table(of.T + 3, of.D, 100);
    const at::Tensor mask = mask_for(of);
    at::Tensor p;
    const OfTensors fused = [&](const Tensors& in) {
      return fused_attention(in[0], in[1], in[2], {of.D, table, mask, &p});
    };
    const OfTensors torchs = [&](const Tensors& in) { return torchs_attention(in, of, table, mask); };
    const auto width = [&](int64_t heads) { return std::vector<int64_t>{of.B, of.T, heads * of.D}; };
    compare_with_torchs(fused, torchs, exact_noise({width(of.A), width(of.shared), width(of.shared)}, 1.0),
                        2 * (of.D + of.T) + 2 * kFew);
    CHECK(p.sizes() == at::IntArrayRef({of.B, of.A, of.T, of.T}));
    CHECK(!p.requires_grad());
    if (of.B > 0) CHECK(max_distance(p.to(at::kFloat).sum(-1), at::ones({1})) < 0.05);
  }
}

TEST_CASE("a product computes its weight's gradient where it is kept, while that is zero; then it is added") {
  struct Taker : UnitHooks {
    int asked = 0;
    bool take_fresh_gradient(const at::Tensor&) override { return asked++ == 0; }
  } hooks;
  const at::Tensor x = random_tensor({2, 3, 5}, 1), bias = random_tensor({4}, 2).set_requires_grad(true);
  const at::Tensor kept = at::zeros({4, 5}), none;
  at::Tensor weight = random_tensor({4, 5}, 3).set_requires_grad(true);
  weight.mutable_grad() = kept;
  bool is_heard = false;
  weight.register_hook([&](const at::Tensor& gradient) { is_heard = gradient.is_same_size(weight); });
  const at::Tensor dy = random_tensor({2, 3, 4}, 4), once = at::mm(dy.view({6, 4}).t(), x.view({6, 5}));
  run_backward(fused_linear(x, weight, bias, &hooks), dy);
  CHECK(is_heard);
  CHECK(at::equal(kept, once));
  CHECK(weight.grad().data_ptr() == kept.data_ptr());
  CHECK(max_distance(bias.grad(), dy.view({6, 4}).sum(0)) < 1e-6);
  run_backward(fused_linear(x, weight, none, &hooks), dy);
  CHECK(at::equal(kept, once + once));
  CHECK(hooks.asked == 2);
  const at::Tensor frozen = weight.detach(), input = x.clone().set_requires_grad(true);
  run_backward(fused_linear(input, frozen, none, &hooks), dy);
  CHECK(max_distance(input.grad(), at::matmul(dy, frozen)) < 1e-6);
  CHECK(hooks.asked == 2);
}

TEST_CASE("a fused classifier is the same up to rounding: logits, attentions and every gradient") {
  ClassifierConfig config = small_config();
  const WantedOutputs wanted{.attentions = true};
  const Tensors plain = results_of(config, small_batch(7), {.wanted = wanted});
  config.fused = true;
  for (const bool recompute : {false, true})
    check_same(results_of(config, small_batch(7), {.wanted = wanted, .recompute = recompute}), plain, config);
}

TEST_CASE(
    "a classifier without padding is the padded one up to rounding, and says what it does not go with") {
  const std::vector<Sample> samples = {{{1, 7, 3, 3, 10}, 0}, {{2, 9, 10}, 2}, {{10}, 1}};
  for (const NormPlace where : {NormPlace::kPre, NormPlace::kPost})
    for (const Batch& batch :
         {make_batch(samples, {0, 1, 2}, {4, 7}, {.token = 0}),  // the fourth has weight 0
          make_batch(samples, {2, 0, 1}, {4, 7}, {.token = 0, .left = true}), make_batch(samples, {1, 1}),
          make_batch(samples, {2})}) {
      CAPTURE(where, batch.tokens, batch.last);
      ClassifierConfig config = small_config();
      config.where = where, config.fused = true;
      const Tensors padded = results_of(config, batch);
      config.packed = true;
      for (const bool recompute : {false, true})
        check_same(results_of(config, batch, {.recompute = recompute}), padded, config);
    }
  const Packing left = without_padding(make_batch(samples, {2, 0, 1}, {}, {.token = 0, .left = true}));
  CHECK(left.rows.equal(at::tensor({4, 5, 6, 7, 8, 9, 12, 13, 14}, at::kLong)));
  CHECK(left.read.equal(at::tensor({0, 5, 8}, at::kLong)));
  ClassifierConfig config = small_config();
  config.fused = config.packed = true;
  CHECK_THROWS_AS(noisy_model(config).forward(small_batch(), {.wanted = {.hidden_states = true}}),
                  UsageError);
  const std::vector<std::function<void(ClassifierConfig&)>> refused = {
      [](auto& c) { c.fused = false; },
      [](auto& c) { c.causal = false; },
      [](auto& c) { c.every_position = true; },
      [](auto& c) { c.norm = NormKind::kBatch; },
      [](auto& c) { c.learned_positions = 12; },
      [](auto& c) { c.dropout = 0.1; },
      [](auto& c) {
        c.stage_of_unit = {0, 0, 1, 1};
      }};
  for (const auto& set : refused) {
    ClassifierConfig other = config;
    set(other);
    CHECK_THROWS_AS(declare_classifier(other), UsageError);
  }
}
