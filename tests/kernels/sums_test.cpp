// Ordered sums, copies and exact sums of squares beside the CPU's: every bit.
#include "ringside/kernels/sums.h"

#include "odd_values.h"
#include "on_device.h"
#include "patience.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "ringside/comm/accumulator.h"
#include "ringside/kernels/on_device.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

template <typename Value>
std::vector<Value> values_of(int64_t count, uint64_t seed) {
  const std::vector<float> drawn = odd_values<float>(count, seed);
  std::vector<Value> values;
  for (const float value : drawn)
    if constexpr (sizeof(Value) == 2)
      values.push_back(float_to_bf16(value));
    else
      values.push_back(value == value ? value
                                      : 0);  // which of two NaNs a sum keeps is the instruction's choice
  return values;
}

template <typename Value>
void compare_sum(int64_t count, size_t ranks) {
  constexpr Dtype kDtype = sizeof(Value) == 2 ? Dtype::kBFloat16 : Dtype::kFloat32;
  std::vector<Twin<Value>> inputs;
  std::vector<ConstView> views;
  std::vector<const void*> pointers;
  for (size_t r = 0; r < ranks; ++r) inputs.emplace_back(values_of<Value>(count, r + 1));
  for (const auto& input : inputs) {
    views.push_back({input.cpu.data(), count, kDtype});
    pointers.push_back(input.device());
  }
  reduce_into({inputs[0].cpu.data(), count, kDtype}, views);
  kernels::ordered_sum(inputs[0].device(), pointers, count, kDtype);
  INFO(count << " elements of " << ranks << " ranks, " << 8 * sizeof(Value) << " bits");
  if constexpr (sizeof(Value) == 4)
    for (float& value : inputs[0].cpu) value = value == value ? value : 0;
  CHECK(inputs[0].agrees());
}

}  // namespace

TEST_CASE("an ordered sum on the device has the CPU's bits, in place as well") {
  if (!has_device()) return;
  for (const int64_t count : {0, 1, 1023, 1025, 5000})
    for (const size_t ranks : {1, 2, 3, 8, 64}) compare_sum<uint16_t>(count, ranks);
  // Infinities of both signs make a NaN: fp32 sums have none of them.
  for (const int64_t count : {1, 1023, 1025, 5000}) {
    std::vector<Twin<float>> inputs;
    std::vector<ConstView> views;
    std::vector<const void*> pointers;
    for (uint64_t r = 0; r < 5; ++r) {
      RandomStream stream(r, "ordered sum");
      std::vector<float> values(static_cast<size_t>(count));
      for (float& value : values)
        value = static_cast<float>(stream.normal() * (stream.below(9) == 0 ? 1e20 : 1));
      inputs.emplace_back(values);
    }
    for (const auto& input : inputs) {
      views.push_back({input.cpu.data(), count, Dtype::kFloat32});
      pointers.push_back(input.device());
    }
    reduce_into({inputs[0].cpu.data(), count, Dtype::kFloat32}, views);
    kernels::ordered_sum(inputs[0].device(), pointers, count, Dtype::kFloat32);
    CHECK(inputs[0].agrees());
  }
  CHECK_THROWS_AS(kernels::ordered_sum(nullptr, {}, 1, Dtype::kFloat32), UsageError);
  CHECK_THROWS_AS(kernels::ordered_sum(nullptr, {nullptr}, 1, Dtype::kInt8), UsageError);
}

TEST_CASE("sums and maxima of every type on the device are the CPU's, and the first NaN is found") {
  if (!has_device()) return;
  const kernels::OnDevice device;
  const auto of_type = [&]<typename Value>(Value, Dtype dtype, Value nan) {
    for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMax}) {
      std::vector<Twin<Value>> inputs;
      std::vector<ConstView> views, of_device;
      for (uint64_t r = 0; r < 3; ++r) {
        RandomStream stream(r, "every type");
        std::vector<Value> values(1500);
        for (Value& value : values) value = static_cast<Value>(stream.below(16000));
        inputs.emplace_back(values);
      }
      for (const auto& input : inputs) {
        views.push_back({input.cpu.data(), 1500, dtype});
        of_device.push_back({input.device(), 1500, dtype, Device::kCuda});
      }
      reduce_into({inputs[1].cpu.data(), 1500, dtype}, views, op);
      device.reduce({inputs[1].device(), 1500, dtype, Device::kCuda}, of_device, op);
      CHECK(inputs[1].agrees());
      if (nan == Value{}) continue;
      CHECK(device.first_non_finite(of_device[0]) == std::nullopt);
      device.copy(inputs[0].device() + 1201, &nan, sizeof nan);
      device.copy(inputs[0].device() + 1400, &nan, sizeof nan);
      CHECK(device.first_non_finite(of_device[0]) == 1201);
    }
  };
  of_type(0.0F, Dtype::kFloat32, std::numeric_limits<float>::infinity());
  of_type(0.0, Dtype::kFloat64, std::numeric_limits<double>::quiet_NaN());
  of_type(uint16_t{}, Dtype::kBFloat16, uint16_t{0x7fc0});
  of_type(int64_t{}, Dtype::kInt64, int64_t{});
}

