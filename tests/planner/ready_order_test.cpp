// The planner's names and order against recorded passes of real models (recorded_passes.h).
#include "ringside/planner/ready_order.h"

#include <algorithm>

#include "catch.h"
#include "recorded_passes.h"
#include "ringside/base/error.h"
#include "ringside/planner/buckets.h"
#include "ringside/planner/classifier_layers.h"
#include "ringside/planner/reducer.h"

using namespace ringside;

namespace {

std::vector<std::string> names_in(GradientOrder order, const std::vector<ParameterShape>& shapes) {
  std::vector<std::string> names;
  for (const Gradient& gradient : gradients_in(order, shapes)) names.push_back(gradient.name);
  return names;
}

}  // namespace

TEST_CASE("names and ready order are those of recorded passes") {
  for (const RecordedPass& pass : recorded_passes()) {
    INFO(pass.what);
    const auto config = parse_model_config(pass.config, pass.what);
    const auto shapes = model_shapes(config, {ModelHead::Kind::kClassifier, 5, pass.head_bias});
    std::vector<std::string> order;
    for (const int index : pass.order) order.push_back(pass.names[static_cast<size_t>(index)]);
    CHECK(names_in(GradientOrder::kParameters, shapes) == pass.names);
    CHECK(names_in(GradientOrder::kBackward, shapes) == order);
  }
}

// Recorded in the same way: lm_head comes first, and a tied one with the embedding, which comes last.
TEST_CASE("a language model's head is ready first, a tied one with the embedding") {
  auto config = parse_model_config(recorded_passes()[1].config, "llama");
  const ModelHead head{ModelHead::Kind::kLanguageModel, 0, false};
  auto order = names_in(GradientOrder::kBackward, model_shapes(config, head));
  CHECK(order.size() == 21);
  CHECK(order.front() == "lm_head.weight");
  CHECK(order.back() == "model.embed_tokens.weight");
  config.text.tied = true;
  order = names_in(GradientOrder::kBackward, model_shapes(config, head));
  CHECK(order.size() == 20);
  CHECK(order.front() == "model.norm.weight");
  CHECK(order.back() == "model.embed_tokens.weight");
}

TEST_CASE("what is frozen is never ready") {
  ClassifierConfig own;
  own.freeze_embedding = true;
  CHECK(names_in(GradientOrder::kBackward, classifier_shapes(own)).back() ==
        "model.layers.0.input_layernorm.weight");
  const auto config = parse_model_config(recorded_passes()[3].config, "qwen2_vl");
  const auto shapes = model_shapes(config, {ModelHead::Kind::kNone, 0, false}, true);
  for (const std::string& name : names_in(GradientOrder::kBackward, shapes))
    CHECK(name.find("visual") == std::string::npos);
  CHECK(names_in(GradientOrder::kParameters, shapes).front() == "model.language_model.embed_tokens.weight");
}

TEST_CASE("the order follows names, not places in the list") {
  auto shapes = classifier_shapes(ClassifierConfig{});
  const auto order = names_in(GradientOrder::kBackward, shapes);
  std::reverse(shapes.begin(), shapes.end());
  CHECK(names_in(GradientOrder::kBackward, shapes) == order);
}

// buckets.cpp goes backwards through the classifier's construction, which is in order of use.
TEST_CASE("the engine fills its buckets in ready order") {
  for (const bool bias : {false, true}) {
    ClassifierConfig config;
    config.head_bias = bias;
    const auto shapes = classifier_shapes(config);
    std::vector<int> filled;
    for (const Bucket& bucket : make_buckets(shapes, Distribution{}, 1))
      for (const BucketSlot& slot : bucket.slots) filled.push_back(slot.parameter);
    CHECK(filled == ready_order(shapes));
  }
}

TEST_CASE("a tensor of no known model is a broken invariant") {
  for (const char* name :
       {"transformer.wte.weight", "model.layers.0.mlp.w1.weight", "model.visual.pos.weight", ""})
    CHECK_THROWS_AS(ready_order({{name, 0, {1}, true}}), InvariantError);
}
