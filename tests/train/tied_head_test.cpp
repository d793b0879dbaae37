// A head that is tied to the embedding: one matrix, cut over the vocabulary by tp, and on the first and the
// last stage of a pipeline. The emulation's bits, every byte, and what a planted bug does to both.
#include <fmt/format.h>

#include "catch.h"
#include "faulty_group.h"
#include "tiny_texts.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// 259 bytes over 2, 3 and 4 places: each pads.
TrainerConfig tied_config(int dp, int pp, int tp, int stage) {
  TrainerConfig config = tiny_config(dp * pp * tp, stage);
  config.model.layers = pp > 1 ? 6 : 2;
  config.model.hidden = 24, config.model.heads = config.model.kv_heads = 12;
  config.mesh = fmt::format("dp{},pp{},tp{}", dp, pp, tp);
  config.steps = 2, config.accumulate = pp > 1 ? 4 : 1;
  config.evaluate_every = 2;
  return config;
}

Audit check_tied(const TrainerConfig& config, const TrainerHooks& hooks = {}) {
  INFO(describe(config));
  const auto task = next_tokens(config, true);
  BitReference reference;
  emulate(config, *task, SumOrder::kAccumulateThenReduce, reference.recorder());
  Audit run = audit(config, task, hooks, &reference);
  if (hooks.wrap_group) return run;
  CHECK(run.bit_problem() == "");
  CHECK(run.ledger_problem() == "");
  CHECK(run.result.ranks_agree);
  CHECK(run.result.evaluated == 12);
  return run;
}

}  // namespace

TEST_CASE("a tied head over tp: the emulation's bits and every byte; with sequence, dp and ZeRO") {
  struct Run {
    int dp, tp, stage;
    bool sequence;
  };
  for (const Run& one :
       {Run{1, 2, 0, false}, {1, 2, 1, true}, {1, 3, 0, true}, {2, 2, 2, false}, {1, 4, 1, false}}) {
    TrainerConfig config = tied_config(one.dp, 1, one.tp, one.stage);
    config.sequence = one.sequence;  // 8 tokens over 3 places: padding
    if (one.stage == 1) config.accumulate = 3;
    check_tied(config);
  }
}

TEST_CASE("a tied head over pp and tp: both parts' gradients are added up, under every schedule") {
  struct Run {
    const char* schedule;
    int chunks, dp, pp, tp;
  };
  int turn = 0;
  for (const Run& one : {Run{"gpipe", 1, 1, 2, 2},
                         {"1f1b", 1, 2, 3, 1},
                         {"1f1b", 1, 1, 3, 2},
                         {"zb_h1", 1, 2, 2, 2},
                         {"gpipe", 2, 1, 3, 1},
                         {"interleaved", 2, 1, 2, 2},
                         {"zb_v", 2, 1, 2, 2}}) {
    TrainerConfig config = tied_config(one.dp, one.pp, one.tp, ++turn % 2);
    config.pipeline = one.schedule, config.chunks = one.chunks;
    config.sequence = one.tp > 1 && turn % 3 == 0;
    config.batch = 2;
    check_tied(config);
  }
}

TEST_CASE("a tied head over tp follows the whole one within rounding, and counts the same answers") {
  TrainerConfig config = tied_config(1, 1, 4, 0);
  config.steps = 20, config.evaluate_every = 20;
  const TrainResult cut = audit(config, next_tokens(config, true)).result;
  config.mesh = "", config.ranks = 1;
  const TrainResult whole = audit(config, next_tokens(config, true)).result;
  for (size_t step = 0; step < cut.loss.size(); ++step)
    CHECK(cut.loss[step] == Approx(whole.loss[step]).epsilon(1e-5));
  CHECK(cut.loss.back() < 0.9 * cut.loss.front());
  CHECK(cut.accuracy == Approx(whole.accuracy).epsilon(1e-6));
  CHECK(cut.accuracy > 0);
}

TEST_CASE("a tied head over tp in bf16: every byte") {
  TrainerConfig config = tied_config(2, 2, 2, 1);
  config.precision = Precision::kBFloat16;
  const Audit run = audit(config, next_tokens(config, true));
  CHECK(run.ledger_problem() == "");
  CHECK(run.result.ranks_agree);
}

TEST_CASE(
    "planted: sums of exponentials that are not added up over tp change the first step, and are missing") {
  for (const char* left_out : {"softmax sums", "softmax maxima"}) {
    const Audit run = check_tied(tied_config(1, 1, 2, 0), leaving_out(left_out));
    REQUIRE(run.difference);
    CHECK(run.difference->step == 1);
    for (const LedgerRow& row : run.ledger) CHECK((row.unexplained() < 0) == (row.category == left_out));
  }
}

TEST_CASE("planted: a tied embedding whose gradients are not added up over the stages has other bits") {
  const Audit run = check_tied(tied_config(1, 2, 2, 1), leaving_out("tied gradients"));
  REQUIRE(run.difference);
  CHECK(run.difference->step == 1);
}
