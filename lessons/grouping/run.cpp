// Two softmaxes of the same scores; the temperature's dial; k-means; and three trainings of one block.
#include <ATen/core/grad_mode.h>

#include "parts.h"
#include "ringside/data/class_metrics.h"
#include "ringside/libtorch/numbers.h"
#include "ringside/nn/assignment_gradient.h"
#include "ringside/nn/scene_task.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/train_on.h"

namespace ringside::lessons::grouping {
namespace {

constexpr int64_t kTrained = 64, kHeldOut = 16;  // scenes; those held out stand behind the others

double number(const at::Tensor& value) { return value.item<double>(); }

// A line a row: "score, group 1", over the columns.
void record_matrix(Recorder& pen, const std::string& of, const at::Tensor& matrix) {
  for (int64_t i = 0; i < matrix.size(0); ++i)
    record_line(pen, fmt::format("{} {}", of, i + 1), numbers_of(matrix[i]));
}

// What the temperature does to the weights and to the gradient of their scores.
void record_dial(Recorder& pen, uint64_t seed) {
  constexpr int64_t kTokens = 512, kGroups = 8, kWidth = 4, kDraws = 200;
  const GroupChoice choice{normal_numbers({kGroups, kTokens}, seed, "scores", at::kDouble),
                           normal_numbers({kGroups, kWidth}, seed, "centres", at::kDouble),
                           normal_numbers({kTokens, kWidth}, seed, "targets", at::kDouble)};
  record_matrix(pen, "score, group", choice.scores);
  record_matrix(pen, "centre, group", choice.centres);
  record_matrix(pen, "target, number", choice.targets.t());
  const at::Tensor noise = gumbel_noise({kDraws, kGroups, kTokens}, seed, "draws").to(at::kDouble);
  for (const std::string way : kWays) {
    const auto estimates = [&](double tau) {
      return choice.estimates({tau, way == kStraight, way == kSoft ? at::Tensor() : noise});
    };
    const double limit = 1e-3 * number(estimates(1).lengths().median());
    for (const double tau : {0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0}) {
      const GradientEstimates of = estimates(tau);
      const at::Tensor lengths = of.lengths();
      const auto [signal, bias] = quality_of(of.of_scores, choice.exact_gradient());
      const double above = 100 * number(lengths.gt(limit).to(at::kDouble).mean());
      record_row(pen, DialRow{way, tau, way == kStraight ? 0 : of.entropy(), 100 * of.share_above(0.99),
                              number(lengths.median()), above, signal, bias});
      record_point(pen, fmt::format("{}, above", way), tau, above);
      for (const auto& [what, y] : {std::pair{"signal", signal}, {"bias", bias}})  // over a logarithmic axis
        if (y > 0) record_point(pen, fmt::format("{}, {}", way, what), tau, y);
    }
  }
}

// The scenes of a scenario, and what is found in those that are held out.
struct SceneRun {
  const Config& config;
  const RunContext& context;
  const uint64_t seed = uint64_t(config.integer("seed"));
  const Scenes scenes = Scenes::draw(kTrained + kHeldOut, config.integer("side"), config.real("light"), seed);
  const Scenes held_out = scenes.from(kTrained);
  int64_t shown = 0;  // of those held out

  // k-means on all that are held out; the one that is shown from here on is that of the median.
  void cluster(Recorder& pen) {
    std::vector<std::vector<int64_t>> found, alike;  // (scenes, N): by k-means; all of one group
    std::vector<std::pair<double, int64_t>> by_accuracy;
    for (int64_t i = 0; i < kHeldOut; ++i) {
      found.push_back(k_means(held_out.first[i], Scenes::kKinds, seed));
      alike.emplace_back(found.back().size());
      by_accuracy.emplace_back(name_groups(found.back(), held_out.kinds[size_t(i)]).accuracy, i);
    }
    std::ranges::sort(by_accuracy);
    shown = by_accuracy[kHeldOut / 2].second;
    record_picture(pen, kShapes, 0, held_out.kinds);
    record_picture(pen, kClusters, 0, found);
    record_row(pen, ClusterRow{100 * mean_accuracy(found, held_out.kinds),
                               100 * mean_accuracy(alike, held_out.kinds)});
  }

