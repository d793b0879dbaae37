// The stages of a language model as tasks: what they begin with, their losses, every byte of their ledgers.
#include "ringside/nn/language_tasks.h"

#include <mutex>
#include <span>

#include "ringside/checkpoint/manifest.h"
#include "ringside/nn/tensor_view.h"
#include "temp_folder.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

ClassifierConfig tiny_language_model() {
  ClassifierConfig model{.vocabulary = 12,
                         .hidden = 16,
                         .heads = 2,
                         .kv_heads = 1,
                         .intermediate = 20,
                         .layers = 1,
                         .classes = 12};
  model.every_position = true;
  return model;
}

// Answers repeat the prompt's only digit: d, d, d.
std::vector<TokenExample> repeating(int64_t count, int64_t wrong = 0) {
  std::vector<TokenExample> all;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t d = i % 10;
    all.push_back({{10, d, 11, (d + wrong) % 10, (d + wrong) % 10}, 3});
  }
  return all;
}
std::vector<TokenExample> pairs(int64_t count) {
  std::vector<TokenExample> all;
  for (int64_t i = 0; i < count; ++i)
    all.push_back(repeating(10)[size_t(i % 10)]), all.push_back(repeating(10, 1)[size_t(i % 10)]);
  return all;
}

TrainingConfig language_config(int ranks, int stage, int64_t batch) {
  TrainingConfig config = tiny_config(ranks, stage);
  config.batch = batch;
  return config;
}

using KeptValues = std::vector<std::vector<float>>;
ParameterObserver kept_in(KeptValues& values) {
  return [&](int64_t, size_t index, const std::string&, ConstView view) {
    values.resize(std::max(values.size(), index + 1));
    values[index].assign(static_cast<const float*>(view.data),
                         static_cast<const float*>(view.data) + view.count);
  };
}

}  // namespace

TEST_CASE("a training begins with given values, at every stage, and says with what it ended") {
  const auto task = std::make_shared<MaskedTextTask>(tiny_language_model(), repeating(20));
  KeptValues first, observed, again;
  TrainerHooks hooks;
  hooks.finished = kept_in(first), hooks.observe = kept_in(observed);
  const Audit before = audit(language_config(2, 1, 6), task, hooks);
  REQUIRE(first.size() == task->declare().shapes().size());
  CHECK(first == observed);
  for (const int stage : {0, 1, 2, 3}) {
    TrainingConfig config = language_config(2, stage, 6);
    config.learning_rate = 0;
    TrainerHooks next;
    next.start = [&](size_t index) { return ConstView{first[index].data(), std::ssize(first[index])}; };
    next.finished = kept_in(again);
    const Audit run = audit(config, task, next);
    CHECK(run.ledger_problem() == "");
    CHECK(again == first);
    CHECK(run.result.parameters_sha256 == before.result.parameters_sha256);
  }
}

TEST_CASE("a mask: the loss is the mean over what it lets through") {
  const std::vector<TokenExample> examples = repeating(4);
  const Batch batch = batch_of(examples);
  CHECK(batch.beside[0].equal(at::tensor({0.f, 0.f, 1.f, 1.f}).expand({4, 4})));
  const MaskedTextTask task(tiny_language_model(), examples);
  at::Tensor logits = at::zeros({4, 5, 12});
  logits.narrow(1, 0, 2).normal_();  // where nothing carries a loss
  ModelOutput output;
  output.logits = logits;
  CHECK(task.loss(output, batch).item<double>() == Approx(4 * std::log(12.0)));
  const Batch nothing = task.batch(Split::kTrain, {}, {});  // of a rank without samples
  output.logits = at::zeros({1, 5, 12});
  CHECK(task.loss(output, nothing).item<double>() == 0);
}

