#include "ringside/base/random.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "ringside/base/check.h"

namespace ringside::inline base {
namespace {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: SplitMix64's step

// SplitMix64's output function: every input bit reaches every output bit.
uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

uint64_t fnv1a(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

// ln x by + - * / alone: the last bit of libm's log differs between libraries. With x = m 2^e, m in
// [1/sqrt 2, sqrt 2), and z = (m - 1) / (m + 1): ln m = 2 artanh z = 2 (z + z^3/3 + z^5/5 + ...), where
// |z| < 0.172, so that what is left out after z^19 is below 2^-55 of the sum.
double natural_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2;
    --exponent;
  }
  const double z = (m - 1) / (m + 1), z2 = z * z;
  double sum = 0;
  for (int odd = 19; odd >= 1; odd -= 2) sum = sum * z2 + 1.0 / odd;
  return exponent * std::numbers::ln2 + 2 * z * sum;
}

}  // namespace

uint64_t mix_seed(uint64_t seed, std::string_view purpose, uint64_t index) {
  const uint64_t named = mix(seed + kGolden) ^ fnv1a(purpose);
  return mix(mix(named + kGolden) + (index + 1) * kGolden);
}

uint64_t RandomStream::next() {
  state_ += kGolden;
  return mix(state_);
}

double RandomStream::uniform() { return double(next() >> 11) * 0x1p-53; }

uint64_t RandomStream::below(uint64_t bound) {
  RINGSIDE_CHECK_GE(bound, uint64_t{1});
  // 2^64 mod bound draws are thrown away, so that what is left divides evenly.
  const uint64_t rejected = (0 - bound) % bound;
  uint64_t draw = next();
  while (draw < rejected) draw = next();
  return draw % bound;
}

double RandomStream::normal() {
  double x = 0, y = 0, square = 0;  // a point of the unit disc
  do {
    x = 2 * uniform() - 1;
    y = 2 * uniform() - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  return x * std::sqrt(-2 * natural_log(square) / square);
}

std::vector<int64_t> permutation(int64_t count, RandomStream stream) {
  RINGSIDE_CHECK_GE(count, int64_t{0});
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[stream.below(left)]);
  return order;
}

}  // namespace ringside::inline base
