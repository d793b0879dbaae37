// Samples most of whose features are absent: what a parameter server was made for.
//
// The generator is like Criteo's click logs in this: a sample has a fixed number of fields, each names one
// key, and a key's frequency follows a power law (Zipf): the r-th commonest has a share in proportion to
// r^-exponent.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside::inline ps {

struct SparseSample {
  bool label = false;
  std::vector<uint64_t> keys = {};  // rising
  std::vector<float> values = {};   // one for each key
};

struct SparseDataConfig {
  int64_t samples = 1000;
  uint64_t keys = 1000;
  int64_t fields = 10;    // keys of a sample, with value 1; one that is drawn twice counts once
  double exponent = 1.1;  // of the power law
  double noise = 0.1;     // of the labels these are drawn by a coin
  uint64_t seed = 1;
};
// Labels follow from weights that are drawn too: a model of this form can learn them.
std::vector<SparseSample> power_law_samples(const SparseDataConfig& config);

}  // namespace ringside::inline ps
