#include "ringside/planner/explain.h"

#include <algorithm>
#include <set>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/planner/classifier_layers.h"

using namespace ringside;

namespace {

ModelConfig vl_7b() {
  return parse_model_config(R"({"model_type": "qwen2_5_vl", "hidden_size": 3584, "intermediate_size": 18944,
    "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064,
    "vision_config": {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "out_hidden_size": 3584}})",
                            "7b");
}

ExplainOptions question(int64_t number) {
  ExplainOptions options;
  options.number = number;
  return options;
}

// order, classes (0: none), with bias, first and last parameter.
using Key = std::tuple<GradientOrder, int64_t, bool, std::string, std::string, bool>;
Key key_of(const RunHit& hit) {
  return {hit.order, hit.classes.value_or(0), hit.bias, hit.first, hit.last, hit.flushed};
}

ClassifierConfig small_model() {
  ClassifierConfig config;
  config.vocabulary = 13;
  config.hidden = 8;
  config.heads = 2;
  config.kv_heads = 1;
  config.intermediate = 11;
  config.layers = 2;
  return config;
}

// Every run, every number of classes: whole heads only, which is all that a free head is searched for.
std::set<Key> by_brute_force(int64_t number, int64_t bucket_size, int64_t most_classes) {
  std::set<Key> found;
  for (const GradientOrder order : {GradientOrder::kBackward, GradientOrder::kParameters}) {
    for (const bool bias : {false, true}) {
      for (int64_t classes = 1; classes <= most_classes; ++classes) {
        ClassifierConfig config = small_model();
        config.classes = classes;
        config.head_bias = bias;
        const auto gradients = gradients_in(order, classifier_shapes(config));
        const auto ends = flush_points(gradients, bucket_size);
        const auto is_end = [&](size_t i) {
          return i == 0 || std::find(ends.begin(), ends.end(), i) != ends.end();
        };
        for (size_t begin = 0; begin < gradients.size(); ++begin) {
          int64_t sum = 0, heads = 0;
          for (size_t end = begin; end < gradients.size() && sum <= number;) {
            sum += gradients[end].elements;
            heads += gradients[end].group == "head";
            ++end;
            if (sum != number || (heads != 0 && heads != 1 + bias)) continue;
            const bool flushed = is_end(begin) && *std::upper_bound(ends.begin(), ends.end(), begin) == end;
            found.insert({order, heads ? classes : 0, heads && bias, gradients[begin].name,
                          gradients[end - 1].name, flushed});
          }
        }
      }
    }
  }
  // Without its head a run is one hit, sent if some head allows it.
  for (const Key& key : std::set<Key>(found))
    if (std::get<5>(key) && std::get<1>(key) == 0) {
      Key other = key;
      std::get<5>(other) = false;
      found.erase(other);
    }
  return found;
}

}  // namespace

