// A trained classifier put to use: its answers to samples, and how many of them are right. Torch-free.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "ringside/data/class_metrics.h"
#include "ringside/data/dataset.h"
#include "ringside/planner/classifier_layers.h"
#include "ringside/world/world.h"

namespace ringside::inline training {

struct TrainedClassifier {
  ClassifierConfig model;
  int64_t max_tokens = 64;
  Padding padding{};
  // Of the parameter at that place of classifier_shapes(model), whole, in fp32; asked once, while it is made.
  std::function<ConstView(size_t parameter)> weights;
};

// In the memory of this process.
class Predictor {
 public:
  explicit Predictor(const TrainedClassifier& trained);
  ~Predictor();
  // softmax of the logits of each sample, (B)(C). Samples are 1 to max_tokens tokens of the vocabulary:
  // UsageError.
  std::vector<std::vector<float>> probabilities(const std::vector<Sample>& samples);

 private:
  struct Loaded;
  std::unique_ptr<Loaded> loaded_;
};

struct Classified {
  Confusion counts;
  double loss = 0;  // mean cross entropy
};

// data.test over the ranks, `rows` samples in a forward: the same counts for any number of ranks. Errors:
// those of a World.
Classified classify(const TrainedClassifier& trained, const Dataset& data, int ranks, int64_t rows,
                    const WorldHooks& hooks = {});

}  // namespace ringside::inline training
