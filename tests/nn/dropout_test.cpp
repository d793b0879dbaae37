// What dropout takes: as much as was asked for, of the same places whoever computes them, and of others in
// another step.
#include "ringside/nn/dropout.h"

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/nn/classifier.h"
#include "ringside/tensor/torch_adapter.h"

using namespace ringside;

namespace {

constexpr uint64_t kSeed = 3;

at::Tensor taken(const DropoutDraws& draws, int64_t rows, int64_t site = 2, int64_t first_token = 0,
                 int64_t tokens = 6) {
  return dropped_out(at::ones({rows, tokens, 64}), 0.25, draws, site, first_token).eq(0);
}

}  // namespace

TEST_CASE("dropout takes a share p, the rest keeps the mean, and gradients go where values do") {
  const at::Tensor x = at::ones({16, 32, 64}).set_requires_grad(true);
  const at::Tensor y = dropped_out(x, 0.1, dropout_draws(kSeed, 0, 0), 2);
  CHECK(y.eq(0).to(at::kFloat).mean().item<double>() == Approx(0.1).margin(0.006));  // 4 of its deviations
  CHECK(y.mean().item<double>() == Approx(1).margin(0.007));
  run_backward(y.sum());
  CHECK(x.grad().equal(y.detach()));
}

TEST_CASE("a draw is of seed, step, sample, layer, token and feature, and of nothing else") {
  const DropoutDraws draws = dropout_draws(kSeed, 7, 0);
  const at::Tensor all = taken(draws, 4);
  CHECK(taken(draws, 4).equal(all));
  DropoutDraws second = draws;
  second.first_row = 2;  // of a rank that has rows 2 and 3
  CHECK(taken(second, 2).equal(all.narrow(0, 2, 2)));
  CHECK(taken(draws, 4, 2, 3, 3).equal(all.narrow(1, 3, 3)));  // of a place that has tokens 3 to 5
  CHECK_FALSE(taken(dropout_draws(kSeed, 8, 0), 4).equal(all));
  CHECK_FALSE(taken(dropout_draws(kSeed + 1, 7, 0), 4).equal(all));
  CHECK_FALSE(taken(draws, 4, 3).equal(all));
  CHECK_FALSE(all[0].equal(all[1]));
  CHECK_FALSE(all[0][0].equal(all[0][1]));
}

TEST_CASE("a classifier drops what is drawn, and nothing where nothing is; a share of 1 or more is refused") {
  ClassifierConfig config{.hidden = 16, .heads = 2, .kv_heads = 1, .intermediate = 16, .layers = 1};
  config.dropout = 0.5;
  Classifier model(config, 8);
  for (size_t p = 0; p < model.parameters().shapes.size(); ++p) {
    model.parameters().leaves[p] = at::empty(model.parameters().shapes[p].shape);
    initialize(model.parameters().leaves[p], model.parameters().shapes[p], kSeed);
  }
  const Batch batch = make_batch({{{1, 2, 3}, 0}}, {0});
  const auto logits = [&](std::optional<DropoutDraws> draws) {
    return model.forward(batch, {.draws = draws}).logits.detach();
  };
  const DropoutDraws first = dropout_draws(kSeed, 0, 0), second = dropout_draws(kSeed, 1, 0);
  CHECK(logits({}).equal(logits({})));
  CHECK(logits(first).equal(logits(first)));
  CHECK_FALSE(logits(first).equal(logits(second)));
  CHECK_FALSE(logits(first).equal(logits({})));
  config.dropout = 1;
  CHECK_THROWS_AS(Classifier(config, 8), UsageError);
}
