#include "ringside/nn/classifier.h"

#include <cmath>

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/base/sha256.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct NoteUnits : UnitHooks {
  void before_forward(int unit) override { order.push_back(unit); }
  at::Tensor after_forward(int unit, at::Tensor output) override {
    order.push_back(100 + unit);
    return unit == 3 ? output * 2 : output;
  }
  std::vector<int> order;
};

}  // namespace

TEST_CASE(
    "parameters and units are the planner's, in forward order, a bias behind each layer norm's weight") {
  for (const NormKind norm : {NormKind::kRms, NormKind::kLayer}) {
    ClassifierConfig config = small_config();
    config.norm = norm;
    Classifier model(config, 8);
    const ParameterSet& set = model.parameters();
    const std::vector<ParameterShape> planned = classifier_shapes(config);
    REQUIRE(set.leaves.size() == planned.size());
    REQUIRE(set.shapes.size() == planned.size());
    for (size_t p = 0; p < planned.size(); ++p) {
      CHECK(set.shapes[p].name == planned[p].name);
      CHECK(set.shapes[p].shape == planned[p].shape);
      CHECK(set.shapes[p].unit == planned[p].unit);
    }
    CHECK(set.unit_names == std::vector<std::string>{"embedding", "layer 0", "layer 1", "head"});
    CHECK((set.shapes[2].name == "model.layers.0.input_layernorm.bias") == (norm == NormKind::kLayer));
  }
}

TEST_CASE("parameters are found by name, and by the handle that their layer keeps") {
  Classifier model = noisy_model();
  const ParameterSet& set = model.parameters();
  Declaration declaration;
  ClassifierLayers layers;
  layers.declare(declaration, small_config());
  CHECK(set[layers.decoder[1].mlp.up.weight].is_same(set["model.layers.1.mlp.up_proj.weight"]));
  CHECK(set[layers.decoder[0].attention.v.bias].is_same(set["model.layers.0.self_attn.v_proj.bias"]));
  CHECK(set[layers.score.bias].is_same(set.leaves.back()));
  CHECK_FALSE(set[layers.decoder[0].mlp.up.bias].defined());
  CHECK_THROWS_AS(set["model.layers.2.mlp.up_proj.weight"], InvariantError);
}

TEST_CASE("the size of the padding and what stands in it change no logit of the real tokens") {
  Classifier model = noisy_model();
  const at::Tensor logits = logits_of(model, small_batch(6, 0));
  CHECK(logits.equal(logits_of(model, small_batch(6, 4))));  // same shapes: not in one bit
  CHECK(max_distance(logits, logits_of(model, small_batch(11, 4))) <
        rounding_bound(classifier_roundings(small_config(), 11), largest(logits)));
}

TEST_CASE("the answer is read at the last real token") {
  Classifier model = noisy_model();
  const at::Tensor logits = logits_of(model, small_batch());
  Batch early = small_batch();
  early.last = at::tensor({4, 1, 0}, at::kLong);
  const at::Tensor other = logits_of(model, early);
  CHECK(logits[0].equal(other[0]));
  CHECK_FALSE(logits[1].equal(other[1]));

  Batch shortened = small_batch();  // row 1 really ends at token 1
  shortened.tokens[1][2] = 0;
  shortened.last = early.last;
  CHECK(other[1].equal(logits_of(model, shortened)[1]));
  Batch changed = small_batch();
  changed.tokens[1][0] = 5;
  CHECK_FALSE(logits[1].equal(logits_of(model, changed)[1]));
}

TEST_CASE("rows of weight 0 give no gradient at all, and take nothing from the others") {
  const auto gradients = [](const Batch& batch) {
    Classifier model = noisy_model();
    run_backward(weighted_loss(logits_of(model, batch), batch));
    return gradients_in(model.parameters().leaves);
  };
  Batch nothing = small_batch();
  nothing.weights.zero_();
  for (const at::Tensor& gradient : gradients(nothing)) CHECK(gradient.eq(0).all().item<bool>());

  Batch two = small_batch();
  two.weights[2] = 0;
  Batch cut = small_batch();
  cut.tokens = cut.tokens.narrow(0, 0, 2);
  cut.last = cut.last.narrow(0, 0, 2);
  cut.labels = cut.labels.narrow(0, 0, 2);
  cut.weights = cut.weights.narrow(0, 0, 2);
  const auto with = gradients(two), without = gradients(cut);
  double scale = 0;
  for (const at::Tensor& gradient : with) scale = std::max(scale, largest(gradient));
  const double bound =
      rounding_bound(3 * classifier_roundings(small_config(), 5), scale);  // forward, and twice back
  for (size_t p = 0; p < with.size(); ++p) CHECK(max_distance(with[p], without[p]) < bound);
}

