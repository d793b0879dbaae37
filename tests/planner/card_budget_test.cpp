#include "ringside/planner/card_budget.h"

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/planner/mesh_plan.h"

using namespace ringside;

TEST_CASE("a layer by c1 and c2 is what the plan of meshes has of GPT's layer") {
  const MeshSetup setup{.model = gpt_model("gpt", 24, 1024, 16, 51200, 2048),
                        .gpu = gpu_named("a100"),
                        .batch = 3,
                        .tokens = 2048,
                        .attention = AttentionKernel::kPlain};
  const double layer = layer_activations(setup, {.micro = 3});
  CHECK(kPaperTerms.bytes({3, 2048, 1024, 16, 24}) == Approx(24 * layer));
  const MeshShape selective{.micro = 3, .recompute = Recompute::kSelective};
  CHECK(kPaperTerms.without_scores().bytes({3, 2048, 1024, 16, 1}) ==
        Approx(layer_activations(setup, selective)));
}

TEST_CASE("the fit finds the terms behind the bytes, and none where the sizes do not tell them apart") {
  std::vector<CountedActivations> counted;
  for (const ActivationSizes& sizes :
       {ActivationSizes{1, 32, 32, 4, 1}, {2, 64, 64, 4, 3}, {1, 256, 32, 4, 2}})
    counted.push_back({sizes, kPaperTerms.bytes(sizes)});
  const ActivationTerms found = fit_terms(counted).value();
  CHECK(found.hidden == Approx(34));
  CHECK(found.scores == Approx(5));
  counted.resize(1);
  CHECK_FALSE(fit_terms(counted).has_value());
}

TEST_CASE("a small model has the proportions of a released one") {
  const TextSizes qwen = named_model("qwen2_5_7b").text;  // 28 heads, 4 of keys and values
  const ClassifierConfig small = small_model(qwen, 8, 16, 3);
  CHECK((small.heads == 14 && small.kv_heads == 2 && small.hidden == 14 * 16 && small.layers == 3));
  CHECK(small.intermediate == small.hidden * qwen.intermediate / qwen.hidden);
}

TEST_CASE("a card's state and sequences, of a model by its name or its path") {
  CardBudget budget = card_budget(packaged_model("qwen2_5_7b"));
  CHECK(budget.model.source == "qwen2_5_7b");
  CHECK(budget.parameters == 7615616512);
  budget.cards = 8, budget.memory = 80e9, budget.tokens = 2048;
  CHECK(budget.state(3).total() == Approx(2 * budget.parameters));
  CHECK(budget.logits() == 4.0 * 2048 * 152064);
  const double layers = kPaperTerms.bytes({1, 2048, 3584, 28, 28});
  CHECK(budget.sequence(kPaperTerms) == Approx(layers + budget.logits()));
  CHECK(budget.recomputed(kPaperTerms) == Approx(2.0 * 28 * 2048 * 3584 + layers / 28 + budget.logits()));
  CHECK(budget.most(20e9, 30e9) == 2);
  CHECK(budget.most(90e9, 30e9) == 0);
  const std::string refusal = message_of<UsageError>([] { card_budget("gpt_9"); });
  CHECK(lacks(refusal, {"model=gpt_9", "llama_2_7b", "path of a config.json"}) == "");
}
