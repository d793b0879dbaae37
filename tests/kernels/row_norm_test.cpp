// The norms' kernels beside their twins on the CPU: every bit.
#include "on_device.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/kernels/norms.h"

using namespace ringside;
using norms::Rows;
using namespace ringside::testing;

namespace norms_of_rows {

std::vector<float> drawn(int64_t count, uint64_t seed) {
  RandomStream stream(seed, "norms on a device");
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(3 * stream.normal() + 5);
  return values;
}

// The CPU computes in fp32. For bf16 the values are rounded before, and the results behind.
template <typename Value>
struct Tensor {
  explicit Tensor(std::vector<float> values) : wide(std::move(values)), twin(narrow(wide)) {
    for (size_t i = 0; i < wide.size(); ++i)
      if constexpr (sizeof(Value) == 2) wide[i] = bf16_to_float(twin.cpu[i]);
  }
  explicit Tensor(int64_t count) : Tensor(std::vector<float>(static_cast<size_t>(count))) {}
  bool agrees() {
    twin.cpu = narrow(wide);
    return twin.agrees();
  }
  static std::vector<Value> narrow(const std::vector<float>& values) {
    std::vector<Value> narrowed;
    for (const float value : values)
      if constexpr (sizeof(Value) == 2)
        narrowed.push_back(float_to_bf16(value));
      else
        narrowed.push_back(value);
    return narrowed;
  }
  float* cpu() { return wide.data(); }
  Value* device() const { return twin.device(); }
  std::vector<float> wide;
  Twin<Value> twin;
};

template <typename Value>
struct Of {  // the CPU's, of `wide`, and the device's
  explicit Of(Rows its_rows) : rows(its_rows) {}
  const Rows rows;
  const int64_t cells = rows.count * rows.width, H = rows.width;
  Tensor<Value> x{drawn(cells, 1)}, dy{drawn(cells, 2)}, w{drawn(H, 3)}, b{drawn(H, 4)};
  Tensor<Value> y{cells}, dx{cells}, dw{H}, db{H};
  Twin<double> mean{static_cast<size_t>(rows.count)}, scale{static_cast<size_t>(rows.count)};
};

// shift: so many numbers behind what memory is aligned to stand the rows.
template <typename Value>
void compare_layer(Rows rows, int64_t shift, bool in_real) {
  Of<Value> of({rows.count + shift, rows.width});
  auto& [_, cells, H, x, dy, w, b, y, dx, dw, db, mean, scale] = of;
  INFO("layer norm, " << rows.count << " x " << rows.width << ", " << shift << ", " << in_real << ", "
                      << 8 * sizeof(Value) << " bits");
  norms::run(norms::LayerNormForward<float>{rows, 1e-5, x.cpu() + shift, w.cpu(), b.cpu(), y.cpu() + shift,
                                            mean.cpu.data(), scale.cpu.data(), in_real});
  norms::run(norms::LayerNormBackward<float>{rows, x.cpu() + shift, w.cpu(), mean.cpu.data(),
                                             scale.cpu.data(), dy.cpu() + shift, dx.cpu() + shift, dw.cpu(),
                                             db.cpu(), in_real});
  kernels::run(norms::LayerNormForward<Value>{rows, 1e-5, x.device() + shift, w.device(), b.device(),
                                              y.device() + shift, mean.device(), scale.device(), in_real});
  kernels::run(norms::LayerNormBackward<Value>{rows, x.device() + shift, w.device(), mean.device(),
                                               scale.device(), dy.device() + shift, dx.device() + shift,
                                               dw.device(), db.device(), in_real});
  CHECK((y.agrees() && mean.agrees() && scale.agrees()));
  CHECK((dx.agrees() && dw.agrees() && db.agrees()));
}

template <typename Value>
void compare_rms(Rows rows, int64_t shift, bool in_real) {
  Of<Value> of({rows.count + shift, rows.width});
  auto& [_, cells, H, x, dy, w, b, y, dx, dw, db, mean, scale] = of;
  INFO("RMS norm, " << rows.count << " x " << rows.width << ", " << shift << ", " << in_real << ", "
                    << 8 * sizeof(Value) << " bits");
  norms::run(norms::RmsNormForward<float>{rows, 1e-5, x.cpu() + shift, w.cpu(), y.cpu() + shift,
                                          scale.cpu.data(), in_real});
  norms::run(norms::RmsNormBackward<float>{rows, x.cpu() + shift, w.cpu(), scale.cpu.data(), dy.cpu() + shift,
                                           dx.cpu() + shift, dw.cpu(), in_real});
  kernels::run(norms::RmsNormForward<Value>{rows, 1e-5, x.device() + shift, w.device(), y.device() + shift,
                                            scale.device(), in_real});
  kernels::run(norms::RmsNormBackward<Value>{rows, x.device() + shift, w.device(), scale.device(),
                                             dy.device() + shift, dx.device() + shift, dw.device(), in_real});
  CHECK((y.agrees() && scale.agrees()));
  CHECK((dx.agrees() && dw.agrees()));
}

void compare(Rows rows, int64_t shift = 0) {
  for (const bool in_real : {false, true}) {
    compare_layer<float>(rows, shift, in_real);
    compare_rms<float>(rows, shift, in_real);
  }
  compare_layer<uint16_t>(rows, shift, true);
  compare_rms<uint16_t>(rows, shift, true);
}

}  // namespace norms_of_rows

TEST_CASE("the norms' kernels have the bits of their twins on the CPU") {
  if (!has_device()) return;
  // One part a row, some, many; one chunk of rows, some, and so many that they are added in one pass.
  const Rows some[] = {{0, 8},    {1, 1},   {3, 7},      {67, 63},  {64, 512}, {5, 609},
                       {33, 900}, {600, 9}, {225, 1100}, {2020, 3}, {2, 4100}, {2, kernels::kWidestRow}};
  for (const Rows rows : some) norms_of_rows::compare(rows);
  for (const Rows rows : {Rows{3, 8}, {5, 512}, {33, 900}}) norms_of_rows::compare(rows, 1);
  norms_of_rows::compare_layer<float>({2017, 514}, 0, true);
  norms_of_rows::compare_rms<float>({8200, 2}, 0, false);  // more chunks than lanes
  if (kernels::device_name() == "the host") return;
  const Rows large[] = {{8231, 17},   {8300, 2050}, {700, 4096}, {2081, 4095},
                        {2100, 5000}, {300, 8192},  {20, 16383}};
  for (const Rows rows : large) norms_of_rows::compare(rows);
}

TEST_CASE("a row that is too wide for a norm's kernel is refused") {
  const Rows rows{1, kernels::kWidestRow + 1};
  norms::RmsNormForward<float> forward{};
  norms::RmsNormBackward<float> backward{};
  forward.rows = backward.rows = rows;
  CHECK_THROWS_AS(kernels::run(forward), UsageError);
  CHECK_THROWS_AS(kernels::run(backward), UsageError);
}
