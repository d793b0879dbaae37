#include "ringside/parameter_server/sparse_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "ringside/base/random.h"

namespace ringside::inline ps {

std::vector<SparseSample> power_law_samples(const SparseDataConfig& config) {
  std::vector<double> reaches(config.keys);  // the share of this key and of those before it
  for (uint64_t key = 0; key < config.keys; ++key)
    reaches[key] = std::pow(static_cast<double>(key + 1), -config.exponent);
  std::partial_sum(reaches.begin(), reaches.end(), reaches.begin());
  std::vector<double> weights(config.keys);
  RandomStream hidden(config.seed, "hidden weights"), random(config.seed, "power law");
  for (double& weight : weights) weight = hidden.normal();

  std::vector<SparseSample> samples(static_cast<size_t>(config.samples));
  for (SparseSample& sample : samples) {
    std::set<uint64_t> keys;
    for (int64_t field = 0; field < config.fields; ++field) {
      const double draw = random.uniform() * reaches.back();
      const auto found = std::upper_bound(reaches.begin(), reaches.end() - 1, draw) - reaches.begin();
      keys.insert(static_cast<uint64_t>(found));
    }
    double score = 0;
    for (const uint64_t key : keys) score += weights[key];
    sample.label = random.uniform() < config.noise ? random.below(2) == 1 : score > 0;
    sample.keys.assign(keys.begin(), keys.end());
    sample.values.assign(keys.size(), 1.0F);
  }
  return samples;
}

}  // namespace ringside::inline ps