  // An untrained block on one scene, and attention with its scores and values.
  void compare(Recorder& pen) const {
    const AssignmentRule rule{config.real("tau")};
    const SceneGrouper grouper(config.integer("groups"));
    const auto weights = initial_values(grouper.declared().shapes(), seed);
    const auto [tokens, x, grouped, second] =
        grouper.say(leaves_of(weights), held_out.first.narrow(0, 0, 1), rule);
    const at::Tensor values = grouper.values(leaves_of(weights), x)[0];  // (N, D)
    // A: (M, N) -> (M, D): weight times value, token after token.
    const auto weighted_sum = [&](const at::Tensor& A) { return (A.unsqueeze(2) * values).sum(1); };
    const auto record = [&](const char* way, const at::Tensor& A, const at::Tensor& difference) {
      const at::Tensor of_token = A.sum(0), of_group = A.sum(1);
      record_row(pen, SumRow{way, number(of_token.min()), number(of_token.max()), number(of_group.min()),
                             number(of_group.max()), number(A.sum()), number(difference.abs().max())});
      record_matrix(pen, fmt::format("{}, group", way), A);
      record_line(pen, fmt::format("{}, sum", way), numbers_of(A.to(at::kDouble).sum(0)));
    };
    record_matrix(pen, "score, group", grouped.scores[0]);
    const at::Tensor attention = at::softmax(grouped.scores[0] / rule.tau, 1), A = grouped.weights[0];
    record(kAttention, attention, at::matmul(attention, values) - weighted_sum(attention));
    record(kGrouping, A, grouped.groups[0] - (tokens + weighted_sum(A) / (1 + A.sum(1, true))));
  }

  void train(const std::string& way, TraceRows& rows) const {
    const SceneSetup setup{config.integer("groups"), config.real("tau"), way != kSoft, way == kStraight,
                           seed};
    const auto task = std::make_shared<SceneTask>(setup, scenes, kHeldOut);
    auto weights = initial_values(task->declare().shapes(), seed);
    auto training = small_training(config.integer("ranks"), 8, config.integer("steps"), 1.6e-3, seed);
    training.evaluate_every = 0;
    training.evaluation_rows = 16;
    const auto look = [&](int64_t step, const auto& now) {
      if (step > 0) look_at_step(way, step, *task, leaves_of(now));
    };
    train_on(weights, training, task, context.store, way, hooks_of(context.control, context.process), rows,
             {std::max<int64_t>(1, training.steps / 16), look});
    record_shown_scene(context.store.recorder(way, 0), *task, leaves_of(weights));
  }

  void record_picture(Recorder& pen, const std::string& way, int64_t step,
                      const std::vector<std::vector<int64_t>>& groups) const {
    const std::vector<int64_t>& of_tokens = groups[size_t(shown)];
    const std::vector<int64_t> names = name_groups(of_tokens, held_out.kinds[size_t(shown)]).names;
    PictureRow row{way, step, ""};
    for (const int64_t group : of_tokens) row.tokens += char('0' + names[size_t(group)]);
    record_row(pen, row);
  }

  void look_at_step(const std::string& way, int64_t step, const SceneTask& task, const Leaves& leaf) const {
    const MemoryScope scope(Category::kOther);
    const at::NoGradGuard no_grad;
    const SceneLook trained = task.look_at_held_out(leaf, task.rule(kHeldOut, "looked at", uint64_t(step))),
                    used = task.look_at_held_out(leaf, task.hard());
    const double right = 100 * mean_accuracy(used.groups, held_out.kinds);
    Recorder& pen = context.store.recorder(way, 0);
    record_picture(pen, way, step, used.groups);
    const auto error = [&](const SceneLook& of) { return number(task.errors_of(of).mean()); };
    record_row(pen, TrainedRow{way, step, error(trained), error(used), right});
    record_point(pen, "accuracy", double(step), right);
  }

  // How the shown scene is said, without noise: scores and values as matrices, and the two errors.
  void record_shown_scene(Recorder& pen, const SceneTask& task, const Leaves& leaf) const {
    const at::NoGradGuard no_grad;
    const double tau = task.hard().tau;
    const SceneLook soft = task.look_at_held_out(leaf, {tau}),
                    hard = task.look_at_held_out(leaf, task.hard());
    const auto colours = [&](const at::Tensor& of) { return task.grouper().colours(leaf, of).t(); };
    record_matrix(pen, "score, group", soft.said.grouped.scores[shown]);
    record_matrix(pen, "value, colour", colours(task.grouper().values(leaf, soft.said.x[shown])));
    record_matrix(pen, "group token, colour", colours(soft.said.tokens));
    record_matrix(pen, "right, colour", held_out.colours[shown].t());
    record_row(pen, SceneRow{tau, number(task.errors_of(soft)[shown]), number(task.errors_of(hard)[shown])});
  }
};

}  // namespace

void run(const Config& config, const RunContext& context) {
  const KeepThreadCounts thread_counts;
  use_one_thread();
  TraceRows rows;
  RunParts parts(context, 6);
  SceneRun scenes{config, context};
  scenes.cluster(parts.section(kClusters));
  scenes.compare(parts.section(kSame));
  record_dial(parts.section(kDial), scenes.seed);
  for (const char* way : kWays) {
    parts.begin(way);
    scenes.train(way, rows);
  }
}

}  // namespace ringside::lessons::grouping
