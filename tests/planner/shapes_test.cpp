#include "ringside/planner/classifier_layers.h"

#include <algorithm>

#include "catch.h"
#include "ringside/base/error.h"

using namespace ringside;

namespace {

const ParameterShape& find(const std::vector<ParameterShape>& shapes, const std::string& name) {
  const auto found = std::find_if(shapes.begin(), shapes.end(),
                                  [&](const ParameterShape& shape) { return shape.name == name; });
  REQUIRE(found != shapes.end());
  return *found;
}

}  // namespace

TEST_CASE("the default model has 2^20 parameters for any number of classes") {
  for (int64_t classes = 1; classes < 303; ++classes) {
    ClassifierConfig config;
    config.classes = classes;
    config.vocabulary = 303 - classes;
    REQUIRE(count_parameters(classifier_shapes(config)) == int64_t{1} << 20);
  }
}

TEST_CASE("shapes of the default model, in construction order") {
  const ClassifierConfig config;
  const auto shapes = classifier_shapes(config);
  REQUIRE(shapes.size() == 1 + 4 * 12 + 2);
  CHECK(shapes.front().name == "model.embed_tokens.weight");
  CHECK(shapes.back().name == "score.weight");
  using Shape = std::vector<int64_t>;
  CHECK(find(shapes, "model.embed_tokens.weight").shape == Shape{299, 128});
  CHECK(find(shapes, "model.layers.0.self_attn.q_proj.weight").shape == Shape{128, 128});
  CHECK(find(shapes, "model.layers.1.self_attn.k_proj.weight").shape == Shape{64, 128});
  CHECK(find(shapes, "model.layers.2.self_attn.v_proj.bias").shape == Shape{64});
  CHECK(find(shapes, "model.layers.3.mlp.gate_proj.weight").shape == Shape{528, 128});
  CHECK(find(shapes, "model.layers.3.mlp.down_proj.weight").shape == Shape{128, 528});
  CHECK(find(shapes, "score.weight").shape == Shape{4, 128});
  CHECK(find(shapes, "model.layers.3.mlp.down_proj.weight").unit == 4);
  CHECK(std::is_sorted(shapes.begin(), shapes.end(),
                       [](const auto& a, const auto& b) { return a.unit < b.unit; }));
  CHECK(shapes.back().unit == config.units() - 1);
}

TEST_CASE("unit names follow the forward pass") {
  CHECK(unit_name(0, 2) == "embedding");
  CHECK(unit_name(1, 2) == "layer 0");
  CHECK(unit_name(2, 2) == "layer 1");
  CHECK(unit_name(3, 2) == "head");
}

TEST_CASE("a head bias adds C, a frozen embedding trains V H fewer") {
  ClassifierConfig config;
  const int64_t plain = count_parameters(classifier_shapes(config));
  config.head_bias = true;
  config.freeze_embedding = true;
  const auto shapes = classifier_shapes(config);
  CHECK(count_parameters(shapes) == plain + config.classes);
  CHECK(count_trainable(shapes) == plain + config.classes - config.vocabulary * config.hidden);
  CHECK(shapes.back().name == "score.bias");
}

// One layer, its norms and biases included, in a released model's sizes.
TEST_CASE("a layer in the sizes of Qwen2.5-7B has 233,057,792 parameters") {
  ClassifierConfig config;
  config.hidden = 3584;
  config.heads = 28;
  config.kv_heads = 4;
  config.intermediate = 18944;
  config.layers = 1;
  const auto shapes = classifier_shapes(config);
  int64_t layer = 0;
  for (const ParameterShape& shape : shapes) layer += shape.unit == 1 ? shape.numel() : 0;
  CHECK(layer == 233'057'792);
}

TEST_CASE("sizes that do not divide are refused by name") {
  ClassifierConfig config;
  config.heads = 3;
  CHECK_THROWS_WITH(classifier_shapes(config), "hidden=128: must be a multiple of heads=3");
  config.heads = 4;
  config.kv_heads = 3;
  CHECK_THROWS_AS(classifier_shapes(config), UsageError);
  config.kv_heads = 2;
  config.layers = 0;
  CHECK_THROWS_AS(classifier_shapes(config), UsageError);
}
