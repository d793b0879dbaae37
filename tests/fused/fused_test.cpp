// The exponential function against libm's in a wider type, and all loops with every kind of vectors.
#include <cmath>
#include <limits>

#include "catch.h"
#include "numbers.h"
#include "ringside/base/random.h"
#include "ringside/fused/heads.h"
#include "ringside/fused/softmax.h"
#include "ringside/fused/swiglu.h"
#include "vectors_scope.h"

using namespace ringside;
using namespace ringside::fused;
using namespace ringside::testing;

namespace {

template <typename Real>
Real our_exponential(Real x) {
  Numbers<16, Real> values = Numbers<16, Real>{} + x;
  exponential<16, Real>(values);
  return values[0];
}

// The largest distance from e^x, in units of the last place of the result.
template <typename Real>
double worst_error(int64_t points) {
  double worst = 0;
  for (int64_t i = 0; i <= points; ++i) {
    const auto x =
        static_cast<Real>(OfExponential<Real>::kLeast * static_cast<double>(i) / static_cast<double>(points));
    const long double exact = std::exp(static_cast<long double>(x));
    const Real rounded = static_cast<Real>(exact), unit = std::nextafter(rounded, Real{2}) - rounded;
    worst = std::max(worst, static_cast<double>(std::abs(our_exponential(x) - exact) / unit));
  }
  return worst;
}

template <typename Real>
void check_exponential() {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  CHECK(worst_error<Real>(300'000) < 2);
  CHECK(our_exponential(Real{0}) == 1);
  CHECK(our_exponential(-std::numeric_limits<Real>::denorm_min()) == 1);
  CHECK(our_exponential(2 * OfExponential<Real>::kLeast) == 0);
  CHECK(our_exponential(-std::numeric_limits<Real>::max()) == 0);
  CHECK(our_exponential(-kInfinity) == 0);
  CHECK(std::isnan(our_exponential(std::numeric_limits<Real>::quiet_NaN())));
}

template <typename Real>
std::vector<Real> numbers(int64_t count, uint64_t seed) {
  RandomStream stream(seed, "fused");
  std::vector<Real> values(static_cast<size_t>(count));
  for (Real& value : values) value = static_cast<Real>(3 * stream.normal());
  return values;
}

// What all the loops put out, one behind the other.
template <typename Real>
std::vector<Real> all_results(int64_t T, int64_t D) {
  constexpr int64_t B = 2, A = 3;
  const int64_t cells = B * T * A * D, scores = B * A * T * T;
  std::vector<Real> out;
  const auto room = [&](int64_t count) {
    out.resize(out.size() + static_cast<size_t>(count));
    return out.data() + out.size() - count;
  };
  out.reserve(static_cast<size_t>(7 * cells + 2 * scores));
  const auto a = numbers<Real>(cells, 1), b = numbers<Real>(cells, 2), c = numbers<Real>(cells, 3),
             s = numbers<Real>(scores, 4), dp = numbers<Real>(scores, 5);
  run(SwigluForward<Real>{cells, a.data(), b.data(), room(cells)});
  Real* const dg = room(cells);
  run(SwigluBackward<Real>{cells, a.data(), b.data(), c.data(), dg, room(cells)});
  const auto cos = numbers<float>(T * D, 6), sin = numbers<float>(T * D, 7);
  for (const Turn turn : {Turn{cos.data(), sin.data()}, Turn{}}) {
    run(HeadsApart<Real>{{B, T, A, D}, turn, a.data(), room(cells)});
    run(HeadsTogether<Real>{{B, T, A, D}, turn, a.data(), room(cells)});
  }
  auto mask = numbers<float>(B * T * (T + 1), 8);
  for (size_t i = 1; i < mask.size(); i += 3) mask[i] = -std::numeric_limits<float>::infinity();
  Real* const p = room(scores);
  run(SoftmaxForward<Real>{{B, A, T, 0.5}, {mask.data(), T + 1, T * (T + 1)}, s.data(), p});
  run(SoftmaxBackward<Real>{{B, A, T, 0.5}, p, dp.data(), room(scores)});
  return out;
}

template <typename Real>
void compare_vectors() {
  for (const auto& [T, D] : {std::pair<int64_t, int64_t>{2, 2}, {5, 6}, {17, 8}, {37, 34}, {64, 64}}) {
    const VectorsScope base(Vectors::kBase);
    const std::vector<Real> narrow = all_results<Real>(T, D);
    for (const Vectors vectors : kAllVectors) {
      if (!can_use(vectors)) continue;
      INFO("T " << T << ", D " << D << ", " << to_string(vectors));
      use_vectors(vectors);
      const std::vector<Real> wide = all_results<Real>(T, D);
      CHECK(std::memcmp(wide.data(), narrow.data(), wide.size() * sizeof(Real)) == 0);
    }
  }
}

}  // namespace

TEST_CASE("heads of a batch without its padding are those of the padded one, with zeros there") {
  constexpr int64_t B = 3, T = 4, A = 2, D = 6, kWidth = A * D;
  const std::vector<int64_t> rows = {1, 2, 3,  4,
                                     8, 9, 10, 11};  // padded on the left, on the right, not at all
  const auto cos = numbers<float>(T * D, 1), sin = numbers<float>(T * D, 2);
  const auto packed = numbers<double>(std::ssize(rows) * kWidth, 3);
  std::vector<double> padded(B * T * kWidth), all(padded.size()), own(padded.size(), NAN),
      together(padded.size()), back(packed.size());
  for (size_t r = 0; r < rows.size(); ++r)
    std::copy_n(&packed[r * kWidth], kWidth, &padded[static_cast<size_t>(rows[r]) * kWidth]);
  const Heads whole{B, T, A, D}, of{B, T, A, D, rows.data(), std::ssize(rows)};
  for (const Turn turn : {Turn{cos.data(), sin.data()}, Turn{}}) {
    run(HeadsApart<double>{whole, turn, padded.data(), all.data()});
    run(HeadsApart<double>{of, turn, packed.data(), own.data()});
    CHECK(own == all);
    run(HeadsTogether<double>{whole, turn, all.data(), together.data()});
    run(HeadsTogether<double>{of, turn, all.data(), back.data()});
    for (size_t r = 0; r < rows.size(); ++r)
      CHECK(std::equal(&back[r * kWidth], &back[r * kWidth] + kWidth,
                       &together[static_cast<size_t>(rows[r]) * kWidth]));
  }
}

TEST_CASE("e^x is within 2 units of the last place, and 0 below the least normal number") {
  check_exponential<float>();
  check_exponential<double>();
}

TEST_CASE("all vectors have the same bits in every fused loop") {
  compare_vectors<float>();
  compare_vectors<double>();
}
