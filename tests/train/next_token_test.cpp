// Another Task than the classifier, with what it sends said by itself: every byte explained, as of that.
#include "tiny_texts.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

TrainerConfig config_over(const char* mesh, int ranks, int stage) {
  TrainerConfig config = tiny_config(ranks, stage);
  config.model = {
      .vocabulary = 259, .hidden = 16, .heads = 4, .kv_heads = 2, .intermediate = 15, .layers = 2};
  config.mesh = mesh;
  config.evaluate_every = 2;
  return config;
}

Audit check_run(const TrainerConfig& config) {
  INFO(config.mesh << ", stage " << config.stage << ", " << to_string(config.precision));
  Audit run = audit(config, next_tokens(config));
  CHECK(run.ledger_problem() == "");
  CHECK(run.result.ranks_agree);
  CHECK(run.result.complete);
  CHECK(run.result.evaluated == 12);
  return run;
}

}  // namespace

TEST_CASE("next-token prediction: every byte over dp and tp, at stages 0 and 3") {
  for (const Precision precision : {Precision::kFloat32, Precision::kBFloat16}) {
    std::vector<TrainResult> results;
    for (const char* mesh : {"dp4", "dp2,tp2", "dp2,ep1,tp2"})
      for (const int stage : {0, 3}) {
        TrainerConfig config = config_over(mesh, 4, stage);
        config.precision = precision;
        results.push_back(check_run(config).result);
      }
    for (const size_t at : {0, 2, 4}) {  // stages have the same bits
      CHECK(results[at].loss == results[at + 1].loss);
      CHECK(results[at].parameters_sha256 == results[at + 1].parameters_sha256);
    }
  }
}

TEST_CASE("cut over tp, next-token prediction follows the whole one within rounding, and learns") {
  TrainerConfig config = config_over("dp2,tp2", 4, 3);
  config.steps = 30;
  const TrainResult cut = check_run(config).result;
  config.mesh = "", config.ranks = 2, config.stage = 1;
  const TrainResult whole = check_run(config).result;
  for (size_t step = 0; step < cut.loss.size(); ++step)
    CHECK(cut.loss[step] == Approx(whole.loss[step]).epsilon(1e-5));
  CHECK(cut.loss.back() < 0.7 * cut.loss.front());
}
