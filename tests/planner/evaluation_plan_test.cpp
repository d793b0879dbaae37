// What an evaluation batch gathers, by hand.
#include "ringside/planner/evaluation_plan.h"

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

TEST_CASE("how often a run evaluates, and in how many batches, counted one by one") {
  for (int64_t every = -1; every <= 4; ++every) {
    for (int64_t planned = 1; planned <= 9; ++planned) {
      for (int64_t taken = 0; taken <= planned; ++taken) {
        int64_t evaluations = every >= 0 ? 1 : 0;
        for (int64_t step = 1; step <= taken; ++step)
          if (every > 0 && step < planned && step % every == 0) ++evaluations;
        INFO("every " << every << ", " << taken << " of " << planned);
        CHECK(count_evaluations(every, taken, taken == planned) == evaluations);
      }
    }
  }
  CHECK(count_evaluation_batches(7, 3, 2) == 2);
  CHECK(count_evaluation_batches(7, 8, 2) == 1);
  CHECK(count_evaluation_batches(0, 4, 2) == 1);  // an empty share is a forward pass too
  CHECK(count_evaluation_batches(9, 2, 5) == 1);
  CHECK(count_evaluation_batches(11, 2, 5) == 2);
}
