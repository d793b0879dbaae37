// When a run ends by itself, what is kept of the best evaluation, and that a cut does not change either.
#include "ringside/train/early_stop.h"

#include "catch.h"
#include "check_text.h"
#include "resumable.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "ringside/checkpoint/load.h"
#include "ringside/nn/evaluation.h"
#include "ringside/train/classify.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// Evaluates after every step, and stops behind two that are not better.
TrainerConfig stopping(int stage = 1) {
  TrainerConfig config = resumable(kPlain, stage);
  config.steps = 12;
  config.evaluate_every = 1;
  config.learning_rate = 0.05;
  config.watch = {.what = WatchedValue::kAccuracy, .patience = 2};
  return config;
}

Audit audit_until(const TrainerConfig& config, const Dataset& data, int64_t cancelled_after) {
  RunControl control;
  TrainerHooks hooks;
  hooks.control = &control;
  hooks.on_step = [&](int64_t step) {
    if (step + 1 == cancelled_after) control.cancel();
  };
  return audit(config, data, hooks);
}

std::vector<float> fp32(ConstView view) {
  const auto* const first = static_cast<const float*>(view.data);
  return {first, first + view.count};
}

}  // namespace

TEST_CASE("Stopping: so many values in a row that are not better by more than the least gain") {
  EarlyStop loss({.what = WatchedValue::kLoss, .patience = 2, .least_gain = 0.1});
  CHECK(loss.is_better(10, 1.0));
  CHECK_FALSE(loss.is_better(20, 0.9));  // by no more than 0.1
  CHECK_FALSE(loss.is_over());
  CHECK(loss.is_better(30, 0.8));
  CHECK(loss.waited() == 0);
  CHECK_FALSE(loss.is_better(40, std::nan("")));
  CHECK_FALSE(loss.is_better(50, 2.0));
  CHECK(loss.is_over());
  CHECK(loss.best()->steps == 30);

  EarlyStop accuracy({.what = WatchedValue::kAccuracy, .patience = 0});
  CHECK(accuracy.is_better(1, 0.5));
  CHECK(accuracy.is_better(2, 0.6));
  CHECK_FALSE(accuracy.is_better(3, 0.6));
  for (int i = 4; i < 9; ++i) accuracy.is_better(i, 0.1);
  CHECK_FALSE(accuracy.is_over());
}

TEST_CASE("What a checkpoint keeps of it comes back exactly, or is refused") {
  EarlyStop one({.patience = 3});
  one.is_better(7, 0.1 + 0.2);
  one.is_better(8, 5);
  EarlyStop other({.patience = 3});
  other.restore(one.state());
  CHECK(other.best()->value == one.best()->value);
  CHECK(other.best()->steps == 7);
  CHECK(other.waited() == 1);
  other.restore({});
  CHECK(other.waited() == 1);
  auto state = one.state();
  state["best value"] = "nan";
  CHECK(lacks(message_of<InputError>([&] { other.restore(state); }), {"best value", "not a number"}) == "");
  state = one.state();
  state.erase("evaluations since best");
  CHECK_THROWS_AS(other.restore(state), InputError);
}

TEST_CASE("A run stops where nothing gets better, with every byte explained") {
  const Dataset data = tiny_data();
  TrainerConfig config = stopping();
  config.learning_rate = 0;  // the first evaluation is the best
  const Audit run = check_settled(config, data);
  CHECK(run.result.interruption.stopped_after == 3);
  CHECK(run.result.steps == 3);
  CHECK(run.result.evaluations == 3);
  CHECK(run.result.best->steps == 1);
  config.watch.patience = 0;
  CHECK(check_settled(config, data).result.steps == config.steps);
  config.watch.patience = 2, config.evaluate_every = 0;
  CHECK(lacks(message_of<UsageError>([&] { audit(config, data); }), {"patience=2", "evaluate_every"}) == "");
}

TEST_CASE("A run that is cut stops at the same step with the same bits, and keeps the same best") {
  const Dataset data = tiny_data();
  const TempFolder folder, whole_folder;
  TrainerConfig whole = saved_in(stopping(), whole_folder, false);
  whole.checkpoint.best = whole_folder.file("best");
  const Audit undisturbed = check_settled(whole, data);
  REQUIRE(undisturbed.result.interruption.stopped_after);
  const int64_t stopped = *undisturbed.result.interruption.stopped_after;
  REQUIRE(stopped > 3);

  TrainerConfig config = saved_in(stopping(), folder, false);
  config.checkpoint.best = folder.file("best");
  audit_until(config, data, stopped - 1);  // with evaluations behind the best one
  config.checkpoint.resume = true;
  const Audit resumed = check_settled(config, data);
  CHECK(resumed.result.interruption.resumed_at == stopped - 1);
  CHECK(resumed.result.interruption.stopped_after == stopped);
  CHECK(resumed.result.parameters_sha256 == undisturbed.result.parameters_sha256);
  CHECK(resumed.result.best->steps == undisturbed.result.best->steps);
  CHECK((saved_steps(disk(), config.checkpoint.best) == saved_steps(disk(), whole.checkpoint.best)));

  const Audit again = check_settled(config, data);  // it has stopped already
  CHECK(again.result.interruption.resumed_at == stopped);
  CHECK(again.result.loss.empty());
}