TEST_CASE("every stage's bytes are explained, also where a rank has no sample; DPO begins at ln 2") {
  const ClassifierConfig model = tiny_language_model();
  const auto reward = [](const std::vector<int64_t>& text) { return double(text[3] == text[1]); };
  for (const int stage : {0, 1, 2})
    for (const int64_t batch : {1, 5}) {
      INFO("stage " << stage << ", batch " << batch);
      const TrainingConfig config = language_config(2, stage, batch);
      std::vector<std::shared_ptr<const Task>> tasks = {
          std::make_shared<MaskedTextTask>(model, repeating(20)),
          std::make_shared<PreferenceTask>(model, pairs(20), 0.1),
          std::make_shared<RolloutTask>(model, repeating(20), reward, RolloutConfig{.critic = true}),
          std::make_shared<RolloutTask>(model, repeating(20), reward, RolloutConfig{.critic = false})};
      for (size_t i = 0; i < tasks.size(); ++i) {
        const size_t models = tasks[i]->declare().shapes().size() / classifier_shapes(model).size();
        CHECK(models == std::vector<size_t>{1, 2, 3, 2}[i]);
        TrainerHooks same;  // policy and reference begin alike
        KeptValues values;
        for (const ParameterShape& shape : classifier_shapes(model)) {
          const at::Tensor t = at::empty(shape.shape);
          initialize(t, shape, 1);
          values.emplace_back(t.data_ptr<float>(), t.data_ptr<float>() + t.numel());
        }
        const std::vector<ParameterShape> shapes = tasks[i]->declare().shapes();
        same.start = [&](size_t index) {
          const std::vector<float>& of = values[index % values.size()];
          return std::ssize(of) == shapes[index].numel() ? ConstView{of.data(), std::ssize(of)} : ConstView();
        };
        const Audit run = audit(config, tasks[i], same);
        CHECK(run.ledger_problem() == "");
        CHECK(run.result.ranks_agree);
        if (i == 1) CHECK(run.result.loss[0] == Approx(std::log(2.0)).epsilon(1e-6));
      }
    }
}

TEST_CASE("PPO and GRPO find what is rewarded, DPO what is chosen") {
  const ClassifierConfig model = tiny_language_model();
  int64_t asked = 0, rewarded = 0;
  std::mutex mutex;
  const auto reward = [&](const std::vector<int64_t>& text) {  // the first token of an answer is 7
    const std::lock_guard lock(mutex);
    ++asked, rewarded += text[3] == 7;
    return double(text[3] == 7);
  };
  for (const bool critic : {true, false}) {
    INFO("critic " << critic);
    asked = rewarded = 0;
    TrainingConfig config = language_config(2, 1, 8);
    config.steps = 60, config.clip_norm = 0;
    const RolloutTask task(model, repeating(20), reward, {.critic = critic, .beta = 0});
    const auto store = TraceStore::create("test");
    TrainerHooks hooks;
    int64_t at_first = 0;
    hooks.on_step = [&](int64_t step) {
      const std::lock_guard lock(mutex);
      if (step == 5) at_first = rewarded, asked = 0, rewarded = 0;
      if (step == 49) asked = 0, rewarded = 0;
    };
    train(config, task, *store, "run", hooks);
    CHECK(double(rewarded) > 0.5 * double(asked));
    CHECK(at_first < 80);  // of about 192
  }
  TrainingConfig config = language_config(2, 1, 10);
  config.steps = 30;
  const auto store = TraceStore::create("test");
  KeptValues after;
  TrainerHooks hooks;
  hooks.finished = kept_in(after);
  const TrainResult result = train(config, PreferenceTask(model, pairs(20), 1), *store, "run", hooks);
  CHECK(result.loss.back() < 0.3 * result.loss.front());
  Classifier policy(model, 5);
  for (size_t p = 0; p < policy.parameters().shapes.size(); ++p)
    policy.parameters().leaves[p] = at::tensor(after[p]).view(policy.parameters().shapes[p].shape);
  const auto logp = [&](const Batch& batch) {
    return masked_logp(policy.forward(batch, {}).logits, batch).mean().item<double>();
  };
  CHECK(logp(batch_of(repeating(10))) > logp(batch_of(repeating(10, 1))) + 1);
}