TEST_CASE("a mark is asked for until its stream has come there, and launches meanwhile report nothing") {
  if (!has_device()) return;
  const Twin<float> sum(4 << 20), one(4 << 20);
  const auto add = [&] {
    kernels::ordered_sum(sum.device(), {sum.device(), one.device()}, 4 << 20, Dtype::kFloat32,
                         kernels::own_stream());
  };
  add(), add(), add();
  const auto reached = kernels::mark_of(kernels::own_stream());  // of the host: none
  CHECK(eventually([&] {
    const bool so = !reached || reached();
    add();
    return so;
  }));
  kernels::wait();
}

TEST_CASE("tensors are copied to their places in a bucket, wherever they begin") {
  if (!has_device()) return;
  Twin<uint8_t> from(values_of<uint16_t>(1, 1).size() * 70'000), bucket(70'000);
  RandomStream stream(1, "copies");
  for (uint8_t& byte : from.cpu) byte = static_cast<uint8_t>(stream.below(256));
  kernels::copy(from.device(), from.cpu.data(), from.cpu.size());
  std::vector<kernels::Copy> copies;
  int64_t at = 0;
  for (size_t i = 0; i < 150; ++i) {
    const int64_t bytes = std::array<int64_t, 5>{16, 4, 2, 7, 1024}[i % 5] * static_cast<int64_t>(i % 7);
    if (at + bytes > std::ssize(bucket.cpu)) break;
    copies.push_back({bucket.device() + at, from.device() + at, bytes});
    std::copy_n(from.cpu.begin() + at, bytes, bucket.cpu.begin() + at);
    at += bytes + static_cast<int64_t>(i % 3);
  }
  kernels::copy_all(copies);
  CHECK(copies.size() > 64);
  CHECK(bucket.agrees());
}

TEST_CASE("squares are added up exactly on the device") {
  if (!has_device()) return;
  for (const int64_t count : {0, 1, 255, 70'000}) {
    std::vector<float> values = odd_values<float>(count, 5);
    for (float& value : values)
      if (!(std::abs(value) <= std::numeric_limits<float>::max())) value = 3;
    Twin<float> wide(values);
    Twin<uint16_t> narrow(values_of<uint16_t>(count, 6));
    for (uint16_t& bits : narrow.cpu) bits = (bits & 0x7f80) == 0x7f80 ? 0x4040 : bits;
    kernels::copy(narrow.device(), narrow.cpu.data(), narrow.cpu.size() * 2);
    ExactSquareSum expected, sum;
    expected.add(wide.cpu.data(), count, Dtype::kFloat32);
    expected.add(narrow.cpu.data(), count, Dtype::kBFloat16);
    Twin<int64_t> limbs(size_t{kNormLimbs});
    kernels::add_squares(limbs.device(), wide.device(), count, Dtype::kFloat32);
    kernels::add_squares(limbs.device(), narrow.device(), count, Dtype::kBFloat16);
    kernels::copy(sum.limbs(), limbs.device(), kNormLimbs * sizeof(int64_t));
    CHECK(sum.value() == expected.value());
  }
  Twin<float> infinite({1, std::numeric_limits<float>::infinity(), 2});
  Twin<int64_t> limbs(size_t{kNormLimbs});
  kernels::add_squares(limbs.device(), infinite.device(), 3, Dtype::kFloat32);
  ExactSquareSum sum;
  kernels::copy(sum.limbs(), limbs.device(), kNormLimbs * sizeof(int64_t));
  CHECK(std::isnan(sum.value()));
}
