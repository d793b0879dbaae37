#include "ringside/optim/exact_square_sum.h"

#include "catch.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/random.h"
#include "ringside/base/vectors.h"

using namespace ringside;

namespace {

uint64_t bits_of(const ExactSquareSum& sum) { return std::bit_cast<uint64_t>(sum.value()); }

ExactSquareSum sum_of(const std::vector<float>& values) {
  ExactSquareSum sum;
  sum.add(values.data(), static_cast<int64_t>(values.size()), Dtype::kFloat32);
  return sum;
}

// Magnitudes from 2^-40 to 2^40: added in doubles, their order would show.
std::vector<float> wide_values(int64_t count) {
  RandomStream stream(3, "wide");
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(
        static_cast<float>(std::ldexp(stream.normal(), static_cast<int>(stream.below(81)) - 40)));
  return values;
}

double naive(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  return sum;
}

// Squares of floats are exact in 64 bits of mantissa; so the smallest first, few roundings are left.
double careful(std::vector<float> values) {
  std::sort(values.begin(), values.end(), [](float a, float b) { return std::abs(a) < std::abs(b); });
  long double sum = 0;
  for (const float value : values) sum += static_cast<long double>(value) * value;
  return static_cast<double>(sum);
}

}  // namespace

TEST_CASE("the sum is the same in any order, and however it is split over ranks") {
  std::vector<float> values = wide_values(2000);
  const uint64_t expected = bits_of(sum_of(values));
  CHECK(sum_of(values).value() == Approx(careful(values)).epsilon(1e-14));
  bool doubles_differ = false;
  for (uint64_t shuffle = 0; shuffle < 20; ++shuffle) {
    std::vector<float> other;
    for (const int64_t i : permutation(2000, RandomStream(shuffle, "order")))
      other.push_back(values[static_cast<size_t>(i)]);
    CHECK(bits_of(sum_of(other)) == expected);
    doubles_differ = doubles_differ || naive(other) != naive(values);
  }
  CHECK(doubles_differ);
  const std::vector<float> split = wide_values(1001);
  const uint64_t whole = bits_of(sum_of(split));
  for (const int64_t ranks : {2, 3, 8, 1001}) {
    ExactSquareSum total;
    for (int64_t r = 0; r < ranks; ++r) {
      const int64_t begin = r * 1001 / ranks, end = (r + 1) * 1001 / ranks;
      ExactSquareSum part;
      part.add(split.data() + begin, end - begin, Dtype::kFloat32);
      for (int64_t i = 0; i < kNormLimbs; ++i) total.limbs()[i] += part.limbs()[i];
    }
    INFO(ranks << " ranks");
    CHECK(bits_of(total) == whole);
  }
}

TEST_CASE("one square is exact at every exponent; small ones are not lost beside a huge one") {
  for (int exponent = -149; exponent <= 127; ++exponent)
    for (const double mantissa : {1.0, 1.0 + 0x1p-23, 2.0 - 0x1p-23}) {
      const auto value = static_cast<float>(std::ldexp(mantissa, exponent));
      if (std::isinf(value)) continue;
      INFO(value);
      CHECK(sum_of({-value}).value() == static_cast<double>(value) * value);
    }
  CHECK(sum_of({}).value() == 0);
  CHECK(sum_of({0.0f, -0.0f}).value() == 0);
  std::vector<float> values(1 << 16, 0x1p-30f);
  values.push_back(0x1p20f);  // 2^40 + 2^16 2^-60: 84 bits apart, then cancelled by nothing
  ExactSquareSum sum = sum_of(values);
  CHECK(sum.value() == 0x1p40);
  const ExactSquareSum huge = sum_of({0x1p20f});
  ExactSquareSum negative = huge;
  for (int64_t i = 0; i < kNormLimbs; ++i) sum.limbs()[i] -= negative.limbs()[i];
  CHECK(sum.value() == 0x1p-44);  // all of them are still there
}

TEST_CASE("the largest floats do not overflow, what is not finite is NaN, bf16 counts its value") {
  const std::vector<float> values(100000, std::numeric_limits<float>::max());
  const double square = static_cast<double>(values[0]) * values[0];
  CHECK(sum_of(values).value() == Approx(100000 * square).epsilon(1e-15));
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
    ExactSquareSum sum = sum_of({1.0f, bad, 2.0f});
    CHECK(std::isnan(sum.value()));
    ExactSquareSum other = sum_of({1.0f});
    for (int64_t i = 0; i < kNormLimbs; ++i) other.limbs()[i] += sum.limbs()[i];
    CHECK(std::isnan(other.value()));
  }
  std::vector<uint16_t> narrow;
  std::vector<float> same;
  for (const float value : wide_values(300)) {
    narrow.push_back(float_to_bf16(value));
    same.push_back(bf16_to_float(narrow.back()));
  }
  ExactSquareSum sum;
  sum.add(narrow.data(), 300, Dtype::kBFloat16);
  CHECK(bits_of(sum) == bits_of(sum_of(same)));
}

TEST_CASE("with any vectors the sum is that of each element's own, whatever lies beside it") {
  std::vector<float> values(140001, -std::ldexp(2.0f - 0x1p-23f, -30));  // more than a table holds
  for (size_t i = 0; i < values.size(); i += 50) values[i] = 0x1p20f;
  for (size_t i = 0; i < 9000; ++i) values[i] = std::ldexp(1.0f, -static_cast<int>(i / 60));  // to denormals
  ExactSquareSum expected;
  for (const float value : values) {
    ExactSquareSum own = sum_of({value});
    for (int64_t i = 0; i < kNormLimbs; ++i) expected.limbs()[i] += own.limbs()[i];
  }
  const Vectors before = vectors_in_use();
  for (const Vectors vectors : kAllVectors) {
    if (!can_use(vectors)) continue;
    use_vectors(vectors);
    INFO(to_string(vectors));
    ExactSquareSum difference = sum_of(values);  // a double of the sum does not show the small ones
    for (int64_t i = 0; i < kNormLimbs; ++i) difference.limbs()[i] -= expected.limbs()[i];
    CHECK(difference.value() == 0);
  }
  use_vectors(before);
}
