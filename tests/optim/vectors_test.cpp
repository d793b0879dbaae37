// An elementwise update has the same bits with every kind of vectors.
#include "ringside/base/vectors.h"

#include "catch.h"
#include "odd_values.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "ringside/optim/optimizer.h"
#include "vectors_scope.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

template <typename Real>
struct Memory {
  std::vector<Real> gradient, weights;
  std::vector<std::vector<Real>> state;
  std::vector<uint16_t> short_gradient, rounded;

  Memory(int64_t count, size_t states)
      : gradient(odd_values<Real>(count, 1)), weights(odd_values<Real>(count, 2)) {
    for (size_t s = 0; s < states; ++s) state.push_back(odd_values<Real>(count, 3 + s));
    for (const Real value : gradient) short_gradient.push_back(float_to_bf16(static_cast<float>(value)));
    rounded.resize(gradient.size());
  }

  // All but the first element: vectors then begin at addresses that no vector divides.
  ElementsOf<Real> elements(bool bf16) {
    const size_t first = weights.empty() ? 0 : 1;
    ElementsOf<Real> e;
    e.count = std::ssize(weights) - static_cast<int64_t>(first);
    e.weights = weights.data() + first;
    e.gradient = bf16 ? static_cast<const void*>(short_gradient.data() + first) : gradient.data() + first;
    if (bf16) e.gradient_dtype = Dtype::kBFloat16;
    if (bf16) e.rounded = rounded.data() + first;
    for (std::vector<Real>& values : state) e.state.push_back(values.data() + first);
    return e;
  }
};

using Bits = std::vector<uint64_t>;

void append(Bits& bits, const auto& values) {
  for (const auto value : values) {
    if constexpr (sizeof(value) == 8)
      bits.push_back(std::bit_cast<uint64_t>(value));
    else if constexpr (sizeof(value) == 4)
      bits.push_back(std::bit_cast<uint32_t>(value));
    else
      bits.push_back(value);
  }
}

// Everything that three steps leave.
template <typename Real>
Bits after_steps(const Optimizer& optimizer, int64_t count, bool bf16, Vectors vectors) {
  const VectorsScope scope(vectors);
  Memory<Real> memory(count, optimizer.state().size());
  for (int64_t step = 1; step <= 3; ++step)
    optimizer.update(memory.elements(bf16), {.learning_rate = 0.01, .step = step, .gradient_scale = 0.3F});
  Bits bits;
  append(bits, memory.weights);
  append(bits, memory.rounded);
  for (const std::vector<Real>& values : memory.state) append(bits, values);
  return bits;
}

// Every elementwise optimizer with its standard values, and with each value that switches something on.
std::vector<Optimizer> every_optimizer() {
  std::vector<Optimizer> all;
  for (const OptimizerSpec& spec : optimizer_specs()) {
    if (spec.granularity != Granularity::kElement) continue;
    all.emplace_back(spec, OptimizerConfig{});
    OptimizerConfig on{.name = spec.name};
    for (const HyperparameterSpec& one : spec.hyperparameters)
      if (one.standard == 0) on.values[one.name] = one.below == 2 ? 1 : 0.25;
    if (!on.values.empty()) all.emplace_back(spec, on);
  }
  return all;
}

std::vector<int64_t> sizes() {
  std::vector<int64_t> counts = {1023, 1024, 1025, 1026, 4099};
  for (int64_t count = 0; count <= 35; ++count) counts.push_back(count);
  return counts;
}

}  // namespace

TEST_CASE("all vectors have the same bits in every elementwise update; the widest are in use") {
  for (const Vectors wide : {Vectors::kAvx2, Vectors::kAvx512}) {
    if (!can_use(wide)) {
      WARN("not compared: there is no " << to_string(wide) << " here");
      continue;
    }
    for (const Optimizer& optimizer : every_optimizer())
      for (const int64_t count : sizes()) {
        INFO(optimizer.spec().name << ", " << count << " elements, " << to_string(wide));
        for (const bool bf16 : {false, true})
          CHECK((after_steps<float>(optimizer, count, bf16, wide) ==
                 after_steps<float>(optimizer, count, bf16, Vectors::kBase)));
        CHECK((after_steps<double>(optimizer, count, false, wide) ==
               after_steps<double>(optimizer, count, false, Vectors::kBase)));
      }
  }
  CHECK(can_use(Vectors::kBase));
  for (const Vectors vectors : kAllVectors) {
    if (can_use(vectors)) {
      CHECK(vectors_in_use() >= vectors);
      const VectorsScope scope(vectors);
      CHECK(vectors_in_use() == vectors);
    } else {
      CHECK(vectors_in_use() < vectors);
      CHECK_THROWS_AS(use_vectors(vectors), UsageError);
    }
  }
}