TEST_CASE("A run that goes on from a complete one knows its last evaluation") {
  const Dataset data = tiny_data();
  const TempFolder folder;
  TrainerConfig config = saved_in(stopping(), folder, false);
  config.checkpoint.best = folder.file("best");
  config.steps = 2, config.evaluate_every = 100;
  config.watch = {.what = WatchedValue::kLoss};
  CHECK(check_settled(config, data).result.best->steps == 2);
  config.checkpoint.resume = true;
  config.steps = 3, config.learning_rate = 5;  // the third step makes it worse
  CHECK(check_settled(config, data).result.best->steps == 2);
  CHECK((saved_steps(disk(), config.checkpoint.best) == std::vector<int64_t>{2}));
}

TEST_CASE("A parameter without an fp32 copy, as a frozen one in bf16, is read as it is") {
  const Dataset data = tiny_data();
  const TempFolder folder;
  TrainerConfig config = saved_in(resumable(kPlain, 1, Precision::kBFloat16), folder, false);
  config.model.freeze_embedding = true;
  std::vector<float> seen;
  TrainerHooks hooks;
  hooks.finished = [&](int64_t, size_t index, const std::string&, ConstView values) {
    if (index != 0) return;
    const auto* const bits = static_cast<const uint16_t*>(values.data);
    std::transform(bits, bits + values.count, std::back_inserter(seen), bf16_to_float);
  };
  audit(config, data, hooks);
  const Latest saved = latest(disk(), config.checkpoint.folder);
  const ParameterShape embedding = classifier_shapes(config.model)[0];
  REQUIRE(seen.size() == static_cast<size_t>(embedding.numel()));
  CHECK((whole_parameter(*saved.checkpoint, embedding.name, embedding.shape) == seen));
}

TEST_CASE("The best checkpoint has the parameters of its step, whole, whatever cut them") {
  const Dataset data = tiny_data();
  for (const int stage : {0, 3}) {
    INFO(stage);
    const TempFolder folder;
    TrainerConfig config = saved_in(stopping(stage), folder, false);
    config.mesh = "dp2,tp2", config.ranks = 4;
    config.checkpoint.best = folder.file("best");
    std::map<int64_t, std::map<std::string, std::vector<float>>> seen;
    TrainerHooks hooks;
    hooks.observe = [&](int64_t step, size_t, const std::string& name, ConstView values) {
      seen[step][name] = fp32(values);
    };
    const auto store = TraceStore::create("test");
    const TrainResult result = train(config, data, *store, "run", hooks);
    REQUIRE(result.best);
    CHECK(result.best->steps < result.steps);
    const Checkpoint best(disk(), config.checkpoint.best, result.best->steps);
    for (const ParameterShape& shape : classifier_shapes(config.model))
      CHECK((whole_parameter(best, shape.name, shape.shape) == seen[result.best->steps][shape.name]));
    CHECK_THROWS_AS(whole_parameter(best, "score.weight", {1, 2}), InputError);
    CHECK_THROWS_AS(whole_parameter(best, "none", {1}), InputError);
  }
}

TEST_CASE("Answers are counted by label and class, every byte explained, by any number of ranks alike") {
  const Dataset data = tiny_data();
  std::optional<Confusion> first;
  for (const int ranks : {1, 2, 4}) {
    INFO(ranks);
    TrainerConfig config = tiny_config(ranks, 2);
    config.steps = 1, config.learning_rate = 0;
    config.evaluate_every = 0;
    const double accuracy = check_settled(config, data).result.accuracy;
    Confusion seen;
    config.evaluation = confusion_evaluation(3, [&](int64_t step, const Confusion& counts, double loss) {
      CHECK(step == 0);
      CHECK(loss > 0);
      seen = counts;
    });
    config.watch.what = WatchedValue::kMacroF1;
    const Audit run = check_settled(config, data);
    CHECK(seen.samples() == std::ssize(data.test));
    CHECK(run.result.accuracy == accuracy);
    CHECK(run.result.accuracy == Approx(seen.accuracy()));
    CHECK(run.result.best->value == Approx(seen.macro_f1()));
    if (first) CHECK((seen == *first));
    first = seen;
  }
}

TEST_CASE("A trained classifier answers alone as it did in its training") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(2, 1);
  config.steps = 5, config.evaluate_every = 0, config.learning_rate = 0.05;
  Confusion counts;
  config.evaluation = confusion_evaluation(3, [&](int64_t, const Confusion& seen, double) { counts = seen; });
  std::vector<std::vector<float>> values(classifier_shapes(config.model).size());
  TrainerHooks hooks;
  hooks.finished = [&](int64_t, size_t i, const std::string&, ConstView view) { values[i] = fp32(view); };
  const auto store = TraceStore::create("test");
  const TrainResult result = train(config, data, *store, "run", hooks);
  const TrainedClassifier trained{
      .model = config.model, .max_tokens = config.max_tokens, .weights = [&](size_t i) {
        return ConstView{values[i].data(), std::ssize(values[i])};
      }};
  for (const int ranks : {1, 3}) {
    const Classified found = classify(trained, data, ranks, 2);
    CHECK((found.counts == counts));
    CHECK(found.loss == Approx(result.evaluation_loss).epsilon(1e-6));
  }
  Confusion alone(3);
  Predictor predictor(trained);
  const std::vector<std::vector<float>> answers = predictor.probabilities(data.test);
  for (size_t i = 0; i < data.test.size(); ++i) {
    alone.add(data.test[i].label, std::ranges::max_element(answers[i]) - answers[i].begin());
    CHECK(std::accumulate(answers[i].begin(), answers[i].end(), 0.0) == Approx(1).epsilon(1e-5));
  }
  CHECK((alone == counts));
  CHECK(predictor.probabilities({}).empty());
  CHECK_THROWS_AS(predictor.probabilities({{{}, 0}}), UsageError);
  CHECK_THROWS_AS(predictor.probabilities({{{300}, 0}}), UsageError);
}
