// Samples as padded tensors.
#pragma once

#include <vector>

#include "ringside/data/dataset.h"
#include "ringside/nn/batch.h"

namespace ringside {

// Pads to the longest of the samples. Without any sample: one row of weight 0, so that a rank
// that has nothing to do still runs the same forward and the same collectives.
Batch make_batch(const std::vector<Sample>& samples, const std::vector<int64_t>& indices);

// The same with at least this many rows and tokens: shapes that do not depend on the samples.
// Further rows have weight 0.
struct BatchShape {
  int64_t rows = 1, tokens = 1;
};
Batch make_batch(const std::vector<Sample>& samples, const std::vector<int64_t>& indices,
                 BatchShape at_least);

}  // namespace ringside
