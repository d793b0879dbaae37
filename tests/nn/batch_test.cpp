#include "ringside/nn/batch.h"

#include "catch.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("the token mask is true up to the last real token of rows that count") {
  Batch batch = small_batch(6);
  batch.weights[2] = 0;
  const at::Tensor expected =
      at::tensor({1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, at::kLong).to(at::kBool);
  CHECK(token_mask(batch).equal(expected.view({3, 6})));
}

namespace {

// The rows of small_batch, as samples.
const std::vector<Sample> kUneven = {{{1, 7, 3, 3, 10}, 0}, {{2, 9, 10}, 2, 0.5f}, {{10}, 1}};

}  // namespace

TEST_CASE("Rows are padded on either side, with the token that is asked for") {
  const Batch left = make_batch(kUneven, {0, 1, 2}, {4, 6}, {0, true}),
              right = make_batch(kUneven, {0, 1, 2}, {4, 6}, {9});
  CHECK(left.tokens.equal(
      at::tensor({0, 1, 7, 3, 3, 10, 0, 0, 0, 2, 9, 10, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0}, at::kLong)
          .view({4, 6})));
  CHECK(left.first.equal(at::tensor({1, 3, 5, 0}, at::kLong)));
  CHECK(left.last.equal(at::tensor({5, 5, 5, 0}, at::kLong)));
  CHECK(right.tokens[1].equal(at::tensor({2, 9, 10, 9, 9, 9}, at::kLong)));
  CHECK((!right.first.defined() && right.weights.equal(at::tensor({1.0f, 0.5f, 1.0f, 0.0f}))));
  CHECK(token_mask(left).sum(1).equal(at::tensor({5, 3, 1, 0}, at::kLong)));
  CHECK(token_mask(left)[1].equal(at::tensor({0, 0, 0, 1, 1, 1}, at::kLong).to(at::kBool)));
}

TEST_CASE("A batch that is padded on the left has the logits and gradients of the right") {
  for (const int64_t learned : {0, 12})
    for (const NormKind norm : {NormKind::kRms, NormKind::kBatch})
      for (const bool causal : {true, false}) {
        ClassifierConfig config = small_config();
        config.norm = norm, config.causal = causal, config.learned_positions = learned;
        if (!causal && norm == NormKind::kBatch) continue;
        std::vector<at::Tensor> logits, gradients;
        for (const bool is_left : {false, true}) {
          // Of equal lengths where every position sees every other: padding on the right is seen there.
          const std::vector<int64_t> rows = causal ? std::vector<int64_t>{0, 1, 2} : std::vector<int64_t>{0};
          Classifier model = noisy_model(config);
          const Batch batch = make_batch(kUneven, rows, {1, is_left && !causal ? 8 : 5}, {4, is_left});
          logits.push_back(logits_of(model, batch));
          run_backward(weighted_loss(logits.back(), batch));
          gradients.push_back(model.parameters()["model.layers.0.self_attn.q_proj.weight"].grad());
        }
        const double bound = rounding_bound(classifier_roundings(config, 8), largest(logits[0]));
        INFO(learned << " " << to_string(norm) << " " << causal);
        CHECK(max_distance(logits[0], logits[1]) < bound);
        CHECK(max_distance(gradients[0], gradients[1]) <
              rounding_bound(3 * classifier_roundings(config, 8), largest(gradients[0])));
        CHECK(logits[1].isfinite().all().item<bool>());
      }
}

TEST_CASE("What stands in the padding on the left is seen by no token") {
  Classifier model = noisy_model();
  const at::Tensor logits = logits_of(model, make_batch(kUneven, {0, 1, 2}, {3, 8}, {0, true}));
  CHECK(logits.equal(logits_of(model, make_batch(kUneven, {0, 1, 2}, {3, 8}, {6, true}))));
}
