// Sparse logistic regression: p = 1 / (1 + exp(-w x)), loss = -log p of the label, mean over the samples. A
// mini-batch reads and changes the keys of its samples alone.
#pragma once

#include <memory>

#include "ringside/parameter_server/sparse_data.h"
#include "ringside/parameter_server/worker.h"

namespace ringside::inline ps {

using Samples = std::vector<SparseSample>;

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
