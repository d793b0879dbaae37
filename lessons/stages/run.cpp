// One byte model through pre-training, continual pre-training and SFT; from there to DPO, PPO and GRPO.
#include "measure.h"
#include "parts.h"
#include "ringside/ledger/ledger.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/train_on.h"
#include "ringside/world/world.h"

namespace ringside::lessons::stages {
namespace {

struct Source {
  Examples train, held_out;
};

// The windows of one class, cut to T bytes.
Source source_of(const Dataset& data, const std::string& name, int64_t T) {
  const auto label = std::ranges::find(data.classes, name) - data.classes.begin();
  const auto cut = [&](const std::vector<Sample>& samples, size_t most) {
    Examples windows;
    for (const Sample& sample : samples)
      for (int64_t at = 0; sample.label == label && at + T < std::ssize(sample.tokens); at += T)
        if (windows.size() < most)
          windows.push_back({{sample.tokens.begin() + at, sample.tokens.begin() + at + T}});
    return windows;
  };
  Source source{cut(data.train, 100'000), cut(data.test, 64)};
  if (source.train.empty() || source.held_out.empty())
    throw InputError(fmt::format("data: there is no window of {} bytes of class '{}'", T, name));
  return source;
}

// So many percent are of the old kind, evenly.
Examples mixed(const Examples& fresh, const Examples& old, int64_t percent) {
  Examples mix = fresh;
  for (size_t i = 0; i < mix.size(); ++i)
    if (int64_t(i) * percent / 100 != int64_t(i + 1) * percent / 100) mix[i] = old[i % old.size()];
  return mix;
}

struct Stage {
  std::string name, from;
  int64_t steps = 0, batch = 0;  // batch: samples of a step, over all ranks
  double rate = 0;
  int64_t rows = 1, answers = 0;  // of a sample: texts in the loss; of a step: answers that are written
};

class Course {
 public:
  Course(const Config& config, const RunContext& context)
      : config_(config), context_(context), seed_(uint64_t(config.integer("seed"))) {
    const int64_t T = config.integer("window");
    const Dataset data =
        load_dataset({.source = config.text("data"), .max_tokens = 4 * T + 1, .seed = seed_});
    text_ = source_of(data, config.text("old"), T), cpp_ = source_of(data, config.text("new"), T);
    exam_.model = byte_language_model(config.integer("hidden"), 2);
    exam_.text = text_.held_out, exam_.cpp = cpp_.held_out;
    exam_.tasks = sorting_tasks(128, seed_, "held-out tasks", true, false);
    weights_[kUntrained] = initial_values(classifier_shapes(exam_.model), seed_);
  }

  void run() {
    note(*context_.store.add_section(kUntrained, {}, 1).at(0), {.stage = kUntrained}, weights_[kUntrained]);
    const int64_t steps = config_.integer("steps"), tuning = config_.integer("tuning");
    learn({kPretraining, kUntrained, steps, 32, 3e-3}, text_.train);
    for (const int64_t share : kOldShares)
      learn({continual(share), kPretraining, std::max<int64_t>(1, steps / 3), 32, 2e-3},
            mixed(cpp_.train, text_.train, share));
    for (const bool masked : {true, false})
      learn({masked ? kSft : kSftAll, kContinued, tuning, 64, 3e-3},
            sorting_tasks(4096, seed_, "tasks", masked, true));
    compare_tokens();
    prefer(kDpo), prefer(kDpoNear);
    reinforce(kPpo), reinforce(kGrpo);
    context_.store.set_rows(rows_);
  }

 private:
  void learn(const Stage& stage, Examples examples) {
    train(stage, std::make_shared<MaskedTextTask>(exam_.model, std::move(examples)), {});
  }

  void prefer(const std::string& name) {
    const Examples answers = pairs_of(256, seed_, name == kDpoNear);
    std::array<Examples, 2> of;  // chosen, rejected
    for (size_t i = 0; i < 128; ++i) of[i % 2].push_back(answers[i]);
    const auto logp = [&](size_t which, const Weights& now) {
      return -mean_loss(exam_, now, of[which]) * double(kAnswer);
    };
    const std::array<double, 2> before{logp(0, weights_[kSft]), logp(1, weights_[kSft])};
    const auto watch = [&](Recorder& pen, int64_t step, const Weights& now) {
      record_point(pen, "chosen", double(step), logp(0, now) - before[0]);
      record_point(pen, "rejected", double(step), logp(1, now) - before[1]);
      watch_answers(pen, step, now);
    };
    const auto task = std::make_shared<PreferenceTask>(exam_.model, answers, config_.real("beta"));
    const TrainResult result = train({name, kSft, config_.integer("preferring"), 32, 5e-4, 2}, task, watch);
    const Weights& after = weights_[name];
    record_row(context_.store.recorder(name, 0),
               PairRow{name, result.loss.front(), logp(0, after) - before[0], logp(1, after) - before[1]});
  }

  void reinforce(const std::string& name) {
    constexpr int64_t kPrompts = 16;
    const RolloutConfig rollout{.critic = name == kPpo, .beta = config_.real("kl"), .seed = seed_};
    const auto task = std::make_shared<RolloutTask>(
        exam_.model, sorting_tasks(2048, seed_, "prompts", true, false), is_right, rollout);
    train({name, kSft, config_.integer("rollouts") * rollout.updates, kPrompts, 1e-3, rollout.group,
           kPrompts * rollout.group / rollout.updates},
          task, [&](Recorder& pen, int64_t step, const Weights& now) { watch_answers(pen, step, now); });
  }

  void watch_answers(Recorder& pen, int64_t step, const Weights& now) const {
    record_point(pen, "right", double(step), right_answers(exam_, now));
    record_point(pen, "KL", double(step), divergence(exam_, weights_.at(kSft), now, exam_.tasks));
  }

  using Watch = std::function<void(Recorder&, int64_t step, const Weights& now)>;  // rank 0, each second step
  TrainResult train(const Stage& stage, const std::shared_ptr<const LanguageTask>& task, const Watch& watch) {
    context_.progress({stage.name, done_++, 11});
    const Weights& before = weights_[stage.from];
    Weights after;
    for (const at::Tensor& t : before) after.push_back(t.clone());
    const auto take = [&](size_t index, ConstView values) {
      if (index < after.size())  // of the policy, which is the first
        std::copy_n(static_cast<const float*>(values.data), values.count, after[index].data_ptr<float>());
      return index + 1 == after.size();
    };
    const std::vector<ParameterShape> shapes = task->declare().shapes();
    TrainerHooks hooks;
    hooks.control = &context_.control;
    hooks.process = context_.process;
    hooks.start = [&](size_t index) {  // all models are the one before; a critic's head is drawn
      const at::Tensor& same = before[index % before.size()];
      return same.sizes() == shapes[index].shape ? ConstView(view_of(same)) : ConstView();
    };
    if (watch)
      hooks.observe = [&](int64_t step, size_t index, const std::string&, ConstView values) {
        if (take(index, values) && step % 2 == 0) watch(context_.store.recorder(stage.name, 0), step, after);
      };
    hooks.finished = [&](int64_t, size_t index, const std::string&, ConstView values) {
      take(index, values);
    };
    const TrainingConfig training =
        small_training(config_.integer("ranks"), stage.batch, stage.steps, stage.rate, seed_);
    TrainResult result = train_and_book(training, task, context_.store, stage.name, hooks, rows_);
    weights_[stage.name] = after;
    record(stage, *task, before, after);
    return result;
  }

  void record(const Stage& stage, const LanguageTask& task, const Weights& before, const Weights& after) {
    Recorder& pen = context_.store.recorder(stage.name, 0);
    ChangeRow change{stage.name,
                     stage.steps,
                     stage.rate,
                     100 * moved(before, after),
                     divergence(exam_, before, after, exam_.text),
                     100 * changed_in_bf16(before, after),
                     stage.answers * stage.steps};
    for (const LedgerRow& row : rows_.ledger) {
      if (row.section != stage.name || row.rank != 0) continue;
      if (row.at == kStepEntry && !counted_only(row)) change.state += row.counted;
      if (row.category == "gradients" || row.category == "parameters")
        change.sent += row.what == "traffic" ? row.counted / stage.steps : 0;
    }
    record_row(pen, change);
    const TokenExample& one = task.example();
    const int64_t texts = stage.steps * stage.batch * stage.rows;
    note(pen, {stage.name, stage.from, texts * task.tokens(), texts * (task.tokens() - one.from)}, after);
  }

  void note(Recorder& pen, StageRow row, const Weights& weights) const {
    row.text = mean_loss(exam_, weights, exam_.text), row.cpp = mean_loss(exam_, weights, exam_.cpp);
    row.answer = mean_loss(exam_, weights, exam_.tasks), row.right = right_answers(exam_, weights);
    record_row(pen, row);
    record_row(
        pen, SampleRow{row.stage, written(exam_, weights, "The ", 14), written(exam_, weights, "const ", 12),
                       written(exam_, weights, "sort 427: ", kDigits)});
  }

  // Gradients of all weights of the loss of so many answer tokens, added up; and of one token in their mean.
  at::Tensor gradient_of(int64_t tokens, int rank) const {
    Weights leaves;
    for (const at::Tensor& t : weights_.at(kSft)) leaves.push_back(t.clone().set_requires_grad(true));
    const Batch batch = batch_of(
        sorting_tasks((tokens + kAnswer - 1) / kAnswer, seed_ + uint64_t(rank), "uneven", true, true));
    run_backward(token_losses(exam_, leaves, batch).narrow(0, 0, tokens).sum());
    Weights gradients;
    for (const at::Tensor& t : leaves) gradients.push_back(t.grad());
    return joined(gradients);
  }
  static double weight_in_mean(int64_t tokens) {
    const at::Tensor each = at::ones({tokens}).set_requires_grad(true);
    run_backward(each.mean());
    return each.grad()[0].item<double>();
  }

  // Two ranks whose answers have few and many tokens: each takes the mean over its own, then gradients are
  // averaged.
  void compare_tokens() {
    context_.progress({kTokens, done_++, 11});
    const std::array<int64_t, 2> tokens{config_.integer("few"), config_.integer("many")};
    const auto recorders = context_.store.add_section(kTokens, {}, 2);
    run_world({.ranks = 2, .recorders = recorders}, [&](World& world) {
      use_one_thread();
      const MemoryHook hook(world.recorder());
      const int64_t own = tokens[size_t(world.rank())];
      at::Tensor fair = gradient_of(own, world.rank()), mean = fair / own;
      for (const at::Tensor& t : {mean, fair})
        world.group("dp").all_reduce(view_of(t), {"gradients", ""})->wait();
      mean /= 2, fair /= tokens[0] + tokens[1];
      record_row(*world.recorder(),
                 TokenRow{world.rank(), own, weight_in_mean(own) / 2, 1 / double(tokens[0] + tokens[1]),
                          100 * ((mean - fair).norm() / fair.norm()).item<double>()});
    });
  }

  const Config& config_;
  const RunContext& context_;
  const uint64_t seed_;
  Source text_, cpp_;
  Exam exam_;
  std::map<std::string, Weights> weights_;
  TraceRows rows_;
  int64_t done_ = 0;
};

}  // namespace

void run(const Config& config, const RunContext& context) {
  const KeepThreadCounts thread_counts;
  use_one_thread();
  Course(config, context).run();
}

}  // namespace ringside::lessons::stages
