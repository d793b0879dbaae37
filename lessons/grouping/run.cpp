// Two softmaxes of the same scores; the temperature's dial; k-means; and three trainings of one block.
#include <ATen/core/grad_mode.h>

#include "parts.h"
#include "ringside/data/class_metrics.h"
#include "ringside/nn/scene_task.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/train_on.h"

namespace ringside::lessons::grouping {
namespace {

constexpr int64_t kTrained = 64, kHeldOut = 16;  // scenes; those held out stand behind the others

// ---- The same scores, two softmaxes --------------------------------------------------

void record_sums(Recorder& pen, const std::string& way, const at::Tensor& weights,
                 double difference) {  // (M, N)
  const at::Tensor of_token = weights.sum(0), of_group = weights.sum(1);
  record_row(pen, SumRow{way, number(of_token.min()), number(of_token.max()), number(of_group.min()),
                         number(of_group.max()), number(weights.sum()), difference});
  record_matrix(pen, fmt::format("{}, group", way), weights);
}

// (M, N), (N, D) -> (M, D): weight times value, token after token.
at::Tensor weighted_sum(const at::Tensor& weights, const at::Tensor& values) {
  at::Tensor sum = at::zeros({weights.size(0), values.size(1)});
  for (int64_t j = 0; j < values.size(0); ++j) sum = sum + at::outer(weights.select(1, j), values[j]);
  return sum;
}

// An untrained block on one scene, and attention with its scores and values.
void record_same_scores(Recorder& pen, const Scenes& scenes, const Config& config) {
  const SceneGrouper grouper(config.integer("groups"));
  const auto leaves = initial_values(grouper.declared().shapes(), uint64_t(config.integer("seed")));
  const auto said = grouper.say(leaves_of(leaves), scenes.first.narrow(0, kTrained, 1), {config.real("tau")});
  const at::Tensor scores = said.grouped.scores[0], grouped = said.grouped.weights[0];
  const at::Tensor values = grouper.values(leaves_of(leaves), said.x)[0];  // (N, D)
  const at::Tensor attention = at::softmax(scores / config.real("tau"), 1);
  const at::Tensor by_equation = said.tokens + weighted_sum(grouped, values) / (1 + grouped.sum(1, true));
  const auto difference = [](const at::Tensor& a, const at::Tensor& b) {
    return number((a - b).abs().max());
  };
  record_matrix(pen, "score, group", scores);
  record_sums(pen, kAttention, attention,
              difference(at::matmul(attention, values), weighted_sum(attention, values)));
  record_sums(pen, kGrouping, grouped, difference(said.grouped.groups[0], by_equation));
}

// ---- Pictures ------------------------------------------------------------------------

void record_picture(Recorder& pen, const std::string& way, int64_t step, const std::vector<int64_t>& groups,
                    const std::vector<int64_t>& kinds) {
  const std::vector<int64_t> names = name_groups(groups, kinds).names;
  PictureRow row{way, step, ""};
  for (const int64_t group : groups) row.tokens += char('0' + names[size_t(group)]);
  record_row(pen, row);
}

// k-means on all held-out scenes; the one that is shown is that of the median.
int64_t record_clusters(Recorder& pen, const Scenes& scenes, uint64_t seed) {
  ClusterRow row;
  std::vector<std::pair<double, int64_t>> by_accuracy;
  std::map<int64_t, std::vector<int64_t>> found;  // by scene
  for (int64_t scene = kTrained; scene < scenes.count(); ++scene) {
    const auto& kinds = scenes.kinds[size_t(scene)];
    found[scene] = k_means(scenes.first[scene], Scenes::kKinds, seed);
    by_accuracy.push_back({name_groups(found[scene], kinds).accuracy, scene});
    row.accuracy += by_accuracy.back().first / double(kHeldOut);
    row.largest += name_groups(std::vector<int64_t>(kinds.size()), kinds).accuracy / double(kHeldOut);
  }
  std::ranges::sort(by_accuracy);
  const int64_t shown = by_accuracy[kHeldOut / 2].second;
  const auto& kinds = scenes.kinds[size_t(shown)];
  record_picture(pen, kShapes, 0, kinds, kinds);
  record_picture(pen, kClusters, 0, found[shown], kinds);
  record_row(pen, row);
  return shown;
}

// ---- Trainings -----------------------------------------------------------------------

// One training, looked at on the held-out scenes while it goes on.
struct Training {
  const std::string way;
  const Scenes& scenes;
  const int64_t shown;  // the scene
  const std::shared_ptr<SceneTask> task;
  std::vector<at::Tensor> weights;

