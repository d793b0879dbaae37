// A norm has the same bits with every kind of vectors and wherever it is written, forward and backward.
#include "ringside/base/vectors.h"

#include "catch.h"
#include "ringside/base/random.h"
#include "ringside/norms/rms_norm.h"
#include "ringside/norms/set_norm.h"
#include "vectors_scope.h"

using namespace ringside;
using namespace ringside::norms;
using namespace ringside::testing;

namespace {

// The memory of a vector begins at a page: several tensors have the same places in a cache, and each may be
// written past the caches.
template <typename Real>
struct Pages {
  using value_type = Real;
  static constexpr std::align_val_t kPage{4096};
  Real* allocate(size_t count) { return static_cast<Real*>(::operator new(count * sizeof(Real), kPage)); }
  void deallocate(Real* values, size_t) { ::operator delete(values, kPage); }
  bool operator==(const Pages&) const = default;
};
template <typename Real>
using Numbers = std::vector<Real, Pages<Real>>;

template <typename Real>
Numbers<Real> numbers(int64_t count, uint64_t seed, double mean, double deviation) {
  RandomStream stream(seed, "norms with vectors");
  Numbers<Real> values(static_cast<size_t>(count));
  for (Real& value : values) value = static_cast<Real>(mean + deviation * stream.normal());
  return values;
}

using Bytes = std::vector<unsigned char>;

void append(Bytes& bytes, const auto& values) {
  const auto* const first = reinterpret_cast<const unsigned char*>(std::data(values));
  bytes.insert(bytes.end(), first, first + std::size(values) * sizeof(values[0]));
}

// What a norm puts out.
struct Output {
  Bytes y, dx, others;
  bool operator==(const Output&) const = default;
};

template <typename Real>
struct Case {
  Rows rows;
  Numbers<Real> x, w, b, dy;
  int64_t after = 0;  // so many numbers behind a page's begin stands what is written

  Case(Rows of, double mean, double deviation)
      : rows(of),
        x(numbers<Real>(of.count * of.width, 1, mean, deviation)),
        w(numbers<Real>(of.width, 2, 1, 1)),
        b(numbers<Real>(of.width, 3, 0, 1)),
        dy(numbers<Real>(of.count * of.width, 4, 0, 1)) {
    if (of.count > 2) std::fill_n(x.begin() + of.width, of.width, x[0]);  // one row is constant
  }

