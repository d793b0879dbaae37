#include "ringside/parameter_server/logistic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "ringside/base/random.h"

namespace ringside::inline ps {
namespace {

double score(const SparseSample& sample, const std::vector<float>& weights) {
  double sum = 0;
  for (size_t i = 0; i < sample.keys.size(); ++i) sum += weights[sample.keys[i]] * sample.values[i];
  return sum;
}

Samples batch_of(const Samples& samples, uint32_t rank, uint32_t workers, int64_t batch, int64_t clock) {
  RandomStream random(rank, "batch", uint64_t(clock));
  const uint64_t own = (samples.size() + workers - 1 - rank) / workers;
  Samples drawn;
  for (int64_t i = 0; i < batch; ++i) drawn.push_back(samples[random.below(own) * workers + rank]);
  return drawn;
}

}  // namespace

Samples power_law_samples(const SparseDataConfig& config) {
  std::vector<double> reaches(config.keys);  // the share of this key and of those before it
  for (uint64_t key = 0; key < config.keys; ++key) reaches[key] = std::pow(double(key + 1), -config.exponent);
  std::partial_sum(reaches.begin(), reaches.end(), reaches.begin());
  std::vector<double> weights(config.keys);
  RandomStream hidden(config.seed, "hidden weights"), random(config.seed, "power law");
  for (double& weight : weights) weight = hidden.normal();

  Samples samples(size_t(config.samples));
  for (SparseSample& sample : samples) {
    std::set<uint64_t> keys;
    for (int64_t field = 0; field < config.fields; ++field) {
      const double draw = random.uniform() * reaches.back();
      const auto found = std::upper_bound(reaches.begin(), reaches.end() - 1, draw) - reaches.begin();
      keys.insert(uint64_t(found));
    }
    double score = 0;
    for (const uint64_t key : keys) score += weights[key];
    sample.label = random.uniform() < config.noise ? random.below(2) == 1 : score > 0;
    sample.keys.assign(keys.begin(), keys.end());
    sample.values.assign(keys.size(), 1.0F);
  }
  return samples;
}

double logistic_loss(const Samples& samples, const std::vector<float>& weights) {
  double sum = 0;
  for (const SparseSample& sample : samples) {
    const double margin = sample.label ? score(sample, weights) : -score(sample, weights);
    sum += margin > 0 ? std::log1p(std::exp(-margin)) : -margin + std::log1p(std::exp(margin));
  }
  return sum / double(samples.size());
}

std::vector<uint64_t> keys_of(const Samples& samples) {
  std::vector<uint64_t> keys;
  for (const SparseSample& sample : samples) keys.insert(keys.end(), sample.keys.begin(), sample.keys.end());
  std::ranges::sort(keys);
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
      places.push_back(size_t(std::lower_bound(keys.begin(), keys.end(), sample.keys[i]) - keys.begin()));
      sum += values[places[i]] * sample.values[i];
    }
    const double error = 1 / (1 + std::exp(-sum)) - (sample.label ? 1 : 0);
    for (size_t i = 0; i < places.size(); ++i)
      gradient[places[i]] += float(error) * sample.values[i] / float(samples.size());
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
