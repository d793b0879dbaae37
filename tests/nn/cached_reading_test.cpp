#include "ringside/nn/cached_reading.h"

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/nn/language_tasks.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

ClassifierConfig writing_config(NormKind norm = NormKind::kRms) {
  ClassifierConfig config = small_config();
  config.classes = config.vocabulary;
  config.every_position = true;
  config.norm = norm;
  return config;
}

LanguageModel writing_model(const ClassifierConfig& config) {
  return {config, noisy_model(config).parameters().leaves};
}

const at::Tensor kTexts = at::tensor({1, 7, 3, 3, 10, 2, 9, 10, 0, 4}, at::kLong).view({2, 5});

}  // namespace

TEST_CASE("reading on, in any pieces, has the logits of a forward over all tokens") {
  for (const int which : {0, 1, 2, 3}) {
    ClassifierConfig config = writing_config(which == 1 ? NormKind::kLayer : NormKind::kRms);
    if (which == 2) config.learned_positions = 12;
    if (which == 3) config.rope_scale = 0.25;
    Classifier model = noisy_model(config);
    Batch batch{kTexts, at::full({2}, 4, at::kLong), at::zeros({2}, at::kLong), at::ones({2})};
    const at::Tensor all = logits_of(model, batch);  // (2, 5, V)
    const LanguageModel whole(config, model.parameters().leaves);
    for (const std::vector<int64_t>& pieces : {std::vector<int64_t>{1, 1, 1, 1, 1}, {3, 2}, {5}, {1, 4}}) {
      KeyValueCache cache;
      int64_t at = 0;
      for (const int64_t n : pieces) {
        const at::Tensor piece = read_on(whole, kTexts.narrow(1, at, n), cache);
        CHECK(max_distance(piece, all.narrow(1, at, n)) < 1e-5);
        CHECK_FALSE(piece.requires_grad());
        at += n;
        CHECK(cache.tokens() == at);
      }
    }
  }
}

TEST_CASE("tokens that a cache dropped are as if they had never been, for a single layer") {
  ClassifierConfig config = writing_config();
  config.layers = 1;
  const LanguageModel model = writing_model(config);
  KeyValueCache cut, never;
  read_on(model, kTexts.narrow(1, 0, 4), cut);
  cut.keep(1, 2);
  CHECK(cut.tokens() == 3);
  CHECK(cut.read == 4);
  const at::Tensor kept = kTexts.index_select(1, at::tensor({0, 2, 3}, at::kLong));
  read_on(model, kept, never);
  const at::Tensor last = kTexts.narrow(1, 4, 1), mine = read_on(model, last, cut);
  CHECK(max_distance(mine, read_on(model, last, never)) < 1e-6);
  cut.keep(2, 9);
  CHECK(cut.tokens() == 4);
}

TEST_CASE("what is written: the likeliest tokens, or as often as the softmax says") {
  const LanguageModel model = writing_model(writing_config());
  RandomStream stream(1, "test");
  const Written written = write_on(model, kTexts, 3, {.temperature = 0}, stream),
                again = write_on(model, kTexts, 3, {.temperature = 0, .cached = false}, stream);
  REQUIRE(written.text.sizes() == at::IntArrayRef({2, 8}));
  CHECK(written.text.equal(again.text));
  CHECK(written.read == 5 + 2);
  CHECK(again.read == 5 + 6 + 7);
  KeyValueCache cache;
  const at::Tensor first = read_on(model, kTexts, cache).select(1, 4).argmax(1);
  CHECK(written.text.select(1, 5).equal(first));
  const at::Tensor logits = at::tensor({0.0, 1.0, -1.0, 3.0}).view({1, 4}).expand({20000, 4});
  for (const double temperature : {1.0, 2.0}) {
    const at::Tensor drawn = draw_tokens(logits, {.temperature = temperature, .vocabulary = 3}, stream);
    const at::Tensor p = at::softmax(logits[0].narrow(0, 0, 3) / temperature, 0);
    for (int64_t token = 0; token < 3; ++token)
      CHECK(drawn.eq(token).to(at::kDouble).mean().item<double>() ==
            Approx(p[token].item<double>()).margin(0.015));
    CHECK(drawn.max().item<int64_t>() < 3);
  }
  CHECK(draw_tokens(logits.narrow(0, 0, 9), {.temperature = 1e-310}, stream).eq(3).all().item<bool>());
}

TEST_CASE("logits that are not finite, and a temperature below 0, draw no token; a prompt may be UTF-8") {
  RandomStream stream(1, "test");
  const at::Tensor logits = at::tensor({1.0, 5.0, 2.0}).view({1, 3});
  for (const double temperature : {-1.0, double(NAN)})
    CHECK_THROWS_AS(draw_tokens(logits, {.temperature = temperature}, stream), UsageError);
  for (const double value : {double(NAN), HUGE_VAL}) {
    const at::Tensor bad = logits.clone();
    bad[0][1] = value;
    for (const double temperature : {0.0, 1.0})
      CHECK_THROWS_AS(draw_tokens(bad, {.temperature = temperature}, stream), Error);
  }
  const ClassifierConfig config = byte_language_model(16, 1);
  const LanguageModel model(config, initial_values(classifier_shapes(config), 1));
  CHECK(write_line(model, "你a", 1, {.temperature = 0}, 1).starts_with("???a"));
}

TEST_CASE("a model that cannot be read on, and a cache of other texts, are refused") {
  LanguageModel model = writing_model(writing_config());
  KeyValueCache cache, nothing;
  read_on(model, kTexts, cache);
  CHECK_THROWS_AS(read_on(model, kTexts.narrow(0, 0, 1), cache), UsageError);
  model.config.causal = false;
  CHECK_THROWS_AS(read_on(model, kTexts, nothing), UsageError);
  model.config.causal = true, model.config.learned_positions = 4;
  CHECK_THROWS_AS(read_on(model, kTexts, nothing), UsageError);
  CHECK_THROWS_AS(Classifier(model.config, 5), UsageError);
}
