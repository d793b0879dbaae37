// The updates' kernels beside their twins on the CPU: every bit.
#include "ringside/kernels/update.h"

#include "odd_values.h"
#include "on_device.h"
#include "ringside/base/error.h"
#include "ringside/optim/optimizer.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct Memory {
  Twin<float> gradient, weights, first, second;
  Twin<uint16_t> short_gradient, rounded;

  explicit Memory(int64_t count)
      : gradient(odd_values<float>(count, 1)),
        weights(odd_values<float>(count, 2)),
        first(odd_values<float>(count, 3)),
        second(odd_values<float>(count, 4)),
        short_gradient(in_bf16(gradient.cpu)),
        rounded(static_cast<size_t>(count)) {}

  static std::vector<uint16_t> in_bf16(const std::vector<float>& values) {
    std::vector<uint16_t> bits;
    for (const float value : values) bits.push_back(float_to_bf16(value));
    return bits;
  }
  bool agrees() const { return weights.agrees() && first.agrees() && second.agrees() && rounded.agrees(); }

  // Of the CPU's memory, or of the device's.
  Elements elements(bool device, bool bf16, const std::vector<bool>& kept) {
    const auto of = [device](auto& twin) { return device ? twin.device() : twin.cpu.data(); };
    Elements e;
    e.count = std::ssize(weights.cpu);
    e.weights = of(weights);
    e.gradient = bf16 ? static_cast<const void*>(of(short_gradient)) : of(gradient);
    e.gradient_dtype = bf16 ? Dtype::kBFloat16 : Dtype::kFloat32;
    e.rounded = bf16 ? of(rounded) : nullptr;
    for (size_t s = 0; s < kept.size(); ++s)
      if (kept[s])
        e.state.push_back(of(s == 0 ? first : second));
      else if (device)  // the optimizer leaves it out itself
        e.state.push_back(nullptr);
    return e;
  }
};

void compare(const std::string& name, const Values& changed, int64_t count, bool bf16) {
  const Optimizer twin = make_optimizer({.name = name, .values = changed});
  Values values = changed;
  for (const HyperparameterSpec& one : twin.spec().hyperparameters) values.insert({one.name, one.standard});
  std::vector<bool> kept;
  for (const StateSpec& state : twin.spec().state)
    kept.push_back(state.unless_zero.empty() || values.at(state.unless_zero) != 0);
  Memory memory(count);
  for (int64_t step = 1; step <= 3; ++step) {
    const UpdateOptions options{.learning_rate = 0.01, .step = step, .gradient_scale = 0.3F};
    twin.update(memory.elements(false, bf16, kept), options);
    kernels::update(name, memory.elements(true, bf16, kept), values, options);
  }
  INFO(name << ", " << count << " elements, gradients in " << (bf16 ? "bf16" : "fp32"));
  CHECK(memory.agrees());
}

}  // namespace

TEST_CASE("an update's kernel has the bits of its twin on the CPU, special values included") {
  if (!has_device()) return;
  for (const int64_t count : {0, 1, 255, 1025, 2051})
    for (const bool bf16 : {false, true}) {
      for (const std::string& name : kernels::optimizers_with_kernels()) compare(name, {}, count, bf16);
      compare("sgd", {{"momentum", 0}}, count, bf16);
      compare("sgd", {{"nesterov", 1}}, count, bf16);
      compare("adam", {{"weight_decay", 0.1}}, count, bf16);
      compare("lion", {{"weight_decay", 0.1}}, count, bf16);
    }
}

TEST_CASE("an optimizer that has no kernel is named with those that have one") {
  CHECK_THROWS_AS(kernels::update("muon", {}, {}, {}), UsageError);
  for (const std::string& name : kernels::optimizers_with_kernels())
    CHECK_NOTHROW(make_optimizer({.name = name}));
}
