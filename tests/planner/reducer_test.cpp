#include "ringside/planner/reducer.h"

#include <algorithm>
#include <map>

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/planner/classifier_layers.h"

using namespace ringside;

namespace {

constexpr const char* kQwen25Vl7b = R"({"model_type": "qwen2_5_vl", "hidden_size": 3584,
  "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
  "vocab_size": 152064, "tie_word_embeddings": false,
  "vision_config": {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "out_hidden_size": 3584,
                    "num_heads": 16, "in_chans": 3, "patch_size": 14}})";
const ModelHead kBiased251 = {ModelHead::Kind::kClassifier, 251, true};

BucketPlan plan_7b(int64_t bucket_size, bool freeze_vision) {
  return plan_buckets(model_shapes(parse_model_config(kQwen25Vl7b, "7b"), kBiased251, freeze_vision),
                      {bucket_size, GradientOrder::kBackward});
}

std::vector<Gradient> of_sizes(const std::vector<int64_t>& sizes) {
  std::vector<Gradient> gradients;
  for (const int64_t size : sizes) gradients.push_back({"model.norm.weight", "final norm", size});
  return gradients;
}

}  // namespace

TEST_CASE("the first bucket of a 7B vision-language classifier is 467,019,003 elements, piece by piece") {
  const BucketPlan plan = plan_7b(kDefaultReduceBucket, false);
  const ReducedBucket& first = plan.buckets.front();
  CHECK(first.elements == 467'019'003);
  REQUIRE(first.pieces.size() == 4);
  const std::vector<std::pair<std::string, int64_t>> expected = {
      {"head", 899'835}, {"final norm", 3'584}, {"layer 27", 233'057'792}, {"layer 26", 233'057'792}};
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK(first.pieces[i].group == expected[i].first);
    CHECK(first.pieces[i].elements == expected[i].second);
    CHECK(first.pieces[i].whole);
  }
  REQUIRE(first.next.has_value());
  CHECK(plan.gradients[*first.next].name == "model.language_model.layers.25.mlp.down_proj.weight");
  CHECK(plan.gradients[*first.next].elements == 67'895'296);
}

TEST_CASE("a backward pass of it sends 17 buckets, 15 with the vision tower frozen, and that size once") {
  for (const bool freeze : {false, true}) {
    const BucketPlan plan = plan_7b(kDefaultReduceBucket, freeze);
    CHECK(plan.buckets.size() == (freeze ? 15u : 17u));
    CHECK(std::count_if(plan.buckets.begin(), plan.buckets.end(),
                        [](const ReducedBucket& bucket) { return bucket.elements == 467'019'003; }) == 1);
    CHECK(plan.tensors == 730);
    CHECK(plan.gradients.size() == (freeze ? 340u : 730u));
    CHECK(plan.parameters - plan.trainable == (freeze ? 676'550'144 : 0));
  }
  const BucketPlan plan = plan_7b(kDefaultReduceBucket, false);
  const auto of = [&](const std::string& part) {
    return std::count_if(plan.gradients.begin(), plan.gradients.end(), [&](const Gradient& gradient) {
      return gradient.name.find(part) != std::string::npos;
    });
  };
  CHECK(of("model.visual.") == 390);
  CHECK(of("model.language_model.") == 338);
  CHECK(of("score.") == 2);
}

TEST_CASE("the size is sent first for bucket sizes from itself to one below the next sum") {
  CHECK(plan_7b(467'019'003, false).buckets[0].elements == 467'019'003);
  CHECK(plan_7b(534'914'298, false).buckets[0].elements == 467'019'003);
  CHECK(plan_7b(467'019'002, false).buckets[0].elements != 467'019'003);
  CHECK(plan_7b(534'914'299, false).buckets[0].elements == 534'914'299);
}

TEST_CASE("buckets of random sizes: all gradients once, in order, and none could have been larger") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomStream random(seed, "sizes");
    std::vector<int64_t> sizes(1 + random.below(60));
    for (int64_t& size : sizes) size = 1 + static_cast<int64_t>(random.below(40));
    const int64_t limit = 1 + static_cast<int64_t>(random.below(120));
    size_t begin = 0;
    for (const size_t end : flush_points(of_sizes(sizes), limit)) {
      INFO("seed " << seed << " bucket " << begin << " to " << end);
      REQUIRE(end > begin);
      int64_t sum = 0;
      for (size_t i = begin; i < end; ++i) sum += sizes[i];
      REQUIRE((sum <= limit || end - begin == 1));
      REQUIRE((end == sizes.size() || sum + sizes[end] > limit));
      begin = end;
    }
    REQUIRE(begin == sizes.size());
  }
  CHECK(flush_points({}, 10).empty());
}

