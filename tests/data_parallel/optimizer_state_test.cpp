// An optimizer keeps as many values an element as it says: none, or more than AdamW's two.
#include <cstring>

#include "catch.h"
#include "ringside/data_parallel/bucketed.h"
#include "toy_model.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// Slot k grows by k + 1 at each update, and a weight becomes the sum of its slots.
class Counting : public Optimizer {
 public:
  explicit Counting(int slots) : slots_(slots) {}
  int slots() const override { return slots_; }
  void update(const Stretch& stretch, const UpdateOptions&) const override {
    for (int64_t i = 0; i < stretch.count; ++i) {
      stretch.weights[i] = 0;
      for (int k = 0; k < slots_; ++k) stretch.weights[i] += stretch.slots[k][i] += static_cast<float>(k + 1);
    }
  }

 private:
  int slots_;
};

// The values of every trainable parameter, which `bytes` holds among the frozen ones.
std::vector<float> trained_values(const std::string& bytes) {
  std::vector<float> values;
  size_t offset = 0;
  for (const ParameterShape& shape : ToyModel().parameters.shapes) {
    for (int64_t i = 0; i < shape.numel(); ++i, offset += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, bytes.data() + offset, sizeof value);
      if (shape.trainable) values.push_back(value);
    }
  }
  return values;
}

}  // namespace

TEST_CASE("every slot of an optimizer is kept from step to step, however many there are") {
  const ToyRun run{.ranks = 2, .steps = 4};
  for (const int slots : {0, 1, 2, 3, 5}) {
    const Counting counting(slots);
    const auto results = train_toy(run, [&](ParameterSet& set, ProcessGroup& group, const Optimizer&,
                                            const Distribution& options, Recorder* recorder) {
      return std::make_unique<BucketedDataParallel>(set, group, counting, options, recorder);
    });
    const auto sum = static_cast<float>(run.steps * slots * (slots + 1) / 2);
    for (const ToyResult& result : results) {
      INFO(slots << " slots");
      CHECK(result.live_bytes == 0);
      const std::vector<float> values = trained_values(result.bytes);
      CHECK(values == std::vector<float>(values.size(), sum));
    }
  }
}
