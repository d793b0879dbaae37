// What a classifier returns beside its logits: hidden states and attentions, as Hugging Face counts them.
#include <c10/core/GradMode.h>

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/nn/classifier.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr WantedOutputs kEverything{.hidden_states = true, .attentions = true};

ModelOutput everything_of(Classifier model, const Batch& batch) {
  return model.forward(batch, {.wanted = kEverything});
}

// The last state of `x` before the final norm, layer by layer with the free functions.
struct ManualForward {
  ManualForward(Classifier& model, const Batch& batch) {
    const at::NoGradGuard no_grad;
    const ClassifierConfig config = small_config();
    const ParameterSet& p = model.parameters();
    const RotaryTable rotary = make_rotary_table(12, config.head_size(), config.rope_theta);
    const at::Tensor mask = make_causal_mask(12);
    at::Tensor x = p["model.embed_tokens.weight"].index({batch.tokens});
    hidden_states.push_back(x);
    for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
      const auto w = [&](const char* name) { return p[layer + name]; };
      const AttentionWeights weights{w("self_attn.q_proj.weight"), w("self_attn.q_proj.bias"),
                                     w("self_attn.k_proj.weight"), w("self_attn.k_proj.bias"),
                                     w("self_attn.v_proj.weight"), w("self_attn.v_proj.bias"),
                                     w("self_attn.o_proj.weight")};
      const at::Tensor normed = rms_norm(x, w("input_layernorm.weight"), config.norm_eps);
      x = x + grouped_query_attention(normed, weights, config, rotary, mask);
      x = x + swiglu(rms_norm(x, w("post_attention_layernorm.weight"), config.norm_eps),
                     w("mlp.gate_proj.weight"), w("mlp.up_proj.weight"), w("mlp.down_proj.weight"));
      hidden_states.push_back(x);
    }
    hidden_states.back() = rms_norm(x, p["model.norm.weight"], config.norm_eps);
  }
  std::vector<at::Tensor> hidden_states;
};

struct CountUnits : UnitHooks {
  void before_forward(int unit) override { ++calls; }
  int calls = 0;
};

}  // namespace

TEST_CASE("nothing is returned that is not wanted") {
  Classifier model = noisy_model();
  const ModelOutput none = model.forward(small_batch(), {});
  CHECK(none.hidden_states.empty());
  CHECK(none.attentions.empty());
  const ModelOutput hidden = model.forward(small_batch(), {.wanted = {.hidden_states = true}});
  CHECK(hidden.hidden_states.size() == 3);
  CHECK(hidden.attentions.empty());
  const ModelOutput attentions = model.forward(small_batch(), {.wanted = {.attentions = true}});
  CHECK(attentions.hidden_states.empty());
  CHECK(attentions.attentions.size() == 2);
}

TEST_CASE("hidden states: the embedding's, each layer's, the last after the final norm") {
  Classifier model = noisy_model();
  const Batch batch = small_batch();
  const ModelOutput output = everything_of(model, batch);
  const ManualForward manual(model, batch);
  REQUIRE(output.hidden_states.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    INFO("hidden state " << i);
    CHECK(output.hidden_states[i].sizes() == at::IntArrayRef({3, 5, 16}));
    CHECK(max_distance(output.hidden_states[i], manual.hidden_states[i]) == 0);
  }
}

TEST_CASE("the last hidden state of the last token, through the head's weights, is the logits") {
  Classifier model = noisy_model();
  const Batch batch = small_batch();
  const ModelOutput output = everything_of(model, batch);
  const ParameterSet& set = model.parameters();
  const at::Tensor pooled = output.hidden_states.back().index({at::arange(3), batch.last});
  const at::Tensor logits = at::linear(pooled, set["score.weight"], set["score.bias"]);
  CHECK(max_distance(output.logits, logits) < rounding_bound(small_config().hidden + 1, largest(logits)));
  CHECK(max_distance(output.logits, logits.roll(1, 0)) > 0.01);  // rows do differ
}

TEST_CASE("attentions: each row sums to 1 and sees no later token") {
  Classifier model = noisy_model();
  const ModelOutput output = everything_of(model, small_batch());
  REQUIRE(output.attentions.size() == 2);
  for (const at::Tensor& attention : output.attentions) {
    CHECK(attention.sizes() == at::IntArrayRef({3, 4, 5, 5}));
    CHECK(max_distance(attention.sum(-1), at::ones({3, 4, 5})) < rounding_bound(5 + kFew, 1));
    CHECK(attention.triu(1).abs().max().item<float>() == 0);
    CHECK(attention.ge(0).all().item<bool>());
    CHECK(attention.tril(-1).max().item<float>() > 0.1);  // and earlier ones it sees
  }
  CHECK_FALSE(output.attentions[0].equal(output.attentions[1]));
}

TEST_CASE("what is returned changes no bit of the logits or of a gradient, and calls no unit twice") {
  const Batch batch = small_batch();
  Classifier with = noisy_model(), without = noisy_model();
  CountUnits hooks;
  const ModelOutput output = with.forward(batch, {.hooks = &hooks, .wanted = kEverything});
  CHECK(hooks.calls == 4);
  const at::Tensor logits = logits_of(without, batch);
  CHECK(output.logits.equal(logits));
  run_backward(weighted_loss(output.logits, batch));
  run_backward(weighted_loss(logits, batch));
  for (size_t p = 0; p < with.parameters().leaves.size(); ++p) {
    CHECK(with.parameters().leaves[p].grad().equal(without.parameters().leaves[p].grad()));
  }
}

TEST_CASE("in bf16 hidden states and attentions are bf16, the logits fp32") {
  try {
    require_bfloat16();
  } catch (const MissingError&) {
    return;  // this CPU cannot
  }
  const ModelOutput output = everything_of(noisy_model(small_config(), at::kBFloat16), small_batch());
  for (const at::Tensor& state : output.hidden_states) CHECK(state.scalar_type() == at::kBFloat16);
  for (const at::Tensor& attention : output.attentions) CHECK(attention.scalar_type() == at::kBFloat16);
  CHECK(output.logits.scalar_type() == at::kFloat);
}
