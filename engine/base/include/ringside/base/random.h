// Seeded random streams. A stream is named by (seed, purpose, index), so a draw
// depends on nothing else: not on the order of calls, the rank or the machine.
// Generator: SplitMix64 (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside::inline base {

// A 64-bit mix of a seed, a purpose ("model.norm.weight", "epoch") and an index.
uint64_t mix_seed(uint64_t seed, std::string_view purpose, uint64_t index = 0);

class RandomStream {
 public:
  RandomStream(uint64_t seed, std::string_view purpose, uint64_t index = 0)
      : state_(mix_seed(seed, purpose, index)) {}

  uint64_t next();
  double uniform();                // in [0, 1)
  uint64_t below(uint64_t bound);  // in [0, bound), without bias; bound >= 1
  // Mean 0, variance 1 (polar method: Marsaglia, Bray 1964, doi:10.1137/1006063), by + - * / and the
  // square root alone, which IEEE 754 rounds exactly: the same bits on every machine.
  double normal();

 private:
  uint64_t state_;
};

// 0 .. count-1 in an order drawn from the stream (Fisher-Yates).
std::vector<int64_t> permutation(int64_t count, RandomStream stream);

}  // namespace ringside::inline base
