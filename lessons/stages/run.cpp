// One byte model through pre-training, continual pre-training and SFT; from there to DPO, PPO and GRPO.
#include "parts.h"
#include "ringside/figures/training_facts.h"
#include "ringside/ledger/ledger.h"
#include "ringside/nn/cached_reading.h"
#include "ringside/nn/sorting_task.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/train_on.h"
#include "ringside/world/world.h"

namespace ringside::lessons::stages {
namespace {

using Examples = std::vector<TokenExample>;

struct Stage {
  std::string name, from;
  int64_t steps = 0, batch = 0;  // batch: samples of a step, over all ranks
  double rate = 0;
  int64_t rows = 1, answers = 0;  // of a sample: texts in the loss; of a step: answers that are written
};

// Seconds of a step on a slow core, of texts, of pairs and of answers that the model writes: for the time
// left.
constexpr double kTextsTime = 0.025, kPairsTime = 0.1, kAnswersTime = 0.15;
double time_of(const Stage& stage) {
  return double(stage.steps) * (stage.answers > 0 ? kAnswersTime : stage.rows > 1 ? kPairsTime : kTextsTime);
}

struct Course {
  const Config& config;
  const RunContext& context;
  const uint64_t seed = uint64_t(config.integer("seed"));
  const int64_t window = config.integer("window");
  const ClassifierConfig shape = byte_language_model(config.integer("hidden"), 2);
  const Dataset data =
      load_dataset({.source = config.text("data"), .max_tokens = 4 * window + 1, .seed = seed});
  const ClassWindows text = windows_of_class(data, config.text("old"), window, 64),
                     cpp = windows_of_class(data, config.text("new"), window, 64);
  const Batch tasks = batch_of(sorting_examples(128, seed, "held-out tasks"));
  std::map<std::string, LanguageModel> models = {};  // behind each stage
  TraceRows rows = {};
  RunParts parts{context, 11, time()};

  void run() {
    models.emplace(kUntrained, LanguageModel(shape, initial_values(classifier_shapes(shape), seed)));
    context.store.add_section(kUntrained, {}, 1);
    examine(kUntrained);
    const int64_t steps = config.integer("steps"), tuning = config.integer("tuning");
    learn({kPretraining, kUntrained, steps, 32, 3e-3}, text.train);
    for (const int64_t share : kOldShares)
      learn({continual(share), kPretraining, std::max<int64_t>(1, steps / 3), 32, 2e-3},
            mixed(cpp.train, text.train, share));
    for (const bool masked : {true, false})
      learn({masked ? kSft : kSftAll, kContinued, tuning, 64, 3e-3},
            sorting_examples(4096, seed, "tasks", {.answer_only = masked, .either_order = true}));
    compare_tokens();
    prefer(kDpo), prefer(kDpoNear);
    reinforce(kPpo), reinforce(kGrpo);
  }

  double time() const {
    const auto of = [&](const char* name) { return double(config.integer(name)); };
    return kTextsTime * 2 * (of("steps") + of("tuning")) + kPairsTime * 2 * of("preferring") +
           kAnswersTime * 2 * of("rollouts") * double(RolloutConfig().updates);
  }

  void learn(const Stage& stage, const Examples& examples) {
    train(stage, std::make_shared<MaskedTextTask>(shape, examples));
  }

  void prefer(const std::string& name) {
    const Examples answers = sorting_pairs(256, seed, name == kDpoNear);
    std::array<Examples, 2> of;  // chosen, rejected
    for (size_t i = 0; i < 128; ++i) of[i % 2].push_back(answers[i]);
    const auto logp = [&](size_t which, const LanguageModel& model) {
      return -mean_loss(model, batch_of(of[which])) * double(kSortAnswer);
    };
    const std::array before{logp(0, models.at(kSft)), logp(1, models.at(kSft))};
    train({name, kSft, config.integer("preferring"), 32, 5e-4, 2},
          std::make_shared<PreferenceTask>(shape, answers, config.real("beta")),
          [&](int64_t step, const LanguageModel& now) {
            Recorder& pen = context.store.recorder(name, 0);
            record_point(pen, kChosen, double(step), logp(0, now) - before[0]);
            record_point(pen, kRejected, double(step), logp(1, now) - before[1]);
          });
  }

  void reinforce(const std::string& name) {
    constexpr int64_t kPrompts = 16;
    const RolloutConfig rollout{.critic = name == kPpo, .beta = config.real("kl"), .seed = seed};
    const Examples prompts = sorting_examples(2048, seed, "prompts");
    train({name, kSft, config.integer("rollouts") * rollout.updates, kPrompts, 1e-3, rollout.group,
           kPrompts * rollout.group / rollout.updates},
          std::make_shared<RolloutTask>(shape, prompts, is_sorted_answer, rollout));
  }