  SceneGrouper::Said say(const AssignmentRule& rule) const {
    return task->grouper().say(leaves_of(weights), scenes.first.narrow(0, kTrained, kHeldOut), rule);
  }
  at::Tensor errors(const SceneGrouper::Said& said) const {  // of each scene
    return (said.second - scenes.colours.narrow(0, kTrained, kHeldOut)).pow(2).sum(2).mean(1);
  }

  void look(Recorder& pen, int64_t step) const {
    const MemoryScope scope(Category::kOther);
    const at::NoGradGuard no_grad;
    const auto trained = say(task->rule(kHeldOut, "looked at", uint64_t(step))), used = say(task->hard());
    TrainedRow row{way, step, number(errors(trained).mean()), number(errors(used).mean())};
    for (int64_t i = 0; i < kHeldOut; ++i) {
      const auto groups = groups_of(used.grouped.weights[i]);
      const auto& kinds = scenes.kinds[size_t(kTrained + i)];
      row.accuracy += name_groups(groups, kinds).accuracy / double(kHeldOut);
      if (kTrained + i == shown) record_picture(pen, way, step, groups, kinds);
    }
    record_row(pen, row);
    record_point(pen, kAccuracy, double(step), row.accuracy);
  }

  // How the shown scene is said, without noise: scores and values as matrices, and the two errors.
  void record_shown_scene(Recorder& pen, double tau) const {
    const at::NoGradGuard no_grad;
    const int64_t i = shown - kTrained;
    const Leaves leaf = leaves_of(weights);
    const auto soft = say({.tau = tau}), hard = say(task->hard());
    const auto colours = [&](const at::Tensor& of) { return task->grouper().colours(leaf, of).t(); };
    record_matrix(pen, "score, group", soft.grouped.scores[i]);
    record_matrix(pen, "value, colour", colours(task->grouper().values(leaf, soft.x[i])));
    record_matrix(pen, "group token, colour", colours(soft.tokens));
    record_matrix(pen, "right, colour", scenes.colours[shown].t());
    record_row(pen, SceneRow{tau, number(errors(soft)[i]), number(errors(hard)[i])});
  }
};

void train_way(const Config& config, const RunContext& context, const Scenes& scenes, const std::string& way,
               int64_t shown, TraceRows& rows) {
  const auto seed = uint64_t(config.integer("seed"));
  const SceneSetup setup{config.integer("groups"), config.real("tau"), way != kSoft, way == kStraight, seed};
  const auto task = std::make_shared<SceneTask>(setup, scenes, kHeldOut);
  Training training{way, scenes, shown, task, initial_values(task->declare().shapes(), seed)};
  TrainingConfig trainer = small_training(config.integer("ranks"), 8, config.integer("steps"), 1.6e-3, seed);
  trainer.evaluate_every = 0;
  trainer.evaluation_rows = 16;
  const auto look = [&](int64_t step, const std::vector<at::Tensor>&) {
    if (step > 0) training.look(context.store.recorder(way, 0), step);
  };
  train_on(training.weights, trainer, task, context.store, way, hooks_of(context.control, context.process),
           rows, {std::max<int64_t>(1, trainer.steps / 16), look});
  training.record_shown_scene(context.store.recorder(way, 0), config.real("tau"));
}

}  // namespace

double number(const at::Tensor& value) { return value.item<double>(); }

void record_matrix(Recorder& pen, const std::string& of, const at::Tensor& matrix) {
  for (int64_t i = 0; i < matrix.size(0); ++i)
    for (int64_t j = 0; j < matrix.size(1); ++j)
      record_point(pen, fmt::format("{} {}", of, i + 1), double(j + 1), number(matrix[i][j]));
}

void run(const Config& config, const RunContext& context) {
  const auto seed = uint64_t(config.integer("seed"));
  const KeepThreadCounts thread_counts;
  use_one_thread();
  TraceRows rows;
  RunParts parts(context, 6);
  const Scenes scenes = Scenes::draw(kTrained + kHeldOut, config.integer("side"), config.real("light"), seed);
  const int64_t shown = record_clusters(parts.section(kClusters), scenes, seed);
  record_same_scores(parts.section(kSame), scenes, config);
  record_dial(parts.section(kDial), seed);
  for (const char* way : kWays) {
    parts.begin(way);
    train_way(config, context, scenes, way, shown, rows);
  }
  context.store.set_rows(rows);
}

}  // namespace ringside::lessons::grouping
