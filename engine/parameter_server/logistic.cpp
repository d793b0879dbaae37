#include "ringside/parameter_server/logistic.h"

#include <algorithm>
#include <cmath>

#include "ringside/base/random.h"

namespace ringside::inline ps {
namespace {

double score(const SparseSample& sample, const std::vector<float>& weights) {
  double sum = 0;
  for (size_t i = 0; i < sample.keys.size(); ++i) sum += weights[sample.keys[i]] * sample.values[i];
  return sum;
}

Samples batch_of(const Samples& samples, uint32_t rank, uint32_t workers, int64_t batch, int64_t clock) {
  RandomStream random(rank, "batch", static_cast<uint64_t>(clock));
  const uint64_t own = (samples.size() + workers - 1 - rank) / workers;
  Samples drawn;
  for (int64_t i = 0; i < batch; ++i) drawn.push_back(samples[random.below(own) * workers + rank]);
  return drawn;
}

}  // namespace

double logistic_loss(const Samples& samples, const std::vector<float>& weights) {
  double sum = 0;
  for (const SparseSample& sample : samples) {
    const double margin = sample.label ? score(sample, weights) : -score(sample, weights);
    sum += margin > 0 ? std::log1p(std::exp(-margin)) : -margin + std::log1p(std::exp(margin));
  }
  return sum / static_cast<double>(samples.size());
}

std::vector<uint64_t> keys_of(const Samples& samples) {
  std::vector<uint64_t> keys;
  for (const SparseSample& sample : samples) keys.insert(keys.end(), sample.keys.begin(), sample.keys.end());
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

// d loss / d w = (p - label) x
std::vector<float> logistic_gradient(const Samples& samples, const std::vector<uint64_t>& keys,
                                     const std::vector<float>& values) {
  std::vector<float> gradient(keys.size());
  for (const SparseSample& sample : samples) {
    std::vector<size_t> places;
    double sum = 0;
    for (size_t i = 0; i < sample.keys.size(); ++i) {
      places.push_back(
          static_cast<size_t>(std::lower_bound(keys.begin(), keys.end(), sample.keys[i]) - keys.begin()));
      sum += values[places[i]] * sample.values[i];
    }
    const double error = 1 / (1 + std::exp(-sum)) - (sample.label ? 1 : 0);
    for (size_t i = 0; i < places.size(); ++i)
      gradient[places[i]] +=
          static_cast<float>(error) * sample.values[i] / static_cast<float>(samples.size());
  }
  return gradient;
}

WorkerTask logistic_task(std::shared_ptr<const Samples> samples, uint32_t rank, uint32_t workers,
                         int64_t batch, int64_t clocks) {
  const auto batch_at = [=](int64_t clock) { return batch_of(*samples, rank, workers, batch, clock); };
  return {.clocks = clocks,
          .keys = [=](int64_t clock) { return keys_of(batch_at(clock)); },
          .gradient =
              [=](int64_t clock, const std::vector<float>& values) {
                const Samples drawn = batch_at(clock);
                return logistic_gradient(drawn, keys_of(drawn), values);
              }};
}

}  // namespace ringside::inline ps
