// A norm has the same bits with every kind of vectors, forward and backward.
#include "ringside/base/vectors.h"

#include <bit>
#include <cstring>

#include "catch.h"
#include "ringside/base/random.h"
#include "ringside/norms/rms_norm.h"
#include "ringside/norms/set_norm.h"
#include "vectors_scope.h"

using namespace ringside;
using namespace ringside::norms;
using namespace ringside::testing;

namespace {

template <typename Real>
std::vector<Real> numbers(int64_t count, uint64_t seed, double mean, double deviation) {
  RandomStream stream(seed, "norms with vectors");
  std::vector<Real> values(static_cast<size_t>(count));
  for (Real& value : values) value = static_cast<Real>(mean + deviation * stream.normal());
  return values;
}

// What a norm puts out, as bytes.
struct Output {
  std::vector<unsigned char> bytes;
  template <typename Real>
  void add(const std::vector<Real>& values) {
    const size_t before = bytes.size();
    bytes.resize(before + values.size() * sizeof(Real));
    std::memcpy(bytes.data() + before, values.data(), values.size() * sizeof(Real));
  }
};

template <typename Real>
struct Case {
  Rows rows;
  std::vector<Real> x, w, b, dy;
  Case(Rows of, double mean, double deviation)
      : rows(of),
        x(numbers<Real>(of.count * of.width, 1, mean, deviation)),
        w(numbers<Real>(of.width, 2, 1, 1)),
        b(numbers<Real>(of.width, 3, 0, 1)),
        dy(numbers<Real>(of.count * of.width, 4, 0, 1)) {
    if (of.count > 2) std::fill_n(x.begin() + of.width, of.width, x[0]);  // one row is constant
  }
};

template <typename Real>
Output layer_norm(const Case<Real>& in) {
  std::vector<Real> y(in.x), dx(in.x), dw(in.w), db(in.w);
  std::vector<double> mean(static_cast<size_t>(in.rows.count)), scale(mean);
  run(LayerNormForward<Real>{in.rows, 1e-5, in.x.data(), in.w.data(), in.b.data(), y.data(), mean.data(),
                             scale.data()});
  run(LayerNormBackward<Real>{in.rows, in.x.data(), in.w.data(), mean.data(), scale.data(), in.dy.data(),
                              dx.data(), dw.data(), db.data()});
  Output out;
  for (const auto* part : {&y, &dx, &dw, &db}) out.add(*part);
  out.add(mean), out.add(scale);
  return out;
}

template <typename Real>
Output rms_norm(const Case<Real>& in) {
  std::vector<Real> y(in.x), dx(in.x), dw(in.w);
  std::vector<double> scale(static_cast<size_t>(in.rows.count));
  run(RmsNormForward<Real>{in.rows, 1e-5, in.x.data(), in.w.data(), y.data(), scale.data()});
  run(RmsNormBackward<Real>{in.rows, in.x.data(), in.w.data(), scale.data(), in.dy.data(), dx.data(),
                            dw.data()});
  Output out;
  for (const auto* part : {&y, &dx, &dw}) out.add(*part);
  out.add(scale);
  return out;
}

// All the passes of batch, group and instance norm.
template <typename Real>
Output set_norm(const Case<Real>& in) {
  const Block block{in.rows.count, in.rows.width};
  Sums mean = sum_of(block, in.x.data());
  for (double& m : mean) m /= static_cast<double>(in.rows.count);
  Sums scale = squares_of(block, in.x.data(), mean.data());
  for (double& s : scale) s = 1 / (1e-3 + s);
  const SetStatistics of{mean.data(), scale.data()};
  std::vector<Real> y(in.x), dx(in.x);
  normalise(block, of, in.w.data(), in.b.data(), in.x.data(), y.data());
  const GradientSums sums = gradient_sums(block, of, in.x.data(), in.dy.data());
  normalise_backward(block, of, in.w.data(), sums.dy, sums.dy_u, in.x.data(), in.dy.data(), dx.data());
  Output out;
  out.add(mean), out.add(scale), out.add(sums.dy), out.add(sums.dy_u), out.add(y), out.add(dx);
  return out;
}

template <typename Real>
void compare(Vectors wide) {
  for (const Rows rows : {Rows{1, 1},
                          {3, 7},
                          {5, 31},
                          {4, 32},
                          {6, 63},
                          {70, 64},
                          {9, 65},
                          {4, 96},
                          {257, 68},
                          {2, 256},
                          {3, 257},
                          {5, 1000},
                          {2, 1056},
                          {1030, 1031}}) {
    for (const auto& [mean, deviation] : {std::pair{0.5, 1.0}, {1e3, 1e-2}, {0.0, 1e20}, {0.0, 1e-20}}) {
      if (rows.count > 1000 && mean != 0.5) continue;  // a tensor that is larger than a cache, once
      INFO(rows.count << " x " << rows.width << ", mean " << mean << ", deviation " << deviation << ", "
                      << sizeof(Real) << " bytes, " << to_string(wide));
      const Case<Real> in(rows, mean, deviation);
      for (const auto norm : {layer_norm<Real>, rms_norm<Real>, set_norm<Real>}) {
        const VectorsScope base(Vectors::kBase);
        const Output narrow = norm(in);
        use_vectors(wide);
        const bool equal = norm(in).bytes == narrow.bytes;  // Catch would print a million of them
        CHECK(equal);
      }
    }
  }
}

}  // namespace

TEST_CASE("all vectors have the same bits in every norm, forward and backward") {
  for (const Vectors wide : {Vectors::kAvx2, Vectors::kAvx512}) {
    if (!can_use(wide)) {
      WARN("not compared: there is no " << to_string(wide) << " here");
      continue;
    }
    compare<float>(wide);
    compare<double>(wide);
  }
}