TEST_CASE("the loss is the weighted sum of cross-entropies") {
  const at::Tensor logits = random_tensor({3, 3}, 1);
  Batch batch = small_batch();
  batch.weights[1] = 0;
  double expected = 0;
  for (const int64_t row : {0, 2}) {
    double total = 0;
    for (int64_t c = 0; c < 3; ++c) total += std::exp(logits[row][c].item<double>());
    expected -= logits[row][batch.labels[row].item<int64_t>()].item<double>() - std::log(total);
  }
  CHECK(weighted_loss(logits, batch).item<double>() == Approx(expected));
}

TEST_CASE("the head's bias is optional and is added to the logits") {
  Classifier model = noisy_model();
  const at::Tensor with = logits_of(model, small_batch()), bias = model.parameters()["score.bias"].detach();
  ClassifierConfig config = small_config();
  config.head_bias = false;
  Classifier plain = noisy_model(config);
  CHECK(plain.parameters().shapes.back().name == "score.weight");
  CHECK(max_distance(with, logits_of(plain, small_batch()) + bias) <
        rounding_bound(small_config().hidden + 1, largest(with)));
}

TEST_CASE("a frozen embedding is marked so, and nothing else is") {
  ClassifierConfig config = small_config();
  config.freeze_embedding = true;
  Classifier model(config, 8);
  for (const ParameterShape& shape : model.parameters().shapes) CHECK(shape.trainable == (shape.unit != 0));
}

TEST_CASE("initial values: norms 1, biases 0, matrices of deviation 0.02 from streams of their own") {
  const ParameterShape matrix{"model.layers.0.mlp.up_proj.weight", 1, {60, 50}};
  ParameterShape other = matrix;
  other.name = "model.layers.1.mlp.up_proj.weight";
  const at::Tensor a = at::empty({60, 50}), b = at::empty({60, 50}), c = at::empty({60, 50}),
                   d = at::empty({60, 50});
  initialize(a, matrix, 7);
  initialize(b, matrix, 7);
  initialize(c, matrix, 8);
  initialize(d, other, 7);
  CHECK(a.equal(b));
  CHECK_FALSE(a.equal(c));
  CHECK_FALSE(a.equal(d));
  CHECK(a.std().item<double>() == Approx(0.02).epsilon(0.05));
  CHECK(std::abs(a.mean().item<double>()) < 0.002);

  // From a second implementation, in another language: no library and no processor has a say in it.
  Sha256 hash;
  hash.update(a.data_ptr(), a.nbytes());
  CHECK(hash.hex() == "1304df6688e41400692b58f0f186fcd60ec81b3378b789cc2e64eaadc60e58ff");

  const at::Tensor row = at::full({4}, 5.0);
  initialize(row, {"model.norm.weight", 3, {4}}, 7);
  CHECK(row.equal(at::ones({4})));
  initialize(row, {"score.bias", 3, {4}}, 7);
  CHECK(row.equal(at::zeros({4})));
}

TEST_CASE("hooks see every unit once, in order, and may replace its output") {
  Classifier model = noisy_model();
  NoteUnits hooks;
  const at::Tensor logits = model.forward(small_batch(), {.hooks = &hooks}).logits;
  CHECK(hooks.order == std::vector<int>{0, 100, 1, 101, 2, 102, 3, 103});
  CHECK(logits.equal(logits_of(model, small_batch()) * 2));
}

TEST_CASE("bf16 weights give fp32 logits close to those of fp32 weights") {
  try {
    require_bfloat16();
  } catch (const MissingError&) {
    return;  // this CPU cannot
  }
  Classifier fp32 = noisy_model(), bf16 = noisy_model(small_config(), at::kBFloat16);
  const at::Tensor logits = logits_of(bf16, small_batch());
  CHECK(logits.scalar_type() == at::kFloat);
  const double scale = logits.abs().max().item<double>();
  CHECK(max_distance(logits, logits_of(fp32, small_batch())) < 0.1 * scale);
}

TEST_CASE("each norm of the classifier is layer norm: a shift of its input changes no logit") {
  ClassifierConfig config = small_config();
  config.norm = NormKind::kLayer;
  Classifier model = noisy_model(config), rms = noisy_model();
  for (Classifier* one : {&model, &rms}) {
    const at::Tensor before = logits_of(*one, small_batch()).detach();
    at::Tensor embedding = one->parameters()["model.embed_tokens.weight"].detach();  // the same bytes
    embedding.add_(3);
    const double moved = max_distance(logits_of(*one, small_batch()).detach(), before);
    CHECK((moved < 1e-4 * largest(before)) == (one == &model));
  }
}
