#include "ringside/nn/batch.h"

#include "catch.h"
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