namespace {

// What rank 0 did: its parameters in the end, and at which steps a text was judged that was new.
struct Reinforced {
  TrainResult result;
  std::vector<int64_t> judged;  // steps, of each answer
  std::vector<std::vector<int64_t>> texts;
};

Reinforced reinforce(TrainingConfig config, const RolloutConfig& rollout, RunControl* control = nullptr,
                     int64_t cancelled = -1) {
  Reinforced done;
  int64_t step = 0;
  const auto reward = [&](const std::vector<int64_t>& text) {
    done.judged.push_back(step), done.texts.push_back(text);
    return double(text.back() % 7) / 7;
  };
  config.ranks = 1, config.clip_norm = 0, config.learning_rate = 0.05;
  const RolloutTask task(tiny_language_model(), repeating(20), reward, rollout);
  const auto store = TraceStore::create("test");
  TrainerHooks hooks;
  hooks.control = control;
  hooks.on_begin = [&](int64_t resumed) { step = resumed; };
  hooks.on_step = [&](int64_t of) {
    step = of + 1;
    if (step == cancelled) control->cancel();
  };
  done.result = train(config, task, *store, "run", hooks);
  return done;
}

}  // namespace

TEST_CASE("a rollout serves for its steps, each micro-batch having answers of its own") {
  for (const int64_t accumulate : {1, 2, 3}) {
    INFO("accumulate " << accumulate);
    TrainingConfig config = language_config(1, 0, 2);
    config.steps = 4, config.accumulate = accumulate;
    const Reinforced done = reinforce(config, {.group = 2, .updates = 2, .seed = 5});
    std::vector<int64_t> expected;
    for (const int64_t step : {0, 2}) expected.insert(expected.end(), size_t(4 * accumulate), step);
    CHECK(done.judged == expected);
    CHECK(done.texts[0] != done.texts[done.texts.size() / 2]);
  }
  const auto reward = [](const std::vector<int64_t>&) { return 1.0; };
  const RolloutTask task(tiny_language_model(), repeating(20), reward, {.group = 4, .updates = 2});
  const auto model = task.make({});
  model->parameters().leaves = initial_values(model->parameters().shapes, 1);
  const auto written = [&](int64_t step, int64_t micro) {
    return task.training_batch(*model, {{0, 1}, step, micro}).tokens;
  };
  const at::Tensor first = written(0, 0), second = written(0, 1);
  CHECK((!first.equal(second) && written(1, 0).equal(first) && written(1, 1).equal(second)));
  CHECK_FALSE(written(2, 0).equal(first));
}

TEST_CASE(
    "a run of rollouts that is cut and goes on has the bits of one that was not; never within a rollout") {
  const RolloutConfig rollout{.group = 2, .updates = 2, .seed = 5};
  TrainingConfig config = language_config(1, 0, 2);
  config.steps = 6, config.accumulate = 2;
  const Reinforced whole = reinforce(config, rollout);
  const TempFolder folder;
  config.checkpoint.folder = folder.path / "run";
  config.checkpoint.every = 2;
  RunControl control;
  const Reinforced first = reinforce(config, rollout, &control, 3);
  CHECK(first.result.steps == 3);
  config.checkpoint.resume = true;
  const Reinforced second = reinforce(config, rollout);
  CHECK(second.result.interruption.resumed_at == 2);
  CHECK(second.result.parameters_sha256 == whole.result.parameters_sha256);
  CHECK(std::ranges::equal(second.result.loss, std::span(whole.result.loss).subspan(2)));
  RolloutConfig other = rollout;
  other.seed = 6;
  CHECK_THROWS_AS(reinforce(config, other), CheckpointError);
  config.checkpoint.resume = false, config.checkpoint.folder = folder.path / "another";
  for (int64_t* odd : {&config.steps, &config.checkpoint.every}) {
    ++*odd;
    CHECK_THROWS_AS(reinforce(config, rollout), UsageError);
    --*odd;
  }
}
