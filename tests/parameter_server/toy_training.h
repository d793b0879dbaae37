// A training whose gradients depend on every bit of the values, the rank and the clock; and the same by
// synchronous SGD in one loop: gradients added up in rank order, as an all-reduce does, then the rule.
#pragma once

#include "ringside/base/random.h"
#include "ringside/parameter_server/simulated_cluster.h"

namespace ringside::testing {

inline std::vector<float> toy_gradient(uint32_t rank, int64_t clock, const std::vector<float>& values,
                                       const std::vector<uint64_t>& keys) {
  RandomStream random(rank, "toy gradient", static_cast<uint64_t>(clock));
  std::vector<float> gradient(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const float target = static_cast<float>(random.normal());
    gradient[i] = values[i] * values[i] * values[i] * 0.1F + values[i] - target +
                  0.01F * static_cast<float>(keys.empty() ? i : keys[i]);
  }
  return gradient;
}

inline float toy_initial(uint64_t key) { return 0.001F * static_cast<float>(key % 97) - 0.02F; }

// The keys of an iteration: all, or a third of them.
inline std::vector<uint64_t> toy_keys(bool sparse, uint32_t rank, int64_t clock, uint64_t count) {
  std::vector<uint64_t> keys;
  RandomStream random(rank, "toy keys", static_cast<uint64_t>(clock));
  for (uint64_t key = 0; sparse && key < count; ++key)
    if (random.below(3) == 0) keys.push_back(key);
  if (sparse && keys.empty()) keys.push_back(rank % count);
  return keys;
}

inline ps::WorkerTask toy_task(uint32_t rank, int64_t clocks, uint64_t count, bool sparse = false) {
  ps::WorkerTask task{.clocks = clocks};
  if (sparse) task.keys = [=](int64_t clock) { return toy_keys(true, rank, clock, count); };
  task.gradient = [=](int64_t clock, const std::vector<float>& values) {
    return toy_gradient(rank, clock, values, toy_keys(sparse, rank, clock, count));
  };
  task.compute_ns = [=](int64_t clock) {
    return static_cast<int64_t>(RandomStream(rank, "compute", static_cast<uint64_t>(clock)).below(2'000'000));
  };
  return task;
}

inline std::vector<float> synchronous_sgd(const ps::KeyGroup& group, uint32_t workers, int64_t clocks) {
  const Optimizer optimizer = make_optimizer(group.optimizer);
  const uint64_t count = group.end;
  std::vector<float> weights(count);
  for (uint64_t key = 0; key < count; ++key) weights[key] = toy_initial(key);
  std::vector<std::vector<float>> state(optimizer.state().size(), std::vector<float>(count));
  for (int64_t clock = 0; clock < clocks; ++clock) {
    std::vector<float> sum = toy_gradient(0, clock, weights, {});
    for (uint32_t rank = 1; rank < workers; ++rank) {
      const std::vector<float> more = toy_gradient(rank, clock, weights, {});
      for (uint64_t i = 0; i < count; ++i) sum[i] += more[i];
    }
    Elements elements{
        .count = static_cast<int64_t>(count), .weights = weights.data(), .gradient = sum.data()};
    for (std::vector<float>& one : state) elements.state.push_back(one.data());
    optimizer.update(elements, {group.learning_rate, clock + 1, group.gradient_scale});
  }
  return weights;
}

inline ps::Cluster toy_cluster(uint32_t workers, uint32_t servers, uint32_t backups, uint64_t keys) {
  return {.groups = {{.end = keys, .gradient_scale = 1.0F / static_cast<float>(workers)}},
          .ranges = 5,
          .backups = backups,
          .servers = servers,
          .workers = workers,
          .initial = toy_initial};
}

inline constexpr int64_t kSecond = 1'000'000'000;  // ns

}  // namespace ringside::testing