  Case part(int64_t first, int64_t count) const {
    Case result = *this;
    result.rows.count = count;
    for (Numbers<Real>* values : {&result.x, &result.dy})
      *values = {values->begin() + first * rows.width, values->begin() + (first + count) * rows.width};
    return result;
  }
  Numbers<Real> room() const { return Numbers<Real>(x.size() + static_cast<size_t>(after)); }
  std::span<Real> in(Numbers<Real>& room) const {
    return std::span(room).subspan(static_cast<size_t>(after));
  }
};

template <typename Real>
Output layer_norm(const Case<Real>& in) {
  Numbers<Real> y_room = in.room(), dx_room = in.room(), dw(in.w), db(in.w);
  const auto y = in.in(y_room), dx = in.in(dx_room);
  std::vector<double> mean(static_cast<size_t>(in.rows.count)), scale(mean);
  run(LayerNormForward<Real>{in.rows, 1e-5, in.x.data(), in.w.data(), in.b.data(), y.data(), mean.data(),
                             scale.data()});
  run(LayerNormBackward<Real>{in.rows, in.x.data(), in.w.data(), mean.data(), scale.data(), in.dy.data(),
                              dx.data(), dw.data(), db.data()});
  Output out;
  append(out.y, y), append(out.dx, dx);
  append(out.others, dw), append(out.others, db), append(out.others, mean), append(out.others, scale);
  return out;
}

template <typename Real>
Output rms_norm(const Case<Real>& in) {
  Numbers<Real> y_room = in.room(), dx_room = in.room(), dw(in.w);
  const auto y = in.in(y_room), dx = in.in(dx_room);
  std::vector<double> scale(static_cast<size_t>(in.rows.count));
  run(RmsNormForward<Real>{in.rows, 1e-5, in.x.data(), in.w.data(), y.data(), scale.data()});
  run(RmsNormBackward<Real>{in.rows, in.x.data(), in.w.data(), scale.data(), in.dy.data(), dx.data(),
                            dw.data()});
  Output out;
  append(out.y, y), append(out.dx, dx), append(out.others, dw), append(out.others, scale);
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
  Numbers<Real> y(in.x), dx(in.x);
  normalise(block, of, in.w.data(), in.b.data(), in.x.data(), y.data());
  const GradientSums sums = gradient_sums(block, of, in.x.data(), in.dy.data());
  normalise_backward(block, of, in.w.data(), sums.dy, sums.dy_u, in.x.data(), in.dy.data(), dx.data());
  Output out;
  append(out.y, y), append(out.dx, dx);
  append(out.others, mean), append(out.others, scale);
  append(out.others, sums.dy), append(out.others, sums.dy_u);
  return out;
}

template <typename Real>
void compare(const Case<Real>& in, Output (*norm)(const Case<Real>&), const std::vector<Vectors>& wide) {
  const VectorsScope base(Vectors::kBase);
  const Output narrow = norm(in);
  for (const Vectors vectors : wide) {
    INFO(in.rows.count << " x " << in.rows.width << ", " << sizeof(Real) << " bytes, " << to_string(vectors));
    use_vectors(vectors);
    const bool equal = norm(in) == narrow;  // Catch would print a million of them
    CHECK(equal);
  }
}

constexpr Rows kSmall[] = {{1, 1},    {3, 7},   {5, 31},  {4, 32},  {6, 63},   {70, 64},  {9, 65},  {4, 96},
                           {257, 68}, {2, 256}, {3, 257}, {9, 768}, {5, 1000}, {7, 1024}, {2, 1056}};
// Larger than a second-level cache; and tensors of which what is written goes past the caches, by four rows,
// by two, by one.
constexpr Rows kLarge = {1030, 1031}, kPastCaches[] = {{2739, 768}, {4099, 512}, {2049, 1024}};

template <typename Real>
void compare(const std::vector<Vectors>& wide) {
  for (const Rows rows : kSmall)
    for (const auto& [mean, deviation] : {std::pair{0.5, 1.0}, {1e3, 1e-2}, {0.0, 1e20}, {0.0, 1e-20}}) {
      INFO("mean " << mean << ", deviation " << deviation);
      const Case<Real> in(rows, mean, deviation);
      for (const auto norm : {layer_norm<Real>, rms_norm<Real>, set_norm<Real>}) compare(in, norm, wide);
    }
  const Case<Real> large(kLarge, 0.5, 1);
  for (const auto norm : {layer_norm<Real>, rms_norm<Real>, set_norm<Real>}) compare(large, norm, wide);
}

// However many rows are taken together, and wherever results are written: a row has the same bits.
void compare_places(Case<float> in, Output (*norm)(const Case<float>&)) {
  const Output whole = norm(in);
  Bytes y, dx;
  constexpr int64_t kPart = 101;
  for (int64_t first = 0; first < in.rows.count; first += kPart) {
    const Output part = norm(in.part(first, std::min(kPart, in.rows.count - first)));
    append(y, part.y), append(dx, part.dx);
  }
  CHECK(bool(whole.y == y));
  CHECK(bool(whole.dx == dx));
  in.after = 1;
  CHECK(bool(norm(in) == whole));
}

}  // namespace

TEST_CASE("all vectors have the same bits in every norm, and so has a row in any tensor") {
  std::vector<Vectors> wide;
  for (const Vectors vectors : {Vectors::kAvx2, Vectors::kAvx512})
    if (can_use(vectors))
      wide.push_back(vectors);
    else
      WARN("not compared: there is no " << to_string(vectors) << " here");
  compare<float>(wide);
  compare<double>(wide);
  for (const Rows rows : kPastCaches) {
    const Case<float> in(rows, 0.5, 1);
    for (const auto norm : {layer_norm<float>, rms_norm<float>}) compare(in, norm, wide);
  }
  for (const Rows rows : {Rows{2400, 512}, {1101, 1040}, {2115, 1040}}) {  // 4.7, 4.4 and 8.4 MiB
    INFO(rows.count << " x " << rows.width);
    const Case<float> in(rows, 1, 1);
    for (const auto norm : {layer_norm<float>, rms_norm<float>}) compare_places(in, norm);
  }
}