TEST_CASE("467,019,003 has the prefixes known by hand, and the flush rule leaves the one with 251 classes") {
  const Explanation found = explain_number(vl_7b(), question(467'019'003));
  std::set<int64_t> prefixes;
  for (const RunHit& hit : found.hits) {
    if (!hit.is_first || hit.order != GradientOrder::kBackward) continue;
    CHECK(hit.bias);
    prefixes.insert(*hit.classes);
    CHECK(hit.flushed == (*hit.classes == 251));
    CHECK(hit.least_size == 467'019'003);
    if (*hit.classes == 251) CHECK(hit.most_size == 534'914'298);
    if (*hit.classes != 8443) continue;
    CHECK(hit.last == "model.language_model.layers.26.post_attention_layernorm.weight");
    CHECK(hit.next == "model.language_model.layers.26.self_attn.o_proj.weight");
    CHECK(found.number + hit.next_elements == 479'864'059);  // still fits: the rule goes on
    CHECK(hit.most_size == 479'864'058);
  }
  CHECK(prefixes == std::set<int64_t>{251, 3835, 8443});
  REQUIRE(found.flushed_count == 1);
  CHECK(found.hits.front().classes == 251);
  CHECK(found.hits.front().pieces.size() == 4);
  CHECK(found.hidden.rows == 130'306);
  CHECK(found.hidden.remainder == 2'299);
  CHECK(found.hidden.plausible.empty());
}

TEST_CASE("another bucket size lets the other prefix through") {
  ExplainOptions options = question(467'019'003);
  options.bucket_size = 470'000'000;  // now neither 8,443's next tensor nor 251's fits
  const Explanation found = explain_number(vl_7b(), options);
  std::set<int64_t> sent;
  for (const RunHit& hit : found.hits)
    if (hit.flushed) sent.insert(*hit.classes);
  CHECK(sent == std::set<int64_t>{251, 3835, 8443});
  options.bucket_size = 467'019'002;
  CHECK(explain_number(vl_7b(), options).flushed_count == 0);
}

TEST_CASE("given classes and bias are taken at their word", "[long]") {
  ExplainOptions options = question(467'019'003);
  options.classes = 251;
  CHECK(explain_number(vl_7b(), options).flushed_count == 1);
  options.bias = false;
  CHECK(explain_number(vl_7b(), options).hit_count == 0);
  options.bias = true;
  options.classes = 250;
  CHECK(explain_number(vl_7b(), options).hit_count == 0);
  options = question(544'997'376);
  options.head = ModelHead::Kind::kLanguageModel;
  const Explanation found = explain_number(vl_7b(), options);
  CHECK(found.flushed_count >= 1);
  CHECK(found.hits.front().first == "lm_head.weight");
}

TEST_CASE("a number that fits nothing is unexplained, and chance says how little that would take") {
  const Explanation found = explain_number(vl_7b(), question(470'810'624 + 1));
  CHECK(found.flushed_count == 0);
  for (const RunFamily& family : found.families) {
    CHECK(family.candidates > 0);
    CHECK(family.expected_hits < 0.05);
    CHECK(family.expected_flushed < 0.001);
  }
}

TEST_CASE("at the end of a pass a free number of classes is a coincidence, and no explanation", "[long]") {
  const Explanation found = explain_number(vl_7b(), question(467'019'002));
  CHECK(found.flushed_count == 1);
  CHECK(found.hits.front().coincidence);
  CHECK(found.hits.front().classes == 8442);
  CHECK_FALSE(found.is_explained());
  ExplainOptions options = question(467'019'002);
  options.classes = 251;
  CHECK_FALSE(explain_number(vl_7b(), options).is_explained());
  CHECK(explain_number(vl_7b(), question(467'019'003)).is_explained());
}

TEST_CASE("where the head is known, two groups and parts per destination are tried as well") {
  ModelConfig config = vl_7b();
  config.text.layers = 3;
  auto body = model_shapes(config, {}, true);
  std::erase_if(body, [](const auto& shape) { return shape.name.find("embed") != std::string::npos; });
  const auto explain = [&](int64_t number) {
    ExplainOptions options = question(number);
    options.classes = 251;
    options.bias = true;
    return explain_number(body, 3584, options);
  };
  const Explanation groups = explain(495'452'160);
  REQUIRE(groups.otherwise.size() == 1);
  CHECK(groups.flushed_count == 0);
  CHECK(groups.otherwise[0].parameter_groups == 2);
  CHECK(groups.otherwise[0].destinations == 0);
  for (const int64_t number : {350'038'397, 116'980'606}) {
    const Explanation part = explain(number);
    REQUIRE_FALSE(part.otherwise.empty());
    CHECK(part.otherwise[0].destinations == 2);
    CHECK(part.otherwise[0].rank == (number == 350'038'397 ? 1 : 0));
    CHECK(part.otherwise[0].bucket_elements == 467'019'003);
  }
  CHECK_FALSE(explain(350'038'399).is_explained());
}

TEST_CASE("a multiple of the width could be hidden states, with the shapes that could be") {
  const Explanation found = explain_number(vl_7b(), question(8 * 2048 * 3584));
  CHECK(found.hidden.remainder == 0);
  const auto& shapes = found.hidden.plausible;
  CHECK(std::any_of(shapes.begin(), shapes.end(),
                    [](const auto& shape) { return shape.batch == 8 && shape.length == 2048; }));
  for (const auto& shape : shapes) CHECK(shape.batch * shape.length == found.hidden.rows);
}

TEST_CASE("every hit of a small model, against all runs and all classes one by one", "[long]") {
  const auto body = [] {
    auto shapes = classifier_shapes(small_model());
    shapes.pop_back();
    return shapes;
  }();
  for (uint64_t seed = 0; seed < 40; ++seed) {
    RandomStream random(seed, "explain");
    ExplainOptions options = question(20 + static_cast<int64_t>(random.below(900)));
    options.bucket_size = 30 + static_cast<int64_t>(random.below(900));
    std::set<Key> found;
    for (const RunHit& hit : explain_number(body, 8, options).hits) found.insert(key_of(hit));
    INFO("seed " << seed << " number " << options.number << " size " << options.bucket_size);
    // With more classes than number / 8 a head is in no run, but may decide where a bucket starts.
    CHECK(found == by_brute_force(options.number, options.bucket_size, 150));
  }
}

TEST_CASE("whatever a reducer sends is explained as sent, where the head is given", "[long]") {
  for (const int64_t size : {20, 100, 150, 264, 265, 300, 1000, 5000}) {
    for (const bool bias : {false, true}) {
      for (const GradientOrder order : {GradientOrder::kBackward, GradientOrder::kParameters}) {
        ClassifierConfig config = small_model();
        config.classes = 33;
        config.head_bias = bias;
        auto shapes = classifier_shapes(config);
        const BucketPlan plan = plan_buckets(shapes, {size, order});
        std::erase_if(shapes, [](const auto& shape) { return shape.name.starts_with("score."); });
        for (const ReducedBucket& bucket : plan.buckets) {
          ExplainOptions options = question(bucket.elements);
          options.classes = 33;
          options.bias = bias;
          options.bucket_size = size;
          const Explanation found = explain_number(shapes, 8, options);
          const std::string first = plan.gradients[bucket.begin].name,
                            last = plan.gradients[bucket.end - 1].name;
          INFO("size " << size << " bias " << bias << ": " << first << " to " << last);
          CHECK(std::any_of(found.hits.begin(), found.hits.end(), [&](const RunHit& hit) {
            return hit.flushed && hit.order == order && hit.first == first && hit.last == last &&
                   hit.tensors == bucket.end - bucket.begin;
          }));
        }
      }
    }
  }
}

TEST_CASE("chance is the mean over numbers that are counted one by one") {
  auto body = classifier_shapes(small_model());
  body.pop_back();
  ExplainOptions options = question(400);
  options.bucket_size = 450;
  const Explanation at_400 = explain_number(body, 8, options);
  std::vector<double> hits(at_400.families.size(), 0), flushed(hits);
  for (int64_t number = 200; number <= 600; ++number) {
    options.number = number;
    const Explanation found = explain_number(body, 8, options);
    for (size_t f = 0; f < hits.size(); ++f) {
      hits[f] += static_cast<double>(found.families[f].hits) / 401;
      flushed[f] += static_cast<double>(found.families[f].flushed) / 401;
    }
  }
  for (size_t f = 0; f < hits.size(); ++f) {
    INFO("family " << f);
    CHECK(at_400.families[f].expected_hits == Approx(hits[f]));
    CHECK(at_400.families[f].expected_flushed == Approx(flushed[f]));
  }
}

TEST_CASE("questions out of range are refused by name") {
  CHECK_THROWS_WITH(explain_number(vl_7b(), question(0)), "number=0: allowed are 1 to 1,000,000,000,000,000");
  ExplainOptions options = question(1);
  options.classes = kMostClasses + 1;
  CHECK_THROWS_AS(explain_number(vl_7b(), options), UsageError);
  options.classes.reset();
  options.bucket_size = 0;
  CHECK_THROWS_AS(explain_number(vl_7b(), options), UsageError);
}
