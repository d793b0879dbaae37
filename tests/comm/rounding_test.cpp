// The order of a sum and the rounding of bfloat16, which decide every bit of a result.
#include <catch.h>

#include <bit>
#include <cmath>
#include <limits>

#include "on_ranks.h"
#include "ringside/base/random.h"
#include "ringside/comm/accumulator.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

uint16_t round_to_bf16(float value) {
  uint16_t out = 0;
  reduce_into({&out, 1, Dtype::kBFloat16}, {{&value, 1, Dtype::kFloat32}});
  return out;
}

std::vector<float> random_values(int rank, int64_t count) {
  RandomStream stream(3, "values", rank);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(stream.normal());
  return values;
}

float widen(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }
uint16_t exact(float value) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16); }

}  // namespace

TEST_CASE("float32 is added in rank order, to the bit") {
  for (const int64_t count : {100, 5003}) {  // on one thread, and on all
    std::vector<float> expected = random_values(0, count);
    for (int rank = 1; rank < 5; ++rank) {
      const std::vector<float> values = random_values(rank, count);
      for (int64_t i = 0; i < count; ++i) expected[i] += values[i];
    }
    on_ranks(5, [&](ProcessGroup& group) {
      std::vector<float> buffer = random_values(group.rank(), count);
      group.all_reduce({buffer.data(), count, Dtype::kFloat32}, {})->wait();
      if (buffer != expected) throw std::runtime_error("not in rank order");
    });
  }
}

TEST_CASE("bfloat16 is added in float32 and rounded once") {
  on_ranks(3, [&](ProcessGroup& group) {
    uint16_t value = exact(group.rank() == 0 ? 256.0f : 1.0f);  // 257 is no bfloat16, 258 is
    group.all_reduce({&value, 1, Dtype::kBFloat16}, {})->wait();
    if (widen(value) != 258.0f) throw std::runtime_error("rounded more than once");
  });
  uint16_t sum = exact(256.0f), one = exact(1.0f);
  for (int i = 0; i < 2; ++i) add_into({&sum, 1, Dtype::kBFloat16}, {&one, 1, Dtype::kBFloat16});
  CHECK(widen(sum) == 256.0f);  // one rounding an addition, as a ring does it
}

TEST_CASE("bfloat16 is float32 behind what is there, as float32 is") {
  const uint16_t narrow[] = {exact(2.0f), exact(-3.0f)};
  const float four = 4;
  const double five = 5;
  std::vector<float> all{1};
  append_as_float(all, {narrow, 2, Dtype::kBFloat16});
  append_as_float(all, {&four, 1, Dtype::kFloat32});
  CHECK(all == std::vector<float>{1, 2, -3, 4});
  CHECK_THROWS_AS(append_as_float(all, {&five, 1, Dtype::kFloat64}), InvariantError);
}

TEST_CASE("bfloat16 rounds to nearest, ties to even") {
  CHECK(widen(round_to_bf16(257.0f)) == 256.0f);  // tie, down to even
  CHECK(widen(round_to_bf16(259.0f)) == 260.0f);  // tie, up to even
  CHECK(widen(round_to_bf16(256.5f)) == 256.0f);
  CHECK(widen(round_to_bf16(257.5f)) == 258.0f);
  CHECK(widen(round_to_bf16(-259.0f)) == -260.0f);
  RandomStream stream(1, "bits");
  for (int i = 0; i < 100000; ++i) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(stream.next()));
    if (!std::isfinite(value) || std::abs(value) > 3.3e38f) continue;
    const uint16_t nearest = round_to_bf16(value);
    const double distance = std::abs(double{value} - widen(nearest));
    for (const int neighbour : {nearest - 1, nearest + 1}) {  // of zero, one of them is a NaN: never nearer
      const double other = std::abs(double{value} - widen(static_cast<uint16_t>(neighbour)));
      if (other < distance) FAIL("a bfloat16 is nearer to " << value);
    }
  }
}

TEST_CASE("infinities and NaN keep their meaning") {
  const float infinity = std::numeric_limits<float>::infinity();
  const uint16_t nan = 0x7f81;  // a payload whose bits rounding alone would lose or overflow
  const uint16_t largest = 0x7f7f;
  uint16_t sum = largest;
  add_into({&sum, 1, Dtype::kBFloat16}, {&largest, 1, Dtype::kBFloat16});
  CHECK(widen(sum) == infinity);
  sum = exact(1.0f);
  add_into({&sum, 1, Dtype::kBFloat16}, {&nan, 1, Dtype::kBFloat16});
  CHECK(sum == 0x7fc0);
  const uint16_t half[] = {0x7800, 0x7bff, 0x7c00};  // fp16: 32768, 65504 and infinity
  CHECK(first_non_finite({half, 3, Dtype::kFloat16}) == 2);
}

TEST_CASE("a NaN wins a maximum, from whichever rank") {
  for (int bad = 0; bad < 3; ++bad) {
    on_ranks(3, [&](ProcessGroup& group) {
      float value = group.rank() == bad ? std::nanf("") : 1.0f;
      group.all_reduce({&value, 1, Dtype::kFloat32}, {}, ReduceOp::kMax)->wait();
      if (!std::isnan(value)) throw std::runtime_error("the NaN was lost");
    });
  }
}

TEST_CASE("chunks tile any count") {
  for (const int size : {1, 2, 3, 5, 8}) {
    for (const int64_t n : {int64_t{0}, int64_t{1}, int64_t{7}, int64_t{1} << 62}) {
      int64_t next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const Chunk chunk = chunk_of(n, size, rank);
        CHECK(chunk.offset == next);
        CHECK(chunk.count >= n / size);
        CHECK(chunk.count <= n / size + 1);
        next += chunk.count;
      }
      CHECK(next == n);
    }
  }
}
