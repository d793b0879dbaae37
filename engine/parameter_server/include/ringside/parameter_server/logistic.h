// Sparse logistic regression: p = 1 / (1 + exp(-w x)), loss = -log p of the label, mean over the samples. A
// mini-batch reads and changes the keys of its samples alone. Of a sample most features are absent: what a
// parameter server was made for.
#pragma once

#include <memory>

#include "ringside/parameter_server/worker.h"

namespace ringside::inline ps {

struct SparseSample {
  bool label = false;
  std::vector<uint64_t> keys = {};  // rising
  std::vector<float> values = {};   // one for each key
};

// The generator is like Criteo's click logs in this: a sample has a fixed number of fields, each names one
// key, and a key's frequency follows a power law (Zipf): the r-th commonest has a share in proportion to
// r^-exponent.
struct SparseDataConfig {
  int64_t samples = 1000;
  uint64_t keys = 1000;
  int64_t fields = 10;    // keys of a sample, with value 1; one that is drawn twice counts once
  double exponent = 1.1;  // of the power law
  double noise = 0.1;     // of the labels these are drawn by a coin
  uint64_t seed = 1;
};
using Samples = std::vector<SparseSample>;
// Labels follow from weights that are drawn too: a model of this form can learn them.
Samples power_law_samples(const SparseDataConfig& config);

double logistic_loss(const Samples& samples, const std::vector<float>& weights);  // weights by key

// The keys of these samples, rising.
std::vector<uint64_t> keys_of(const Samples& samples);
// The gradient of the mean loss, one value for each of `keys`; `values` are their weights.
std::vector<float> logistic_gradient(const Samples& samples, const std::vector<uint64_t>& keys,
                                     const std::vector<float>& values);

// A worker whose samples are those of index rank, rank + workers, ...; in iteration c it takes `batch` of
// them, drawn from its rank and c.
WorkerTask logistic_task(std::shared_ptr<const Samples> samples, uint32_t rank, uint32_t workers,
                         int64_t batch, int64_t clocks);

}  // namespace ringside::inline ps
