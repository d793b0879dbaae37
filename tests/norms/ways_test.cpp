// However many rows are taken together, and wherever results are written: a row has the same bits.
#include "catch.h"
#include "ringside/base/random.h"
#include "ringside/norms/rms_norm.h"

using namespace ringside;
using namespace ringside::norms;

namespace {

std::vector<float> numbers(int64_t count, uint64_t seed) {
  RandomStream stream(seed, "norms of large tensors");
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(1 + stream.normal());
  return values;
}

// Room for so many numbers that begins so many numbers after a cache line.
class Placed {
 public:
  Placed(int64_t count, int64_t after) : count_(count), memory_(static_cast<size_t>(count + after + 16)) {
    const auto address = reinterpret_cast<uintptr_t>(memory_.data());
    data_ = memory_.data() + (64 - address % 64) % 64 / sizeof(float) + after;
  }
  float* data() { return data_; }
  std::vector<float> values() const { return {data_, data_ + count_}; }

 private:
  int64_t count_;
  std::vector<float> memory_;
  float* data_;
};

struct Inputs {
  Rows rows;
  std::vector<float> x, w, b, dy;
  explicit Inputs(Rows of)
      : rows(of),
        x(numbers(of.count * of.width, 1)),
        w(numbers(of.width, 2)),
        b(numbers(of.width, 3)),
        dy(numbers(of.count * of.width, 4)) {}
};

struct Results {
  std::vector<float> y, dx, dw, db;
};

// Of the rows from `first` on.
template <bool kLayer>
Results run_norm(const Inputs& in, int64_t first, int64_t count, int64_t after) {
  const Rows rows{count, in.rows.width};
  const int64_t cells = count * rows.width;
  const float *const x = in.x.data() + first * rows.width, *const dy = in.dy.data() + first * rows.width;
  Placed y(cells, after), dx(cells, after), dw(rows.width, 0), db(rows.width, 0);
  std::vector<double> mean(static_cast<size_t>(count)), scale(mean);
  if constexpr (kLayer) {
    run(LayerNormForward<float>{rows, 1e-5, x, in.w.data(), in.b.data(), y.data(), mean.data(),
                                scale.data()});
    run(LayerNormBackward<float>{rows, x, in.w.data(), mean.data(), scale.data(), dy, dx.data(), dw.data(),
                                 db.data()});
  } else {
    run(RmsNormForward<float>{rows, 1e-5, x, in.w.data(), y.data(), scale.data()});
    run(RmsNormBackward<float>{rows, x, in.w.data(), scale.data(), dy, dx.data(), dw.data()});
  }
  return {y.values(), dx.values(), dw.values(), db.values()};
}

template <bool kLayer>
void compare(const Inputs& in) {
  const Results whole = run_norm<kLayer>(in, 0, in.rows.count, 0);
  const Results elsewhere = run_norm<kLayer>(in, 0, in.rows.count, 1);
  CHECK(bool(whole.y == elsewhere.y));
  CHECK(bool(whole.dx == elsewhere.dx));
  CHECK(bool(whole.dw == elsewhere.dw));
  CHECK(bool(whole.db == elsewhere.db));
  std::vector<float> y, dx;
  constexpr int64_t kPart = 101;
  for (int64_t first = 0; first < in.rows.count; first += kPart) {
    const Results part = run_norm<kLayer>(in, first, std::min(kPart, in.rows.count - first), 0);
    y.insert(y.end(), part.y.begin(), part.y.end());
    dx.insert(dx.end(), part.dx.begin(), part.dx.end());
  }
  CHECK(bool(whole.y == y));
  CHECK(bool(whole.dx == dx));
}

}  // namespace

TEST_CASE("a row has the same bits in a small tensor, in a large one, and in one written past the caches") {
  for (const Rows rows : {Rows{2400, 512}, {1101, 1040}, {2115, 1040}}) {  // 4.7, 4.4 and 8.4 MiB
    INFO(rows.count << " x " << rows.width);
    const Inputs in(rows);
    compare<true>(in);
    compare<false>(in);
  }
}
