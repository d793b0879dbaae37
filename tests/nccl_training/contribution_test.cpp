// What an evaluation batch gathers, by hand.
#include "ringside/nn/returned_outputs.h"

#include "catch.h"

using namespace ringside;

TEST_CASE("counts gather nothing; logits and labels R (4C + 8)") {
  GatheredOutputs outputs;
  outputs.model.classes = 3;
  outputs.rows = 5;
  outputs.tokens = 7;
  CHECK(contribution_bytes(outputs).total() == 0);
  outputs.logits = true;
  CHECK(contribution_bytes(outputs).total() == 100);
}

TEST_CASE("hidden states are one more than layers; one of the source's is 8 x 2048 x 3584 elements") {
  GatheredOutputs outputs;
  outputs.model.hidden = 3584;
  outputs.model.layers = 28;
  outputs.rows = 8;
  outputs.tokens = 2048;
  outputs.hidden_states = true;
  const ContributionBytes bytes = contribution_bytes(outputs);
  CHECK(bytes.hidden_states == int64_t{29} * 58720256 * 4);
  CHECK(bytes.total() == bytes.hidden_states);
  outputs.width = 2;
  CHECK(contribution_bytes(outputs).hidden_states * 2 == bytes.hidden_states);
}

TEST_CASE("attentions grow with the square of the tokens") {
  GatheredOutputs outputs;
  outputs.model.layers = 2;
  outputs.model.heads = 4;
  outputs.rows = 3;
  outputs.tokens = 10;
  outputs.attentions = true;
  CHECK(contribution_bytes(outputs).attentions == 2 * 3 * 4 * 10 * 10 * 4);
  outputs.tokens = 20;
  CHECK(contribution_bytes(outputs).attentions == 4 * 2 * 3 * 4 * 10 * 10 * 4);
}