  using Look = std::function<void(int64_t step, const LanguageModel& now)>;
  void train(const Stage& stage, const std::shared_ptr<const LanguageTask>& task, const Look& look = {}) {
    parts.tell(stage.name, time_of(stage));
    LanguageModel after = models.at(stage.from);
    WeightsWatcher watcher{.every = 2};
    if (stage.from == kSft)
      watcher.look = [&](int64_t step, const std::vector<at::Tensor>& weights) {
        const LanguageModel now(shape, weights);
        if (look) look(step, now);
        Recorder& pen = context.store.recorder(stage.name, 0);
        record_point(pen, "right", double(step), 100 * right_answers(now, tasks));
        record_point(pen, "KL", double(step), mean_divergence(models.at(kSft), now, tasks));
      };
    const TrainingConfig training =
        small_training(config.integer("ranks"), stage.batch, stage.steps, stage.rate, seed);
    train_on(after.weights, training, task, context.store, stage.name,
             hooks_of(context.control, context.process), rows, watcher);
    models.emplace(stage.name, after);
    record(stage, *task);
    examine(stage.name);
  }

  void record(const Stage& stage, const LanguageTask& task) const {
    const LanguageModel &before = models.at(stage.from), &after = models.at(stage.name);
    const int64_t texts = stage.steps * stage.batch * stage.rows, T = task.tokens();
    ChangeRow change{stage.name, stage.from, stage.steps, texts * T, texts * (T - task.example().from)};
    change.moved = 100 * relative_change(before.weights, after.weights);
    change.per_step = change.moved / (double(stage.steps) * stage.rate);
    change.kl = mean_divergence(before, after, batch_of(text.held_out));
    change.changed = 100 * changed_in_bf16(before.weights, after.weights);
    change.answers = stage.answers * stage.steps;
    const Trace trace = context.store.snapshot();
    const SectionView& section = *trace.find(stage.name);
    change.state = int64_t(figure::state_at(trace, section, kStepEntry)->total());
    change.sent = int64_t(figure::sent_bytes(trace, section));
    record_row(context.store.recorder(stage.name, 0), change);
  }

  void examine(const std::string& stage) const {
    const LanguageModel& model = models.at(stage);
    const Writing writing{.temperature = 0.5, .vocabulary = kPadToken};
    const auto writes = [&](const char* prompt, int64_t bytes) {
      return write_line(model, prompt, bytes, writing, 3);
    };
    const auto loss = [&](const Examples& of) { return mean_loss(model, batch_of(of)); };
    record_row(context.store.recorder(stage, 0),
               StageRow{stage, loss(text.held_out), loss(cpp.held_out), mean_loss(model, tasks),
                        100 * right_answers(model, tasks), writes("The ", 14), writes("const ", 12),
                        writes("sort 427: ", kSortedDigits)});
  }

  // Two ranks whose answers have few and many tokens: each takes the mean over its own, then gradients are
  // averaged.
  void compare_tokens() {
    parts.tell(kTokens);
    const std::array<int64_t, 2> tokens{config.integer("few"), config.integer("many")};
    const auto recorders = context.store.add_section(kTokens, {}, 2);
    run_world({.ranks = 2, .recorders = recorders}, [&](World& world) {
      use_one_thread();
      const MemoryHook hook(world.recorder());
      const int64_t own = tokens[size_t(world.rank())];
      LanguageModel model = models.at(kSft);
      for (at::Tensor& t : model.weights) t = t.clone().set_requires_grad(true);
      const Batch batch =
          batch_of(sorting_examples((own + kSortAnswer - 1) / kSortAnswer, seed + uint64_t(world.rank()),
                                    "uneven", {.either_order = true}));
      const at::Tensor losses = token_losses(model, batch).narrow(0, 0, own);
      const double weight = gradients_of(losses.mean(), at::ones({}), {losses})[0][0].item<double>() / 2;
      at::Tensor fair = joined(gradients_of(losses.sum(), at::ones({}), model.weights)), mean = fair / own;
      for (const at::Tensor& t : {mean, fair})
        world.group("dp").all_reduce(view_of(t), {"gradients", ""})->wait();
      mean /= 2, fair /= tokens[0] + tokens[1];
      record_row(*world.recorder(), TokenRow{world.rank(), own, weight, 1 / double(tokens[0] + tokens[1]),
                                             100 * ((mean - fair).norm() / fair.norm()).item<double>()});
    });
  }
};

}  // namespace

void run(const Config& config, const RunContext& context) {
  const KeepThreadCounts thread_counts;
  use_one_thread();
  Course{config, context}.run();
}

}  // namespace ringside::lessons::stages