TEST_CASE("pieces say which groups a bucket holds in part, and name a lone gradient") {
  const BucketPlan plan = plan_7b(100'000'000, true);
  const ReducedBucket& second = plan.buckets[1];  // behind head, final norm and layer 27's down_proj
  REQUIRE(second.pieces.size() == 1);
  CHECK(second.pieces[0].group == "layer 27");
  CHECK_FALSE(second.pieces[0].whole);
  CHECK(second.pieces[0].parameter == "model.language_model.layers.27.mlp.up_proj.weight");
  for (const ReducedBucket& bucket : plan.buckets) {
    int64_t sum = 0;
    for (const BucketPiece& piece : bucket.pieces) sum += piece.elements;
    REQUIRE(sum == bucket.elements);
  }
}

TEST_CASE("parameter order starts with the embedding, or the vision tower, and ends with the head") {
  const BucketPlan plan = plan_buckets(model_shapes(parse_model_config(kQwen25Vl7b, "7b"), kBiased251),
                                       {500'000'000, GradientOrder::kParameters});
  CHECK(plan.gradients.front().name == "model.visual.patch_embed.proj.weight");
  CHECK(plan.gradients.back().name == "score.bias");
  for (const ReducedBucket& bucket : plan.buckets) CHECK(bucket.elements != 467'019'003);
}

TEST_CASE("this project's own classifier has buckets too") {
  const BucketPlan plan =
      plan_buckets(classifier_shapes(ClassifierConfig{}), {300'000, GradientOrder::kBackward});
  CHECK(plan.parameters == 1 << 20);
  CHECK(plan.buckets.front().pieces.front().group == "head");
  CHECK(plan.buckets.back().pieces.back().group == "embedding");
}

TEST_CASE("a bucket size below 1 and classes out of range are refused by name") {
  CHECK_THROWS_WITH(plan_7b(0, false), "bucket-size=0: at least 1");
  const auto config = parse_model_config(kQwen25Vl7b, "7b");
  CHECK_THROWS_AS(model_shapes(config, {ModelHead::Kind::kClassifier, 0, false}), UsageError);
  CHECK_THROWS_AS(model_shapes(config, {ModelHead::Kind::kClassifier, kMostClasses + 1, false}), UsageError);
}

namespace {

// Three layers, the final norm and a head of 251 with a bias: DeepSpeed 0.14.4, executed on two ranks, sent
// what these tests expect.
std::vector<ParameterShape> three_layers() {
  auto shapes = model_shapes(parse_model_config(R"({"model_type": "qwen2", "hidden_size": 3584,
    "intermediate_size": 18944, "num_hidden_layers": 3, "num_attention_heads": 28, "num_key_value_heads": 4,
    "vocab_size": 152064})",
                                                "3 layers"),
                             kBiased251);
  std::erase_if(shapes, [](const auto& shape) { return shape.name.find("embed") != std::string::npos; });
  return shapes;
}

std::vector<int64_t> sizes_of(const BucketPlan& plan) {
  std::vector<int64_t> sizes;
  for (const ReducedBucket& bucket : plan.buckets) sizes.push_back(bucket.elements);
  return sizes;
}

}  // namespace

TEST_CASE("parameters without decay come last where the optimizer has two groups") {
  const auto in = [](GradientOrder order, int groups) {
    return sizes_of(plan_buckets(three_layers(), {kDefaultReduceBucket, order, groups}));
  };
  CHECK(in(GradientOrder::kParameters, 2) == std::vector<int64_t>{495'452'160, 204'624'635});
  CHECK(in(GradientOrder::kParameters, 1) == std::vector<int64_t>{495'480'320, 204'596'475});
  CHECK(in(GradientOrder::kBackward, 2) == in(GradientOrder::kBackward, 1));
  CHECK_THROWS_AS(in(GradientOrder::kBackward, 3), UsageError);
}

TEST_CASE("a bucket per destination is cut where the shards of the flat buffer end") {
  const BucketPlan plan =
      plan_buckets(three_layers(), {kDefaultReduceBucket, GradientOrder::kBackward, 1, 2});
  std::vector<std::pair<int, int64_t>> parts;
  for (const ReducedBucket& bucket : plan.buckets)
    for (const DestinationPart& part : bucket.parts) parts.push_back({part.rank, part.elements});
  CHECK(parts == std::vector<std::pair<int, int64_t>>{{1, 350'038'397}, {0, 116'980'606}, {0, 233'057'792}});
  for (const int groups : {1, 2}) {
    for (const int ranks : {1, 3, 5, 8}) {
      std::map<int, int64_t> sent;
      const BucketPlan other =
          plan_buckets(three_layers(), {100'000'000, GradientOrder::kParameters, groups, ranks});
      for (const ReducedBucket& bucket : other.buckets)
        for (const DestinationPart& part : bucket.parts) sent[part.rank] += part.elements;
      int64_t all = 0, most = 0;
      for (const auto& [rank, elements] : sent) {
        all += elements;
        most = std::max(most, elements);
      }
      CHECK(std::ssize(sent) == ranks);
      CHECK(all == other.trainable);
      CHECK(most <= other.trainable / ranks + 2 * groups);
      // 700,076,795 in one buffer, padded to a multiple of 2 N = 10.
      if (ranks == 5 && groups == 1) CHECK(sent[0] == 700'076'800 / 5);
    }
  }
}
